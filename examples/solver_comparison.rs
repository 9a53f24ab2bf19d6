//! The same cloth under different global solvers: half the way with one, then another takes over.
//!
//! `cargo run --release -p examples --example solver_comparison`
#![expect(clippy::print_stdout, reason = "a program that compares")]

use pd_sim::prelude::*;
use std::time::{Duration, Instant};

/// Position of one vertex after 60 frames, the last 30 with the named solver, and the time of those.
fn run(mesh: &TriMesh, global: &str) -> Result<(Vec3, Duration), Box<dyn std::error::Error>> {
    let model = Model::builder(&mesh.positions, 0.2 /* kg */)
        .energy(EdgeSprings::new(&mesh.positions, &mesh.edges(), 200.0 /* N/m */)?)
        .energy(Pins::new(&mesh.positions, &[0, 16], 1e4)?)
        .build()?;
    let state = State::at_rest(mesh.positions.clone());
    let mut sim = Simulation::new(model, state, ProjectiveDynamics::new(PanelCholesky::default()));
    for _ in 0..30 {
        sim.step()?;
    }
    sim.set_boxed_stepper(Registry::standard().stepper("pd", global)?); // the state goes on
    sim.prepare()?;
    let started = Instant::now();
    for _ in 0..30 {
        sim.step()?;
    }
    Ok((sim.state.x[200], started.elapsed()))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mesh = generate::grid(16, 16, 1.0, 1.0)?;
    let (exact, reference) = run(&mesh, "cholesky")?;
    for global in ["dense", "panels", "pcg", "pcg-ic"] {
        let (x, time) = run(&mesh, global)?;
        let apart = (x - exact).norm();
        println!(
            "{global:8} {:.2} of cholesky's time, {apart:.1e} m apart",
            time.div_duration_f64(reference)
        );
        // Conjugate gradients solve each iteration to a hundredth: the ten iterations themselves leave more of the motion out.
        let tolerance = if global.starts_with("pcg") { 5e-3 } else { 1e-5 };
        assert!(apart < tolerance, "all solvers give the same motion; {global} is {apart} m away");
    }
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
