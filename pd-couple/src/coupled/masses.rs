//! What gives way how much: inverse masses of points and bodies, constant from `prepare` on.

use super::Coupled;
use pd_core::{Mat3, StepContext, StepError};

impl Coupled {
    /// Inverse masses, and scratch that has their sizes.
    pub(super) fn weigh(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        let layout = &self.layout;
        self.foresight.prepare(context.model);
        self.pinch.prepare(layout.elastic);
        self.inverse.clear();
        self.inverse.resize(layout.points(), 0.0);
        if let Some(held) = layout.attachments.iter().find(|a| context.model.is_kinematic(a.vertex as usize))
        {
            let what = format!("vertex {} attached to a body while its motion is prescribed", held.vertex);
            return Err(StepError::Unsupported { stepper: Self::NAME.into(), what });
        }
        for (i, mass) in context.model.masses().iter().enumerate().take(layout.elastic) {
            self.inverse[i] = if context.model.is_kinematic(i) { 0.0 } else { 1.0 / mass };
        }
        for set in [&layout.grains, &layout.material].into_iter().flatten() {
            for (i, mass) in set.points.clone().zip(&set.mass) {
                self.inverse[i] = 1.0 / mass;
            }
        }
        self.stiff.clone_from(&self.inverse);
        let h = context.params.dt;
        for (stiff, diagonal) in self.stiff.iter_mut().zip(context.model.system_matrix(h).diagonal()) {
            *stiff = if *stiff > 0.0 { 1.0 / (h * h * diagonal) } else { 0.0 };
        }
        self.held.clear();
        self.held.extend_from_slice(&self.inverse);
        self.held[..layout.elastic].fill(0.0);
        let bodies = layout.bodies();
        self.body_inverse.clear();
        if let Some(rigid) = &layout.rigid {
            let inverse = |body: usize| if rigid.is_dynamic(body) { 1.0 / rigid.masses()[body] } else { 0.0 };
            self.body_inverse.extend((0..bodies).map(inverse));
        }
        self.zeros.clear();
        self.zeros.resize(bodies, 0.0);
        self.inertia.clear();
        self.inertia.resize(bodies, Mat3::zeros());
        self.no_inertia.clone_from(&self.inertia);
        Ok(())
    }
}
