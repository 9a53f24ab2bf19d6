//! Do edges and triangles meet? Decided by exact predicates: no tolerance, no rounding error.
//!
//! All primitives are closed: touching counts, and so do coplanar overlaps and primitives without area or length.
//! This is what verifies a run: [`mesh_intersections`] lists the pairs of triangles of a mesh that cross.
//!
//! ```
//! use pd_collide::intersect::mesh_intersections;
//! use pd_core::Vec3;
//!
//! let flat = [Vec3::zeros(), Vec3::x(), Vec3::z()];
//! let through = [Vec3::new(0.2, -1.0, 0.2), Vec3::new(0.3, 1.0, 0.2), Vec3::new(0.2, 1.0, 0.3)];
//! let positions = [flat, through].concat();
//! assert_eq!(mesh_intersections(&positions, &[[0, 1, 2], [3, 4, 5]], &[[0, 1]]), [[0, 1]]);
//! ```

mod mesh;
mod segment;
mod triangle;

pub use mesh::{mesh_intersections, triangles_cross};
pub use segment::segments_meet;
pub use triangle::{segment_meets_triangle, triangles_meet};
