//! Distance fields against exact distances.

use crate::mesh::{ball, vector};
use pd_collide::mesh::{MeshFault, MeshQuery};
use pd_collide::{CollideError, SignedDistanceField};
use pd_core::{Aabb, Collider, Real, Vec3};
use proptest::prelude::*;
use std::sync::LazyLock;

const SPACING: Real = 0.08;

/// A ball of triangles, 2 m across, exact and as a field.
static BALL: LazyLock<(MeshQuery, SignedDistanceField)> = LazyLock::new(|| {
    let mesh = ball(16);
    let field = SignedDistanceField::from_mesh(&mesh, SPACING).unwrap();
    (mesh, field)
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn distances_keep_their_error_bound(p in vector(1.2)) {
        let (mesh, field) = &*BALL;
        let (exact, (distance, _)) = (mesh.signed_distance(&p), field.distance(&p));
        let bound = if exact.abs() < 3.0 * SPACING { field.error_bound() } else { 8.0 * field.error_bound() };
        prop_assert!((distance - exact).abs() < bound * 1.001, "{distance} instead of {exact}");
    }

    #[test]
    fn normals_are_gradients(p in vector(1.1)) {
        let (_, field) = &*BALL;
        let (_, normal) = field.distance(&p);
        prop_assert!((normal.norm() - 1.0).abs() < 1e-12);
        // Within one cell, where the interpolant is smooth.
        let step = 1e-7;
        let cell = |p: &Vec3| p.map(|x| (x / SPACING).floor());
        let along = |a: usize, s: Real| p + Vec3::ith(a, s);
        prop_assume!((0..3).all(|a| cell(&along(a, step)) == cell(&along(a, -step))));
        let slope = Vec3::from_fn(|a, _| (field.distance(&along(a, step)).0 - field.distance(&along(a, -step)).0) / (2.0 * step));
        prop_assume!(slope.norm() > 0.1);
        prop_assert!((slope.normalize() - normal).norm() < 1e-5, "{slope} and {normal}");
    }

    #[test]
    fn outside_of_the_grid_it_is_a_lower_bound(direction in vector(1.0), away in 2.0..100.0) {
        prop_assume!(direction.norm() > 0.1);
        let (mesh, field) = &*BALL;
        let p = direction.normalize() * away;
        let (distance, normal) = field.distance(&p);
        prop_assert!(distance <= mesh.closest(&p).distance + 1e-6);
        prop_assert!(distance > 0.3 * (away - 1.0));
        prop_assert!(normal.dot(&p) > 0.0);
    }
}

#[test]
fn the_field_of_a_plane_is_exact() {
    let bounds = Aabb { min: Vec3::new(-1.0, -0.2, -1.0), max: Vec3::new(1.0, 0.2, 1.0) };
    let field = SignedDistanceField::from_fn(bounds, 0.04, |p| p.y).unwrap().with_margin(0.5).unwrap();
    for p in [Vec3::new(0.3, 0.123, -0.7), Vec3::new(0.999, -0.1, 0.0), Vec3::zeros()] {
        let surface = field.surface_at(&p, 0.0);
        assert!((surface.distance - (p.y - 0.5)).abs() < 1e-7, "{p}: {}", surface.distance);
        assert!((surface.normal - Vec3::y()).norm() < 1e-5);
    }
}

#[test]
fn far_from_the_origin_and_small_it_is_the_same() {
    let offset = Vec3::new(1e5, -2e5, 3e4);
    let (mesh, field) = &*BALL;
    let moved = mesh.positions().iter().map(|p| p * 1e-3 + offset).collect();
    let moved = MeshQuery::new(moved, mesh.triangles().to_vec()).unwrap();
    let moved = SignedDistanceField::from_mesh(&moved, 1e-3 * SPACING).unwrap();
    for p in [Vec3::new(0.95, 0.1, 0.2), Vec3::zeros(), Vec3::new(0.0, -1.05, 0.0)] {
        let (distance, _) = moved.distance(&(p * 1e-3 + offset));
        assert!((distance * 1e3 - field.distance(&p).0).abs() < 1e-5, "{p}");
    }
}

#[test]
fn points_are_pushed_to_the_surface() {
    let (mesh, field) = &*BALL;
    let out = field.resolve(&Vec3::new(0.9, 0.0, 0.1), 0.0).unwrap();
    assert!(mesh.closest(&out).distance < field.error_bound());
    assert_eq!(field.resolve(&Vec3::new(1.1, 0.0, 0.1), 0.0), None);
    assert_eq!(field.resolve(&Vec3::new(Real::NAN, 0.0, 0.1), 0.0), None);
    assert!(field.bounds(0.0).contains(&Vec3::x()) && !field.bounds(0.0).contains(&Vec3::new(1.1, 0.0, 0.0)));
    assert_eq!(field.mesh().unwrap().triangles.len(), mesh.triangles().len());
}

#[test]
fn open_and_flipped_meshes_are_refused() {
    let (mesh, _) = &*BALL;
    let of = |triangles: Vec<[u32; 3]>| {
        SignedDistanceField::from_mesh(&MeshQuery::new(mesh.positions().to_vec(), triangles).unwrap(), 0.1)
    };
    assert!(matches!(of(mesh.triangles()[1..].to_vec()), Err(CollideError::Mesh(MeshFault::Open { .. }))));
    let mut flipped = mesh.triangles().to_vec();
    flipped[7].swap(0, 1);
    assert!(matches!(of(flipped), Err(CollideError::Mesh(MeshFault::Flipped { .. }))));
    let inward = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    assert!(matches!(of(inward), Err(CollideError::Mesh(MeshFault::Inward { .. }))));
    for spacing in [0.0, -1.0, Real::NAN, 1e-9] {
        let error = SignedDistanceField::from_mesh(mesh, spacing).unwrap_err();
        assert!(matches!(error, CollideError::Parameter { name: "spacing", .. }), "{error}");
    }
}
