//! Unified particle dynamics: grains, particle bodies, shape matching.

mod axes;
mod builder;
mod error;
mod grid;
pub mod matching;
mod model;
mod pairs;
pub mod scenes;
mod shape;
mod sort;
mod substep;

pub use axes::Axes;
pub use builder::{Material, ParticleModelBuilder};
pub use error::ParticleError;
pub use grid::Grid;
pub use model::{BodyKind, Friction, NO_BODY, Overlap, ParticleBody, ParticleModel, ParticleSet, SetKind};
pub use pairs::Pairs;
pub use shape::BodyShape;
pub use substep::{SubstepSettings, UnifiedSubstep};
