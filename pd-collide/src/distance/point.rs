//! Point against point and point against edge.
//!
//! The point of the line a + s (b − a) closest to p has s = (p − a)·(b − a) / |b − a|², clamped to [0, 1].

use super::Closest;
use pd_core::{Real, Vec3};

/// Closest points of the points `x[0]` and `x[1]`: the points themselves.
#[inline]
pub fn point_point(_: &[Vec3; 2]) -> Closest<2> {
    Closest { weights: [1.0, -1.0], support: 0b11, first_len: 1 }
}

/// Closest points of the point `x[0]` and the edge from `x[1]` to `x[2]`. An edge of no length counts as its start.
#[inline]
pub fn point_edge(x: &[Vec3; 3]) -> Closest<3> {
    let s = parameter(&(x[0] - x[1]), &(x[2] - x[1]));
    let support = if s == 0.0 {
        0b011
    } else if s == 1.0 {
        0b101
    } else {
        0b111
    };
    Closest { weights: [1.0, s - 1.0, -s], support, first_len: 1 }
}

/// Parameter in [0, 1] of the point on an edge closest to p, from p and the edge's end, both relative to its start.
#[inline]
pub(super) fn parameter(p: &Vec3, edge: &Vec3) -> Real {
    let along = p.dot(edge);
    let squared = edge.norm_squared();
    if along > 0.0 { if along < squared { along / squared } else { 1.0 } } else { 0.0 }
}
