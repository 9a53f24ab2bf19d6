//! Rigid bodies, joints and contacts beside projective dynamics.
//!
//! [`RigidModel`] is constant: masses, shapes, joints, made and checked by its [builder](RigidModel::builder). Poses and
//! velocities are [`State::bodies`](pd_core::State::bodies); forces of joints and contacts, which start the next step, are
//! [`columns`] of the state. [`RigidStepper`] advances a state and can be dropped at any time.
//!
//! ```
//! use pd_core::{State, StepParams, Vec3};
//! use pd_rigid::{BodyDesc, JointDesc, JointKind, RigidModel, RigidParams, RigidStepper, Shape};
//!
//! // A ball of steel on a rod without mass.
//! let mut builder = RigidModel::builder();
//! let bob = builder.body(BodyDesc::new(Shape::sphere(0.05)?, 7800.0).at(Vec3::x()))?;
//! builder.joint(JointDesc::new(JointKind::Ball, None, Some(bob), Vec3::zeros()))?;
//! let (model, bodies) = builder.build();
//!
//! let mut state = State::default();
//! state.bodies = bodies;
//! let mut stepper = RigidStepper::new(model.into(), RigidParams::default());
//! for _ in 0..30 {
//!     stepper.advance(&StepParams::default(), &[], &mut state)?;
//! }
//! assert!((state.bodies.p[0].norm() - 1.0).abs() < 1e-6 && state.bodies.p[0].y < -0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Conventions: SI units, +y up, capsules and cylinders along y, angular velocities in the world frame. Coordinates of a
//! joint are those of its second body seen from its first.

/// The core crate, whose types appear in this interface: a program needs no dependency of its own on it.
pub use pd_core;

mod contacts;
pub mod describe;
mod error;
mod island;
mod model;
mod narrow;
mod overlap;
mod params;
mod shape;
mod solve;
mod stepper;

pub use error::RigidError;
pub use model::{
    Axis, AxisControl, BodyDesc, Drive, Filter, Joint, JointDesc, JointKind, Motor, Part, PartDesc,
    RigidBuilder, RigidModel, Target,
};
pub use overlap::{ObstacleOverlap, Overlap};
pub use params::RigidParams;
pub use shape::{ConvexParts, Face, MassProperties, MeshTriangle, Polyhedron, Shape, convex_parts};
pub use solve::{Direct, Island, RigidSolver, SOLVERS, TgsSoft, Xpbd, solver};
pub use stepper::{RigidReport, RigidStepper, columns};

/// The example of the README, run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
