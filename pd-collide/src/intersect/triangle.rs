//! Segment against triangle, triangle against triangle.
//!
//! A segment that ends on both sides of a triangle's plane meets the triangle if and only if its line passes the three
//! edges on the same side. In the plane it does if it meets an edge or starts inside. Two triangles meet if and only if
//! an edge of one meets the other (Guigue and Devillers, Fast and Robust Triangle-Triangle Overlap Test Using
//! Orientation Predicates, 2003, with the edges tested one by one).

use super::segment::segments_meet;
use crate::predicates::{side_of_line, side_of_plane};
use pd_core::Vec3;
use std::cmp::Ordering;

type Triangle<'a> = [&'a Vec3; 3];

/// Whether the closed segment from `p` to `q` and the closed triangle have a point in common.
pub fn segment_meets_triangle([p, q]: [&Vec3; 2], triangle: Triangle<'_>) -> bool {
    let [a, b, c] = triangle;
    crosses([p, q], [side_of_plane(a, b, c, p), side_of_plane(a, b, c, q)], triangle)
}

/// Whether two closed triangles have a point in common.
pub fn triangles_meet(first: Triangle<'_>, second: Triangle<'_>) -> bool {
    let sides = |plane: Triangle<'_>, points: Triangle<'_>| {
        points.map(|p| side_of_plane(plane[0], plane[1], plane[2], p))
    };
    let apart = |sides: &[Ordering; 3]| sides[0].is_ne() && sides[1] == sides[0] && sides[2] == sides[0];
    let of_second = sides(second, first);
    if apart(&of_second) {
        return false;
    }
    let of_first = sides(first, second);
    if apart(&of_first) {
        return false;
    }
    [(first, of_second, second), (second, of_first, first)].into_iter().any(|(edges, sides, face)| {
        (0..3).any(|k| {
            let next = (k + 1) % 3;
            crosses([edges[k], edges[next]], [sides[k], sides[next]], face)
        })
    })
}

/// Whether the segment meets the triangle, given the sides of its plane on which the ends are.
fn crosses([p, q]: [&Vec3; 2], sides: [Ordering; 2], triangle: Triangle<'_>) -> bool {
    let [a, b, c] = triangle;
    if sides[0] == sides[1] {
        return sides[0].is_eq() && meets_in_plane([p, q], triangle);
    }
    one_sign([side_of_plane(p, q, a, b), side_of_plane(p, q, b, c), side_of_plane(p, q, c, a)])
}

/// For a segment in the plane of the triangle, or a triangle of no area.
#[cold]
fn meets_in_plane([p, q]: [&Vec3; 2], triangle: Triangle<'_>) -> bool {
    let [a, b, c] = triangle;
    if [[a, b], [b, c], [c, a]].into_iter().any(|edge| segments_meet([p, q], edge)) {
        return true;
    }
    // Inside, in a projection in which the triangle has an area; without one it is its edges.
    let Some(axis) = (0..3).find(|axis| side_of_line(a, b, c, *axis).is_ne()) else { return false };
    one_sign([side_of_line(a, b, p, axis), side_of_line(b, c, p, axis), side_of_line(c, a, p, axis)])
}

/// Not both sides occur.
fn one_sign(sides: [Ordering; 3]) -> bool {
    !(sides.contains(&Ordering::Less) && sides.contains(&Ordering::Greater))
}
