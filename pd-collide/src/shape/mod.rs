//! One file per shape.

mod block;
mod capsule;
mod convex_hull;
mod cylinder;
mod enclosing;
mod floor;
mod height_field;
mod lathe;
#[cfg(feature = "parry")]
mod parry;
mod posed;
mod sphere;
mod torus;
mod triangle_mesh;

pub use block::Block;
pub use capsule::Capsule;
pub use convex_hull::ConvexHull;
pub use cylinder::Cylinder;
pub use floor::Floor;
pub use height_field::HeightField;
#[cfg(feature = "parry")]
pub use parry::ParryShape;
pub use posed::Posed;
pub use sphere::Sphere;
pub use torus::Torus;
pub use triangle_mesh::TriangleMesh;
