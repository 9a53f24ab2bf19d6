//! The same bits for any number of threads and after a resume; the same motion for shuffled bodies.

use crate::world::{World, substeps};
use pd_core::{Model, Real, State, StepContext, Stepper, Vec3};
use pd_rigid::{BodyDesc, JointDesc, JointKind, RigidBuilder, RigidModel, RigidParams, RigidStepper, Shape};

/// A heap of boxes, balls and chains that fall on a plate.
fn heap() -> RigidBuilder {
    let mut builder = RigidModel::builder();
    builder.body(BodyDesc::ground(0.0)).unwrap();
    for k in 0..60 {
        let at = Vec3::new((k % 4) as Real * 0.6, 0.5 + (k / 8) as Real * 0.55, (k / 4 % 2) as Real * 0.58);
        let shape = match k % 3 {
            0 => Shape::cuboid(Vec3::new(0.2, 0.15, 0.25)).unwrap(),
            1 => Shape::sphere(0.2).unwrap(),
            _ => Shape::capsule(0.15, 0.12).unwrap(),
        };
        let body = builder.body(BodyDesc::new(shape, 500.0).at(at)).unwrap();
        if k % 10 == 9 {
            let joint = JointDesc::new(JointKind::Ball, Some(body - 1), Some(body), at);
            builder.joint(joint).unwrap();
        }
    }
    builder
}

#[test]
fn the_same_bits_for_any_number_of_threads_and_after_a_resume() {
    let run = |threads: usize, resume: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = World::new(heap(), RigidParams::default(), "direct");
            world.run(30);
            if resume {
                // A new stepper on a copy of the state.
                let mut again = World::new(heap(), RigidParams::default(), "direct");
                again.state = world.state.clone();
                world = again;
            }
            world.run(30);
            world.state.hash()
        })
    };
    let one = run(1, false);
    for threads in [2, 3, 8] {
        assert_eq!(run(threads, false), one, "{threads} threads");
    }
    assert_eq!(run(1, true), one, "after a resume");
}

#[test]
fn the_order_of_insertion_hardly_matters() {
    let run = |reversed: bool| {
        let mut builder = RigidModel::builder();
        builder.body(BodyDesc::ground(0.0)).unwrap();
        for i in 0..6 {
            let k = if reversed { 5 - i } else { i };
            let ball = BodyDesc::new(Shape::sphere(0.2).unwrap(), 100.0);
            builder.body(ball.at(Vec3::new(k as Real, 0.5 + 0.1 * k as Real, 0.0))).unwrap();
        }
        let mut world = World::new(builder, substeps(4), "direct");
        world.run(120);
        let mut p = world.state.bodies.p[1..].to_vec();
        if reversed {
            p.reverse();
        }
        p
    };
    for (a, b) in run(false).iter().zip(&run(true)) {
        assert!((a - b).norm() < 1e-9);
    }
}

#[test]
fn it_is_a_stepper_for_models_without_vertices() {
    let (model, bodies) = heap().build();
    let (mut state, params) = (State::default(), Default::default());
    state.bodies = bodies;
    let mut stepper = RigidStepper::new(model.into(), RigidParams::default());
    let points = Model::with_masses(vec![1.0]).build().unwrap();
    assert!(stepper.prepare(StepContext::of(&points, &params)).is_err(), "vertices are not ignored");
    let empty = Model::with_masses(vec![]).build().unwrap();
    stepper.prepare(StepContext::of(&empty, &params)).unwrap();
    let report = stepper.step(StepContext::of(&empty, &params), &mut state).unwrap();
    assert!((state.time - params.dt).abs() < 1e-15 && report.iterations == 4);
    // A state that is not finite is refused and left alone.
    state.bodies.v[3].x = Real::NAN;
    let before = state.clone();
    assert!(stepper.step(StepContext::of(&empty, &params), &mut state).is_err());
    assert_eq!(format!("{before:?}"), format!("{state:?}"));
}

#[test]
fn bodies_fall_on_obstacles_and_ride_on_them() {
    use pd_collide::{Floor, Moving, Path, Sphere};
    let path = Path::new(vec![(0.0, Vec3::zeros()), (10.0, Vec3::new(0.0, 5.0, 0.0))]).unwrap();
    let lift = Moving::new(Floor::new(0.0).unwrap().with_margin(0.0).unwrap(), path);
    let ball = Sphere::new(Vec3::new(5.0, 0.0, 0.0), 1.0).unwrap().with_margin(0.0).unwrap();
    let colliders: Vec<Box<dyn pd_core::Collider>> = vec![Box::new(lift), Box::new(ball)];
    let mut builder = RigidModel::builder();
    let cube = BodyDesc::new(Shape::cuboid(Vec3::repeat(0.2)).unwrap(), 500.0);
    builder.body(cube.clone().at(Vec3::y() * 0.5)).unwrap();
    builder.body(cube.at(Vec3::new(5.0, 1.4, 0.0))).unwrap();
    let mut world = World::new(builder, substeps(4), "direct");
    for _ in 0..60 {
        world.stepper.advance(&world.params, &colliders, &mut world.state).unwrap();
    }
    let p = &world.state.bodies.p;
    assert!((p[0].y - 0.7).abs() < 0.02, "carried by the floor: {}", p[0].y);
    assert!(p[1].y > 1.1, "on top of the ball: {}", p[1].y);
}
