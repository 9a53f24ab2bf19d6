//! Iterations that an accelerated step needs for the error of ten plain ones.

use pd_core::{Acceleration, CpuLocal, ProjectiveDynamics, State, StepParams};
use pd_linear::{Cholesky, PanelCholesky};
use pd_sim::scene::{Scene, SceneRun};
use pd_sim::{ModelPaths, Simulation};
use std::fmt::Write;

use super::Error;

/// Frames before the measured one: things move.
const WARM_UP: usize = 30;

pub(super) fn report(choice: &super::Choice) -> Result<String, Error> {
    let mut text = String::from(
        "\nIterations after which one more frame has at most the error of ten plain iterations (root \
         mean square distance to the converged positions), from a scene in motion. Local steps are counted too: a line search \
         may take more than one per iteration. Goal: at most 4.\n\n| scene | error of 10 plain, m | anderson | its local \
         steps | L-BFGS | its local steps |\n|---|---|---|---|---|---|\n",
    );
    for name in ["cloth-140", "bunny-twin", "armadillo-free-twin"] {
        if !choice.takes(name, name == "bunny-twin") {
            continue;
        }
        let scene = Scene::load(name, &ModelPaths::default())?;
        let stepper = ProjectiveDynamics::new(PanelCholesky::default());
        let mut run = SceneRun::with_stepper(scene, Box::new(stepper))?;
        for _ in 0..WARM_UP {
            run.advance()?;
        }
        let (exact, _) = frame(&run, Acceleration::Lbfgs { window: 8 }, 300)?;
        let (ten, _) = frame(&run, Acceleration::None, 10)?;
        let plain = error(&ten, &exact);
        let _ = write!(text, "| {name} | {plain:.2e} |");
        for acceleration in [Acceleration::Anderson { window: 5 }, Acceleration::Lbfgs { window: 5 }] {
            let mut needed = "more than 10 | –".to_owned();
            for iterations in 1..=10 {
                let (state, local_steps) = frame(&run, acceleration, iterations)?;
                if error(&state, &exact) <= plain {
                    needed = format!("{iterations} | {local_steps}");
                    break;
                }
            }
            let _ = write!(text, " {needed} |");
        }
        text.push('\n');
    }
    Ok(text)
}

/// One more frame of a scene, and its local steps.
fn frame(run: &SceneRun, acceleration: Acceleration, iterations: usize) -> Result<(State, usize), Error> {
    let (local, global) = (Box::new(CpuLocal::default()), Box::new(Cholesky::default()));
    let stepper = ProjectiveDynamics::with_parts(local, global, acceleration);
    let mut sim = Simulation::new(run.scene.model(run.sim.state.time)?, run.sim.state.clone(), stepper);
    sim.params = StepParams { iterations, ..run.scene.params() };
    let report = sim.step()?;
    Ok((sim.state, report.local_steps))
}

fn error(a: &State, b: &State) -> f64 {
    let square: f64 = a.x.iter().zip(&b.x).map(|(a, b)| (a - b).norm_squared()).sum();
    (square / a.x.len() as f64).sqrt()
}
