//! Intersection tests against separating axes in integer arithmetic, on lattices where contact, coplanar and degenerate
//! cases come up all the time.

use pd_collide::intersect::{
    mesh_intersections, segment_meets_triangle, segments_meet, triangles_cross, triangles_meet,
};
use pd_collide::predicates::{collinear, side_of_line, side_of_plane};
use pd_core::{Real, Vec3};
use proptest::prelude::*;
use std::cmp::Ordering;

type Point = [i64; 3];

fn minus(a: &Point, b: &Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: &Point, b: &Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: &Point, b: &Point) -> i64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Whether the convex hulls have a point in common, by all normals that faces of their difference can have, whatever
/// its dimension.
fn hulls_meet(first: &[Point], second: &[Point]) -> bool {
    let differences = |points: &[Point]| -> Vec<Point> {
        points.iter().enumerate().flat_map(|(k, p)| points[..k].iter().map(|q| minus(p, q))).collect()
    };
    let edges = [differences(first), differences(second)].concat();
    let d = minus(&first[0], &second[0]);
    let mut axes = vec![d];
    for e in &edges {
        axes.push(*e);
        axes.push(cross(e, &cross(e, &d)));
        for f in &edges {
            let normal = cross(e, f);
            axes.push(normal);
            axes.extend(edges.iter().map(|g| cross(&normal, g)));
        }
    }
    let separates = |axis: &Point| {
        let range = |points: &[Point]| {
            let along = points.iter().map(|p| dot(axis, p));
            (along.clone().min().unwrap(), along.max().unwrap())
        };
        let (a, b) = (range(first), range(second));
        a.1 < b.0 || b.1 < a.0
    };
    !axes.iter().any(separates)
}

/// Positions: the lattice scaled by a power of two and shifted, all without rounding.
fn positions<const N: usize>(x: &[Point; N], scale: i32, shift: Real) -> [Vec3; N] {
    x.map(|p| Vec3::from(p.map(|c| c as Real + shift)) * (2.0 as Real).powi(scale))
}

fn points<const N: usize>() -> impl Strategy<Value = [Point; N]> {
    let wide = prop::collection::vec(prop::array::uniform3(-4_i64..=4), N);
    let flat = (prop::collection::vec(prop::array::uniform3(-3_i64..=3), N), 0..3_usize).prop_map(
        |(mut x, axis)| {
            x.iter_mut().for_each(|p| p[axis] = 1);
            x
        },
    );
    let thin = (prop::collection::vec(-3_i64..=3, N), prop::array::uniform3(-1_i64..=1))
        .prop_map(|(s, d)| s.iter().map(|s| d.map(|d| d * s)).collect());
    prop_oneof![4 => wide, 2 => flat, 1 => thin].prop_map(|x: Vec<Point>| std::array::from_fn(|j| x[j]))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn triangles_and_segments_meet_as_by_separating_axes(
        x in points::<6>(),
        scale in -30..30,
        shift in prop_oneof![Just(0.0), Just((1_i64 << 40) as Real)],
    ) {
        let p = positions(&x, scale, shift);
        let expected = hulls_meet(&x[..3], &x[3..]);
        prop_assert_eq!(triangles_meet([&p[0], &p[1], &p[2]], [&p[3], &p[4], &p[5]]), expected);
        prop_assert_eq!(triangles_meet([&p[4], &p[3], &p[5]], [&p[2], &p[0], &p[1]]), expected);
        prop_assert_eq!(
            segment_meets_triangle([&p[0], &p[1]], [&p[3], &p[4], &p[5]]),
            hulls_meet(&x[..2], &x[3..])
        );
        prop_assert_eq!(segments_meet([&p[0], &p[1]], [&p[2], &p[3]]), hulls_meet(&x[..2], &x[2..4]));
    }

    /// Triangles with a common corner cross if the part of one beyond half-way from that corner meets the other.
    #[test]
    fn triangles_with_a_common_vertex_cross_as_by_their_far_halves(x in points::<5>()) {
        let [v, a, b, c, d] = x.map(|p| p.map(|c| 2 * c));
        let half = |p: &Point| std::array::from_fn(|k| (v[k] + p[k]) / 2);
        let expected = hulls_meet(&[half(&a), half(&b), a, b], &[v, c, d])
            || hulls_meet(&[v, a, b], &[half(&c), half(&d), c, d]);
        let p = positions(&x, 0, 0.0);
        prop_assert_eq!(triangles_cross(&p, [0, 1, 2], [0, 3, 4]), expected);
        prop_assert_eq!(triangles_cross(&p, [3, 4, 0], [2, 0, 1]), expected);
        prop_assert!(!triangles_cross(&p, [0, 1, 2], [0, 1, 3]), "neighbours are left out");
    }

    #[test]
    fn sides_have_the_sign_of_the_exact_determinant(x in points::<4>()) {
        let p = positions(&x, -3, (1_i64 << 40) as Real);
        let [a, b, c] = [1, 2, 3].map(|k| minus(&x[k], &x[0]));
        let normal = cross(&a, &b);
        prop_assert_eq!(side_of_plane(&p[0], &p[1], &p[2], &p[3]), 0.cmp(&dot(&normal, &c)));
        for axis in 0..3 {
            prop_assert_eq!(side_of_line(&p[0], &p[1], &p[2], axis), normal[axis].cmp(&0));
        }
        prop_assert_eq!(collinear(&p[0], &p[1], &p[2]), normal == [0; 3]);
    }
}

#[test]
fn the_oracle_sees_both_answers() {
    let triangle = [[0, 0, 0], [2, 0, 0], [0, 2, 0]];
    assert!(hulls_meet(&triangle, &[[1, 1, 0], [1, 1, 5], [3, 3, 5]]), "touches the long edge");
    assert!(!hulls_meet(&triangle, &[[2, 1, 0], [2, 1, 5], [3, 3, 5]]));
    assert!(hulls_meet(&triangle, &[[1, 0, 0], [1, 0, 0], [1, 0, 0]]));
    assert!(!hulls_meet(&triangle, &[[1, 0, 1], [1, 0, 1], [1, 0, 1]]));
}

/// A point nearer to a plane than any rounding of a determinant could tell.
#[test]
fn one_unit_in_the_last_place_decides() {
    let base = 1e5;
    let corners =
        [Vec3::new(base, base, 0.1), Vec3::new(base + 1.0, base, 0.1), Vec3::new(base, base + 1.0, 0.1)];
    let at = |height: Real| Vec3::new(base + 0.25, base + 0.25, height);
    let [a, b, c] = &corners;
    for (height, expected) in [
        (0.1_f64.next_up(), Ordering::Less),
        (0.1, Ordering::Equal),
        (0.1_f64.next_down(), Ordering::Greater),
    ] {
        assert_eq!(side_of_plane(a, b, c, &at(height)), expected);
        assert_eq!(segment_meets_triangle([&at(height), &at(1.0)], [a, b, c]), height <= 0.1);
    }
}

/// Two square sheets of n × n cells, the second upright through the first.
fn crossing_sheets(n: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for upright in [false, true] {
        let first = positions.len() as u32;
        for i in 0..=n {
            for j in 0..=n {
                let (u, v) = (Real::from(i) / Real::from(n), Real::from(j) / Real::from(n));
                positions.push(if upright { Vec3::new(u, v - 0.513, 0.507) } else { Vec3::new(u, 0.0, v) });
                if i < n && j < n {
                    let k = first + i * (n + 1) + j;
                    triangles.push([k, k + 1, k + n + 1]);
                    triangles.push([k + 1, k + n + 2, k + n + 1]);
                }
            }
        }
    }
    (positions, triangles)
}

#[test]
fn crossing_sheets_are_listed_and_a_mesh_alone_is_clean() {
    let n = 6;
    let (positions, triangles) = crossing_sheets(n);
    let all: Vec<[u32; 2]> =
        (0..triangles.len() as u32).flat_map(|i| (0..triangles.len() as u32).map(move |j| [i, j])).collect();
    let found = mesh_intersections(&positions, &triangles, &all);
    let half = triangles.len() as u32 / 2;
    assert!(!found.is_empty() && found.iter().all(|[a, b]| *a < half && *b >= half));
    assert!(found.is_sorted() && found.windows(2).all(|pair| pair[0] != pair[1]));
    // The line of intersection passes through all columns of cells of both sheets: every column has a crossing.
    for column in 0..n {
        let of = |triangle: u32| triangle % half / (2 * n) == column;
        assert!(found.iter().any(|[a, b]| of(*a) && of(*b)), "column {column}");
    }
    let slow: Vec<[u32; 2]> = all
        .iter()
        .filter(|[a, b]| a < b && triangles_cross(&positions, triangles[*a as usize], triangles[*b as usize]))
        .copied()
        .collect();
    assert_eq!(found, slow);
}
