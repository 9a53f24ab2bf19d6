//! Iterations that an accelerated step needs for the error of ten plain ones, over frames of motion.

use pd_core::{Acceleration, CpuLocal, ProjectiveDynamics, State, StepParams, StepReport};
use pd_linear::PanelCholesky;
use pd_sim::scene::{Scene, SceneRun};
use pd_sim::{ModelPaths, Simulation};
use std::fmt::Write;

use super::Error;

/// Frames before the first measured one: things move.
const WARM_UP: usize = 30;

/// From each measured frame to the next.
const STRIDE: usize = 3;

/// Iterations of the step that is treated as converged. Cloth takes thousands: after 400 it was still a third of the error of
/// ten plain iterations away.
const CONVERGED: usize = 3000;

/// Most iterations tried.
const MOST: usize = 10;

const SCENES: [&str; 8] = [
    "cloth-140",
    "bunny-twin",
    "armadillo-free-twin",
    "cloths-8",
    "hemispheres",
    "bar",
    "ball",
    "dragon-twin",
];

pub(super) fn report(choice: &super::Choice) -> Result<String, Error> {
    let frames = if choice.quick { 3 } else { 20 };
    let mut text = format!(
        "\nIterations after which a step has at most the error of ten plain iterations (root mean \
         square distance to the converged positions), over {frames} frames of motion, every third from frame {WARM_UP} on; \
         obstacles included. An iteration is one global solve. Local steps are also counted: three to five \
         compute the initial guess, then mostly one per iteration; `pd-lbfgs` may use one more in the third. \
         *Time* is that of local and global steps relative to the ten plain iterations. Median and maximum over \
         the frames. Goal: at most 4 on the first three scenes. The constants of the methods were tuned on the \
         motion of these scenes, mostly of the first three.\n\n| scene | error of 10 plain, m | stepper | \
         iterations | local steps | time | error of 4 over 10 plain |\n|---|---|---|---|---|---|---|\n",
    );
    for name in SCENES {
        if !choice.takes(name, name == "bunny-twin") {
            continue;
        }
        let scene = Scene::load(name, &ModelPaths::default())?;
        let stepper = ProjectiveDynamics::new(PanelCholesky::default());
        let mut run = SceneRun::with_stepper(scene, Box::new(stepper))?;
        for _ in 0..WARM_UP {
            run.advance()?;
        }
        let mut plain = Contender::new(&run, Acceleration::None)?;
        let mut exact = Contender::new(&run, Acceleration::Lbfgs { window: 8 })?;
        let mut others = [Acceleration::Anderson { window: 5 }, Acceleration::Lbfgs { window: 5 }]
            .map(|acceleration| Contender::new(&run, acceleration));
        let mut errors = vec![];
        for _ in 0..frames {
            let state = &run.sim.state;
            let (converged, _) = exact.step(state, CONVERGED, 1e-8)?;
            let (ten, report) = plain.step(state, 10, 0.0)?;
            let (goal, spent) = (error(&ten, &converged), seconds(&report));
            errors.push(goal);
            for other in &mut others {
                let other = other.as_mut().map_err(|error| error.to_string())?;
                other.race(state, &converged, goal, spent)?;
            }
            for _ in 0..STRIDE {
                run.advance()?;
            }
        }
        for other in others.into_iter().flatten() {
            let _ = writeln!(
                text,
                "| {name} | {} | {} | {} | {} | {} | {} |",
                range(&errors, |e| format!("{e:.1e}")),
                other.acceleration.name(),
                range(&other.iterations, |k| format!("{k:.0}")),
                range(&other.local_steps, |k| format!("{k:.0}")),
                range(&other.times, |t| format!("{t:.2}")),
                range(&other.errors, |e| format!("{e:.2}")),
            );
        }
    }
    Ok(text)
}

/// Median and worst of what was found.
fn range(found: &[f64], show: impl Fn(f64) -> String) -> String {
    let mut sorted = found.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |k: usize| sorted.get(k).copied().unwrap_or(f64::NAN);
    format!("{}, {}", show(at(sorted.len() / 2)), show(at(sorted.len().saturating_sub(1))))
}

/// A stepper, prepared once, and what it needed in each frame.
struct Contender {
    acceleration: Acceleration,
    sim: Simulation,
    params: StepParams,
    iterations: Vec<f64>,
    local_steps: Vec<f64>,
    times: Vec<f64>,
    errors: Vec<f64>,
}

impl Contender {
    fn new(run: &SceneRun, acceleration: Acceleration) -> Result<Self, Error> {
        let (local, global) = (Box::new(CpuLocal::default()), Box::new(PanelCholesky::default()));
        let stepper = ProjectiveDynamics::with_parts(local, global, acceleration);
        let state = run.sim.state.clone();
        let mut sim = Simulation::new(run.scene.model(state.time)?, state, stepper);
        sim.colliders = run.scene.colliders()?;
        sim.forces = run.scene.forces()?;
        let params = run.scene.params();
        let [iterations, local_steps, times, errors] = [const { vec![] }; 4];
        Ok(Self { acceleration, sim, params, iterations, local_steps, times, errors })
    }

    /// One step of so many iterations from a state.
    fn step(
        &mut self,
        state: &State,
        iterations: usize,
        tolerance: f64,
    ) -> Result<(State, StepReport), Error> {
        self.sim.state = state.clone();
        self.sim.params = StepParams { iterations, tolerance, ..self.params };
        let report = self.sim.step()?;
        Ok((self.sim.state.clone(), report))
    }

    /// How soon it is as good as `goal`, and how good it is after four iterations.
    fn race(&mut self, state: &State, converged: &State, goal: f64, spent: f64) -> Result<(), Error> {
        for iterations in 1..=MOST {
            let (found, report) = self.step(state, iterations, 0.0)?;
            let error = error(&found, converged);
            if iterations == 4 {
                self.errors.push(error / goal);
            }
            if error <= goal || iterations == MOST {
                self.iterations.push(if error <= goal { iterations as f64 } else { f64::INFINITY });
                self.local_steps.push(report.local_steps as f64);
                self.times.push(seconds(&report) / spent);
                if iterations >= 4 {
                    return Ok(());
                }
                let (found, _) = self.step(state, 4, 0.0)?;
                self.errors.push(self::error(&found, converged) / goal);
                return Ok(());
            }
        }
        Ok(())
    }
}

fn seconds(report: &StepReport) -> f64 {
    (report.stages.local + report.stages.global).as_secs_f64()
}

fn error(a: &State, b: &State) -> f64 {
    let square: f64 = a.x.iter().zip(&b.x).map(|(a, b)| (a - b).norm_squared()).sum();
    (square / a.x.len() as f64).sqrt()
}
