//! A cloth held by two corners falls onto a ball: the smallest whole program.
//!
//! `cargo run --release -p examples --example hanging_cloth`

use pd_sim::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mesh = generate::grid(20, 20, 1.0, 1.0)?;
    let model = Model::builder(&mesh.positions, 0.2 /* kg */)
        .energy(EdgeSprings::new(&mesh.positions, &mesh.edges(), 500.0 /* N/m */)?)
        .energy(Pins::new(&mesh.positions, &[0, 20], 1e5)?)
        .build()?;
    let state = State::at_rest(mesh.positions);
    let mut sim = Simulation::new(model, state, ProjectiveDynamics::new(PanelCholesky::default()));
    sim.colliders.push(Box::new(Sphere::new(Vec3::new(0.0, -0.4, 0.0), 0.2)?));
    for _ in 0..300 {
        sim.step()?;
    }

    let lowest = sim.state.x.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    assert!((-1.3..-0.8).contains(&lowest), "the cloth hangs about a metre deep, not {lowest}");
    assert!(sim.state.x[0].y.abs() < 0.01, "the corner is held");
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
