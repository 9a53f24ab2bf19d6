//! A free cloth falls on a ball and drapes over it.
//!
//! `cargo run --release -p examples --example drape_on_sphere`

use pd_constraints::RingsRef;
use pd_mesh::topology::Rings;
use pd_sim::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut mesh = generate::grid(24, 24, 1.0, 1.0)?;
    mesh.translate(Vec3::new(0.0, 0.45, 0.0)); // above the ball
    let inner = Rings::new(&mesh).interior(); // bending lives at vertices that no border touches
    let rings =
        RingsRef { vertices: &inner.vertices, offsets: &inner.offsets, neighbours: &inner.neighbours };
    let model = Model::builder(&mesh.positions, 0.2 /* kg */)
        .energy(EdgeSprings::new(&mesh.positions, &mesh.edges(), 500.0 /* N/m */)?)
        .energy(Bending::new(&mesh.positions, rings, 1e-3 /* J */, BendingWeights::CotanVoronoi)?)
        .build()?;
    let (ball, radius) = (Vec3::zeros(), 0.3 /* m */);
    let state = State::at_rest(mesh.positions);
    let mut sim = Simulation::new(model, state, ProjectiveDynamics::new(PanelCholesky::default()));
    sim.colliders.push(Box::new(Sphere::new(ball, radius)?.with_margin(0.01)?));
    for _ in 0..45 {
        sim.step()?; // three quarters of a second
    }

    let deepest = sim.state.x.iter().map(|x| (x - ball).norm()).fold(f64::INFINITY, f64::min);
    assert!(deepest > radius, "no vertex is inside the ball; the nearest is {deepest} m from its centre");
    let middle = sim.state.x[12 * 25 + 12];
    assert!(middle.y > 0.25, "the middle rests on top: {middle}");
    assert!(sim.state.x[0].y < 0.1, "the corners hang at the sides: {}", sim.state.x[0]);
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
