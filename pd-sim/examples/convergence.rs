//! How many iterations each acceleration needs: distance to the converged minimiser of one step, by iteration.
//!
//! `cargo run --release -p pd-sim --example convergence -- cloth-140 bunny-twin`
#![allow(clippy::print_stdout, reason = "a report program")]

use pd_core::{Acceleration, CpuLocal};
use pd_sim::prelude::*;

/// Positions after one more frame with `iterations` iterations, from a state in motion.
fn frame(
    scene: &Scene,
    state: &State,
    acceleration: Acceleration,
    iterations: usize,
) -> Result<State, Box<dyn std::error::Error>> {
    let local = Box::new(CpuLocal::default());
    let stepper = ProjectiveDynamics::with_parts(local, Box::new(Cholesky::default()), acceleration);
    let mut sim = Simulation::new(scene.model(0.0)?, state.clone(), stepper);
    sim.params = StepParams { iterations, ..scene.params() };
    sim.step()?;
    Ok(sim.state)
}

fn error(a: &State, b: &State) -> f64 {
    let square: f64 = a.x.iter().zip(&b.x).map(|(a, b)| (a - b).norm_squared()).sum();
    (square / a.x.len() as f64).sqrt()
}

fn compare(name: &str, warm_up: usize) -> Result<[usize; 2], Box<dyn std::error::Error>> {
    let scene = Scene::load(name, &ModelPaths::from_env([]))?;
    let mut run = SceneRun::new(scene, &Registry::standard())?;
    for _ in 0..warm_up {
        run.advance()?;
    }
    let (scene, state) = (&run.scene, &run.sim.state);
    let exact = frame(scene, state, Acceleration::Lbfgs { window: 8 }, 400)?;
    let plain = error(&frame(scene, state, Acceleration::None, 10)?, &exact);
    println!("{name}: 10 plain iterations leave {plain:.3e} m (root mean square)");
    let mut needed = [0; 2];
    let choices = [Acceleration::Anderson { window: 5 }, Acceleration::Lbfgs { window: 5 }];
    for (acceleration, needed) in choices.into_iter().zip(&mut needed) {
        for iterations in 1..=10 {
            let left = error(&frame(scene, state, acceleration, iterations)?, &exact);
            println!("  {:12} {iterations:2} iterations leave {left:.3e} m", acceleration.name());
            if left <= plain && *needed == 0 {
                *needed = iterations;
            }
        }
    }
    Ok(needed)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let names = if names.is_empty() { vec!["cloth-140".into(), "bunny-twin".into()] } else { names };
    for name in names {
        let [anderson, lbfgs] = compare(&name, 30)?;
        println!("{name}: the error of 10 plain iterations after {anderson} (anderson), {lbfgs} (lbfgs)\n");
    }
    Ok(())
}

#[test]
fn runs() {
    let [anderson, lbfgs] = compare("cloth-pair", 30).unwrap();
    assert!((1..10).contains(&anderson) && (1..10).contains(&lbfgs), "{anderson} {lbfgs}");
}
