//! The first iterate of a step.
//!
//! Plain projective dynamics starts at the inertial target s, which leaves elastic forces out. From the present state xₙ, vₙ
//! better guesses follow:
//!
//! ```text
//! g = xₙ − h² M⁻¹ ∇objective(xₙ) = s − h² M⁻¹ ∇E(xₙ)     elastic forces as they are now
//! v = xₙ + h vₙ, moved out of obstacles                  all forces in balance
//! r = p − 2 diag(A)⁻¹ ∇objective(p), p = v or s          without the worst forces, a step of Jacobi's
//! ```
//!
//! In smooth motion forces change little in a step, and g is by far the nearest to the minimiser. Where the body is stiff or
//! just hit something, g is far off. There v is mostly nearer than s, since stiff bodies are near balance, but has sharp
//! forces where elements were crushed or folded; r takes these away, which else would take up the first directions. No
//! iterate is taken that has a larger objective than s. All follows from the state alone, so a step does not depend on how
//! the state was reached.
//!
//! The last two points that were compared, and the gradients there, are a first pair for L-BFGS; so are s and g where g is
//! too far but leads the right way.

use crate::acceleration::Memory;
use crate::anderson::dot;
use crate::descent::Descent;
use crate::{Real, State, StepContext, StepError, StepReport, resolve_collisions};
use std::mem::swap;

/// Length of the step of Jacobi's. The diagonal alone overestimates the curvature along most forces, as A does.
const RELAXATION: Real = 2.0;

/// Least part of the way to a guess that must descend for its curvature to be remembered.
const GENTLE: Real = 0.03;

impl Descent {
    /// Chooses the first iterate; accelerated steps leave it evaluated. Returns ‖∇objective(s)‖, what the tolerance is
    /// relative to, if known.
    pub(crate) fn start(
        &mut self,
        context: &StepContext<'_>,
        now: &State,
        report: &mut StepReport,
    ) -> Result<Option<Real>, StepError> {
        self.evaluated = false;
        match &mut self.memory {
            Memory::None => {
                self.x.copy_from_slice(&self.s);
                return Ok(None);
            }
            Memory::Anderson(memory) => memory.reset(),
            Memory::Lbfgs(memory) => memory.reset(),
        }
        let (masses, dt) = (context.model.masses(), context.params.dt);
        self.x.copy_from_slice(&now.x);
        self.evaluate(context, report)?;
        for (i, guess) in self.other_x.iter_mut().enumerate() {
            *guess = now.x[i] + self.b[i] * (dt * dt / masses[i]);
        }
        self.x.copy_from_slice(&self.s);
        self.evaluate(context, report)?;
        self.objective = self.objective_here(context)?;
        let imbalance = dot(&self.b, &self.b).sqrt();
        if !self.compare(context, report)? {
            self.remember_gentle();
            for (i, guess) in self.other_x.iter_mut().enumerate() {
                *guess = now.x[i] + now.v[i] * dt;
            }
            resolve_collisions(context.colliders, now.time + dt, &mut self.other_x);
            if context.params.hold_pinned {
                for &vertex in context.model.pinned() {
                    self.other_x[vertex as usize] = self.s[vertex as usize];
                }
            }
            self.compare(context, report)?;
            for (i, guess) in self.other_x.iter_mut().enumerate() {
                *guess = self.x[i] + self.b[i] * (RELAXATION * self.inverse_diagonal[i]);
            }
            self.compare(context, report)?;
        }
        if let Memory::Lbfgs(memory) = &mut self.memory {
            memory.remember((&self.other_x, &self.other_b), (&self.x, &self.b));
        }
        self.evaluated = true;
        Ok(Some(imbalance))
    }

    /// Evaluates the other iterate and makes it the present one if its objective is less; says whether it was. Both are
    /// evaluated afterwards.
    fn compare(&mut self, context: &StepContext<'_>, report: &mut StepReport) -> Result<bool, StepError> {
        self.exchange();
        self.evaluate(context, report)?;
        let objective = self.objective_here(context)?;
        // False for what is not a number.
        let less = objective < self.objective;
        if less {
            self.objective = objective;
        } else {
            self.exchange();
        }
        Ok(less)
    }

    /// Remembers the pair of the present iterate and the other one where it says more than that the way between them is
    /// stiff: where the objective is least at a considerable part of it.
    fn remember_gentle(&mut self) {
        let Memory::Lbfgs(memory) = &mut self.memory else { return };
        for (way, (x, other)) in self.direction.iter_mut().zip(self.x.iter().zip(&self.other_x)) {
            *way = other - x;
        }
        let (descent, rest) = (dot(&self.b, &self.direction), dot(&self.other_b, &self.direction));
        if descent > GENTLE * (descent - rest) {
            memory.remember((&self.other_x, &self.other_b), (&self.x, &self.b));
        }
    }

    fn exchange(&mut self) {
        swap(&mut self.x, &mut self.other_x);
        swap(&mut self.b, &mut self.other_b);
    }
}
