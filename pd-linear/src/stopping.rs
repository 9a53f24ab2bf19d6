//! Stopping criteria: tolerance reached, too many iterations, or divergence.

use pd_core::{LinearError, Real, SolveReport};

/// When an iterative solver stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stopping {
    /// True relative residual ‖b − A x‖/‖b‖ (over all columns) to reach. Default 1e-8; 0 runs all iterations.
    pub tolerance: Real,
    /// Maximum number of iterations. Default 20,000. Reaching it is not an error: the report has `converged: false`.
    pub iterations: usize,
}

impl Default for Stopping {
    fn default() -> Self {
        Self { tolerance: 1e-8, iterations: 20_000 }
    }
}

/// Growth of the residual that is treated as divergence. A convergent sweep shrinks the error in a norm weighted by the
/// diagonal; the plain norm may grow by the square root of the diagonal's spread, so the threshold is high.
const GROWTH: Real = 1e8;

impl Stopping {
    pub(crate) fn check(&self, solver: &str) -> Result<(), LinearError> {
        if self.tolerance >= 0.0 && self.tolerance < 1.0 {
            return Ok(());
        }
        let what = format!("tolerance is {}; it must be at least 0 and below 1", self.tolerance);
        Err(LinearError::Parameter { solver: solver.to_owned(), what })
    }
}

/// Follows the residual of one solve.
pub(crate) struct Progress {
    tolerance: Real,
    scale: Real,
    limit: Real,
}

/// What to do after evaluating a residual.
pub(crate) enum Verdict {
    Continue,
    Done,
}

impl Progress {
    /// `b` is ‖b‖, positive, and `start` the norm of the first residual.
    pub(crate) fn new(stopping: Stopping, b: Real, start: Real) -> Result<Self, LinearError> {
        if !start.is_finite() {
            return Err(LinearError::Diverged { iteration: 0, residual: start / b });
        }
        Ok(Self { tolerance: stopping.tolerance, scale: b, limit: GROWTH * start.max(b) })
    }

    /// Evaluates the norm of a residual.
    pub(crate) fn judge(&self, iteration: usize, residual: Real) -> Result<Verdict, LinearError> {
        if residual > self.limit || !residual.is_finite() {
            return Err(LinearError::Diverged { iteration, residual: residual / self.scale });
        }
        let done = residual <= self.tolerance * self.scale;
        Ok(if done { Verdict::Done } else { Verdict::Continue })
    }

    pub(crate) fn report(&self, iterations: usize, residual: Real) -> SolveReport {
        let relative = residual / self.scale;
        SolveReport {
            iterations,
            residual: Some(relative),
            condition: None,
            converged: relative <= self.tolerance,
        }
    }
}

/// The solution for b = 0 is x = 0 for any initial guess.
pub(crate) fn zero_solution(x: &mut [Real]) -> SolveReport {
    x.fill(0.0);
    SolveReport { iterations: 0, residual: Some(0.0), condition: None, converged: true }
}
