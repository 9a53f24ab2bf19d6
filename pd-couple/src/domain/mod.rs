//! Kinds of matter, each with its own method.

mod elastic;
mod grains;
mod material;
mod rigid;

pub use elastic::ElasticDomain;
pub use grains::GrainDomain;
pub use material::{MaterialDomain, TaggedError};
pub use rigid::RigidDomain;

use pd_core::{Columns, Owner, State, StepContext, StepError, StepReport};
use pd_rigid::columns::BODY_IDLE;

/// One kind of matter: it moves its own points and bodies over a step as if nothing else were there.
///
/// The context's model is that of the elastic vertices. What a domain keeps from step to step are columns of the state.
pub trait Domain: Send + Sync {
    /// Name for reports.
    fn name(&self) -> &str;

    /// Factors and allocates.
    ///
    /// # Errors
    /// Those of its stepper.
    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError>;

    /// Moves its points and bodies by the time step; the time of the state stays.
    ///
    /// # Errors
    /// Those of its stepper. What the state then holds does not matter.
    fn advance(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError>;

    /// Whether its own surfaces never intersect.
    fn keeps_surfaces_apart(&self) -> bool {
        false
    }

    /// Brings its points, which contact with others has moved since [`advance`](Self::advance), back within its own walls, which
    /// stop them.
    fn confine(&self, _state: &mut State) {}

    /// Moves its points, which contact with others has moved since [`advance`](Self::advance), back to where its own surfaces do
    /// not intersect; returns how many.
    fn keep_apart(&self, _state: &mut State) -> usize {
        0
    }
}

/// The time for which a body has been at rest begins anew: asleep it would keep its place while what carries it gives way, and
/// the velocity taken from it would be missing in the momentum.
pub(crate) fn keep_awake(columns: &mut Columns, body: usize) {
    if columns.get(BODY_IDLE).is_some()
        && let Some(time) = columns.real_mut(BODY_IDLE, Owner::Bodies, 1).get_mut(body)
    {
        *time = 0.0;
    }
}
