use super::closest::point_polyhedron;
use super::*;
use nalgebra::UnitQuaternion;
use proptest::prelude::*;

fn boxed(x: Real, y: Real, z: Real) -> Shape {
    Shape::cuboid(Vec3::new(x, y, z)).unwrap()
}

fn at(x: Real, y: Real, z: Real) -> Isometry3<Real> {
    Isometry3::translation(x, y, z)
}

#[test]
fn a_box_on_a_box_rests_on_four_corners() {
    let (cube, plate) = (boxed(0.5, 0.5, 0.5), boxed(2.0, 0.1, 2.0));
    let turned = Isometry3::new(Vec3::new(0.3, 0.59, -0.2), Vec3::y() * 0.4);
    let found = touches((&cube, &turned), (&plate, &at(0.0, 0.0, 0.0)), 0.02);
    assert_eq!(found.len, 4);
    assert!((found.normal - Vec3::y()).norm() < 1e-12);
    for p in found.points() {
        assert!((p.gap + 0.01).abs() < 1e-12);
        assert!((p.place.y - 0.095).abs() < 1e-12);
    }
    let features: std::collections::BTreeSet<u64> = found.points().iter().map(|p| p.feature).collect();
    assert_eq!(features.len(), 4, "each corner has its own name");
}

#[test]
fn the_normal_points_from_second_to_first_for_every_pair() {
    let shapes = [
        Shape::sphere(0.5).unwrap(),
        Shape::capsule(0.3, 0.5).unwrap(),
        Shape::cylinder(0.5, 0.5).unwrap(),
        boxed(0.5, 0.5, 0.5),
        Shape::hull(boxed(0.5, 0.5, 0.5).polyhedron().unwrap().vertices()).unwrap(),
    ];
    for a in &shapes {
        for b in &shapes {
            // Beside each other along x, overlapping by 1 cm.
            let found = touches((a, &at(0.99, 0.0, 0.0)), (b, &at(0.0, 0.0, 0.0)), 0.0);
            assert!(found.len > 0, "{} {}", a.kind(), b.kind());
            // The sides of the prism of a cylinder are up to half a side's angle off.
            let off = if a.kind() == "cylinder" || b.kind() == "cylinder" { 0.131 } else { 1e-6 };
            assert!((found.normal - Vec3::x()).norm() < off, "{} {}: {}", a.kind(), b.kind(), found.normal);
            let deepest = found.points().iter().map(|p| -p.gap).fold(0.0, Real::max);
            assert!((deepest - 0.01).abs() < 5e-3 + 1e-9, "{} {}: {deepest}", a.kind(), b.kind());
            let apart = touches((a, &at(1.05, 0.0, 0.0)), (b, &at(0.0, 0.0, 0.0)), 0.02);
            assert_eq!(apart.len, 0, "{} {}", a.kind(), b.kind());
        }
        let ground = Isometry3::new(Vec3::zeros(), Vec3::z() * -std::f64::consts::FRAC_PI_2);
        let found = touches((a, &at(0.49, 0.0, 0.0)), (&Shape::HalfSpace, &ground), 0.0);
        assert!((found.normal - Vec3::x()).norm() < 1e-12 && found.len > 0, "{}", a.kind());
        assert!((found.points().iter().map(|p| -p.gap).fold(0.0, Real::max) - 0.01).abs() < 1e-9);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// The fast path for boxes against the general one: the same depth, whatever the features.
    #[test]
    fn boxes_and_hulls_of_boxes_overlap_alike(
        ha in prop::array::uniform3(0.2..1.0f64), hb in prop::array::uniform3(0.2..1.0f64),
        place in prop::array::uniform3(-1.2..1.2f64), turn in prop::array::uniform3(-2.0..2.0f64),
    ) {
        let (a, b) = (boxed(ha[0], ha[1], ha[2]), boxed(hb[0], hb[1], hb[2]));
        let hull = |s: &Shape| Shape::hull(s.polyhedron().unwrap().vertices()).unwrap();
        let pose = Isometry3::new(Vec3::from(place), Vec3::from(turn));
        let fast = touches((&a, &pose), (&b, &Isometry3::identity()), 0.0);
        let slow = touches((&hull(&a), &pose), (&hull(&b), &Isometry3::identity()), 0.0);
        // Overlap along the chosen normal, by supports; a preference for faces may cost 5 % and a little.
        let depth = |n: &Vec3| {
            let low = pose.translation.vector + pose.rotation * a.support(&(pose.rotation.inverse() * -n));
            n.dot(&(b.support(n) - low))
        };
        prop_assert_eq!(fast.len == 0, slow.len == 0);
        if fast.len > 0 {
            let (f, s) = (depth(&fast.normal), depth(&slow.normal));
            prop_assert!(f > -1e-9 && s > -1e-9);
            prop_assert!((f - s).abs() < 0.15 * f.max(s) + 1e-2, "{f} {s}");
            // Moving the first out along the normal by the depth separates them.
            let out = Isometry3::from_parts((pose.translation.vector + fast.normal * (f + 1e-6)).into(), pose.rotation);
            prop_assert_eq!(touches((&a, &out), (&b, &Isometry3::identity()), 0.0).len, 0);
        }
    }

    /// Nearest points of a polyhedron against a search over its surface by projection onto each triangle.
    #[test]
    fn the_nearest_point_is_on_the_surface_and_no_sample_is_nearer(
        h in prop::array::uniform3(0.2..1.0f64), p in prop::array::uniform3(-2.0..2.0f64),
        weights in prop::collection::vec(prop::array::uniform3(0.0..1.0f64), 40),
    ) {
        let solid = boxed(h[0], h[1], h[2]);
        let (solid, p) = (solid.polyhedron().unwrap(), Vec3::from(p));
        let (foot, n, distance) = point_polyhedron(solid, &p);
        prop_assert!((p - foot - n * distance).norm() < 1e-9);
        for (w, t) in weights.iter().zip(solid.triangles().iter().cycle()) {
            let [a, b, c] = t.map(|v| solid.vertices()[v as usize]);
            let sum = w[0] + w[1] + w[2] + 1e-9;
            let sample = (a * (w[0] + 1e-9) + b * w[1] + c * w[2]) / sum;
            prop_assert!((p - sample).norm() >= distance.abs() - 1e-9);
        }
    }

    /// A capsule against a box: moving it along the normal by its gap makes it touch, whatever the pose.
    #[test]
    fn a_capsule_is_as_far_as_it_says(
        place in prop::array::uniform3(-1.5..1.5f64), turn in prop::array::uniform3(-2.0..2.0f64)
    ) {
        let (gap, left) = gap_before_and_after_closing(place, turn);
        prop_assert!(gap <= 0.01 || left.abs() < 1e-3, "{gap} {left}");
    }
}

/// An end of the capsule hangs over an edge of the box and is nearer to it than the core above the face is to the face.
#[test]
fn a_capsule_over_an_edge_is_as_far_as_it_says() {
    let place = [0.0, 1.362066758029151, 0.3374094031891888];
    let turn = [-1.419563164836401, 0.0, 0.38372540109617986];
    let (gap, left) = gap_before_and_after_closing(place, turn);
    assert!(gap > 0.01 && left.abs() < 1e-3, "{gap} {left}");
}

/// The gap (m) of a capsule to a box, and what is left of it when the capsule has moved by it along the normal.
fn gap_before_and_after_closing(place: [Real; 3], turn: [Real; 3]) -> (Real, Real) {
    let (capsule, solid) = (Shape::capsule(0.4, 0.2).unwrap(), boxed(0.5, 0.6, 0.7));
    let pose = Isometry3::new(Vec3::from(place), Vec3::from(turn));
    let found = touches((&capsule, &pose), (&solid, &Isometry3::identity()), 10.0);
    let least = |touches: &Touches| touches.points().iter().map(|p| p.gap).fold(Real::INFINITY, Real::min);
    let gap = least(&found);
    let moved =
        Isometry3::from_parts((pose.translation.vector - found.normal * (gap - 1e-6)).into(), pose.rotation);
    (gap, least(&touches((&capsule, &moved), (&solid, &Isometry3::identity()), 10.0)))
}

#[test]
fn crossed_edges_touch_in_one_point() {
    let cube = boxed(0.5, 0.5, 0.5);
    let quarter = std::f64::consts::FRAC_PI_4;
    // One edge up along x, the other down along z.
    let below =
        Isometry3::from_parts(Vec3::zeros().into(), UnitQuaternion::from_scaled_axis(Vec3::x() * quarter));
    let up = Vec3::y() * (2.0 * 0.5f64.sqrt() - 0.01);
    let above = Isometry3::from_parts(up.into(), UnitQuaternion::from_scaled_axis(Vec3::z() * quarter));
    let found = touches((&cube, &above), (&cube, &below), 0.0);
    assert_eq!(found.len, 1);
    assert!((found.normal - Vec3::y()).norm() < 1e-9, "{}", found.normal);
    assert!((found.points[0].gap + 0.01).abs() < 1e-9);
    assert!(found.points[0].place.xz().norm() < 1e-9);
}
