//! Bodies on triangle meshes, and bodies made of them.

use crate::world::{World, substeps};
use nalgebra::UnitQuaternion;
use pd_core::{Real, Vec3};
use pd_rigid::{BodyDesc, ConvexParts, RigidError, RigidModel, Shape};

/// A level square of n × n cells of two triangles.
fn floor(n: usize, size: Real, height: impl Fn(Real, Real) -> Real) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let at = |k: usize| size * (k as Real / n as Real - 0.5);
    let positions = (0..(n + 1) * (n + 1))
        .map(|k| {
            let (x, z) = (at(k / (n + 1)), at(k % (n + 1)));
            Vec3::new(x, height(x, z), z)
        })
        .collect();
    let v = |i: usize, k: usize| (i * (n + 1) + k) as u32;
    let cell = |k: usize| {
        let (i, j) = (k / n, k % n);
        [[v(i, j), v(i, j + 1), v(i + 1, j)], [v(i + 1, j), v(i, j + 1), v(i + 1, j + 1)]]
    };
    (positions, (0..n * n).flat_map(cell).collect())
}

#[test]
fn every_shape_rests_on_a_mesh_and_slides_over_its_edges() {
    let (positions, triangles) = floor(16, 8.0, |_, _| 0.0);
    let shapes = [
        Shape::sphere(0.2).unwrap(),
        Shape::capsule(0.2, 0.1).unwrap(),
        Shape::cylinder(0.1, 0.2).unwrap(),
        Shape::cuboid(Vec3::new(0.2, 0.1, 0.15)).unwrap(),
    ];
    for shape in shapes {
        let mut builder = RigidModel::builder();
        builder.body(BodyDesc::mesh(&positions, &triangles).unwrap()).unwrap();
        builder
            .body(BodyDesc::new(shape.clone(), 1000.0).damping(0.5, 2.0).at(Vec3::new(0.03, 0.5, -0.07)))
            .unwrap();
        let mut world = World::new(builder, substeps(4), "direct");
        world.run(240);
        let (p, v) = (world.state.bodies.p[1], world.state.bodies.v[1]);
        assert!(v.norm() < 0.02, "{}: {v:?}", shape.kind());
        assert!(p.y > 0.05 && p.y < 0.32, "{}: {p:?}", shape.kind());
    }
    // A box that slides over the seams stops where it would on a plane.
    let mu = 0.3;
    let mut builder = RigidModel::builder();
    builder.body(BodyDesc::mesh(&positions, &triangles).unwrap().friction(mu)).unwrap();
    let half = 0.1;
    let desc = BodyDesc::new(Shape::cuboid(Vec3::repeat(half)).unwrap(), 500.0).friction(mu);
    let turn = UnitQuaternion::from_scaled_axis(Vec3::y() * 0.3);
    builder
        .body(desc.at(Vec3::new(-2.0, half, 0.1)).turned(turn).moving(Vec3::x() * 4.0, Vec3::zeros()))
        .unwrap();
    let mut world = World::new(builder, substeps(8), "direct");
    world.run(150);
    let (way, expected) = (world.state.bodies.p[1].x + 2.0, 16.0 / (2.0 * mu * 9.8));
    println!("over the seams of a mesh: {way:.4} m of {expected:.4} m");
    assert!((way / expected - 1.0).abs() < 0.01, "{way} {expected}");
    assert!((world.state.bodies.p[1].y - half).abs() < 2e-3);
}

#[test]
fn a_ball_rolls_into_a_bowl_and_stays_in_it() {
    let (positions, triangles) = floor(40, 4.0, |x, z| 0.3 * (x * x + z * z));
    let mut builder = RigidModel::builder();
    builder.body(BodyDesc::mesh(&positions, &triangles).unwrap()).unwrap();
    let ball = BodyDesc::new(Shape::sphere(0.15).unwrap(), 1000.0).damping(0.3, 0.3);
    builder.body(ball.at(Vec3::new(1.2, 0.8, 0.3))).unwrap();
    let mut world = World::new(builder, substeps(4), "direct");
    world.run(900);
    let p = world.state.bodies.p[1];
    assert!(p.x.hypot(p.z) < 0.25 && (p.y - 0.15).abs() < 0.03, "{p:?}");
}

/// An L of two boxes as one closed mesh falls as the same L made of two boxes.
#[test]
fn convex_parts_of_a_mesh_fall_as_the_body_they_are_made_of() {
    let outline = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.2], [0.2, 0.2], [0.2, 1.0], [0.0, 1.0]];
    let at = |z: Real| outline.iter().map(move |&[x, y]| Vec3::new(x, y, z));
    let positions: Vec<Vec3> = at(0.0).chain(at(0.3)).collect();
    let cap = [[0u32, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    let mut triangles: Vec<[u32; 3]> = cap.iter().map(|&[a, b, c]| [a, c, b]).collect();
    triangles.extend(cap.iter().map(|t| t.map(|v| v + 6)));
    for k in 0..6u32 {
        let j = (k + 1) % 6;
        triangles.extend([[k, j, j + 6], [k, j + 6, k + 6]]);
    }
    assert!(matches!(
        RigidModel::builder().body(BodyDesc {
            drive: pd_rigid::Drive::Dynamic,
            ..BodyDesc::mesh(&positions, &triangles).unwrap()
        }),
        Err(RigidError::DynamicMesh { body: 0 })
    ));
    let angle = BodyDesc::convex_parts(&positions, &triangles, &ConvexParts::default(), 500.0).unwrap();
    let (mass, exact) = (angle.mass_properties().mass, 500.0 * 0.3 * (0.2 + 0.2 * 0.8));
    assert!((mass / exact - 1.0).abs() < 0.08, "{mass} kg of {exact} kg");
    let mut builder = RigidModel::builder();
    builder.body(BodyDesc::ground(0.0)).unwrap();
    builder.body(angle.at(Vec3::y() * 0.3)).unwrap();
    // A box caught in the corner of the L, where its convex hull would not let it.
    let cube = BodyDesc::new(Shape::cuboid(Vec3::repeat(0.1)).unwrap(), 100.0);
    builder.body(cube.at(Vec3::new(0.45, 1.0, 0.15))).unwrap();
    let mut world = World::new(builder, substeps(4), "direct");
    world.run(180);
    let p = world.state.bodies.p[2];
    assert!(p.y > 0.25 && p.y < 0.4, "on the foot of the L: {p:?}");
}
