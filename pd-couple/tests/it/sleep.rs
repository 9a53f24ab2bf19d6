//! Rigid bodies that nothing touches fall asleep; whatever touches them wakes them, or keeps them awake.

use super::world::{Built, World};
use pd_core::{Real, Vec3};
use pd_rigid::{BodyDesc, Shape, columns};

/// Two boxes on a table, and a grain that falls onto the first of them after nine tenths of a second. A cloth hangs beside.
fn table() -> Built {
    let fixed = BodyDesc::new(Shape::cuboid(Vec3::new(2.0, 0.1, 0.5)).unwrap(), 1000.0).fixed();
    let cube = |x: Real| {
        BodyDesc::new(Shape::cuboid(Vec3::repeat(0.05)).unwrap(), 300.0).at(Vec3::new(x, 0.151, 0.0))
    };
    let bodies = vec![fixed.at(Vec3::new(1.5, 0.0, 0.0)), cube(1.0), cube(2.0)];
    let grains = Some(vec![Vec3::new(1.01, 4.21, 0.01)]);
    World { cloth: Some((4, 0.2, true)), grains, bodies, ..World::default() }.build(9.8, 1e-3)
}

impl Built {
    fn sleeps(&self, body: usize) -> bool {
        let bodies = &self.state.bodies;
        bodies.v[body] == Vec3::zeros()
            && bodies.w[body] == Vec3::zeros()
            && self.state.columns.real(columns::BODY_IDLE)[body] >= 0.5
    }
}

#[test]
fn bodies_fall_asleep_and_wake_when_they_are_touched() {
    let mut built = table();
    built.run(800);
    assert!(built.sleeps(1) && built.sleeps(2), "{:?}", built.state.bodies.v);
    let place = built.state.bodies.p[2];
    built.run(150);
    assert!(built.stepper.report().active > 0, "the grain lies on the box");
    assert!(!built.sleeps(1) && built.sleeps(2));
    let before = built.state.bodies.p[1];
    // What carries something stays awake.
    built.run(700);
    assert!(!built.sleeps(1) && built.sleeps(2));
    assert!((built.state.bodies.p[1] - before).norm() < 1e-4, "it is pushed into the table");
    assert_eq!(built.state.bodies.p[2], place);
}

#[test]
fn a_box_in_a_cloth_does_not_fall_asleep() {
    let cube =
        BodyDesc::new(Shape::cuboid(Vec3::repeat(0.05)).unwrap(), 300.0).at(Vec3::new(0.01, 0.07, 0.0));
    let mut built =
        World { cloth: Some((6, 0.4, true)), bodies: vec![cube], ..World::default() }.build(9.8, 1e-3);
    built.params.damping = 4.0;
    built.run(1500);
    let speed = built.state.bodies.v[0].norm();
    assert!(speed < 0.05, "it rests, by its speed of {speed} m/s");
    assert!(!built.sleeps(0));
    assert!(built.state.columns.real(columns::BODY_IDLE)[0] < 0.01);
}

#[test]
fn sleep_has_the_same_bits_for_any_threads_and_after_resume() {
    let run = |threads: usize, pause: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut built = table();
            built.run(700);
            assert!(built.sleeps(1));
            if pause {
                let state = built.state.clone();
                built = table();
                built.state = state;
            }
            built.run(400);
            assert!(!built.sleeps(1) && built.sleeps(2));
            built.state.hash()
        })
    };
    let expected = run(1, false);
    assert_eq!(run(1, true), expected, "resume");
    assert_eq!(run(3, false), expected, "threads");
}
