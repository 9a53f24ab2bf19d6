//! Unified particle dynamics: grains, particle bodies, shape matching.
//!
//! A [`ParticleModel`] is constant; particle i is vertex i of the [`State`](pd_core::State). [`UnifiedSubstep`] advances it by
//! short substeps and keeps momentum; [`Unified`] is the averaged Jacobi iteration as published. [`Grid`] and [`Pairs`] find
//! neighbours, [`matching`] fits shapes, and [`scenes`] has the scenes of the unified-particle report.

/// The core crate, whose types appear in this interface: a program needs no dependency of its own on it.
pub use pd_core;

mod axes;
mod builder;
mod error;
mod grid;
mod links;
pub mod matching;
mod model;
mod pairs;
mod sample;
pub mod scenes;
mod shape;
mod skin;
mod sort;
mod spots;
mod substep;
mod unified;
mod unified_links;

pub use axes::Axes;
pub use builder::{Material, ParticleModelBuilder};
pub use error::ParticleError;
pub use grid::Grid;
pub use links::{Bag, Elasticity, Link, Links};
pub use model::{BodyKind, Friction, NO_BODY, Overlap, ParticleBody, ParticleModel, ParticleSet, SetKind};
pub use pairs::Pairs;
pub use sample::{SampleOptions, Sampling};
pub use shape::BodyShape;
pub use skin::Skin;
pub use substep::{SubstepSettings, UnifiedSubstep};
pub use unified::{Unified, UnifiedSettings};

/// The example of the README, run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
