//! What there is to audit: which points and bodies of a state are of which kind of matter. The only part of the audit that knows
//! how a scene keeps its matter.

use crate::scene::{GridMatter, Matter, RigidMatter, Scene};
use pd_core::Model;
use pd_particles::ParticleModel;
use std::ops::Range;

/// A kind of matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// Cloth, shells and solids.
    Deformable,
    /// Rigid bodies.
    Rigid,
    /// Grains and bodies of particles.
    Particles,
    /// Water and sand on a grid.
    Fluid,
}

impl Kind {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deformable => "deformable bodies",
            Self::Rigid => "rigid bodies",
            Self::Particles => "particles",
            Self::Fluid => "fluids",
        }
    }
}

/// The matter of a scene by kind, with its points of the state.
pub(super) struct Subject<'a> {
    /// Vertices of the elastic model; empty where there is none.
    pub(super) elastic: Range<usize>,
    pub(super) rigid: Option<&'a RigidMatter>,
    pub(super) particles: Option<(Range<usize>, &'a ParticleModel)>,
    pub(super) fluid: Option<(Range<usize>, &'a GridMatter)>,
}

impl<'a> Subject<'a> {
    /// Of a scene whose simulation has this model.
    pub(super) fn of(scene: &'a Scene, model: &Model) -> Self {
        let none = Self { elastic: 0..0, rigid: None, particles: None, fluid: None };
        match &scene.matter {
            Matter::Elastic => Self { elastic: 0..model.vertices(), ..none },
            Matter::Rigid(rigid) => Self { rigid: Some(rigid), ..none },
            Matter::Particles(particles) => {
                Self { particles: Some((0..particles.len(), particles.as_ref())), ..none }
            }
            Matter::Grid(grid) => Self { fluid: Some((0..grid.x.len(), grid)), ..none },
            Matter::Mixed(mixed) => {
                let (first, material) = (mixed.elastic, mixed.first_material());
                Self {
                    elastic: 0..first,
                    rigid: mixed.rigid.as_ref(),
                    particles: mixed.particles.as_ref().map(|p| (first..material, p.as_ref())),
                    fluid: mixed.grid.as_ref().map(|g| (material..material + g.x.len(), g)),
                }
            }
        }
    }
}
