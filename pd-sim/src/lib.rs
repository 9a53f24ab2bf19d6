//! Scenes and the simulation facade over all crates of the workspace.
//!
//! [`Simulation`] bundles a model, a state, parameters and a stepper for your own programs; [`scene::Scene`]
//! reads a TOML description (or one of the built-in scenes) and [`scene::SceneRun`] runs it frame by frame.
//!
//! ```
//! use pd_sim::{ModelPaths, Registry, scene::{Scene, SceneRun}};
//!
//! let scene = Scene::load("cloth", &ModelPaths::default())?;
//! let mut run = SceneRun::new(scene, &Registry::standard())?;
//! for _ in 0..5 {
//!     run.advance()?;
//! }
//! assert_eq!(run.frame(), 5);
//! # Ok::<(), pd_sim::SceneError>(())
//! ```

pub mod audit;
mod checkpoint;
mod custom;
mod elastic_bodies;
mod error;
mod models;
mod record;
pub mod scene;
mod simulation;
mod steppers;

pub use checkpoint::Checkpoint;
pub use custom::{CustomContext, CustomParts};
pub use elastic_bodies::ElasticBodies;
pub use error::SceneError;
pub use models::ModelPaths;
pub use record::Recorder;
pub use simulation::{Simulation, max_edge_strain};
pub use steppers::Registry;

/// What most programs need, in one `use`.
pub mod prelude {
    pub use crate::scene::{Scene, SceneRun};
    pub use crate::{Checkpoint, CustomContext, ElasticBodies, ModelPaths, Registry, SceneError, Simulation};
    pub use pd_collide::{Block, Floor, Moving, Path, Sphere, Torus};
    pub use pd_constraints::{
        Area, Bending, BendingWeights, EdgeSprings, Pins, StrainRange, TetStrain, TriStrain, Volume,
        force::{PointForce, Wind, WindModel},
        material::Material,
    };
    pub use pd_core::{
        Collider, Csr, EnergyBatch, Force, GlobalSolver, LinearError, Model, ProjectiveDynamics, Real,
        SolveReport, State, Stencil, StepContext, StepError, StepParams, StepReport, Stepper, Vec3, View,
    };
    pub use pd_linear::{Cholesky, DenseCholesky, PanelCholesky};
    pub use pd_mesh::{Mesh, TetMesh, TriMesh, generate};
}
