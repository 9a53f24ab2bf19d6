//! The initial guess of a step.
//!
//! Plain projective dynamics starts at the inertial target s, which ignores elastic forces. The current state xₙ, vₙ gives
//! better guesses:
//!
//! ```text
//! g = xₙ − h² M⁻¹ ∇objective(xₙ) = s − h² M⁻¹ ∇E(xₙ)     elastic forces as they are now
//! v = xₙ + h vₙ, moved out of obstacles                  all forces in balance
//! r = p − 2 diag(A)⁻¹ ∇objective(p), p = v or s          then smoothed by one Jacobi step
//! ```
//!
//! In smooth motion forces change little during a step, and g is by far the closest to the minimiser. If the body is stiff or
//! has just hit something, g overshoots. There v is mostly closer than s, since stiff bodies are near equilibrium, but it has
//! large local forces where elements were crushed or folded; r removes those forces, which would otherwise dominate the first
//! search directions. No guess with a larger objective than s is accepted. Everything depends only on the state, so a step
//! does not depend on how the state was reached.
//!
//! The matrix tells in advance whether g is worth a local step. Along w = g − s the objective decreases with slope b·w, b = −∇
//! at s, and its curvature is at most wᵀAw. The minimum along w is therefore at least the fraction τ = b·w / wᵀAw of the way,
//! and at that fraction the objective is less than at s (A is an upper bound for squared distances, Bouaziz et al. 2014). If
//! τ is small, g is too far, and s + τ w is tried instead, unless w is nearly parallel to the forces at s, M⁻¹b, as after an
//! impact: there a Jacobi step does better.
//!
//! L-BFGS stores a secant pair for each comparison and replaces r by Jacobi-like steps that use these pairs (`diagonal.rs`).
//! At most five local steps precede the first solve.

use crate::acceleration::AccelerationState;
use crate::anderson::dot;
use crate::descent::Descent;
use crate::diagonal::RELAXATION;
use crate::exec::{self, VERTEX_CHUNK};
use crate::lbfgs::Lbfgs;
use crate::{Csr, Real, StepContext, StepError, StepReport, Vec3, View, stepper};
use std::mem::swap;

/// Least τ for which g is tried. The curvature may be a tenth of the bound, so g may be closer than τ indicates.
const MIN_STEP_FRACTION: Real = 0.015;

/// Least fraction of the way to a guess along which the objective must decrease for its pair to be stored.
const MIN_DESCENT_FRACTION: Real = 0.03;

/// Largest cosine between w and b at which w is a new direction.
const MAX_COSINE: Real = 0.5;

impl Descent {
    /// Chooses the initial guess; accelerated steps also evaluate it. Returns ‖∇objective(s)‖, the reference of the
    /// tolerance, if known.
    pub(crate) fn initial_guess(
        &mut self,
        context: &StepContext<'_>,
        now: &View<'_>,
        report: &mut StepReport,
    ) -> Result<Option<Real>, StepError> {
        (self.evaluated, self.spare) = (false, false);
        match &mut self.memory {
            AccelerationState::None => {
                self.x.copy_from_slice(&self.s);
                return Ok(None);
            }
            AccelerationState::Anderson(memory) => memory.reset(),
            AccelerationState::Lbfgs(memory) => memory.reset(),
        }
        // Moved out so that the rest of `self` can be borrowed; always put back.
        let mut memory = std::mem::replace(&mut self.memory, AccelerationState::None);
        let imbalance = self.guess_with(memory.pairs(), context, now, report);
        self.memory = memory;
        self.evaluated = imbalance.is_ok();
        imbalance.map(Some)
    }

    fn guess_with(
        &mut self,
        mut pairs: Option<&mut Lbfgs>,
        context: &StepContext<'_>,
        now: &View<'_>,
        report: &mut StepReport,
    ) -> Result<Real, StepError> {
        let dt = context.params.dt;
        self.guess_by_forces(context, now, report)?;
        self.x.copy_from_slice(&self.s);
        self.evaluate(context, report)?;
        self.objective = self.objective_here(context)?;
        let imbalance = dot(&self.b, &self.b).sqrt();
        if self.try_forces(pairs.as_deref_mut(), context, report)? {
            return Ok(imbalance);
        }
        for (i, guess) in self.trial_x.iter_mut().enumerate() {
            *guess = now.x[i] + now.v[i] * dt;
        }
        stepper::push_out(*context, now, &mut self.trial_x);
        if context.params.hold_pinned {
            for &vertex in context.model.pinned() {
                self.trial_x[vertex as usize] = self.s[vertex as usize];
            }
        }
        self.compare(context, report)?;
        match pairs {
            None => {
                for (i, guess) in self.trial_x.iter_mut().enumerate() {
                    *guess = self.x[i] + self.b[i] * (RELAXATION * self.inverse_diagonal[i]);
                }
                self.compare(context, report)?;
            }
            Some(pairs) => {
                pairs.remember((&self.trial_x, &self.trial_b), (&self.x, &self.b));
                self.diagonal_step(pairs, context, report)?;
                if self.spare {
                    self.diagonal_step(pairs, context, report)?;
                }
            }
        }
        Ok(imbalance)
    }

    /// g, to the other iterate.
    fn guess_by_forces(
        &mut self,
        context: &StepContext<'_>,
        now: &View<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let (masses, dt) = (context.model.masses(), context.params.dt);
        self.x.copy_from_slice(now.x);
        self.evaluate(context, report)?;
        for (i, guess) in self.trial_x.iter_mut().enumerate() {
            *guess = now.x[i] + self.b[i] * (dt * dt / masses[i]);
        }
        context.model.place_kinematic(&mut self.trial_x);
        Ok(())
    }

    /// From s, evaluated, and g, the other iterate, not yet: moves to g or part of the way, and returns whether g was accepted.
    /// If nothing was tried, one local step of the budget is left.
    fn try_forces(
        &mut self,
        pairs: Option<&mut Lbfgs>,
        context: &StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<bool, StepError> {
        for (way, (x, other)) in self.direction.iter_mut().zip(self.x.iter().zip(&self.trial_x)) {
            *way = other - x;
        }
        let (descent, bound) = (dot(&self.b, &self.direction), square(&self.matrix, &self.direction));
        if descent > MIN_STEP_FRACTION * bound {
            let taken = self.compare(context, report)?;
            // Both ends of the way are known now; the iterate at its start is the current one unless g was taken.
            let rest = dot(if taken { &self.b } else { &self.trial_b }, &self.direction);
            let gentle = taken || descent > MIN_DESCENT_FRACTION * (descent - rest);
            if let (true, Some(pairs)) = (gentle, pairs) {
                pairs.remember((&self.trial_x, &self.trial_b), (&self.x, &self.b));
            }
            return Ok(taken);
        }
        let norms = dot(&self.b, &self.b) * dot(&self.direction, &self.direction);
        let part = descent / bound;
        // False for NaN.
        if let (true, true, Some(pairs)) = (part > 0.0, descent < MAX_COSINE * norms.sqrt(), pairs) {
            for (guess, (x, way)) in self.trial_x.iter_mut().zip(self.x.iter().zip(&self.direction)) {
                *guess = x + way * part;
            }
            self.compare(context, report)?;
            pairs.remember((&self.trial_x, &self.trial_b), (&self.x, &self.b));
        } else {
            self.spare = true;
        }
        Ok(false)
    }

    /// Evaluates the other iterate and makes it the current one if its objective is smaller; returns whether it was. Both are
    /// evaluated afterwards.
    pub(crate) fn compare(
        &mut self,
        context: &StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<bool, StepError> {
        self.exchange();
        self.evaluate(context, report)?;
        let objective = self.objective_here(context)?;
        // False for NaN.
        let less = objective < self.objective;
        if less {
            self.objective = objective;
        } else {
            self.exchange();
        }
        Ok(less)
    }

    fn exchange(&mut self) {
        swap(&mut self.x, &mut self.trial_x);
        swap(&mut self.b, &mut self.trial_b);
    }
}

/// wᵀAw, over the three coordinates.
fn square(matrix: &Csr, w: &[Vec3]) -> Real {
    let leaf = |rows: std::ops::Range<usize>| {
        rows.map(|i| w[i].dot(&matrix.row(i).fold(Vec3::zeros(), |sum, (j, value)| sum + w[j] * value)))
            .sum::<Real>()
    };
    exec::reduce(0..w.len(), VERTEX_CHUNK, &leaf, &|a, b| a + b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_those_of_the_product() {
        let triplets = [(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 3.0), (2, 2, 0.5)];
        let matrix = Csr::from_triplets(3, &triplets).unwrap();
        let w = [Vec3::new(1.0, 2.0, 0.0), Vec3::new(-1.0, 0.5, 4.0), Vec3::new(0.0, 0.0, 2.0)];
        let mut product = [0.0; 9];
        matrix.multiply(crate::as_flat(&w), &mut product, 3);
        let expected: Real = crate::as_flat(&w).iter().zip(&product).map(|(w, p)| w * p).sum();
        assert_eq!(square(&matrix, &w), expected);
    }
}
