//! Unified particle dynamics: grains, particle bodies, shape matching.

mod axes;
mod grid;
mod pairs;
mod sort;

pub use axes::Axes;
pub use grid::Grid;
pub use pairs::Pairs;
mod builder;
mod error;
mod model;
mod shape;
pub use builder::{Material, ParticleModelBuilder};
pub use error::ParticleError;
pub use model::{BodyKind, Friction, NO_BODY, Overlap, ParticleBody, ParticleModel, ParticleSet, SetKind};
pub use shape::BodyShape;
