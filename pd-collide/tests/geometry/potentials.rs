//! Barrier and friction potential: values by hand, derivatives by differences, smoothness where the pieces meet.

use crate::{difference, draw};
use pd_collide::barrier::LogBarrier;
use pd_collide::distance::{Closest, edge_edge, edge_edge_mollifier, point_triangle, squared_distance};
use pd_collide::friction::SmoothedFriction;
use pd_core::{Real, Vec3};
use proptest::prelude::*;

#[test]
fn the_barrier_has_the_values_of_its_formula() {
    // d̂ = 0.01 and d = 0.003 in the formula, which takes squares here.
    let barrier = LogBarrier::new(0.1).unwrap();
    let [value, first, second] = barrier.at(0.003);
    assert!((value - 4.9e-5 * (10.0 / 3.0_f64).ln()).abs() < 1e-18);
    assert!((first + 0.033_189_0).abs() < 1e-7 && (second - 17.185_7).abs() < 1e-4, "{first} {second}");
    assert_eq!(barrier.at(0.011), [0.0; 3]);
    assert_eq!(barrier.at(0.0)[0], Real::INFINITY);
    assert_eq!(barrier.at(-1.0)[0], Real::INFINITY);
    // Twice continuously differentiable at its border.
    let [value, first, second] = barrier.at(0.01 * (1.0 - 1e-6));
    assert!(value.abs() < 1e-18 && first.abs() < 1e-10 && second.abs() < 1e-5, "{value} {first} {second}");
    assert!((barrier.distance() - 0.1).abs() < 1e-16);
    for bad in [0.0, -1.0, Real::NAN, Real::INFINITY, 1e-200] {
        assert!(LogBarrier::new(bad).is_err(), "{bad}");
    }
}

#[test]
fn friction_reaches_its_limit_and_no_more() {
    let friction = SmoothedFriction::new(3.0, 0.01).unwrap();
    let force = |y: Real| friction.potential(&(Vec3::x() * y)).1.norm();
    assert_eq!(force(0.0), 0.0);
    assert!((force(0.005) - 3.0 * 0.75).abs() < 1e-14);
    for y in [0.01, 0.02, 1.0] {
        assert!((force(y) - 3.0).abs() < 1e-14, "{y}");
    }
    let value = |y: Real| friction.potential(&(Vec3::x() * y)).0;
    assert!((value(0.01) - value(0.01 - 1e-9) - 3e-9).abs() < 1e-15, "the pieces meet");
    assert!(SmoothedFriction::new(-1.0, 0.01).is_err() && SmoothedFriction::new(1.0, 0.0).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// Through distance, mollifier and barrier to the positions.
    #[test]
    fn the_barrier_of_a_pair_agrees_with_differences(x in draw::general::<4>()) {
        // A pair well within the barrier, so that the difference has something to see.
        let face = point_triangle(&x);
        let distance = face.separation(&x).norm();
        let normal = (x[2] - x[1]).cross(&(x[3] - x[1])).norm();
        if distance > 0.1 && normal > 0.3 && inner(&face) {
            let barrier = LogBarrier::new(2.0 * distance).unwrap();
            difference::check(&x, 1e-6, 1e-4, |x| {
                barrier.energy(&squared_distance(x, &point_triangle(x)))
            });
        }
        let edges = edge_edge(&x);
        let distance = edges.separation(&x).norm();
        let c = (x[1] - x[0]).cross(&(x[3] - x[2])).norm_squared();
        if distance > 0.1 && c > 0.1 && edges.support == 0b1111 {
            let barrier = LogBarrier::new(2.0 * distance).unwrap();
            // A threshold twice what there is: the mollifier is at work.
            difference::check(&x, 1e-6, 1e-4, |x| {
                let energy = barrier.energy(&squared_distance(x, &edge_edge(x)));
                energy.product(&edge_edge_mollifier(x, 2.0 * c))
            });
        }
    }

    #[test]
    fn friction_agrees_with_differences(
        x in draw::general::<4>(),
        normal in draw::vector(1.0),
        moved in draw::general::<4>(),
        slip in prop_oneof![Just(1e-3), 0.05..3.0],
    ) {
        prop_assume!(normal.norm() > 0.1);
        let closest = point_triangle(&x);
        let friction = SmoothedFriction::new(2.0, slip).unwrap();
        let normal = normal.normalize();
        let after: [Vec3; 4] = std::array::from_fn(|j| x[j] + moved[j]);
        let travel = closest.separation(&after) - closest.separation(&x);
        let y = (travel - normal * normal.dot(&travel)).norm();
        // The second derivative jumps where the limit is reached.
        prop_assume!((y / slip - 1.0).abs() > 1e-3 && y > 1e-2);
        difference::check(&after, 1e-6, 1e-4, |after| friction.energy(after, &x, &closest, &normal));
        // No force along the normal, none at rest, and actions equal reactions.
        let here = friction.energy(&after, &x, &closest, &normal);
        prop_assert!(here.gradient.iter().all(|g| g.dot(&normal).abs() < 1e-12));
        prop_assert!(here.gradient.iter().sum::<Vec3>().norm() < 1e-12);
        let rest = friction.energy(&x, &x, &closest, &normal);
        prop_assert!(rest.gradient.iter().all(|g| g.norm() == 0.0));
        prop_assert!(rest.hessian.iter().flatten().all(|h| h.iter().all(|v| v.is_finite())));
    }
}

/// No weight so near to zero that the support changes within a difference.
fn inner(closest: &Closest<4>) -> bool {
    closest.weights.iter().all(|b| *b == 0.0 || b.abs() > 1e-3)
}
