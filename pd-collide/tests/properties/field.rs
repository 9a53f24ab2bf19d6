//! The distance as a field: 1-Lipschitz, with the normal as its gradient.

use crate::draw::{Drawn, Shape, relative, shape, vector};
use pd_core::{Real, Vec3};
use proptest::prelude::*;

/// Step of the central differences, m.
const STEP: Real = 1e-7;
/// Least distance kept from places without a gradient, m.
pub(crate) const KEEP_OFF: Real = 1e-2;

/// Whether the distance is smooth around `p`, up to jumps of curvature of no more than 1/`KEEP_OFF`.
pub(crate) fn smooth(drawn: &Drawn, p: &Vec3) -> bool {
    match drawn.shape {
        Shape::Floor(_) => true,
        Shape::Sphere(ball) => (p - ball.centre()).norm() > KEEP_OFF,
        Shape::Torus(ring) => {
            let v = p - ring.centre();
            let rho = v.x.hypot(v.z);
            rho > KEEP_OFF && (rho - ring.major()).hypot(v.y) > KEEP_OFF
        }
        Shape::Block(block) => {
            let excess = (p - block.centre()).abs() - block.half_extents().add_scalar(block.margin());
            let mut sorted = [excess.x, excess.y, excess.z];
            sorted.sort_by(Real::total_cmp);
            let outside = sorted[2] > KEEP_OFF;
            // Inside: one face clearly nearest, and not its opposite.
            let face = sorted[2] < -KEEP_OFF
                && sorted[2] - sorted[1] > KEEP_OFF
                && (p - block.centre())[excess.imax()].abs() > KEEP_OFF;
            outside || face
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn distance_is_1_lipschitz(
        drawn in shape(),
        relative in relative(),
        step in prop_oneof![vector(2.0), vector(1e-3), vector(1e-9)],
    ) {
        let collider = drawn.shape.collider();
        let p = drawn.point(&relative);
        let q = p + step;
        let change = collider.surface_at(&p, 0.0).distance - collider.surface_at(&q, 0.0).distance;
        prop_assert!(change.abs() <= (q - p).norm() + 20.0 * Real::EPSILON * (drawn.scale() + 4.0));
    }

    #[test]
    fn normal_is_the_gradient(drawn in shape(), relative in relative()) {
        let collider = drawn.shape.collider();
        let p = drawn.point(&relative);
        if drawn.centre.amax() > 10.0 || !smooth(&drawn, &p) {
            return Ok(()); // differences say nothing there; about one case in seven
        }
        let distance = |q: Vec3| collider.surface_at(&q, 0.0).distance;
        let gradient = Vec3::from_fn(|a, _| {
            let step = Vec3::ith(a, STEP);
            (distance(p + step) - distance(p - step)) / (2.0 * STEP)
        });
        let error = (gradient - collider.surface_at(&p, 0.0).normal).norm();
        // A jump of curvature κ within the step costs κ·STEP/4 per axis, and κ ≤ 1/KEEP_OFF.
        prop_assert!(error < STEP / KEEP_OFF, "{error:e}");
    }
}
