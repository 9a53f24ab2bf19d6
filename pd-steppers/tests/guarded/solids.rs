//! Solids that meet the floor: nothing turns inside out, nothing goes through, no energy comes of nothing.

use crate::scenes::{Ball, Scene};
use pd_core::{Real, Vec3};

/// Worst over a fall and the bounce after it: energy over that of the start, J; elements turned over; lowest vertex, m.
fn drop(ball: Ball, mesh: bool, substeps: usize) -> (Real, usize, Real) {
    let mut scene = ball.build(mesh);
    scene.params.dt /= substeps as Real;
    let mut stepper = scene.stepper();
    let energy = |scene: &Scene| {
        let (x, g) = (&scene.state.x[..scene.free], scene.params.gravity);
        let potential: Real = x.iter().zip(scene.model.masses()).map(|(x, m)| -m * g.dot(x)).sum();
        potential + scene.kinetic() + scene.model.elastic_energy(&scene.state.x)
    };
    let falls = (2.0 * ball.height / 9.8).sqrt() / scene.params.dt;
    let start = energy(&scene);
    let (mut most, mut turned, mut lowest) = (Real::NEG_INFINITY, 0, Real::INFINITY);
    for step in 0..falls as usize + 15 * substeps {
        let report = scene.step(&mut stepper);
        assert!(report.contact.is_some());
        if step + 2 < falls as usize {
            continue;
        }
        most = most.max(energy(&scene) - start);
        turned = turned.max(scene.model.strain(&scene.state.x).inverted);
        lowest = scene.state.x[..scene.free].iter().map(|x| x.y).fold(lowest, Real::min);
        if mesh {
            assert_eq!(scene.crossings(), 0);
        }
    }
    (most / start, turned, lowest)
}

#[test]
fn balls_of_any_stiffness_fall_without_turning_over_or_gaining_energy() {
    let mut worst = (Real::NEG_INFINITY, 0, Real::INFINITY);
    for young in [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9] {
        for (density, height, mesh, substeps) in [
            (500.0, 1.0, false, 1),
            (500.0, 5.0, true, 1),
            (1.0, 0.3, false, 1),
            (50_000.0, 1.0, false, 1),
            (500.0, 0.3, true, 4),
        ] {
            let ball = Ball { cells: 2, density, height, ..Ball::new(young, height) };
            let (gain, turned, lowest) = drop(ball, mesh, substeps);
            println!(
                "E {young:.0e}, {density} kg/m³, {height} m, {substeps} substeps: gain {gain:.1e}, {turned} turned, lowest {lowest:.1e} m"
            );
            worst = (worst.0.max(gain), worst.1.max(turned), worst.2.min(lowest));
        }
    }
    assert!(worst.0 <= 1e-3, "energy from nothing: {:.3e} of that at the start", worst.0);
    assert_eq!(worst.1, 0, "elements turned over");
    assert!(worst.2 > 0.0, "a vertex below the floor: {:.3e} m", worst.2);
}

#[test]
fn what_falls_in_small_steps_falls() {
    for (substeps, cells, thickness) in
        [(1, 2, 0.004), (10, 2, 0.02), (40, 2, 0.004), (100, 2, 0.02), (200, 2, 0.001)]
    {
        for g in [1.0, 9.8, 100.0] {
            let mut scene = Ball { cells, thickness, ..Ball::new(1e6, 1000.0) }.build(false);
            scene.params.dt /= substeps as Real;
            scene.params.gravity = Vec3::y() * -g;
            let (mut stepper, start) = (scene.stepper(), scene.state.x.clone());
            let steps = 2 * substeps + 20;
            for _ in 0..steps {
                scene.step(&mut stepper);
            }
            let exact = 0.5 * g * scene.params.dt.powi(2) * (steps * (steps + 1)) as Real;
            let fallen = scene.moved(&start);
            assert!(
                (fallen / exact - 1.0).abs() < 1e-3,
                "{substeps} substeps, {g} m/s²: {fallen} m of {exact} m"
            );
        }
    }
}
