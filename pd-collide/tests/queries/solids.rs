//! Capsules, cylinders, hulls, ground, meshes and turned shapes: exact distances, normals, bounds, errors.

use crate::mesh::{ball, vector};
use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use pd_collide::distance::point_triangle;
use pd_collide::mesh::{MeshFault, MeshQuery};
use pd_collide::{
    Block, Capsule, CollideError, ConvexHull, Cylinder, Floor, HeightField, Posed, Sphere, TriangleMesh,
};
use pd_core::{Collider, ContactMaterial, Real, Vec3};
use proptest::prelude::*;

/// Two ends that are apart.
fn ends() -> impl Strategy<Value = [Vec3; 2]> {
    (vector(1.0), vector(1.0), prop::bool::ANY).prop_map(|(a, way, upright)| {
        let way = if upright { Vec3::y() * 0.7 } else { way + Vec3::x() * 1.1 };
        [a, a + way]
    })
}

fn capsule() -> impl Strategy<Value = Capsule> {
    (ends(), 0.1..1.0, 0.0..0.2)
        .prop_map(|([a, b], r, margin)| Capsule::new(a, b, r).unwrap().with_margin(margin).unwrap())
}

fn cylinder() -> impl Strategy<Value = Cylinder> {
    (ends(), 0.1..1.0, 0.0..0.2)
        .prop_map(|([a, b], r, margin)| Cylinder::new(a, b, r).unwrap().with_margin(margin).unwrap())
}

/// Hulls of points in general position, and of points on a lattice: many in one plane, on one line or twice.
fn hull() -> impl Strategy<Value = ConvexHull> {
    let general = prop::collection::vec(vector(1.0), 6..40);
    let lattice = prop::collection::vec(prop::array::uniform3(0..3i32), 20..60).prop_map(|points| {
        let corners = [[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2]];
        corners.iter().chain(&points).map(|p| Vec3::from(p.map(Real::from)) * 0.3).collect::<Vec<_>>()
    });
    prop_oneof![general, lattice].prop_map(|points| ConvexHull::new(&points).unwrap())
}

fn ground() -> impl Strategy<Value = HeightField> {
    (2..6usize, 2..6usize, prop::collection::vec(-0.5..0.5, 36)).prop_map(|(nx, nz, heights)| {
        let corner = Vec3::new(-0.9, 0.0, -1.0);
        HeightField::new(corner, 0.45, [nx, nz], &heights[..nx * nz]).unwrap()
    })
}

fn turned() -> impl Strategy<Value = Posed<Block>> {
    (vector(1.0), vector(3.0), prop::array::uniform3(0.1..1.0)).prop_map(|(offset, turn, half)| {
        let block = Block::new(Vec3::zeros(), Vec3::from(half)).unwrap();
        Posed::new(block, Isometry3::new(offset, turn)).unwrap()
    })
}

/// A shape that prints its kind and triangles when a case fails.
struct Any(Box<dyn Collider>);
impl std::fmt::Debug for Any {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.0.kind(), self.0.mesh())
    }
}

fn any_shape() -> impl Strategy<Value = Any> {
    fn any(shape: impl Collider + 'static) -> Any {
        Any(Box::new(shape))
    }
    let mesh = (4..9usize).prop_map(|sectors| {
        let ball = ball(sectors);
        TriangleMesh::new(ball.positions().to_vec(), ball.triangles().to_vec()).unwrap()
    });
    prop_oneof![
        capsule().prop_map(any),
        cylinder().prop_map(any),
        hull().prop_map(any),
        ground().prop_map(any),
        turned().prop_map(any),
        mesh.prop_map(any),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_normal_leads_to_the_surface(shape in any_shape(), p in vector(2.5)) {
        let surface = shape.0.surface_at(&p, 0.0);
        prop_assert!((surface.normal.norm() - 1.0).abs() < 1e-12);
        let q = p - surface.normal * surface.distance;
        let left = shape.0.surface_at(&q, 0.0).distance;
        prop_assert!(left.abs() < 1e-12, "{left:e} from {}", surface.distance);
        if surface.distance < 0.0 {
            prop_assert!(shape.0.bounds(0.0).contains(&p));
            let out = shape.0.resolve(&p, 0.0).unwrap();
            prop_assert!((out - q).norm() < 1e-12);
        } else {
            prop_assert_eq!(shape.0.resolve(&p, 0.0), None);
        }
    }

    #[test]
    fn the_normal_is_the_gradient(shape in any_shape(), p in vector(2.0)) {
        let distance = |q: Vec3| shape.0.surface_at(&q, 0.0).distance;
        let (step, here) = (1e-6, distance(p));
        let one_sided = |s: Real| Vec3::from_fn(|a, _| (distance(p + Vec3::ith(a, s)) - here) / s);
        let (forward, backward) = (one_sided(step), one_sided(-step));
        // Where the two sides differ the distance has a ridge, and none of them is a gradient.
        prop_assume!((forward - backward).norm() < 1e-4);
        let error = ((forward + backward) / 2.0 - shape.0.surface_at(&p, 0.0).normal).norm();
        prop_assert!(error < 1e-4, "{error:e}");
    }

    #[test]
    fn capsules_are_balls_along_a_segment(shape in capsule(), p in vector(2.5)) {
        let [a, b] = shape.ends();
        let ball = |k: usize| (p - (a + (b - a) * (k as Real / 2000.0))).norm();
        let nearest = (0..=2000).map(ball).fold(Real::INFINITY, Real::min) - shape.radius() - shape.margin();
        let distance = shape.surface_at(&p, 0.0).distance;
        // Half a step along the segment is the most that the samples miss.
        prop_assert!(distance <= nearest + 1e-12 && nearest - distance < (b - a).norm() / 4000.0);
    }

    #[test]
    fn cylinders_are_near_their_triangles(shape in cylinder(), p in vector(2.5)) {
        let shape = shape.with_margin(0.0).unwrap();
        let mesh = MeshQuery::from_surface(shape.mesh().unwrap()).unwrap();
        let sagitta = shape.radius() * (1.0 - (std::f64::consts::PI / 32.0).cos());
        let (distance, coarse) = (shape.surface_at(&p, 0.0).distance, mesh.signed_distance(&p));
        prop_assert!(distance <= coarse + 1e-12 && coarse - distance < sagitta + 1e-12);
    }

    #[test]
    fn hulls_contain_their_points_and_measure_their_triangles(shape in hull(), p in vector(2.0)) {
        let mesh = shape.triangles();
        prop_assert_eq!(mesh.check_closed(), Ok(()));
        for q in mesh.positions() {
            prop_assert!(shape.surface_at(q, 0.0).distance.abs() < 1e-14);
        }
        let exact = mesh.signed_distance(&p);
        prop_assert!((shape.surface_at(&p, 0.0).distance - exact).abs() < 1e-13, "not {exact}");
    }

    #[test]
    fn ground_is_below_its_height(shape in ground(), p in vector(1.5)) {
        let mesh = shape.mesh().unwrap();
        let distance = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
            point_triangle(&[p, a, b, c]).separation(&[p, a, b, c]).norm()
        };
        let least = mesh.triangles.iter().map(distance).fold(Real::INFINITY, Real::min);
        let below = shape.height(p.x, p.z).is_some_and(|height| p.y < height);
        prop_assert_eq!(shape.surface_at(&p, 0.0).distance, if below { -least } else { least });
        if let Some(height) = shape.height(p.x, p.z) {
            let above = Vec3::new(p.x, height, p.z);
            prop_assert!(shape.surface_at(&above, 0.0).distance.abs() < 1e-14);
        }
    }

    #[test]
    fn meshes_have_the_sign_of_the_winding_number(p in vector(1.3), time in -0.5..2.5) {
        let ball = ball(10);
        let frame = |x: Real, y: Real| {
            let offset = Vec3::new(x, y, 0.0);
            ball.positions().iter().map(|q| q.component_mul(&Vec3::new(1.0, 1.0 - 0.4 * y, 1.0)) + offset).collect()
        };
        let frames = vec![(0.0, frame(0.0, 0.0)), (1.0, frame(0.2, 0.0)), (2.0, frame(0.2, 0.3))];
        let mesh = TriangleMesh::deforming(frames, ball.triangles().to_vec()).unwrap();
        let still = MeshQuery::new(mesh.positions(time), ball.triangles().to_vec()).unwrap();
        let surface = mesh.surface_at(&p, time);
        prop_assert!((surface.distance - still.signed_distance(&p)).abs() < 1e-14);
        if surface.distance < 0.0 {
            prop_assert!(mesh.bounds(time).contains(&p));
        }
        // The surface moves as its nearest point does.
        let (step, nearest) = (1e-6, still.closest(&p));
        let at = |time: Real| {
            let x = mesh.positions(time);
            let [a, b, c] = ball.triangles()[nearest.triangle as usize].map(|v| x[v as usize]);
            a * nearest.weights[0] + b * nearest.weights[1] + c * nearest.weights[2]
        };
        prop_assume!([0.0, 1.0, 2.0].iter().all(|key| (time - key).abs() > 2.0 * step));
        let velocity = (at(time + step) - at(time - step)) / (2.0 * step);
        prop_assert!((velocity - surface.velocity).norm() < 1e-8);
    }

    #[test]
    fn a_posed_shape_moves_as_a_body(p in vector(1.5), time in 0.1..0.9, turn in vector(1.5), way in vector(1.0)) {
        let from = Isometry3::new(Vec3::zeros(), Vec3::new(0.2, 0.0, 0.5));
        let to = Isometry3::from_parts(Translation3::from(way), UnitQuaternion::new(turn) * from.rotation);
        let ball = Sphere::new(Vec3::new(0.5, 0.0, 0.0), 0.3).unwrap();
        let posed = Posed::moving(ball, vec![(0.0, from), (1.0, to)]).unwrap();
        // A ball stays a ball around its moved centre.
        let centre = |time: Real| posed.pose(time) * nalgebra::Point3::new(0.5, 0.0, 0.0);
        let surface = posed.surface_at(&p, time);
        prop_assert!((surface.distance - ((p - centre(time).coords).norm() - 0.35)).abs() < 1e-14);
        prop_assert!(((posed.pose(1.0 - 1e-13).rotation.inverse() * to.rotation).angle()) < 1e-6);
        // Material velocity: of the point that is at the surface now, carried along with the pose.
        let touch = p - surface.normal * surface.distance;
        let material = posed.pose(time).inverse() * nalgebra::Point3::from(touch);
        let step = 1e-6;
        let velocity = ((posed.pose(time + step) * material) - (posed.pose(time - step) * material)) / (2.0 * step);
        prop_assert!((velocity - surface.velocity).norm() < 1e-8);
    }
}

#[test]
fn materials_are_passed_on() {
    let rough = ContactMaterial::with_friction(0.9);
    let floor = Posed::new(Floor::thesis(), Isometry3::identity()).unwrap();
    assert_eq!(floor.material(), ContactMaterial::default());
    assert_eq!(floor.with_material(rough).material(), rough);
}

#[test]
fn bad_parameters() {
    let (o, x) = (Vec3::zeros(), Vec3::x());
    let nowhere = Vec3::new(0.0, Real::NAN, 0.0);
    for radius in [0.0, -1.0, Real::NAN, Real::INFINITY] {
        assert!(Capsule::new(o, x, radius).is_err() && Cylinder::new(o, x, radius).is_err());
    }
    assert!(Capsule::new(x, x, 1.0).is_err() && Cylinder::new(x, x, 1.0).is_err());
    assert!(Capsule::new(nowhere, x, 1.0).is_err() && Cylinder::new(o, nowhere, 1.0).is_err());
    let margin = Capsule::new(o, x, 1.0).unwrap().with_margin(-1.0).unwrap_err();
    assert_eq!(margin.to_string(), "capsule: margin is -1; it must be finite and not negative");

    let flat = [o, x, Vec3::z(), x + Vec3::z(), x * 0.5];
    assert!(matches!(ConvexHull::new(&flat), Err(CollideError::Mesh(MeshFault::Inward { .. }))));
    for points in [&flat[..0], &flat[..1], &[o, x, x * 2.0, x * 3.0], &[o; 5]] {
        assert!(ConvexHull::new(points).is_err());
    }
    assert!(matches!(
        ConvexHull::new(&[o, x, nowhere]),
        Err(CollideError::Mesh(MeshFault::NotFinite { vertex: 2, .. }))
    ));

    assert!(HeightField::new(o, 1.0, [2, 2], &[0.0; 4]).is_ok());
    assert!(HeightField::new(o, 0.0, [2, 2], &[0.0; 4]).is_err());
    assert!(HeightField::new(o, 1.0, [2, 2], &[0.0; 5]).is_err());
    assert!(HeightField::new(o, 1.0, [1, 4], &[0.0; 4]).is_err());
    assert!(HeightField::new(o, 1.0, [2, 2], &[0.0, 0.0, Real::NAN, 0.0]).is_err());

    let ball = ball(6);
    let (positions, triangles) = (ball.positions().to_vec(), ball.triangles().to_vec());
    assert!(matches!(
        TriangleMesh::new(positions.clone(), triangles[1..].to_vec()),
        Err(CollideError::Mesh(MeshFault::Open { .. }))
    ));
    let twice = vec![(1.0, positions.clone()), (1.0, positions)];
    assert!(matches!(TriangleMesh::deforming(twice, triangles.clone()), Err(CollideError::KeyOrder { .. })));
    assert_eq!(TriangleMesh::deforming(vec![], triangles).unwrap_err(), CollideError::EmptyPath);

    let broken = Isometry3::translation(0.0, Real::NAN, 0.0);
    assert!(matches!(Posed::new(Floor::thesis(), broken), Err(CollideError::KeyNotFinite { .. })));
    assert!(Posed::moving(Floor::thesis(), vec![]).is_err());
}

#[test]
fn not_a_number_is_left_alone() {
    let p = Vec3::new(0.1, Real::NAN, 0.1);
    let ball = ball(6);
    let shapes: [Box<dyn Collider>; 6] = [
        Box::new(Capsule::new(Vec3::zeros(), Vec3::x(), 1.0).unwrap()),
        Box::new(Cylinder::new(Vec3::zeros(), Vec3::x(), 1.0).unwrap()),
        Box::new(ConvexHull::new(ball.positions()).unwrap()),
        Box::new(HeightField::new(Vec3::zeros(), 1.0, [2, 2], &[1.0; 4]).unwrap()),
        Box::new(TriangleMesh::new(ball.positions().to_vec(), ball.triangles().to_vec()).unwrap()),
        Box::new(Posed::new(Sphere::thesis(), Isometry3::identity()).unwrap()),
    ];
    for shape in shapes {
        assert_eq!(shape.resolve(&p, 0.0), None, "{}", shape.kind());
    }
}
