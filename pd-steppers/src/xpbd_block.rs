//! XPBD with one multiplier per row of D: exact implicit Euler.
//!
//! ```text
//! x = s, Λ = 0
//! repeat: for every element, by colours:
//!         p  = project(D x)
//!         ΔΛ = −(D M⁻¹ Dᵀ + α̃ I)⁻¹ (D x − p + α̃ Λ),    α̃ = 1/(ω h²)
//!         x += M⁻¹ Dᵀ ΔΛ, Λ += ΔΛ
//! ```
//! With p held the constraint c = D x − p is linear and its gradient is the constant D, so what the multipliers have added up to does not
//! depend on the path: x = s + M⁻¹DᵀΛ always. A fixed point has Λ = −ω h² (D x − project(D x)), which is the
//! condition of the implicit Euler step, for distance laws and, with project(y) = y − ∇U/ω, for all others. The d×d matrix of an
//! element is constant and inverted once.

use crate::implicit::{Implicit, reduction};
use crate::sweep::{self, At, MOST_ROWS, Sweep};
use nalgebra::DMatrix;
use pd_core::{LinearError, Real, StepContext, StepError, StepReport, Stepper, Vec3, View};
use std::time::Instant;

/// Name of the stepper.
const NAME: &str = "xpbd-block";

/// XPBD with a multiplier for each row; [`StepParams::iterations`](pd_core::StepParams::iterations) are sweeps.
#[derive(Default)]
pub struct BlockXpbd {
    problem: Implicit,
    inverse: Vec<Real>,
    sweep: Sweep,
    /// By batch: the d×d inverse of every element, row by row.
    factors: Vec<Vec<Real>>,
}

/// ΔΛ and the displacements it makes.
fn correct(
    at: At<'_>,
    inverse: &[Real],
    factors: &[Vec<Real>],
    dt: Real,
    change: &mut [Vec3],
    moves: &mut [Vec3],
) -> bool {
    let rows = change.len();
    let mut right = [Vec3::zeros(); MOST_ROWS];
    let right = &mut right[..rows];
    right.copy_from_slice(at.r);
    let compliance = 1.0 / (at.weight * dt * dt);
    right.iter_mut().zip(at.memory).for_each(|(r, lambda)| *r += lambda * compliance);
    let factor = &factors[at.number][at.element * rows * rows..][..rows * rows];
    for (change, factor) in change.iter_mut().zip(factor.chunks_exact(rows)) {
        *change = factor.iter().zip(&*right).fold(Vec3::zeros(), |sum, (f, r)| sum - r * *f);
    }
    for ((step, own), &vertex) in moves.iter_mut().zip(at.coefficients.chunks_exact(rows)).zip(at.vertices) {
        let pull = own.iter().zip(&*change).fold(Vec3::zeros(), |sum, (c, change)| sum + change * *c);
        *step = pull * inverse[vertex as usize];
    }
    true
}

impl BlockXpbd {
    /// (D M⁻¹ Dᵀ + α̃ I)⁻¹ of every element.
    fn factor(&mut self, context: &StepContext<'_>) -> Result<(), LinearError> {
        self.factors.clear();
        for (number, batch) in context.model.batches().iter().enumerate() {
            let ((elements, numbers), mut factors) = (self.sweep.elements(number), vec![]);
            let rows = elements.rows();
            for element in 0..elements.len() {
                let coefficients = elements.coefficients(element);
                let weight =
                    batch.stencil().weight(numbers[element] as usize) * context.params.dt * context.params.dt;
                let mut matrix = DMatrix::identity(rows, rows) / weight;
                for (own, &vertex) in coefficients.chunks_exact(rows.max(1)).zip(elements.vertices(element)) {
                    for a in 0..rows {
                        for b in 0..rows {
                            matrix[(a, b)] += own[a] * own[b] * self.inverse[vertex as usize];
                        }
                    }
                }
                let pivot = matrix.diagonal().min();
                let inverse =
                    matrix.try_inverse().ok_or(LinearError::NotPositiveDefinite { row: element, pivot })?;
                factors.extend(inverse.transpose().iter());
            }
            self.factors.push(factors);
        }
        Ok(())
    }
}

impl Stepper for BlockXpbd {
    fn name(&self) -> &str {
        NAME
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        self.problem.prepare(NAME, &context)?;
        let model = context.model;
        sweep::check_rows(NAME, model)?;
        self.inverse = sweep::inverse_masses(model);
        self.sweep = Sweep::new(model.batches(), model.vertices(), |rows| rows);
        self.factor(&context)?;
        Ok(())
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        let mut report = self.problem.begin(NAME, &context, state)?;
        self.sweep.forget();
        let params = context.params;
        let mut first = None;
        for _ in 0..params.iterations {
            if params.tolerance > 0.0 {
                let norm = self.problem.evaluate(&context, &mut report)?;
                report.reduction = reduction(norm, *first.get_or_insert(norm));
                if report.reduction <= params.tolerance {
                    break;
                }
            }
            let started = Instant::now();
            let (inverse, factors) = (&self.inverse, &self.factors);
            self.sweep.run(context.model.batches(), &mut self.problem.x, |at, _, change, moves| {
                correct(at, inverse, factors, params.dt, change, moves)
            });
            report.iterations += 1;
            report.local_steps += 1;
            report.stages.local += started.elapsed();
        }
        self.problem.end(&context, state, &mut report)?;
        Ok(report)
    }
}
