//! The same cloth under different global solvers: the state goes on, only the solver changes.
//!
//! `cargo run --release -p pd-sim --example swap_solver`

use pd_sim::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mesh = generate::grid(16, 16, 1.0, 1.0)?;
    let registry = Registry::standard();
    let mut results = vec![];
    for global in ["cholesky", "dense", "pcg"] {
        let model = Model::builder(&mesh.positions, 0.2)
            .energy(EdgeSprings::new(&mesh.positions, &mesh.edges(), 200.0)?)
            .energy(Pins::new(&mesh.positions, &[0, 16], 1e4)?)
            .build()?;
        let state = State::at_rest(mesh.positions.clone());
        let mut sim = Simulation::new(model, state, ProjectiveDynamics::new(Cholesky::default()));
        for _ in 0..30 {
            sim.step()?;
        }
        sim.set_boxed_stepper(registry.stepper("pd", global)?); // from here on with another solver
        for _ in 0..30 {
            sim.step()?;
        }
        results.push(sim.state.x[200]);
    }
    for x in &results {
        assert!((x - results[0]).norm() < 1e-5, "all solvers give the same motion: {results:?}");
    }
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
