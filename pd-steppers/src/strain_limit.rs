//! Strain limiting: steps with another method, then projects the constraints of batches that are no part of the model.
//!
//! Provot 1995, "Deformation constraints in a mass-spring model to describe rigid cloth behavior"; velocities change with positions
//! as in Bridson et al. 2003. Soft springs with a limit look like cloth at a time step that stiff springs would not allow.

use crate::implicit::resize;
use crate::pbd::correct;
use crate::sweep::{self, Sweep};
use pd_core::{EnergyBatch, Real, StepContext, StepError, StepReport, Stepper, Vec3, View};
use std::time::Instant;

/// Steps with another method and then limits strain.
///
/// The batches say what is allowed: [`TriStrain`](https://docs.rs/pd-constraints) with a range of singular values, springs with a dead
/// zone. Their weights do not count. Pinned and kinematic vertices stay.
pub struct StrainLimit {
    /// Sweeps over all limits per step. Default 4.
    pub sweeps: usize,
    inner: Box<dyn Stepper>,
    limits: Vec<Box<dyn EnergyBatch>>,
    inverse: Vec<Real>,
    sweep: Sweep,
    x: Vec<Vec3>,
}

impl StrainLimit {
    /// Limits what another stepper does.
    pub fn new(inner: Box<dyn Stepper>, limits: Vec<Box<dyn EnergyBatch>>) -> Self {
        Self { sweeps: 4, inner, limits, inverse: vec![], sweep: Sweep::default(), x: vec![] }
    }
}

impl Stepper for StrainLimit {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn global_name(&self) -> Option<&str> {
        self.inner.global_name()
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        let (model, name) = (context.model, self.inner.name().to_owned());
        let unsupported = |what: String| Err(StepError::Unsupported { stepper: name.clone(), what });
        for limit in &self.limits {
            let (stencil, kind) = (limit.stencil(), limit.kind());
            if stencil.rows_per_element() > sweep::MOST_ROWS {
                return unsupported(format!(
                    "a strain limit {kind:?} of {} rows",
                    stencil.rows_per_element()
                ));
            }
            let vertices = stencil.entries_of(0..stencil.elements()).0;
            if let Some(vertex) = vertices.iter().find(|&&vertex| vertex as usize >= model.vertices()) {
                return unsupported(format!(
                    "a strain limit {kind:?} on vertex {vertex} of {}",
                    model.vertices()
                ));
            }
        }
        self.inner.prepare(context)?;
        self.inverse = sweep::inverse_masses(model);
        model.pinned().iter().for_each(|&vertex| self.inverse[vertex as usize] = 0.0);
        self.sweep = Sweep::new(&self.limits, model.vertices(), |_| 0);
        resize(&mut self.x, model.vertices());
        Ok(())
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        let mut report = self.inner.advance(context, state)?;
        let started = Instant::now();
        self.x.copy_from_slice(state.x);
        let inverse = &self.inverse;
        for _ in 0..self.sweeps {
            self.sweep.run(&self.limits, &mut self.x, |at, _, _, moves| correct(at, inverse, 1.0, moves));
        }
        // What the limits move changes velocities too, so that the strain does not come back.
        let scale = 1.0 / context.params.dt;
        for ((x, v), limited) in state.x.iter_mut().zip(state.v.iter_mut()).zip(&self.x) {
            *v += (limited - *x) * scale;
            *x = *limited;
        }
        report.stages.local += started.elapsed();
        Ok(report)
    }
}
