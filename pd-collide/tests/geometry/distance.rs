//! Closest points by their optimality conditions, derivatives by differences, in all regions and at their borders.

use crate::{difference, draw};
use pd_collide::distance::{
    Closest, Derivatives, edge_edge, edge_edge_mollifier, mollifier_threshold, point_edge, point_point,
    point_triangle, squared_distance,
};
use pd_core::{Real, Vec3};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Both simplices are convex, so points on them are closest if and only if no vertex of either lies nearer to the other
/// along the separation: r·(x_j − c) ≥ 0 on the first and r·(x_j − c') ≤ 0 on the second.
fn check_optimal<const N: usize>(x: &[Vec3; N], closest: &Closest<N>) {
    let (first, second) = closest.weights.split_at(closest.first_len);
    assert!(first.iter().all(|b| (0.0..=1.0).contains(b)), "{closest:?}");
    assert!(second.iter().all(|b| (-1.0..=1e-15).contains(b)), "{closest:?}");
    assert!(
        (first.iter().sum::<Real>() - 1.0).abs() < 1e-15 && (second.iter().sum::<Real>() + 1.0).abs() < 1e-15
    );
    for j in 0..N {
        assert!(closest.supports(j) || closest.weights[j] == 0.0, "{closest:?}");
    }
    let r = closest.separation(x);
    let on =
        |side: &[Real], from: usize| -> Vec3 { (0..side.len()).map(|j| x[from + j] * side[j].abs()).sum() };
    let (c, d) = (on(first, 0), on(second, first.len()));
    // In units of length times the separation: how much nearer some vertex is.
    let mut worst: Real = 0.0;
    for j in 0..N {
        let nearer = if j < closest.first_len { -r.dot(&(x[j] - c)) } else { r.dot(&(x[j] - d)) };
        worst = worst.max(nearer);
    }
    // A point that is ε off along a sliver raises the squared distance by ε² only.
    assert!(worst <= 1e-7 * r.norm() + 1e-14, "{worst:e} nearer at distance {:e}; {closest:?}", r.norm());
}

/// Squared distance of the spans of the supported features: what the Hessian is the second derivative of.
fn of_support<const N: usize>(x: &[Vec3; N], closest: &Closest<N>) -> Derivatives<N> {
    let sides = [0..closest.first_len, closest.first_len..N].map(|side| {
        let supported: Vec<usize> = side.filter(|j| closest.supports(*j)).collect();
        supported
    });
    let columns: Vec<Vec3> = sides
        .iter()
        .enumerate()
        .flat_map(|(k, side)| {
            let sign = 1.0 - 2.0 * k as Real;
            side[1..].iter().map(move |j| (x[*j] - x[side[0]]) * sign)
        })
        .collect();
    let base = x[sides[0][0]] - x[sides[1][0]];
    let mut moved = *closest;
    if !columns.is_empty() {
        let matrix = nalgebra::DMatrix::from_columns(
            &columns.iter().map(|c| nalgebra::DVector::from_column_slice(c.as_slice())).collect::<Vec<_>>(),
        );
        let right = -matrix.tr_mul(&nalgebra::DVector::from_column_slice(base.as_slice()));
        let s = matrix.tr_mul(&matrix).lu().solve(&right).unwrap();
        let mut next = 0;
        for (k, side) in sides.iter().enumerate() {
            let sign = 1.0 - 2.0 * k as Real;
            moved.weights[side[0]] = sign;
            for j in &side[1..] {
                moved.weights[*j] = sign * s[next];
                moved.weights[side[0]] -= sign * s[next];
                next += 1;
            }
        }
    }
    squared_distance(x, &moved)
}

/// Smallest sine among supported directions and shortest supported edge: differences say nothing about degenerate
/// features.
fn well_shaped<const N: usize>(x: &[Vec3; N], closest: &Closest<N>) -> bool {
    let mut directions = Vec::new();
    for side in [0..closest.first_len, closest.first_len..N] {
        let supported: Vec<usize> = side.filter(|j| closest.supports(*j)).collect();
        directions.extend(supported[1..].iter().map(|j| x[*j] - x[supported[0]]));
    }
    let long = directions.iter().all(|d| d.norm() > 0.1);
    let independent = directions.len() < 2
        || directions[0].cross(&directions[1]).norm() > 0.1 * directions[0].norm() * directions[1].norm();
    long && independent
}

fn check_derivatives<const N: usize>(
    x: &[Vec3; N],
    closest: &Closest<N>,
    find: impl Fn(&[Vec3; N]) -> Closest<N>,
) {
    if !well_shaped(x, closest) {
        return;
    }
    difference::check(x, 1e-5, 1e-5, |x| of_support(x, closest));
    // The distance itself has a continuous gradient, also where the support changes within the difference, as long as
    // the closest points are unique: not with parallel edges or flat triangles.
    if !well_shaped(x, &Closest { support: 0b1111, ..*closest }) {
        return;
    }
    let here = squared_distance(x, closest);
    for k in 0..N {
        for axis in 0..3 {
            let at = |step: Real| {
                let mut moved = *x;
                moved[k][axis] += step;
                find(&moved).separation(&moved).norm_squared()
            };
            let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((slope - here.gradient[k][axis]).abs() < 1e-3, "{slope} for {}", here.gradient[k][axis]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn closest_points_are_optimal(x in draw::any_four(), shift in draw::vector(1e3)) {
        for x in [x, x.map(|p| p + shift)] {
            check_optimal(&x, &point_triangle(&x));
            check_optimal(&x, &edge_edge(&x));
            let three = [x[0], x[1], x[2]];
            check_optimal(&three, &point_edge(&three));
        }
    }

    #[test]
    fn derivatives_agree_with_differences(x in prop_oneof![draw::general::<4>(), draw::lattice::<4>()]) {
        check_derivatives(&x, &point_triangle(&x), point_triangle);
        check_derivatives(&x, &edge_edge(&x), edge_edge);
        let three = [x[0], x[1], x[2]];
        check_derivatives(&three, &point_edge(&three), point_edge);
        let two = [x[0], x[1]];
        check_derivatives(&two, &point_point(&two), point_point);
    }

    #[test]
    fn the_mollifier_agrees_with_differences(
        x in draw::general::<4>(),
        angle in prop_oneof![Just(0.0), 1e-3..0.5],
        rest in 0.5..2.0,
    ) {
        let mut x = x;
        prop_assume!((x[1] - x[0]).norm() > 0.3);
        x[3] = x[2] + (x[1] - x[0]) * rest + (x[3] - x[2]) * angle;
        let threshold = mollifier_threshold(&x);
        let here = edge_edge_mollifier(&x, threshold);
        prop_assert!((0.0..=1.0).contains(&here.value));
        let c = (x[1] - x[0]).cross(&(x[3] - x[2])).norm_squared();
        // The second derivative jumps at the threshold.
        if (c / threshold - 1.0).abs() > 0.05 {
            difference::check(&x, 1e-6, 1e-4, |x| edge_edge_mollifier(x, threshold));
        }
    }
}

#[test]
fn the_mollifier_vanishes_on_parallel_edges_and_is_smooth_at_its_threshold() {
    let x = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(2.0, 1.0, 0.0)];
    assert_eq!(edge_edge_mollifier(&x, mollifier_threshold(&x)).value, 0.0);
    // Rotate one edge until the threshold: sin² = 1e-3.
    let at = |squared_sine: Real| {
        let s = squared_sine.sqrt();
        let x = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new((1.0 - s * s).sqrt(), 1.0, s)];
        edge_edge_mollifier(&x, 1e-3)
    };
    let (below, above) = (at(0.999_999e-3), at(1.000_001e-3));
    assert!((below.value - above.value).abs() < 1e-11 && above.value == 1.0);
    // The slope falls to zero linearly; half-way it is about 60.
    assert!(below.gradient.iter().all(|g| g.amax() < 1e-3), "{:?}", below.gradient);
    assert!(at(0.5e-3).gradient.iter().any(|g| g.amax() > 10.0));
}

/// The draws above reach every region; otherwise they would prove less than they say.
#[test]
fn every_support_is_found() {
    let coordinates = [-1.0, 0.25, 2.0];
    let (mut faces, mut edges) = (BTreeSet::new(), BTreeSet::new());
    for x in coordinates {
        for y in coordinates {
            for z in [-1.0, 0.5] {
                let p = Vec3::new(x, y, z);
                faces.insert(point_triangle(&[p, Vec3::zeros(), Vec3::x(), Vec3::y()]).support);
                for q in [Vec3::new(0.0, 1.0, 0.3), Vec3::new(0.3, 0.2, 1.0)] {
                    edges.insert(edge_edge(&[Vec3::zeros(), Vec3::x(), p, p + q]).support);
                    edges.insert(edge_edge(&[Vec3::zeros(), Vec3::x(), p + q, p]).support);
                }
            }
        }
    }
    assert_eq!(faces, BTreeSet::from([0b0011, 0b0101, 0b1001, 0b0111, 0b1011, 0b1101, 0b1111]));
    let expected: BTreeSet<u8> =
        [0b01, 0b10, 0b11].iter().flat_map(|a| [0b01, 0b10, 0b11].map(|b| a | b << 2)).collect();
    assert_eq!(edges, expected);
}

#[test]
fn parallel_and_degenerate_edges_have_an_end_among_their_closest_points() {
    let cases = [
        ([0.0, 1.0, 0.25, 0.75], 1.0),
        ([0.0, 1.0, 2.0, 3.0], 2.0_f64.sqrt()),
        ([0.0, 1.0, 0.5, 0.5], 1.0),
        ([0.5, 0.5, 0.5, 0.5], 1.0),
        ([0.0, 1.0, 1.0, -1.0], 1.0),
    ];
    for ([a, b, c, d], expected) in cases {
        let x = [Vec3::x() * a, Vec3::x() * b, Vec3::new(c, 1.0, 0.0), Vec3::new(d, 1.0, 0.0)];
        let closest = edge_edge(&x);
        assert!((closest.separation(&x).norm() - expected).abs() < 1e-15, "{closest:?}");
        assert!(closest.support_len() < 4, "{closest:?}");
        assert!(
            squared_distance(&x, &closest).hessian.iter().flatten().all(|h| h.iter().all(|v| v.is_finite()))
        );
    }
}
