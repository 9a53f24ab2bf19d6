//! The scene file: plain data read from TOML. Unknown keys are errors.
//!
//! These types are separate from the simulation's own, so that internal layouts may change without breaking files.

mod body;
mod constraint;
mod contact;
mod continuum;
mod coupling;
mod display;
mod environment;
mod group;
mod motion;
mod object;
mod particles;
mod shape;

pub use body::{
    BodyDesc, BodyShapeDesc, CopiesDesc, InertialDesc, JointDesc, JointKindDesc, MeshAsDesc, PartDesc,
    RigidDesc, UrdfDesc,
};
pub use constraint::{
    AttachDesc, BendingDesc, BendingModelDesc, ElasticLawDesc, FabricDesc, LaplacianDesc, MassDesc,
    MaterialDesc, PinDesc, SelectDesc, SpringDesc, StrainDesc, WovenDesc,
};
pub use contact::{ContactDesc, ContactMode, ContactPairDesc, StartDesc};
pub use continuum::{FluidDesc, GridDesc, GridSolverDesc, LawDesc, TransferDesc, WallDesc};
pub use coupling::CouplingDesc;
pub use display::{DisplayDesc, ShadingDesc};
pub use environment::{ColliderDesc, ColliderShapeDesc, ForceDesc};
pub use group::GroupDesc;
pub use motion::{ObstacleDesc, ObstacleKind, StitchDesc, TurnDesc};
pub use object::ObjectDesc;
pub use particles::{
    ParticleCopiesDesc, ParticleKindDesc, ParticlesDesc, SampleDesc, SamplePlaceDesc, UnifiedDesc,
};
pub use shape::{RotateDesc, ShapeDesc, TetrahedralizeDesc};

use super::settings::Given;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A whole scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SceneDesc {
    /// One-line description.
    pub title: String,
    /// Where the scene comes from: figure, table, or "own".
    #[serde(default)]
    pub source: String,
    /// Default number of frames.
    #[serde(default = "default_frames")]
    pub frames: usize,
    /// Time step, iterations, gravity.
    #[serde(default, serialize_with = "without_defaults")]
    pub step: StepDesc,
    /// Stepper and global solver.
    #[serde(default, serialize_with = "without_defaults")]
    pub solver: SolverDesc,
    /// How bodies touch obstacles, each other and themselves.
    #[serde(default, skip_serializing_if = "ContactDesc::is_default")]
    pub contact: ContactDesc,
    /// Coupling between kinds of matter.
    #[serde(default, skip_serializing_if = "CouplingDesc::is_default")]
    pub coupling: CouplingDesc,
    /// Published counts that the scene reproduces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishedDesc>,
    /// Deformable bodies, in vertex order.
    #[serde(default, rename = "object")]
    pub objects: Vec<ObjectDesc>,
    /// Springs between vertices of them.
    #[serde(default, rename = "stitch", skip_serializing_if = "Vec::is_empty")]
    pub stitches: Vec<StitchDesc>,
    /// Rigid bodies.
    #[serde(default, rename = "body", skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<BodyDesc>,
    /// Joints of rigid bodies.
    #[serde(default, rename = "joint", skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<JointDesc>,
    /// Robots: bodies and joints from URDF files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub urdf: Vec<UrdfDesc>,
    /// How rigid bodies are solved.
    #[serde(default, skip_serializing_if = "RigidDesc::is_default", serialize_with = "without_defaults")]
    pub rigid: RigidDesc,
    /// Grains and bodies made of particles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub particles: Vec<ParticlesDesc>,
    /// How particles are solved.
    #[serde(default, skip_serializing_if = "UnifiedDesc::is_default", serialize_with = "without_defaults")]
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
    /// Custom parts registered by the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub custom: Vec<CustomDesc>,
    /// Where its keys were given.
    #[serde(skip)]
    pub given: Given,
}

/// Writes only what differs from the default: a key that is written must be taken when it is read again.
fn without_defaults<T: Serialize + Default, S: serde::Serializer>(
    own: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let table = |value: &T| toml::Table::try_from(value).map_err(serde::ser::Error::custom);
    let (mut own, default) = (table(own)?, table(&T::default())?);
    own.retain(|key, value| default.get(key) != Some(value));
    own.serialize(serializer)
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
            coupling: CouplingDesc::default(),
            published: None,
            objects: vec![],
            stitches: vec![],
            bodies: vec![],
            joints: vec![],
            urdf: vec![],
            rigid: RigidDesc::default(),
            particles: vec![],
            unified: UnifiedDesc::default(),
            fluids: vec![],
            grid: None,
            colliders: vec![],
            forces: vec![],
            custom: vec![],
            given: Given::default(),
        }
    }
}

fn default_frames() -> usize {
    300
}

/// Steps per frame with the guard, where a scene does not say. Steps a quarter as long with half of the iterations lose a quarter of the
/// motion that one step loses, which more iterations do not bring back: most of it is implicit Euler's.
pub const GUARDED_SUBSTEPS: usize = 4;

/// Parameters of the step; see [`pd_core::StepParams`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct StepDesc {
    /// Time of one frame, s.
    pub dt: f64,
    /// Steps per frame, each of `dt / substeps`; when absent [`SceneDesc::substeps`] chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub substeps: Option<usize>,
    /// Local/global iterations per step.
    pub iterations: usize,
    /// Gravity, m/s².
    pub gravity: [f64; 3],
    /// Velocity damping, 1/s.
    pub damping: f64,
    /// Whether the predictor does not move pinned vertices.
    pub hold_pinned: bool,
    /// Relative tolerance for an early end of the iterations; 0 never ends early.
    pub tolerance: f64,
    /// Part of a step's motion that may be missing at an early end of the iterations; 0 never ends early.
    pub accuracy: f64,
}

impl Default for StepDesc {
    fn default() -> Self {
        let params = pd_core::StepParams::default();
        Self {
            dt: params.dt,
            substeps: None,
            iterations: params.iterations,
            gravity: params.gravity.into(),
            damping: params.damping,
            hold_pinned: params.hold_pinned,
            tolerance: params.tolerance,
            accuracy: params.accuracy,
        }
    }
}

/// Stepper and global solver by name. A key that is none of these is the name of a stepper, with options for that stepper
/// alone: `[solver.newton] iterations = 4`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct SolverDesc {
    /// Name of the stepper.
    pub stepper: String,
    /// Name of the global solver.
    pub global: String,
    /// Maximum number of iterations per linear solve.
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
    /// Options by the name of the stepper they are for.
    #[serde(flatten)]
    pub steppers: BTreeMap<String, StepperDesc>,
}

/// Options of one stepper; each overrides the key of the same name in `[step]` while that stepper runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct StepperDesc {
    /// Maximum number of iterations per step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<usize>,
    /// Relative tolerance for an early end of the iterations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// Part of a step's motion that may be missing at an early end of the iterations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// Steps per frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub substeps: Option<usize>,
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
            steppers: BTreeMap::new(),
        }
    }
}

impl SceneDesc {
    /// The contact method. By default, scenes with only deformable bodies and the stepper `pd`
    /// have [`Guard`](ContactMode::Guard); other steppers, and scenes with other matter, have [`Project`](ContactMode::Project).
    pub fn contact_mode(&self) -> ContactMode {
        let guarded = !self.objects.is_empty() && self.kinds() == 1 && self.solver.stepper == "pd";
        self.contact.mode.unwrap_or(if guarded { ContactMode::Guard } else { ContactMode::Project })
    }

    /// Steps per frame. By default [`GUARDED_SUBSTEPS`] of deformable bodies alone with contact that keeps surfaces apart by the guard, else 1.
    pub fn substeps(&self) -> usize {
        self.step.substeps.unwrap_or(if self.small_steps() { GUARDED_SUBSTEPS } else { 1 })
    }

    /// Iterations of a step. With the guard's own substeps half of those of `[step]`.
    pub fn iterations(&self) -> usize {
        let own = self.contact.iterations.filter(|_| self.contact_mode().keeps_apart());
        let half = self.step.substeps.is_none() && self.small_steps();
        own.unwrap_or(if half { self.step.iterations.div_ceil(2) } else { self.step.iterations })
    }

    /// Several kinds of matter have substeps of their own, in `[coupling]`.
    fn small_steps(&self) -> bool {
        let others = self.bodies.len() + self.particles.len() + self.fluids.len() + self.urdf.len();
        others == 0 && !self.objects.is_empty() && self.contact_mode() == ContactMode::Guard
    }

    /// Chooses a stepper, and moves the options that `[solver.NAME]` has for it to `[step]`.
    pub fn use_stepper(&mut self, name: &str) {
        self.solver.stepper = name.to_owned();
        if let Some(options) = self.solver.steppers.remove(name) {
            let step = &mut self.step;
            step.iterations = options.iterations.unwrap_or(step.iterations);
            step.tolerance = options.tolerance.unwrap_or(step.tolerance);
            step.substeps = options.substeps.or(step.substeps);
            step.accuracy = options.accuracy.unwrap_or(step.accuracy);
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

/// An energy, obstacle or force that a program registered; see [`crate::CustomParts`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CustomDesc {
    /// Name of the part.
    pub kind: String,
    /// Keys of the part's own.
    #[serde(flatten)]
    pub keys: toml::Table,
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
