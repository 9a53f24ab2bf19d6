//! A soft bar is held at one end and turned by a right angle at the other: its middle turns by half of that.
//!
//! `cargo run --release -p examples --example twisted_bar`

use pd_sim::prelude::*;
use std::f64::consts::FRAC_PI_2;

/// The mean angle (radians) about the long axis by which the vertices of one cross-section have turned.
fn turned(rest: &[Vec3], now: &[Vec3], along: usize, section: f64) -> f64 {
    let (u, v) = ((along + 1) % 3, (along + 2) % 3);
    let inside = rest.iter().zip(now).filter(|(r, _)| (r[along] - section).abs() < 1e-9);
    let (cross, dot) = inside.fold((0.0, 0.0), |(cross, dot), (r, x)| {
        (cross + r[u] * x[v] - r[v] * x[u], dot + r[u] * x[u] + r[v] * x[v])
    });
    f64::atan2(cross, dot)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut mesh = generate::bar(2, 2, 12, 1.0)?;
    let centre = mesh.positions.iter().sum::<Vec3>() / mesh.positions.len() as f64;
    mesh.translate(-centre);
    let (low, high) = mesh
        .positions
        .iter()
        .fold((mesh.positions[0], mesh.positions[0]), |(low, high), x| (low.inf(x), high.sup(x)));
    let along = (high - low).imax(); // the long axis
    let end = |at: f64| -> Vec<u32> {
        (0..mesh.positions.len() as u32)
            .filter(|&i| (mesh.positions[i as usize][along] - at).abs() < 1e-9)
            .collect()
    };
    let mut goal = mesh.clone();
    goal.rotate(Vec3::ith(along, 1.0), FRAC_PI_2);

    let model = Model::builder(&mesh.positions, 1.0 /* kg */)
        .energy(TetStrain::new(&mesh.positions, &mesh.tets, 1e5 /* Pa */, StrainRange::RIGID)?)
        .energy(Pins::new(&mesh.positions, &end(low[along]), 1e5)?)
        .energy(Pins::new(&goal.positions, &end(high[along]), 1e5)?)
        .build()?;
    let rest = mesh.positions.clone();
    let state = State::at_rest(mesh.positions);
    let mut sim = Simulation::new(model, state, ProjectiveDynamics::new(PanelCholesky::default()));
    sim.params.gravity = Vec3::zeros();
    sim.params.damping = 5.0; // 1/s, to come to rest soon
    for _ in 0..300 {
        sim.step()?;
    }

    let angle = |section| turned(&rest, &sim.state.x, along, section).to_degrees();
    assert!((angle(high[along]) - 90.0).abs() < 1.0, "the turned end: {} degrees", angle(high[along]));
    assert!((angle(0.0) - 45.0).abs() < 2.0, "the middle: {} degrees", angle(0.0));
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
