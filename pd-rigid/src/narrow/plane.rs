//! A shape above a half-space: its lowest points.

use super::reduce::reduce;
use super::{Placed, Touch, Touches};
use crate::Shape;
use nalgebra::Isometry3;
use pd_core::{Real, Vec3};

/// Most points considered.
const MOST: usize = 64;

/// The shape `a` against the half-space below the xz plane of a pose.
pub(super) fn touches(a: Placed<'_>, plane: &Isometry3<Real>, reach: Real) -> Touches {
    above(a, plane.rotation * Vec3::y(), plane.translation.vector, reach)
}

/// The shape `a` against everything below a plane with the unit normal `n` through a point.
pub(crate) fn above(a: Placed<'_>, n: Vec3, origin: Vec3, reach: Real) -> Touches {
    let mut found = [Touch::default(); MOST];
    let mut len = 0;
    lowest(a, &n, |feature, p| {
        let gap = n.dot(&(p - origin));
        if gap < reach && len < MOST {
            found[len] = Touch { place: p - n * (0.5 * gap), gap, feature };
            len += 1;
        }
    });
    reduce(n, &found[..len])
}

/// Points of a shape in the world that may be its lowest against a direction `up`: vertices, ends, or four on each rim.
pub(crate) fn lowest(a: Placed<'_>, up: &Vec3, mut visit: impl FnMut(u64, Vec3)) {
    let world = |p: &Vec3| a.1.translation.vector + a.1.rotation * p;
    match a.0 {
        Shape::Sphere { radius } => visit(0, a.1.translation.vector - up * *radius),
        Shape::Capsule { half, radius } => {
            visit(0, world(&Vec3::new(0.0, *half, 0.0)) - up * *radius);
            visit(1, world(&Vec3::new(0.0, -half, 0.0)) - up * *radius);
        }
        Shape::Cuboid { solid, .. } | Shape::Hull(solid) => {
            solid.vertices().iter().enumerate().for_each(|(k, p)| visit(k as u64, world(p)));
        }
        Shape::Cylinder { half, radius, .. } => {
            // The lowest point of each rim, its opposite and the two between; any four do if the axis is along `up`.
            let local = a.1.rotation.inverse() * up;
            let down = Vec3::new(-local.x, 0.0, -local.z).try_normalize(1e-6).unwrap_or_else(Vec3::x);
            let side = Vec3::new(down.z, 0.0, -down.x);
            for (k, y) in [*half, -half].into_iter().enumerate() {
                for (i, d) in [down, side, -down, -side].into_iter().enumerate() {
                    visit((4 * k + i) as u64, world(&(d * *radius + Vec3::y() * y)));
                }
            }
        }
        Shape::Triangle(t) => t.corners().iter().enumerate().for_each(|(k, p)| visit(k as u64, world(p))),
        Shape::HalfSpace => {}
    }
}
