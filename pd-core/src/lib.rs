//! Core types and traits of the simulator, and the projective dynamics stepper.
//!
//! Every elastic energy is a nonlinear function of a few fixed linear combinations of vertex positions.
//! A [`Stencil`] holds the combinations (rows of a matrix D) and weights W of a batch of constraints; an
//! [`EnergyBatch`] adds the nonlinear law. They define the constant matrix M/h² + DᵀWD, the gradient and the energy, and,
//! with a [`GlobalSolver`], the [`ProjectiveDynamics`] step.
//!
//! Three rules hold everywhere:
//! - [`Model`] is constant during a step, [`State`] is complete, a [`Stepper`] holds only scratch memory;
//! - loops dispatch per batch, gather and never scatter, and give bitwise identical results for any number of threads;
//! - nothing prints, nothing panics on input, and `step` does not allocate after `prepare`.
//!
//! The crate does not depend on meshes, files, windows or linear-algebra packages: constraints are in `pd-constraints`,
//! solvers in `pd-linear`, obstacles in `pd-collide`, and `pd-sim` combines them.
//!
//! ```
//! use pd_core::*;
//! use std::ops::Range;
//!
//! // A spring of rest length 1 between a heavy and a light mass, with a solver of our own: see the traits' docs.
//! struct Spring(Stencil);
//! impl EnergyBatch for Spring {
//!     fn kind(&self) -> &'static str { "spring" }
//!     fn stencil(&self) -> &Stencil { &self.0 }
//!     fn project(&self, _: Range<usize>, z: &mut [Vec3]) { for z in z { *z = z.normalize(); } }
//! }
//! let mut stencil = Stencil::new(1);
//! stencil.push(10.0, &[&[(0, 1.0), (1, -1.0)]]);
//! let model = Model::with_masses(vec![5.0, 0.1]).energy(Spring(stencil)).build()?;
//! assert_eq!(model.elastic_energy(&[Vec3::zeros(), Vec3::x() * 3.0]), 0.5 * 10.0 * 4.0);
//! # Ok::<(), ModelError>(())
//! ```

mod acceleration;
mod anderson;
mod assemble;
mod background;
mod bodies;
mod builder;
mod collider;
mod collision_surface;
mod columns;
mod descent;
mod diagonal;
mod energy;
mod error;
pub mod exec;
mod export;
mod force;
mod force_plan;
mod grouped_sums;
mod initial_guess;
mod kinematic;
mod lbfgs;
mod local;
pub mod missing;
mod model;
mod pair_history;
mod params;
mod particle_set;
mod pd;
mod pivoted_cholesky;
mod real;
mod report;
mod solver;
mod sparse;
mod state;
mod stencil;
pub mod stepper;
mod view;

pub use acceleration::Acceleration;
pub use anderson::dot;
pub use background::{BackgroundPrepare, Prepared};
pub use bodies::Bodies;
pub use builder::ModelBuilder;
pub use collider::{Aabb, Collider, Obstacle, Surface, SurfaceMesh, VertexSight, resolve_collisions};
pub use collision_surface::{CollisionSurface, ContactMaterial, PairContact, SurfaceBody};
pub use columns::{ColumnData, Columns, Owner, StateColumn, as_vectors, as_vectors_mut};
pub use energy::{EnergyBatch, Psd, Strain};
pub use error::{LinearError, ModelError, StepError};
pub use export::{BatchData, ColliderData, Column, MAX_COLUMNS, MAX_UNIFORMS, ShapeData};
pub use force::Force;
pub use kinematic::{Motion, Still};
pub use lbfgs::Lbfgs;
pub use local::{CpuLocal, LocalInput, LocalStep};
pub use model::{BatchId, Model, Revision};
pub use params::StepParams;
pub use particle_set::{ParticleSet, SetKind};
pub use pd::ProjectiveDynamics;
pub use real::{Mat3, Real, Vec3, as_flat, as_flat_mut};
pub use report::{ContactReport, Measures, Stages, StepReport};
pub use solver::{GlobalSolver, SolveReport, check_lengths};
pub use sparse::{Csr, Pattern};
pub use state::State;
pub use stencil::Stencil;
pub use stepper::{PreparedFor, StepContext, Stepper};
pub use view::{Share, Space, View};
