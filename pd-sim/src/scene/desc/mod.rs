//! The scene file: plain data read from TOML. Unknown keys are errors.
//!
//! These types are separate from the simulation's own, so that internal layouts may change without breaking files.

mod body;
mod constraint;
mod contact;
mod continuum;
mod display;
mod environment;
mod group;
mod object;
mod particles;
mod shape;

pub use body::{BodyDesc, BodyShapeDesc, CopiesDesc, JointDesc, JointKindDesc, RigidDesc};
pub use constraint::{
    BendingDesc, LaplacianDesc, MassDesc, MaterialDesc, PinDesc, SelectDesc, StrainDesc, WeightDesc,
};
pub use contact::{ContactDesc, ContactMode};
pub use continuum::{FluidDesc, GridDesc, LawDesc, WallDesc};
pub use display::{DisplayDesc, ShadingDesc};
pub use environment::{ColliderDesc, ColliderShapeDesc, ForceDesc};
pub use group::GroupDesc;
pub use object::ObjectDesc;
pub use particles::{ParticleKindDesc, ParticlesDesc, UnifiedDesc};
pub use shape::{RotateDesc, ShapeDesc, TetrahedralizeDesc};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A whole scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SceneDesc {
    /// One line that says what is seen.
    pub title: String,
    /// Where the scene comes from: figure, table, or "own".
    #[serde(default)]
    pub source: String,
    /// Frames a plain run simulates.
    #[serde(default = "default_frames")]
    pub frames: usize,
    /// Time step, iterations, gravity.
    #[serde(default)]
    pub step: StepDesc,
    /// Stepper and global solver.
    #[serde(default)]
    pub solver: SolverDesc,
    /// How bodies touch obstacles, each other and themselves.
    #[serde(default, skip_serializing_if = "ContactDesc::is_default")]
    pub contact: ContactDesc,
    /// Published counts that the scene reproduces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishedDesc>,
    /// Deformable bodies, in vertex order.
    #[serde(default, rename = "object")]
    pub objects: Vec<ObjectDesc>,
    /// Rigid bodies.
    #[serde(default, rename = "body", skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<BodyDesc>,
    /// Joints of rigid bodies.
    #[serde(default, rename = "joint", skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<JointDesc>,
    /// How rigid bodies are solved.
    #[serde(default, skip_serializing_if = "RigidDesc::is_default")]
    pub rigid: RigidDesc,
    /// Grains and bodies made of particles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub particles: Vec<ParticlesDesc>,
    /// How particles are solved.
    #[serde(default, skip_serializing_if = "UnifiedDesc::is_default")]
    pub unified: UnifiedDesc,
    /// Matter on the grid.
    #[serde(default, rename = "fluid", skip_serializing_if = "Vec::is_empty")]
    pub fluids: Vec<FluidDesc>,
    /// The grid of that matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<GridDesc>,
    /// Obstacles.
    #[serde(default, rename = "collider", skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<ColliderDesc>,
    /// Forces besides gravity.
    #[serde(default, rename = "force", skip_serializing_if = "Vec::is_empty")]
    pub forces: Vec<ForceDesc>,
}

impl Default for SceneDesc {
    /// Nothing, for 300 frames.
    fn default() -> Self {
        Self {
            title: String::new(),
            source: String::new(),
            frames: default_frames(),
            step: StepDesc::default(),
            solver: SolverDesc::default(),
            contact: ContactDesc::default(),
            published: None,
            objects: vec![],
            bodies: vec![],
            joints: vec![],
            rigid: RigidDesc::default(),
            particles: vec![],
            unified: UnifiedDesc::default(),
            fluids: vec![],
            grid: None,
            colliders: vec![],
            forces: vec![],
        }
    }
}

fn default_frames() -> usize {
    300
}

/// Parameters of the step; see [`pd_core::StepParams`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct StepDesc {
    /// Time of one frame, s.
    pub dt: f64,
    /// Steps per frame, each of `dt / substeps`.
    pub substeps: usize,
    /// Local/global iterations per step.
    pub iterations: usize,
    /// Gravity, m/s².
    pub gravity: [f64; 3],
    /// Velocity damping, 1/s.
    pub damping: f64,
    /// Whether pinned vertices are left alone by the predictor.
    pub hold_pinned: bool,
    /// Relative tolerance for an early end of the iterations; 0 never ends early.
    pub tolerance: f64,
}

impl Default for StepDesc {
    fn default() -> Self {
        let params = pd_core::StepParams::default();
        Self {
            dt: params.dt,
            substeps: 1,
            iterations: params.iterations,
            gravity: params.gravity.into(),
            damping: params.damping,
            hold_pinned: params.hold_pinned,
            tolerance: params.tolerance,
        }
    }
}

/// Stepper and global solver by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct SolverDesc {
    /// Name of the stepper.
    pub stepper: String,
    /// Name of the global solver.
    pub global: String,
    /// Most iterations of one linear solve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inner_iterations: Option<usize>,
    /// Relative residual at which a linear solve ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inner_tolerance: Option<f64>,
    /// Spectral radius assumed by Chebyshev acceleration; estimated when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rho: Option<f64>,
    /// Damping of the Jacobi family; from the spectrum when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gamma: Option<f64>,
    /// Sweeps before Chebyshev acceleration starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<usize>,
}

impl Default for SolverDesc {
    fn default() -> Self {
        Self {
            stepper: "pd".into(),
            global: "panels".into(),
            inner_iterations: None,
            inner_tolerance: None,
            rho: None,
            gamma: None,
            delay: None,
        }
    }
}

impl SolverDesc {
    /// The options as `pd-linear` takes them.
    pub fn options(&self) -> pd_linear::SolverOptions {
        pd_linear::SolverOptions {
            iterations: self.inner_iterations,
            tolerance: self.inner_tolerance,
            rho: self.rho,
            gamma: self.gamma,
            delay: self.delay,
            ..Default::default()
        }
    }
}

/// A row of the thesis' table 7.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PublishedDesc {
    /// Vertices.
    pub vertices: usize,
    /// Triangles of surfaces plus tetrahedra of solids.
    pub elements: usize,
    /// Constraints at the start.
    pub constraints: usize,
}

/// Names used twice, if any.
pub(crate) fn first_repeated(objects: &[ObjectDesc]) -> Option<&str> {
    let mut seen = BTreeMap::new();
    objects.iter().find_map(|o| seen.insert(o.name.as_str(), ()).map(|()| o.name.as_str()))
}
