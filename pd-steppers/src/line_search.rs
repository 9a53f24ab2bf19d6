//! Backtracking: the longest of the steps α, α c, α c², … that lowers the objective enough (Armijo 1966).
//!
//! A step d from x is taken if objective(x + α d) ≤ objective(x) − 10⁻⁴ α b·d, b = −∇objective(x). Where the decrease drowns in
//! the rounding of the objective, its slopes at both ends tell (Hager, Zhang 2005).

use crate::implicit::{Implicit, dot, reduction};
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Real, StepContext, StepError, StepReport, Vec3, View};

/// Sufficient decrease, as a fraction of the slope.
const DECREASE: Real = 1e-4;

/// Rounding of the objective, as a part of it: in short steps its inertia is of differences of positions that cancel all but a few digits.
/// Slopes at both ends must fall as well, so a generous bound does no harm (Hager, Zhang take 10⁻⁶).
const ROUNDING: Real = 1e-10;

/// How to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineSearch {
    /// Length tried first, α.
    pub(crate) first: Real,
    /// Each further length over the one before, c.
    pub(crate) shrink: Real,
    /// Lengths tried at most.
    pub(crate) lengths: usize,
}

impl LineSearch {
    /// Searches from `problem.x` along `direction`; `problem` is evaluated there, with this objective. Leaves `problem` evaluated
    /// at the step taken and returns its length and objective; `None` if no length will do, and then `problem` is as it was.
    /// `from` is scratch.
    pub(crate) fn run(
        &self,
        problem: &mut Implicit,
        context: &StepContext<'_>,
        report: &mut StepReport,
        (direction, from): (&[Vec3], &mut [Vec3]),
        objective: Real,
    ) -> Result<Option<(Real, Real)>, StepError> {
        let descent = dot(&problem.b, direction);
        if descent.is_nan() || descent <= 0.0 {
            return Ok(None);
        }
        from.copy_from_slice(&problem.x);
        let mut length = self.first;
        for _ in 0..self.lengths {
            step(&mut problem.x, from, direction, length);
            problem.evaluate(context, report)?;
            let there = problem.objective(context)?;
            let level =
                there <= objective + ROUNDING * objective.abs() && dot(&problem.b, direction).abs() < descent;
            if there <= objective - DECREASE * length * descent || level {
                return Ok(Some((length, there.min(objective))));
            }
            length *= self.shrink;
        }
        problem.x.copy_from_slice(from);
        problem.evaluate(context, report)?;
        Ok(None)
    }
}

/// Minimises the objective by line searches until the force imbalance has fallen to the tolerance or nothing descends. `find` writes
/// the next direction, given the length of the last step, and says how to search along it; `None` ends the iteration.
pub(crate) fn minimise(
    problem: &mut Implicit,
    context: &StepContext<'_>,
    state: &View<'_>,
    report: &mut StepReport,
    (direction, from): (&mut [Vec3], &mut [Vec3]),
    mut find: impl FnMut(&Implicit, Real, &mut [Vec3], &mut StepReport) -> Result<Option<LineSearch>, StepError>,
) -> Result<(), StepError> {
    let params = context.params;
    let first = problem.start_where_defined(context, state, report)?;
    let mut objective = problem.objective(context)?;
    let (mut norm, mut length) = (first, 1.0);
    for _ in 0..params.iterations {
        report.reduction = reduction(norm, first);
        if norm == 0.0 || report.reduction <= params.tolerance {
            break;
        }
        let Some(search) = find(problem, length, direction, report)? else { break };
        report.iterations += 1;
        match search.run(problem, context, report, (direction, from), objective)? {
            Some(found) => (length, objective) = found,
            None => break, // no step descends: rounding level
        }
        norm = dot(&problem.b, &problem.b).sqrt();
        report.reduction = reduction(norm, first);
    }
    Ok(())
}

/// x = from + length · direction.
fn step(x: &mut [Vec3], from: &[Vec3], direction: &[Vec3], length: Real) {
    exec::for_each_chunk(x, VERTEX_CHUNK, |first, x| {
        for ((x, from), d) in x.iter_mut().zip(&from[first..]).zip(&direction[first..]) {
            *x = from + d * length;
        }
    });
}
