//! One file per shape.

mod block;
mod floor;
mod sphere;
mod torus;

pub use block::Block;
pub use floor::Floor;
pub use sphere::Sphere;
pub use torus::Torus;
