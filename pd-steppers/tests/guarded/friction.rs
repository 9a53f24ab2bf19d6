//! Coulomb's law against closed forms: a sheet on a slope.
//!
//! Implicit Euler slides by a h² n(n + 1)/2 in n steps from rest, a = g (sin θ − μ cos θ).

use crate::scenes::slope;

const G: f64 = 9.8;
const H: f64 = 1.0 / 60.0;

#[test]
fn a_sheet_sticks_just_above_the_angle_of_friction() {
    let angle = 20f64.to_radians();
    let mut scene = slope(10, 0.121, angle, 0.0, 1.02 * angle.tan());
    let (mut stepper, start) = (scene.stepper(), scene.state.x.clone());
    for _ in 0..60 {
        scene.step(&mut stepper);
    }
    let early = scene.moved(&start);
    let from = scene.state.x.clone();
    for _ in 0..240 {
        scene.step(&mut stepper);
    }
    let creep = scene.moved(&from);
    println!("slip {early:.2e} m in the first second, {creep:.2e} m in four more");
    assert!(early < 1e-3 && creep < 4e-5, "{early:.2e} {creep:.2e}");
}

#[test]
fn below_it_slides_as_it_should() {
    let angle = 20f64.to_radians();
    for mass in [0.121, 12.1] {
        let mut scene = slope(10, mass, angle, 0.0, 0.3);
        scene.params.iterations = 8;
        let (mut stepper, start) = (scene.stepper(), scene.state.x.clone());
        let steps = 61;
        for _ in 0..steps {
            scene.step(&mut stepper);
        }
        let exact = G * (angle.sin() - 0.3 * angle.cos()) * H * H * f64::from(steps * (steps + 1)) / 2.0;
        let error = scene.moved(&start) / exact - 1.0;
        println!("mass {mass}: slides {:.5} m of {exact:.5} m, {:.2} %", scene.moved(&start), 100.0 * error);
        assert!(error.abs() < 0.02, "{error}");
    }
}

#[test]
fn a_thrown_sheet_stops_where_it_should() {
    // v_k = v₀ − k μ g h until it would turn: the sum of h v_k.
    let (speed, friction) = (1.0, 0.3);
    let loss = friction * G * H;
    let steps = (speed / loss) as i32;
    let exact: f64 = (1..=steps).map(|k| H * (speed - f64::from(k) * loss)).sum();
    for mass in [0.121, 12.1] {
        let mut scene = slope(10, mass, 0.0, speed, friction);
        scene.params.iterations = 8;
        let (mut stepper, start) = (scene.stepper(), scene.state.x.clone());
        for _ in 0..60 {
            scene.step(&mut stepper);
        }
        let error = scene.moved(&start) / exact - 1.0;
        println!(
            "mass {mass}: stops after {:.5} m of {exact:.5} m, {:.2} %",
            scene.moved(&start),
            100.0 * error
        );
        assert!(error.abs() < 0.02, "{error}");
    }
}
