//! Segment against segment in space.
//!
//! They can meet only in one plane. There they are compared in a projection that keeps the plane a plane: one in which
//! the four points are not all on one line. If there is none, all four are on one line, and intervals of the coordinate
//! along which it extends decide.

use crate::predicates::{side_of_line, side_of_plane};
use pd_core::Vec3;
use std::cmp::Ordering;

/// Whether the closed segments from `a` to `b` and from `c` to `d` have a point in common.
pub fn segments_meet([a, b]: [&Vec3; 2], [c, d]: [&Vec3; 2]) -> bool {
    side_of_plane(a, b, c, d).is_eq() && coplanar_segments_meet([a, b], [c, d])
}

/// The same for four points known to be in one plane.
fn coplanar_segments_meet([a, b]: [&Vec3; 2], [c, d]: [&Vec3; 2]) -> bool {
    for axis in 0..3 {
        let (c_of_ab, d_of_ab) = (side_of_line(a, b, c, axis), side_of_line(a, b, d, axis));
        let (a_of_cd, b_of_cd) = (side_of_line(c, d, a, axis), side_of_line(c, d, b, axis));
        let sides = [c_of_ab, d_of_ab, a_of_cd, b_of_cd];
        if sides.iter().all(|side| side.is_eq()) {
            continue;
        }
        return !same_side(c_of_ab, d_of_ab) && !same_side(a_of_cd, b_of_cd);
    }
    // All on one line (or points). Along it, the boxes are the segments.
    boxes_meet([a, b], [c, d])
}

/// Both strictly on the same side.
fn same_side(a: Ordering, b: Ordering) -> bool {
    a == b && a.is_ne()
}

/// Bounding boxes of two segments have a point in common.
fn boxes_meet([a, b]: [&Vec3; 2], [c, d]: [&Vec3; 2]) -> bool {
    (0..3).all(|k| a[k].min(b[k]) <= c[k].max(d[k]) && c[k].min(d[k]) <= a[k].max(b[k]))
}
