//! Steepest descent on the objective of implicit Euler.
//!
//! ```text
//! repeat: d = −P ∇objective(x)
//!         backtrack α ← 0.7 α until objective(x + α d) ≤ objective(x) − 10⁻⁴ α ∇objective·P∇objective
//!         x += α d
//! ```
//! Without a preconditioner (P a multiple of I) this is the textbook's method and takes thousands of steps where stiffness and mass differ;
//! with P the inverse diagonal of M/h² + DᵀWD it is a damped Jacobi iteration with a line search: no linear system, no
//! matrix, any energy. The next search starts one notch above the last length that was taken.

use crate::implicit::{Damping, Implicit, dot, reduction, resize};
use crate::line_search::LineSearch;
use pd_core::{Real, State, StepContext, StepError, StepReport, Stepper, Vec3};

/// Name of the stepper.
const NAME: &str = "descent";

/// Each length tried over the one before.
const SHRINK: Real = 0.7;

/// Steepest descent with backtracking.
pub struct SteepestDescent {
    /// Whether directions are scaled by the inverse diagonal of M/h² + DᵀWD. Default true.
    pub preconditioned: bool,
    /// Damping terms of the objective. Default none.
    pub damping: Damping,
    problem: Implicit,
    scale: Vec<Real>,
    direction: Vec<Vec3>,
    from: Vec<Vec3>,
}

impl Default for SteepestDescent {
    fn default() -> Self {
        Self {
            preconditioned: true,
            damping: Damping::default(),
            problem: Implicit::default(),
            scale: vec![],
            direction: vec![],
            from: vec![],
        }
    }
}

impl SteepestDescent {
    fn minimise(
        &mut self,
        context: &StepContext<'_>,
        state: &State,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let params = context.params;
        let first = self.problem.start_where_defined(context, state, report)?;
        let mut objective = self.problem.objective(context)?;
        let (mut norm, mut length) = (first, 1.0);
        while report.iterations < params.iterations {
            report.reduction = reduction(norm, first);
            if norm == 0.0 || report.reduction <= params.tolerance {
                break;
            }
            for ((d, b), scale) in self.direction.iter_mut().zip(&self.problem.b).zip(&self.scale) {
                *d = b * *scale;
            }
            report.iterations += 1;
            let search = LineSearch { first: Real::min(1.0, length / SHRINK), shrink: SHRINK, lengths: 80 };
            let scratch = (&self.direction[..], &mut self.from[..]);
            match search.run(&mut self.problem, context, report, scratch, objective)? {
                Some(found) => (length, objective) = found,
                None => break, // no step descends: rounding level
            }
            norm = dot(&self.problem.b, &self.problem.b).sqrt();
            report.reduction = reduction(norm, first);
        }
        Ok(())
    }
}

impl Stepper for SteepestDescent {
    fn name(&self) -> &str {
        NAME
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        self.problem.damping = self.damping;
        self.problem.prepare(NAME, &context)?;
        let diagonal = context.model.system_matrix(context.params.dt).diagonal();
        let largest = diagonal.iter().copied().fold(0.0, Real::max);
        let scale = |d: &Real| if self.preconditioned { d.recip() } else { largest.recip() };
        self.scale = diagonal.iter().map(scale).collect();
        resize(&mut self.direction, context.model.vertices());
        resize(&mut self.from, context.model.vertices());
        Ok(())
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError> {
        let mut report = self.problem.begin(NAME, &context, state)?;
        self.minimise(&context, state, &mut report)?;
        self.problem.end(&context, state, &mut report)?;
        Ok(report)
    }
}
