//! Material point method: water, sand and elastic matter on a sparse grid.
//!
//! Particles carry mass, velocity and deformation; nodes of a grid carry momentum and forces. A substep sorts particles into
//! blocks of 4³ cells, adds them to nodes, lets gravity, walls, obstacles and bodies act there, and reads the velocities
//! back (Sulsky et al. 1994; Jiang et al. 2015; Hu et al. 2018).
//!
//! [`MpmModel`] is constant and checked, [`State`](pd_core::State) is the whole truth, [`MpmStepper`] holds scratch. Forces
//! of the step's context besides gravity do not act on material points.

/// The core crate, whose types appear in this interface: a program needs no dependency of its own on it.
pub use pd_core;

mod blocks;
mod bodies;
mod boundary;
mod error;
mod inflow;
mod kernel;
mod lanes;
mod law;
pub mod measure;
mod model;
mod particles;
mod pressure;
pub mod scenes;
mod sides;
mod stepper;
pub mod surface;
mod transfer;

pub use bodies::{Coupling, MpmBody};
pub use boundary::Boundary;
pub use error::MpmError;
pub use inflow::Inflow;
pub use kernel::Spline;
pub use law::{
    DruckerPrager, DruckerPragerCone, FixedCorotated, Law, Memory, MohrCoulomb, MohrCoulombSurface,
    NeoHookean, Sand, Snow, Strains, Water, YieldSurface, check_gradient,
};
pub use model::{Material, MpmBuilder, MpmModel, Transfer};
pub use pressure::{PressureReport, PressureStepper};
pub use sides::ThinSheets;
pub use stepper::{MpmReport, MpmStages, MpmStepper};
pub use transfer::nodes::Impulses;

/// The example of the README, run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
