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

use crate::implicit::{Damping, Implicit, resize};
use crate::line_search::{LineSearch, minimise};
use pd_core::{Real, StepContext, StepError, StepReport, Stepper, Vec3, View};

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

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        let mut report = self.problem.begin(NAME, &context, state)?;
        let scratch = (&mut self.direction[..], &mut self.from[..]);
        let scale = &self.scale;
        minimise(
            &mut self.problem,
            &context,
            state,
            &mut report,
            scratch,
            |problem, length, direction, _| {
                for ((d, b), scale) in direction.iter_mut().zip(&problem.b).zip(scale) {
                    *d = b * *scale;
                }
                let first = Real::min(1.0, length / SHRINK);
                Ok(Some(LineSearch { first, shrink: SHRINK, lengths: 80 }))
            },
        )?;
        self.problem.end(&context, state, &mut report)?;
        Ok(report)
    }
}
