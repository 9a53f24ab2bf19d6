//! Where a contact acts.

use pd_core::{Real, Vec3};

/// One side of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Endpoint {
    /// A point of the state: vertex, grain or material point.
    Point(u32),
    /// A point of a triangle, by barycentric weights.
    Triangle {
        /// Corners.
        vertices: [u32; 3],
        /// Weights of the corners, summing to 1.
        weights: [Real; 3],
    },
    /// A point of a rigid body.
    Body {
        /// The body.
        body: u32,
        /// From its centre of mass to the point, world frame, m.
        arm: Vec3,
    },
}
