//! What a scene has beside deformable bodies: rigid bodies, particles, or matter on a grid, with the stepper that moves it.
//!
//! Each kind has its own model, constant as all models are, and lives in the one [`State`]: bodies in `state.bodies`, particles
//! and material points in `state.x`. A scene has deformable bodies or one of these kinds.

mod display;
mod grid;
mod particles;
mod rigid;

pub use display::{Cloud, DisplayMesh};
pub use rigid::RigidMatter;

use super::desc::SceneDesc;
use crate::SceneError;
use pd_core::{Model, Real, State, Stepper, Vec3};
use pd_mpm::{MpmModel, MpmStepper};
use pd_particles::{ParticleModel, SubstepSettings, UnifiedSubstep};
use std::sync::Arc;

/// The kind of matter of a scene.
#[derive(Debug)]
#[non_exhaustive]
pub enum Matter {
    /// Deformable bodies with elastic energies.
    Elastic,
    /// Rigid bodies.
    Rigid(RigidMatter),
    /// Grains and bodies of particles.
    Particles(Arc<ParticleModel>),
    /// Material points on a grid.
    Grid(GridMatter),
}

/// Material points at the start.
#[derive(Debug)]
pub struct GridMatter {
    /// Grid, laws and walls.
    pub model: Arc<MpmModel>,
    /// Positions, m.
    pub x: Vec<Vec3>,
    /// Velocities, m/s.
    pub v: Vec<Vec3>,
    /// Masses, kg.
    pub masses: Vec<Real>,
    /// Half of the distance between neighbours, m: what a point is drawn with.
    pub radius: Real,
}

impl Matter {
    /// Builds what the description has.
    pub(super) fn build(name: &str, desc: &SceneDesc) -> Result<Self, SceneError> {
        let wrong = |field: &str, what: String| SceneError::Value {
            file: name.to_owned(),
            field: field.to_owned(),
            what,
        };
        let kinds = [
            ("object", desc.objects.is_empty()),
            ("body", desc.bodies.is_empty()),
            ("particles", desc.particles.is_empty()),
            ("fluid", desc.fluids.is_empty()),
        ];
        let mut present = kinds.iter().filter(|(_, empty)| !empty).map(|(kind, _)| *kind);
        let Some(kind) = present.next() else {
            return Err(wrong(
                "object",
                "the scene has no [[object]], [[body]], [[particles]] or [[fluid]]".into(),
            ));
        };
        if let Some(other) = present.next() {
            let what = format!(
                "[[{other}]] beside [[{kind}]]: a scene has one kind of matter; obstacles go with all"
            );
            return Err(wrong(other, what));
        }
        if kind != "body" && !desc.joints.is_empty() {
            return Err(wrong("joint", "joins bodies, and the scene has no [[body]]".into()));
        }
        if kind != "object" && !desc.forces.is_empty() {
            return Err(wrong("force", format!("acts on [[object]] only, not on [[{kind}]]")));
        }
        Ok(match kind {
            "body" => Self::Rigid(rigid::build(name, desc)?),
            "particles" => Self::Particles(Arc::new(particles::build(name, desc)?)),
            "fluid" => Self::Grid(grid::build(name, desc)?),
            _ => Self::Elastic,
        })
    }

    /// Number of points in the state.
    pub fn points(&self) -> usize {
        match self {
            Self::Elastic | Self::Rigid(_) => 0,
            Self::Particles(model) => model.len(),
            Self::Grid(grid) => grid.x.len(),
        }
    }

    /// Number of rigid bodies.
    pub fn bodies(&self) -> usize {
        match self {
            Self::Rigid(rigid) => rigid.model.bodies(),
            _ => 0,
        }
    }

    /// Radius that a point is drawn with, m; `None` if the matter has no points.
    pub fn radii(&self) -> Option<Vec<Real>> {
        match self {
            Self::Elastic | Self::Rigid(_) => None,
            Self::Particles(model) => Some(model.radii().to_vec()),
            Self::Grid(grid) => Some(vec![grid.radius; grid.x.len()]),
        }
    }

    /// The state at the start; `None` for deformable bodies, whose state is their rest shape.
    pub(super) fn state(&self) -> Option<State> {
        match self {
            Self::Elastic => None,
            Self::Rigid(rigid) => {
                let mut state = State::default();
                state.bodies = rigid.start.clone();
                Some(state)
            }
            Self::Particles(model) => Some(model.state()),
            Self::Grid(grid) => Some(State::new(grid.x.clone(), grid.v.clone())),
        }
    }

    /// Masses of the points; `None` for deformable bodies.
    pub(super) fn model(&self) -> Option<Result<Model, pd_core::ModelError>> {
        match self {
            Self::Elastic => None,
            Self::Rigid(_) => Some(Model::with_masses(vec![]).build()),
            Self::Particles(model) => Some(model.core_model()),
            Self::Grid(grid) => Some(Model::with_masses(grid.masses.clone()).build()),
        }
    }

    /// The stepper of this matter; `None` for deformable bodies, whose stepper the registry makes.
    pub(crate) fn stepper(&self, desc: &SceneDesc) -> Result<Option<Box<dyn Stepper>>, SceneError> {
        let unknown = |what: String| SceneError::Registry(what);
        Ok(match self {
            Self::Elastic => None,
            Self::Rigid(rigid) => Some(rigid.stepper(&desc.rigid)?),
            Self::Particles(model) => match desc.unified.solver.as_str() {
                UnifiedSubstep::NAME => {
                    let settings = SubstepSettings { substeps: desc.unified.substeps, ..Default::default() };
                    Some(Box::new(UnifiedSubstep::new(model.clone(), settings)))
                }
                other => {
                    let known = UnifiedSubstep::NAME;
                    return Err(unknown(format!("there is no particle solver {other:?}; known are {known}")));
                }
            },
            Self::Grid(grid) => Some(Box::new(MpmStepper::new(grid.model.clone()))),
        })
    }
}
