//! The program of the chapter "Getting started".
//!
//! `cargo run --release -p examples --example getting_started`
#![expect(clippy::print_stdout, reason = "a program for newcomers")]

// ANCHOR: program
use pd_sim::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mesh = generate::grid(20, 20, 1.0, 1.0)?;
    let model = Model::builder(&mesh.positions, 0.2 /* kg */)
        .energy(EdgeSprings::new(&mesh.positions, &mesh.edges(), 500.0 /* N/m */)?)
        .energy(Pins::new(&mesh.positions, &[0, 20], 1e5)?)
        .build()?;
    let mut sim = Simulation::new(
        model,
        State::at_rest(mesh.positions),
        ProjectiveDynamics::new(PanelCholesky::default()),
    );
    for frame in 1..=300 {
        sim.step()?;
        if frame % 30 == 0 {
            println!("{:4.1} s: the free corner is at y = {:6.3} m", sim.state.time, sim.state.x[440].y);
        }
    }
    assert!(sim.state.x[440].y < -0.8, "it hangs down");
    Ok(())
}
// ANCHOR_END: program

#[test]
fn runs() {
    main().unwrap();
}
