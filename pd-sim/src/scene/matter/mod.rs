//! Rigid bodies, particles and matter on a grid of a scene, and their steppers.
//!
//! Each kind has its own constant model and stores its data in the shared [`State`]: bodies in `state.bodies`, particles
//! and material points in `state.x`. A scene with several kinds is [`Matter::Mixed`]; contact couples them.

mod body_shape;
mod display;
mod grid;
mod mixed;
mod particle_mesh;
mod particles;
mod rigid;
#[cfg(test)]
mod rigid_tests;
mod water_surface;

pub use display::{Cloud, DisplayMesh};
pub use mixed::MixedMatter;
pub use rigid::RigidMatter;

use super::desc::{GridSolverDesc, SceneDesc};
use super::files::Files;
use crate::SceneError;
use pd_core::{Model, Real, State, Stepper, Vec3};
use pd_mpm::{MpmModel, MpmStepper, PressureStepper};
use pd_particles::ParticleModel;
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
    /// Several kinds, deformable bodies among them or not.
    Mixed(MixedMatter),
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
    /// Builds what the description has beside its `elastic` vertices of deformable bodies.
    pub(super) fn build(files: &Files<'_>, desc: &SceneDesc, elastic: usize) -> Result<Self, SceneError> {
        let name = files.scene;
        let wrong = |field: &str, what: String| SceneError::Value {
            file: name.to_owned(),
            field: field.to_owned(),
            what,
        };
        let kinds = [
            ("object", desc.objects.is_empty()),
            ("body", desc.bodies.is_empty() && desc.urdf.is_empty()),
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
        let mixed = present.next().is_some();
        let no_bodies = desc.bodies.is_empty() && desc.urdf.is_empty();
        if let Some(object) = desc.objects.iter().find(|object| !object.attachments.is_empty() && no_bodies) {
            let what = "attaches to rigid bodies, and the scene has no [[body]]";
            return Err(wrong(&format!("object {:?}.attach", object.name), what.into()));
        }
        if mixed {
            return Self::build_mixed(files, desc, elastic);
        }
        Ok(match kind {
            "body" => Self::Rigid(rigid::build(files, desc)?),
            "particles" => Self::Particles(Arc::new(particles::build(desc, files)?)),
            "fluid" => Self::Grid(grid::build(name, desc)?),
            _ => Self::Elastic,
        })
    }

    fn build_mixed(files: &Files<'_>, desc: &SceneDesc, elastic: usize) -> Result<Self, SceneError> {
        let name = files.scene;
        let wrong = |field: &str, what: String| SceneError::Value {
            file: name.to_owned(),
            field: field.to_owned(),
            what,
        };
        let mut mixed = MixedMatter { elastic, ..MixedMatter::default() };
        if !(desc.bodies.is_empty() && desc.urdf.is_empty()) {
            mixed.rigid = Some(rigid::build(files, desc)?);
        }
        let names = mixed.rigid.as_ref().map_or(&[][..], |rigid| &rigid.names);
        for object in &desc.objects {
            for (k, attach) in object.attachments.iter().enumerate() {
                if !names.contains(&attach.body) {
                    let field = format!("object {:?}.attach[{k}].body", object.name);
                    let what = format!("there is no body {:?}; known are {}", attach.body, names.join(", "));
                    return Err(wrong(&field, what));
                }
            }
        }
        if !desc.particles.is_empty() {
            mixed.particles = Some(Arc::new(particles::build(desc, files)?));
        }
        if !desc.fluids.is_empty() {
            mixed.grid = Some(grid::build(name, desc)?);
        }
        Ok(Self::Mixed(mixed))
    }

    /// Number of points in the state that are no vertices of deformable bodies.
    pub fn points(&self) -> usize {
        match self {
            Self::Mixed(mixed) => mixed.points(),
            Self::Elastic | Self::Rigid(_) => 0,
            Self::Particles(model) => model.len(),
            Self::Grid(grid) => grid.x.len(),
        }
    }

    /// Number of rigid bodies.
    pub fn bodies(&self) -> usize {
        match self {
            Self::Rigid(rigid) => rigid.model.bodies(),
            Self::Mixed(mixed) => mixed.rigid.as_ref().map_or(0, |rigid| rigid.model.bodies()),
            _ => 0,
        }
    }

    /// Radius that a point of [`points`](Self::points) is drawn with, m; `None` if the matter has no points.
    pub fn radii(&self) -> Option<Vec<Real>> {
        match self {
            Self::Elastic | Self::Rigid(_) => None,
            Self::Particles(model) => Some(model.radii().to_vec()),
            Self::Grid(grid) => Some(vec![grid.radius; grid.x.len()]),
            Self::Mixed(mixed) => {
                let mut radii = mixed.particles.as_ref().map_or(vec![], |model| model.radii().to_vec());
                if let Some(grid) = &mixed.grid {
                    radii.resize(radii.len() + grid.x.len(), grid.radius);
                }
                (!radii.is_empty()).then_some(radii)
            }
        }
    }

    /// The state at the start; `None` for deformable bodies, whose state is their rest shape.
    pub(super) fn state(&self, rest: impl FnOnce() -> Vec<Vec3>) -> Option<State> {
        match self {
            Self::Mixed(mixed) => Some(mixed.state(rest())),
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
            // Only vertices of deformable bodies are in the model of several kinds.
            Self::Elastic | Self::Mixed(_) => None,
            Self::Rigid(_) => Some(Model::with_masses(vec![]).build()),
            Self::Particles(model) => Some(model.core_model()),
            Self::Grid(grid) => Some(Model::with_masses(grid.masses.clone()).build()),
        }
    }

    /// The stepper of this matter; `None` for deformable bodies and for several kinds, whose steppers the registry makes.
    pub(crate) fn stepper(&self, desc: &SceneDesc) -> Result<Option<Box<dyn Stepper>>, SceneError> {
        let unknown = |what: String| SceneError::Registry(what);
        Ok(match self {
            Self::Elastic | Self::Mixed(_) => None,
            Self::Rigid(rigid) => Some(rigid.stepper(&desc.rigid)?),
            Self::Particles(model) => Some(particles::stepper(model, &desc.unified)?),
            Self::Grid(grid) => match desc.grid.as_ref().and_then(|grid| grid.solver) {
                Some(GridSolverDesc::Pressure) => {
                    let stepper = PressureStepper::new(grid.model.clone());
                    Some(Box::new(stepper.map_err(|error| unknown(error.to_string()))?))
                }
                Some(GridSolverDesc::Mpm) | None => Some(Box::new(MpmStepper::new(grid.model.clone()))),
            },
        })
    }
}
