//! Grains and bodies of particles.

use super::{Domain, carry, enter, leave};
use pd_core::{Model, ModelError, State, StepContext, StepError, StepReport, Stepper};
use pd_particles::ParticleModel;
use std::ops::Range;

/// Columns of particles.
const COLUMNS: [&str; 2] = ["particles.", "grain."];

/// Particles of a model at a range of the state.
pub struct GrainDomain {
    stepper: Box<dyn Stepper>,
    core: Model,
    points: Range<usize>,
    local: State,
}

impl GrainDomain {
    /// Particles from the point `first` on, moved by this stepper.
    ///
    /// # Errors
    /// Those of [`ParticleModel::core_model`].
    pub fn new(model: &ParticleModel, stepper: Box<dyn Stepper>, first: usize) -> Result<Self, ModelError> {
        let (core, points) = (model.core_model()?, first..first + model.len());
        Ok(Self { stepper, core, points, local: State::default() })
    }
}

impl Domain for GrainDomain {
    fn name(&self) -> &str {
        self.stepper.name()
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        self.stepper.prepare(StepContext::new(&self.core, context.params, &[], context.colliders))
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError> {
        enter(state, &self.points, &mut self.local);
        carry(&COLUMNS, &mut state.columns, &mut self.local.columns);
        let context = StepContext::new(&self.core, context.params, &[], context.colliders);
        let report = self.stepper.step(context, &mut self.local)?;
        leave(&self.local, &self.points, state);
        carry(&COLUMNS, &mut self.local.columns, &mut state.columns);
        Ok(report)
    }
}
