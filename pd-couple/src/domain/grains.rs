//! Grains and bodies of particles.

use super::Domain;
use pd_core::{Model, ModelError, Share, State, StepContext, StepError, StepReport, Stepper};
use pd_particles::ParticleModel;

/// Particles of a model at a range of the state.
pub struct GrainDomain {
    stepper: Box<dyn Stepper>,
    core: Model,
    share: Share,
}

impl GrainDomain {
    /// Particles from the point `first` on, moved by this stepper.
    ///
    /// # Errors
    /// Those of [`ParticleModel::core_model`].
    pub fn new(model: &ParticleModel, stepper: Box<dyn Stepper>, first: usize) -> Result<Self, ModelError> {
        let share = Share { points: first..first + model.len(), prefix: "" };
        Ok(Self { stepper, core: model.core_model()?, share })
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
        let context = StepContext::new(&self.core, context.params, &[], context.colliders);
        self.stepper.advance(context, &mut state.share(&self.share))
    }
}
