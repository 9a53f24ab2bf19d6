//! A quasi-Newton step with diag(A) as an alternative initial Hessian: a local step, no solve.
//!
//! The direction is that of `lbfgs.rs` with the initial Hessian diag(A)/2 instead of A/γ:
//!
//! c = G⁻¹Sᵀb,  z = diag(A)⁻¹(b − Y c),  d = S c + 2 (z − S G⁻¹Yᵀz).
//!
//! It removes forces that oscillate from vertex to vertex, as crushed or folded elements cause them. A solve would spread
//! them over the body, and they would dominate its direction. The secant pair of this step is stored with those of solves:
//! all are secants of one objective, and later directions are conjugate to all of them. The minimisation thus has two
//! preconditioners and one history. Bridson, Greif 2006, "A Multipreconditioned Conjugate Gradient Algorithm", describe the
//! idea for linear systems, with a step of each per iteration; here the cheap step is used where it is most effective:
//! before the first solve and once more after the stiff forces are removed.

use crate::anderson::dot;
use crate::descent::Descent;
use crate::lbfgs::Lbfgs;
use crate::{Real, StepContext, StepError, StepReport};

/// Scale of the diagonal part. A is an upper bound of the Hessian, usually by a factor of two or more; where the step is too
/// long, its secant pair corrects it.
pub(crate) const RELAXATION: Real = 2.0;

impl Descent {
    /// One such step from the current iterate, which must be evaluated. It is accepted if it descends; its pair is
    /// stored in any case.
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
        // If the stored pairs give an ascent direction, a local step would be wasted.
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
