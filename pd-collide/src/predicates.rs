//! Which side of a plane or a line a point is on, without rounding error.
//!
//! Shewchuk's adaptive predicates (Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates,
//! 1997) in the implementation of the crate `robust`: a filtered determinant first, exact expansions where its sign is
//! in doubt. Exact for coordinates whose products neither overflow nor underflow: lengths from 1e-70 to 1e70 will do.

use pd_core::{Real, Vec3};
use std::cmp::Ordering;

/// Side of the plane through `a`, `b`, `c` on which `d` lies: `Greater` if (b − a) × (c − a) points away from it, `Less`
/// if towards it, `Equal` on the plane, and wherever a, b, c are on one line.
#[inline]
pub fn side_of_plane(a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3) -> Ordering {
    let coord = |p: &Vec3| robust::Coord3D { x: p.x, y: p.y, z: p.z };
    sign(robust::orient3d(coord(a), coord(b), coord(c), coord(d)))
}

/// Side of the line from `a` to `b` on which `c` lies, seen along coordinate `axis` (0, 1 or 2): `Greater` on the left,
/// `Less` on the right, `Equal` on the line.
#[inline]
pub fn side_of_line(a: &Vec3, b: &Vec3, c: &Vec3, axis: usize) -> Ordering {
    let coord = |p: &Vec3| robust::Coord { x: p[(axis + 1) % 3], y: p[(axis + 2) % 3] };
    sign(robust::orient2d(coord(a), coord(b), coord(c)))
}

/// NaN has no side; it counts as none.
fn sign(value: Real) -> Ordering {
    value.partial_cmp(&0.0).unwrap_or(Ordering::Equal)
}

/// Whether three points are on one line, exactly: they are if they are in all three projections.
pub fn collinear(a: &Vec3, b: &Vec3, c: &Vec3) -> bool {
    (0..3).all(|axis| side_of_line(a, b, c, axis).is_eq())
}
