//! Rigid bodies.

use super::Domain;
use pd_core::{Share, State, StepContext, StepError, StepReport, Stepper};
use pd_rigid::RigidStepper;

/// The bodies of the state.
pub struct RigidDomain {
    stepper: RigidStepper,
}

impl RigidDomain {
    /// With this stepper.
    pub fn new(stepper: RigidStepper) -> Self {
        Self { stepper }
    }
}

impl Domain for RigidDomain {
    fn name(&self) -> &str {
        self.stepper.name()
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        self.stepper.params().check()?;
        context.params.check()
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError> {
        self.stepper.advance_view(context.params, context.colliders, &mut state.share(&Share::default()))
    }
}
