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
fn the_order_of_insertion_does_not_matter() {
    // A pile of everything that falls into itself, bodies added in shuffled order.
    let count = 48;
    let desc = |k: usize| {
        let at = Vec3::new(
            (k % 4) as Real * 0.42 + 0.01 * k as Real,
            0.4 + (k / 8) as Real * 0.5,
            (k / 4 % 2) as Real * 0.45,
        );
        let shape = match k % 4 {
            0 => Shape::cuboid(Vec3::new(0.2, 0.15, 0.22)).unwrap(),
            1 => Shape::sphere(0.2).unwrap(),
            2 => Shape::capsule(0.12, 0.12).unwrap(),
            _ => Shape::cylinder(0.15, 0.18).unwrap(),
        };
        BodyDesc::new(shape, 500.0).at(at)
    };
    let run = |step: usize| {
        let mut builder = RigidModel::builder();
        let mut place = vec![0; count];
        // `step` has no factor in common with the number of bodies: a permutation.
        for i in 0..count {
            let k = i * step % count;
            place[k] = builder.body(desc(k)).unwrap();
            if i == count / 2 {
                builder.body(BodyDesc::ground(0.0)).unwrap();
            }
        }
        let mut world = World::new(builder, RigidParams::default(), "direct");
        world.run(120);
        place.into_iter().map(|b| world.state.bodies.p[b]).collect::<Vec<_>>()
    };
    let straight = run(1);
    assert!(straight.iter().any(|p| p.y < 0.3) && straight.iter().all(|p| p.y > 0.0));
    for step in [5, 29, 47] {
        let apart = straight.iter().zip(run(step)).map(|(a, b)| (a - b).norm()).fold(0.0, Real::max);
        println!("shuffled by {step}: {apart:.1e} m");
        assert!(apart < 1e-9, "{step}: {apart:e} m");
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
