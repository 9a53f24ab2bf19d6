//! Floating-point care shared by the shapes.
//!
//! A point computed on a curved surface, c + R n, is rounded, and half of the time the rounded point is inside by
//! about one unit in the last place. It would then count as a hit, and be moved, in every step for ever. So such a
//! point is shifted outwards by a few units in the last place; after that the obstacle leaves it alone.

use pd_core::{Real, Vec3};

/// Direction and length of a vector; `None` for the zero vector alone.
///
/// Squares of very small or very large coordinates leave the range of the numbers; these are scaled first.
pub(crate) fn direction(v: &Vec3) -> Option<(Vec3, Real)> {
    const SMALLEST: Real = 1e-150;
    const LARGEST: Real = 1e150;
    let length = v.norm();
    // What is not a number passes through.
    if length.is_nan() || (SMALLEST..=LARGEST).contains(&length) {
        return Some((v / length, length));
    }
    let scale = v.amax();
    if scale == 0.0 {
        return None;
    }
    let scaled = v / scale;
    let length = scaled.norm();
    Some((scaled / length, scale * length))
}

/// A length above the rounding error of a distance between points whose coordinates have size `scale`, m.
///
/// A distance here takes some ten operations of relative error ε/2 each; 16 ε leaves room.
pub(crate) fn slack(scale: Real) -> Real {
    16.0 * Real::EPSILON * scale
}

/// A point meant to be on the surface, shifted along the normal by [`slack`] if rounding left it inside.
pub(crate) fn settle(on_surface: Vec3, normal: &Vec3, scale: Real, distance: impl Fn(&Vec3) -> Real) -> Vec3 {
    if distance(&on_surface) < 0.0 { on_surface + normal * slack(scale) } else { on_surface }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direction_survives_underflow_and_overflow() {
        for scale in [1e-320, 1e-200, 1e-160, 1e-100, 1.0, 1e200] {
            let (unit, length) = direction(&Vec3::new(3.0 * scale, 0.0, -4.0 * scale)).unwrap();
            // 3e-320 itself has four digits only.
            let tolerance = if scale < 1e-300 { 1e-3 } else { 1e-15 };
            assert!((unit - Vec3::new(0.6, 0.0, -0.8)).norm() < tolerance, "{scale:e}: {unit}");
            assert!((length / scale - 5.0).abs() < 5.0 * tolerance, "{scale:e}: {length:e}");
            assert!((unit.norm() - 1.0).abs() < 1e-15);
        }
        assert_eq!(direction(&Vec3::zeros()), None);
    }

    #[test]
    fn settle_moves_only_what_is_inside() {
        let ground = |p: &Vec3| p.y;
        let on = Vec3::new(1.0, 0.0, 0.0);
        assert_eq!(settle(on, &Vec3::y(), 1.0, ground), on);
        let below = Vec3::new(1.0, -1e-16, 0.0);
        assert!(settle(below, &Vec3::y(), 1.0, ground).y > 0.0);
    }
}
