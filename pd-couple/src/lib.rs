//! Kinds of matter that meet: cloth and soft bodies, rigid bodies, grains, water and sand in one simulation.
//!
//! Every kind keeps its own method, a [`Domain`]: it moves its points and bodies over a step as if nothing else were there.
//! Then [`Coupled`] lets them meet. Contacts between different kinds are *rows* between two [`Endpoint`]s (a vertex, a point of a
//! triangle, a particle, a point of a rigid body) with a normal, a gap and friction; a Gauss–Seidel iteration in a fixed order
//! gives both ends equal and opposite impulses with the masses of both, so momentum is exact, whatever the iteration leaves
//! undone. Contacts inside of one kind are the business of its domain.
//!
//! Vertices may be attached to points of bodies ([`Attachment`]); these are solved with the rows, and as exact.
//!
//! A step is short, a millisecond or two: a scene cuts its frames into as many as it needs. Contact forces, which start the next
//! step, are columns of the [`State`](pd_core::State): a clone of it is a checkpoint.
//!
//! Points of the state come in the order elastic vertices, grains, material points.

/// The core crate, whose types appear in this interface: a program needs no dependency of its own on it.
pub use pd_core;

mod admm_ipc;
mod attach;
mod coupled;
mod domain;
mod endpoint;
mod error;
mod find;
mod guard;
mod immersion;
mod layout;
mod memory;
mod movers;
mod rows;
mod scheme;
mod shape;
mod sheet;
mod warm;

pub use admm_ipc::{AdmmIpc, AdmmReport, AdmmSettings, Stalled};
pub use attach::Attachment;
pub use coupled::{Coupled, CoupledReport, CoupledSettings};
pub use domain::{Domain, ElasticDomain, GrainDomain, MaterialDomain, RigidDomain, TaggedError};
pub use endpoint::Endpoint;
pub use error::CoupleError;
pub use layout::{Layout, PointMatter};
pub use movers::{Movers, Velocities};
pub use rows::{Row, solve_rows};
pub use scheme::Scheme;
pub use shape::RigidShape;
pub use sheet::Sheet;

/// The example of the README, run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
