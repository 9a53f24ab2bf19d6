//! Rigid bodies.

use super::{Domain, carry};
use pd_core::{State, StepContext, StepError, StepReport, Stepper};
use pd_rigid::RigidStepper;

/// Columns of bodies, joints and their contacts.
const COLUMNS: [&str; 3] = ["joint.", "contact.", "body."];

/// The bodies of the state.
pub struct RigidDomain {
    stepper: RigidStepper,
    local: State,
}

impl RigidDomain {
    /// With this stepper.
    pub fn new(stepper: RigidStepper) -> Self {
        Self { stepper, local: State::default() }
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
        self.local.bodies.clone_from(&state.bodies);
        self.local.time = state.time;
        carry(&COLUMNS, &mut state.columns, &mut self.local.columns);
        let report = self.stepper.advance(context.params, context.colliders, &mut self.local)?;
        state.bodies.clone_from(&self.local.bodies);
        carry(&COLUMNS, &mut self.local.columns, &mut state.columns);
        Ok(report)
    }
}
