//! The nearest surface point against brute force over the inflated surface and against its implicit equation.

use crate::draw::{block, relative, sphere, torus};
use pd_core::{Collider, Real, Vec3};
use proptest::prelude::*;
use std::f64::consts::{PI, TAU};

/// Steps per parameter of a surface grid.
const GRID: usize = 120;

/// Checks distance and surface point at `p` against points of the surface no more than `spacing` apart (each point
/// of the surface has one of them within `spacing`).
fn check(
    collider: &dyn Collider,
    p: &Vec3,
    surface: &[Vec3],
    spacing: Real,
    scale: Real,
) -> Result<(), TestCaseError> {
    let found = collider.surface_at(p, 0.0).distance.abs();
    let nearest = surface.iter().map(|s| (s - p).norm()).fold(Real::INFINITY, Real::min);
    let rounding = 1e-14 * scale;
    prop_assert!(nearest >= found - rounding, "a surface point is nearer: {nearest} < {found}");
    prop_assert!(
        nearest <= found + spacing,
        "no surface point is that near: {nearest} > {found} + {spacing}"
    );
    if let Some(q) = collider.resolve(p, 0.0) {
        prop_assert!((q - p).norm() <= nearest + rounding, "moved farther than needed");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn sphere_is_nearest(ball in sphere(), relative in relative()) {
        let (c, radius) = (ball.centre(), ball.radius() + ball.margin());
        let p = c + relative * radius;
        let mut surface = Vec::new();
        for i in 0..=GRID {
            let (sin, cos) = (PI * i as Real / GRID as Real).sin_cos();
            for j in 0..2 * GRID {
                let (s, t) = (PI * j as Real / GRID as Real).sin_cos();
                surface.push(c + Vec3::new(sin * s, cos, sin * t) * radius);
            }
        }
        let scale = c.amax() + radius;
        check(&ball, &p, &surface, PI / GRID as Real * radius, scale)?;
        if let Some(q) = ball.resolve(&p, 0.0) {
            prop_assert!(((q - c).norm_squared() - radius * radius).abs() <= 1e-14 * scale * radius);
        }
    }

    #[test]
    fn torus_is_nearest(ring in torus(), relative in relative()) {
        let (c, major, tube) = (ring.centre(), ring.major(), ring.minor() + ring.margin());
        let p = c + relative * (major + tube);
        let mut surface = Vec::new();
        for i in 0..2 * GRID {
            let (s, t) = (PI * i as Real / GRID as Real).sin_cos();
            for j in 0..GRID {
                let (sin, cos) = (TAU * j as Real / GRID as Real).sin_cos();
                let rho = major + tube * cos;
                surface.push(c + Vec3::new(rho * t, tube * sin, rho * s));
            }
        }
        let scale = c.amax() + major + tube;
        let spacing = PI / GRID as Real * ((major + tube) / 2.0 + tube);
        check(&ring, &p, &surface, spacing, scale)?;
        if let Some(q) = ring.resolve(&p, 0.0) {
            // (‖v‖² + R² − r²)² = 4 R² (v_x² + v_z²)
            let v = q - c;
            let left = (v.norm_squared() + major * major - tube * tube).powi(2);
            let right = 4.0 * major * major * (v.x * v.x + v.z * v.z);
            prop_assert!((left - right).abs() <= 1e-13 * scale * scale.max(1.0) * (major + tube).powi(2));
        }
    }

    #[test]
    fn block_is_nearest(block in block(), relative in relative()) {
        let half = block.half_extents().add_scalar(block.margin());
        let p = block.centre() + relative * half.amax();
        let steps = 60;
        let at = |i: usize| 2.0 * i as Real / steps as Real - 1.0;
        let mut surface = Vec::new();
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                for i in 0..=steps {
                    for j in 0..=steps {
                        let mut s = Vec3::zeros();
                        s[axis] = side;
                        s[(axis + 1) % 3] = at(i);
                        s[(axis + 2) % 3] = at(j);
                        surface.push(block.centre() + s.component_mul(&half));
                    }
                }
            }
        }
        let spacing = 2.0 * half.amax() / steps as Real;
        check(&block, &p, &surface, spacing, block.centre().amax() + half.amax())?;
    }

    /// Inside a block the answer is known without sampling: the least of six exits.
    #[test]
    fn block_leaves_by_the_nearest_of_six_faces(block in block(), relative in prop::array::uniform3(-1.0..1.0)) {
        let half = block.half_extents().add_scalar(block.margin());
        let (low, high) = (block.centre() - half, block.centre() + half);
        let p = block.centre() + Vec3::from(relative).component_mul(&half);
        prop_assume!((0..3).all(|a| low[a] < p[a] && p[a] < high[a]));
        let exits = [high.x - p.x, p.x - low.x, high.y - p.y, p.y - low.y, high.z - p.z, p.z - low.z];
        let least = exits.into_iter().fold(Real::INFINITY, Real::min);
        let q = block.resolve(&p, 0.0).unwrap();
        prop_assert_eq!(block.surface_at(&p, 0.0).distance, -least);
        let changed: Vec<usize> = (0..3).filter(|&a| q[a] != p[a]).collect();
        prop_assert_eq!(changed.len(), 1);
        let a = changed[0];
        prop_assert!(q[a] == low[a] || q[a] == high[a]);
        prop_assert_eq!((q[a] - p[a]).abs(), least);
    }
}
