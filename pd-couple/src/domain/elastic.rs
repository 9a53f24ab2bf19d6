//! Cloth and soft bodies, by any stepper of elastic vertices.

use super::Domain;
use pd_core::{Share, State, StepContext, StepError, StepReport, Stepper};

/// Put before the names of columns, since contact of rigid bodies has columns of the same names.
const PREFIX: &str = "elastic.";

/// The vertices of the context's model, first in the state.
pub struct ElasticDomain {
    stepper: Box<dyn Stepper>,
    share: Share,
}

impl ElasticDomain {
    /// With this stepper.
    pub fn new(stepper: Box<dyn Stepper>) -> Self {
        Self { stepper, share: Share { points: 0..0, prefix: PREFIX } }
    }
}

impl Domain for ElasticDomain {
    fn name(&self) -> &str {
        self.stepper.name()
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        if self.stepper.keeps_surfaces_apart() && self.stepper.keep_apart(&mut []).is_none() {
            let what = "other matter that moves its vertices: it keeps surfaces apart only while it alone moves them; take contact \
                        \"guard\", \"project\" or \"off\"";
            return Err(StepError::Unsupported { stepper: self.stepper.name().into(), what: what.into() });
        }
        self.share.points = 0..context.model.vertices();
        self.stepper.prepare(context)
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError> {
        self.stepper.advance(context, &mut state.share(&self.share))
    }

    fn keeps_surfaces_apart(&self) -> bool {
        self.stepper.keeps_surfaces_apart()
    }

    fn keep_apart(&self, state: &mut State) -> usize {
        self.stepper.keep_apart(&mut state.x[self.share.points.clone()]).unwrap_or(0)
    }
}
