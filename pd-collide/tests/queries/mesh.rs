//! Nearest points, rays and winding numbers against the sum or the best of all triangles.

use pd_collide::distance::point_triangle;
use pd_collide::mesh::{MeshFault, MeshQuery};
use pd_core::{Real, Vec3};
use proptest::prelude::*;

pub(crate) fn vector(size: Real) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

/// Triangles in disorder: some without area, some twice, perhaps far away.
fn soup() -> impl Strategy<Value = MeshQuery> {
    let offset = prop_oneof![3 => Just(Vec3::zeros()), 1 => vector(1e5)];
    (prop::collection::vec(vector(1.0), 3..60), 1..80usize, any::<u32>(), offset).prop_map(
        |(points, count, seed, offset)| {
            let n = points.len() as u32;
            let corner = |k: u32| (k ^ seed).wrapping_mul(2_654_435_761) % n;
            let triangles = (0..count as u32).map(|k| [corner(3 * k), corner(3 * k + 1), corner(3 * k + 2)]);
            MeshQuery::new(points.iter().map(|p| p + offset).collect(), triangles.collect()).unwrap()
        },
    )
}

/// A ball of radius 1 with so many sectors.
pub(crate) fn ball(sectors: usize) -> MeshQuery {
    let mesh = pd_mesh::generate::sphere(sectors, sectors / 2, 1.0).unwrap();
    MeshQuery::new(mesh.positions, mesh.triangles).unwrap()
}

/// Distance of a point by comparing all triangles.
fn plain_distance(mesh: &MeshQuery, p: &Vec3) -> Real {
    (0..mesh.triangles().len() as u32)
        .map(|t| {
            let [a, b, c] = mesh.corners(t);
            point_triangle(&[*p, a, b, c]).separation(&[*p, a, b, c]).norm()
        })
        .fold(Real::INFINITY, Real::min)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn closest_is_the_best_of_all(mesh in soup(), relative in vector(3.0)) {
        let p = mesh.positions()[0] + relative;
        let (nearest, expected) = (mesh.closest(&p), plain_distance(&mesh, &p));
        prop_assert_eq!(nearest.distance, expected);
        let [a, b, c] = mesh.corners(nearest.triangle);
        let [u, v, w] = nearest.weights;
        let scale = p.amax() + 4.0;
        prop_assert!((a * u + b * v + c * w - nearest.point).norm() < 1e-14 * scale);
        prop_assert!((u + v + w - 1.0).abs() < 1e-14 && u.min(v).min(w) >= 0.0);
        prop_assert_eq!(mesh.closest_within(&p, 1.001 * expected + 1e-300).map(|n| n.distance), Some(expected));
        prop_assert_eq!(mesh.closest_within(&p, 0.999 * expected), None);
    }

    #[test]
    fn rays_meet_the_first_of_all(mesh in soup(), relative in vector(3.0), direction in vector(1.0), end in 0.5..9.0) {
        let origin = mesh.positions()[0] + relative;
        // One triangle at a time is the definition.
        let alone = |t: &[u32; 3]| MeshQuery::new(mesh.positions().to_vec(), vec![*t]).unwrap();
        let times = mesh.triangles().iter().filter_map(|t| alone(t).ray_cast(&origin, &direction, end));
        let expected = times.map(|hit| hit.time).min_by(Real::total_cmp);
        let hit = mesh.ray_cast(&origin, &direction, end);
        prop_assert_eq!(hit.map(|hit| hit.time), expected);
        if let Some(hit) = hit {
            let [a, b, c] = mesh.corners(hit.triangle);
            let [u, v, w] = hit.weights;
            // The error is that of a far origin over a slanting triangle.
            let miss = (a * u + b * v + c * w - (origin + direction * hit.time)).norm();
            prop_assert!(miss < 1e-6, "{miss:e}");
        }
    }

    #[test]
    fn winding_numbers_are_near_their_sums(mesh in soup(), relative in vector(2.0)) {
        let p = mesh.positions()[0] + relative;
        let (fast, exact) = (mesh.winding_number(&p), mesh.winding_number_exact(&p));
        prop_assert!((fast - exact).abs() < 0.03, "{fast} instead of {exact}");
    }

    #[test]
    fn inside_is_one_and_outside_is_zero(p in vector(1.5)) {
        let ball = ball(24);
        let exact = ball.winding_number_exact(&p);
        prop_assert!((exact - exact.round()).abs() < 1e-12);
        prop_assert!((ball.winding_number(&p) - exact).abs() < 0.02, "{}", ball.winding_number(&p));
        if !(0.95..1.0).contains(&p.norm()) {
            prop_assert_eq!(ball.signed_distance(&p) < 0.0, p.norm() < 1.0);
        }
    }

    #[test]
    fn no_ray_slips_out_between_triangles(direction in vector(1.0), vertex in 0..200usize) {
        prop_assume!(direction.norm() > 0.01);
        let ball = ball(16);
        prop_assert!(ball.ray_cast(&Vec3::zeros(), &direction, Real::INFINITY).is_some());
        // Straight at a vertex and at the middle of an edge.
        let [a, b, _] = ball.corners((vertex % ball.triangles().len()) as u32);
        for target in [a, (a + b) / 2.0] {
            let hit = ball.ray_cast(&Vec3::zeros(), &target, Real::INFINITY);
            prop_assert!(hit.is_some_and(|hit| (hit.time - 1.0).abs() < 1e-12), "{:?}", hit);
        }
    }
}

#[test]
fn faults_are_named() {
    let corners = || vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
    let faces = || vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let fault = |p, t| MeshQuery::new(p, t).unwrap_err();
    assert_eq!(fault(corners(), vec![]), MeshFault::Empty);
    assert_eq!(
        fault(corners(), vec![[0, 1, 2], [1, 4, 2]]),
        MeshFault::Index { triangle: 1, vertex: 4, count: 4 }
    );
    let mut broken = corners();
    broken[2].y = Real::NAN;
    assert!(matches!(fault(broken, faces()), MeshFault::NotFinite { vertex: 2, .. }));

    let closed = |t: Vec<[u32; 3]>| MeshQuery::new(corners(), t).unwrap().check_closed();
    assert_eq!(closed(faces()), Ok(()));
    assert_eq!(closed(faces()[..3].to_vec()), Err(MeshFault::Open { edge: [1, 2] }));
    let mut flipped = faces();
    flipped[3].swap(0, 1);
    assert_eq!(closed(flipped), Err(MeshFault::Flipped { edge: [1, 2] }));
    let inward = faces().iter().map(|&[a, b, c]| [a, c, b]).collect();
    assert_eq!(closed(inward), Err(MeshFault::Inward { volume: -1.0 / 6.0 }));
    assert!(ball(8).check_closed().is_ok());
}

#[test]
fn not_a_number_is_far_from_everything() {
    let nearest = ball(8).closest(&Vec3::new(0.0, Real::NAN, 0.0));
    assert!(nearest.distance.is_nan());
    assert_eq!(ball(8).ray_cast(&Vec3::repeat(Real::NAN), &Vec3::x(), 9.0), None);
    assert_eq!(ball(8).ray_cast(&Vec3::zeros(), &Vec3::zeros(), 9.0), None);
}
