//! A scene that has come to rest costs one evaluation a step, and anything that changes wakes it.

use crate::scenes::{Scene, fold, slope};
use pd_core::{StepReport, Vec3};
use pd_steppers::GuardedPd;

/// A folded sheet that rests, with its stepper.
fn resting() -> (Scene, GuardedPd) {
    let mut scene = fold(14);
    let mut stepper = scene.stepper();
    for frame in 0.. {
        assert!(frame < 300, "it does not come to rest: {:.1e} J", scene.kinetic());
        if rests(&scene.step(&mut stepper)) {
            break;
        }
    }
    (scene, stepper)
}

fn rests(report: &StepReport) -> bool {
    report.iterations == 0
}

#[test]
fn what_rests_stays_until_something_changes() {
    let (mut scene, mut stepper) = resting();
    let rest = scene.state.clone();
    for _ in 0..5 {
        let report = scene.step(&mut stepper);
        assert!(rests(&report) && report.local_steps == 1 && report.contact.unwrap().contacts > 0);
    }
    assert!(scene.state.x == rest.x && scene.state.v.iter().all(|v| *v == Vec3::zeros()));

    scene.state = rest.clone();
    assert!(rests(&scene.step(&mut stepper)), "the old state rests again");
    scene.state.v[3].y = 1e-9;
    assert!(!rests(&scene.step(&mut stepper)), "a velocity");
    scene.state = rest.clone();
    scene.params.gravity.x = 1e-9;
    assert!(!rests(&scene.step(&mut stepper)), "a force");
    scene.state = rest.clone();
    scene.params.gravity = Vec3::y() * 9.8;
    for _ in 0..10 {
        scene.step(&mut stepper);
    }
    let risen = (0..scene.free).map(|i| (scene.state.x[i] - rest.x[i]).y).fold(f64::INFINITY, f64::min);
    assert!(risen > 0.01, "it falls upwards, the slowest vertex by {risen} m");
}

#[test]
fn rest_has_the_same_bits_after_resuming_and_on_any_threads() {
    let (scene, _) = resting();
    let end = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut other = fold(14);
            other.state = scene.state.clone();
            let mut stepper = other.stepper();
            let all: Vec<bool> = (0..3).map(|_| rests(&other.step(&mut stepper))).collect();
            assert_eq!(all, [true; 3], "{threads} threads");
            other.state.hash()
        })
    };
    let one = end(1);
    assert!([2, 3, 8].into_iter().all(|threads| end(threads) == one));
}

#[test]
fn what_slides_slowly_does_not_rest() {
    // 5 % above the angle of friction: in the first step the sheet moves by 47 µm.
    let (angle, steps) = (20f64.to_radians(), 60);
    let mut scene = slope(10, 0.121, angle, 0.0, 0.95 * angle.tan());
    scene.params.iterations = 8;
    let (mut stepper, start) = (scene.stepper(), scene.state.x.clone());
    for _ in 0..steps {
        assert!(!rests(&scene.step(&mut stepper)));
    }
    let exact = 9.8 * 0.05 * angle.sin() * f64::from(steps * (steps + 1)) / 2.0 / 3600.0;
    let moved = scene.moved(&start);
    println!("slides {moved:.5} m of {exact:.5} m");
    assert!((moved / exact - 1.0).abs() < 0.1, "{moved} m of {exact} m");
}
