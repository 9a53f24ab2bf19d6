//! A quasi-Newton step with the diagonal of A in place of its factor: a local step, no solve.
//!
//! The direction is that of `lbfgs.rs` with another first Hessian, diag(A)/2 instead of A/γ:
//!
//! c = G⁻¹Sᵀb,  z = diag(A)⁻¹(b − Y c),  d = S c + 2 (z − S G⁻¹Yᵀz).
//!
//! It removes what a solve is bad at: forces that change from vertex to vertex, of elements that were crushed or folded.
//! A solve spreads them over the body and makes them the greater part of its direction. The pair that the step leaves
//! stands beside those of solves: both are true secants of one objective, and what follows is conjugate to all of them.
//! So the minimisation has two preconditioners and one memory. Bridson, Greif 2006, "A Multipreconditioned Conjugate
//! Gradient Algorithm", has the idea for linear systems, with a step of each at every iteration; here the cheap one is
//! made where it tells most: before the first solve and once more when the stiff forces are gone.

use crate::anderson::dot;
use crate::descent::Descent;
use crate::lbfgs::Lbfgs;
use crate::{Real, StepContext, StepError, StepReport};

/// Scale of the diagonal part. A is an upper bound of the Hessian, mostly by a factor of two and more; where it is too
/// long, the pair it leaves corrects it.
pub(crate) const RELAXATION: Real = 2.0;

impl Descent {
    /// One such step from the present iterate, which must be evaluated. It is taken if it descends; its pair is
    /// remembered either way.
    pub(crate) fn diagonal_step(
        &mut self,
        memory: &mut Lbfgs,
        context: &StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        self.direction.copy_from_slice(&self.b);
        memory.reduce(&mut self.direction);
        for (z, inverse) in self.direction.iter_mut().zip(&self.inverse_diagonal) {
            *z *= *inverse;
        }
        memory.direct(&mut self.direction, RELAXATION);
        // Where the pairs mislead so much that it leads uphill, a local step would be wasted.
        let descent = dot(&self.b, &self.direction);
        if descent <= 0.0 || descent.is_nan() {
            return Ok(());
        }
        for ((other, x), d) in self.trial_x.iter_mut().zip(&self.x).zip(&self.direction) {
            *other = x + d;
        }
        self.compare(context, report)?;
        memory.remember((&self.trial_x, &self.trial_b), (&self.x, &self.b));
        Ok(())
    }
}
