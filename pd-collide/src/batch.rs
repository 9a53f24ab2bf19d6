//! Batches of points handled one by one: what shapes with a closed form share.

use pd_core::{Surface, Vec3};

/// `out = surface(p)` for every point.
pub(crate) fn sample_each(points: &[Vec3], out: &mut [Surface], surface: impl Fn(&Vec3) -> Surface) {
    for (p, out) in points.iter().zip(out) {
        *out = surface(p);
    }
}

/// Moves every point to `outside(p)`, where there is one, and marks it.
pub(crate) fn push_each(points: &mut [Vec3], moved: &mut [bool], outside: impl Fn(&Vec3) -> Option<Vec3>) {
    for (p, moved) in points.iter_mut().zip(moved) {
        if let Some(found) = outside(p) {
            *p = found;
            *moved = true;
        }
    }
}
