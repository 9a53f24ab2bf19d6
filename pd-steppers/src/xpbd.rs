//! Extended position-based dynamics (Macklin, Müller, Chentanez 2016), as published.
//!
//! ```text
//! x = s, λ = 0
//! repeat: for every constraint, by colours:
//!         Δλ = (−C − α̃ λ − γ ∇C·(x − x₀)) / ((1 + γ) ∇C M⁻¹ ∇Cᵀ + α̃),    α̃ = 1/(ω h²)
//!         x += M⁻¹ ∇Cᵀ Δλ, λ += Δλ
//! v = (x − x₀)/h
//! ```
//! One scalar constraint per element, C = √(2U/ω): the distance for distance laws, √(2Ψ) for others (Macklin, Müller 2021).
//! Stiffness does not depend on the number of iterations once they converge. But ∇C turns from sweep to sweep while λ keeps adding
//! up, so what it converges to depends on the path and is not quite the implicit Euler step; [`BlockXpbd`](crate::BlockXpbd) is
//! exact. Damping γ = η/h, η the ratio of damping to stiffness. More, smaller steps ([`Scheme::Substeps`](crate::Scheme::Substeps)) beat more
//! iterations (Macklin et al. 2019, "Small steps in physics simulation").

use crate::implicit::{Implicit, resize};
use crate::sweep::{self, At, Sweep};
use pd_core::{Real, StepContext, StepError, StepReport, Stepper, Vec3, View};
use std::time::Instant;

/// Name of the stepper.
const NAME: &str = "xpbd";

/// XPBD with scalar constraints; [`StepParams::iterations`](pd_core::StepParams::iterations) are sweeps.
#[derive(Default)]
pub struct Xpbd {
    /// Damping of the constraints, η, s: the ratio of damping coefficient to stiffness. Default 0.
    pub damping: Real,
    problem: Implicit,
    inverse: Vec<Real>,
    sweep: Sweep,
    start: Vec<Vec3>,
}

/// What a correction reads beside the element.
struct Inputs<'a> {
    inverse: &'a [Real],
    start: &'a [Vec3],
    dt: Real,
    gamma: Real,
}

/// Δλ and the displacements it makes.
fn correct(at: At<'_>, x: &[Vec3], inputs: &Inputs<'_>, change: &mut [Vec3], moves: &mut [Vec3]) -> bool {
    let Inputs { inverse, start, dt, gamma } = *inputs;
    let Some((c, sum)) = sweep::scalar_constraint(at, inverse, moves) else { return false };
    let compliance = 1.0 / (at.weight * dt * dt);
    let rate: Real = match gamma {
        0.0 => 0.0,
        _ => moves.iter().zip(at.vertices).map(|(g, &v)| g.dot(&(x[v as usize] - start[v as usize]))).sum(),
    };
    let lambda = at.memory[0].x;
    let delta = (-c - compliance * lambda - gamma * rate) / ((1.0 + gamma) * sum + compliance);
    change[0] = Vec3::new(delta, 0.0, 0.0);
    for (step, &vertex) in moves.iter_mut().zip(at.vertices) {
        *step *= inverse[vertex as usize] * delta;
    }
    true
}

impl Stepper for Xpbd {
    fn name(&self) -> &str {
        NAME
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        if !(self.damping >= 0.0 && self.damping.is_finite()) {
            let expected = "it must be zero or positive and finite, in seconds";
            return Err(StepError::Parameter { name: "damping of XPBD", value: self.damping, expected });
        }
        self.problem.prepare(NAME, &context)?;
        let model = context.model;
        sweep::check_rows(NAME, model)?;
        self.inverse = sweep::inverse_masses(model);
        self.sweep = Sweep::new(model.batches(), model.vertices(), |_| 1);
        resize(&mut self.start, model.vertices());
        Ok(())
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        let mut report = self.problem.begin(NAME, &context, state)?;
        self.start.copy_from_slice(state.x);
        self.sweep.forget();
        let dt = context.params.dt;
        let inputs = Inputs { inverse: &self.inverse, start: &self.start, dt, gamma: self.damping / dt };
        let started = Instant::now();
        for _ in 0..context.params.iterations {
            self.sweep.run(context.model.batches(), &mut self.problem.x, |at, x, change, moves| {
                correct(at, x, &inputs, change, moves)
            });
            report.iterations += 1;
        }
        report.local_steps = report.iterations;
        report.stages.local += started.elapsed();
        self.problem.end(&context, state, &mut report)?;
        Ok(report)
    }
}
