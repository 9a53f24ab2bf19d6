//! What `resolve` promises: never inside, idempotent, hands off what is outside, within the bounds.

use crate::draw::{relative, shape};
use pd_core::Real;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn never_inside_and_then_at_rest(drawn in shape(), relative in relative()) {
        let (collider, p) = (drawn.shape.collider(), drawn.point(&relative));
        let distance = collider.surface_at(&p, 0.0).distance;
        match collider.resolve(&p, 0.0) {
            None => prop_assert!(distance >= 0.0, "left inside at {distance}"),
            Some(q) => {
                prop_assert!(distance < 0.0, "moved although outside at {distance}");
                let after = collider.surface_at(&q, 0.0).distance;
                prop_assert!(after >= 0.0, "still inside at {after:e}");
                prop_assert_eq!(collider.resolve(&q, 0.0), None);
                // Not farther out, and moved no farther, than rounding allows.
                let rounding = 40.0 * Real::EPSILON * drawn.scale();
                prop_assert!(after <= rounding, "too far out: {after:e}");
                prop_assert!(((q - p).norm() + distance).abs() <= rounding);
            }
        }
    }

    #[test]
    fn the_normal_leads_to_the_surface(drawn in shape(), relative in relative()) {
        let (collider, p) = (drawn.shape.collider(), drawn.point(&relative));
        let surface = collider.surface_at(&p, 0.0);
        prop_assert!((surface.normal.norm() - 1.0).abs() < 1e-14);
        prop_assert_eq!(surface.velocity, pd_core::Vec3::zeros());
        let q = p - surface.normal * surface.distance;
        prop_assert!(collider.surface_at(&q, 0.0).distance.abs() <= 40.0 * Real::EPSILON * drawn.scale());
        if let Some(resolved) = collider.resolve(&p, 0.0) {
            prop_assert!((resolved - q).norm() <= 40.0 * Real::EPSILON * drawn.scale());
        }
    }

    #[test]
    fn what_is_inside_is_within_the_bounds(drawn in shape(), relative in relative()) {
        let (collider, p) = (drawn.shape.collider(), drawn.point(&relative));
        if collider.surface_at(&p, 0.0).distance < 0.0 {
            prop_assert!(collider.bounds(0.0).contains(&p));
        }
    }

    /// Points within rounding of the faces of the bounds: where a careless bound would cut off a point inside.
    #[test]
    fn the_bounds_hold_to_the_last_bit(drawn in shape(), axis in 0..3usize, high: bool, steps in -40..40i32) {
        let collider = drawn.shape.collider();
        let bounds = collider.bounds(0.0);
        let face = if high { bounds.max[axis] } else { bounds.min[axis] };
        if face.is_infinite() {
            return Ok(()); // five of the six faces of a floor
        }
        // The farthest points of a torus across its axis are on the tube centre circle in the other coordinates.
        let mut p = drawn.centre;
        if let (crate::draw::Shape::Torus(torus), 1) = (drawn.shape, axis) {
            p.x += torus.major();
        }
        p[axis] = face;
        for _ in 0..steps.abs() {
            p[axis] = if steps > 0 { p[axis].next_up() } else { p[axis].next_down() };
        }
        if collider.surface_at(&p, 0.0).distance < 0.0 {
            prop_assert!(bounds.contains(&p));
        }
        // And they are tight: a little further in, beyond the slack of the bounds, the shape begins.
        let inwards = if high { -1.0 } else { 1.0 };
        p[axis] = face + inwards * 100.0 * Real::EPSILON * drawn.scale();
        prop_assert!(collider.surface_at(&p, 0.0).distance <= 0.0);
    }
}
