//! Scenes at rest: where nothing has moved for some steps, a step only finds out whether any force has changed.
//!
//! A body at rest is never exactly in balance: iterations end early, and multipliers go on changing by what gaps are left.
//! So once no vertex has moved by more than [`QUIET`] δ in each of [`STEPS`] steps, velocities are set to zero, and from then on
//! positions and multipliers stay as they are for as long as the forces at them do: their norm is compared bit by bit with
//! that of the first such step, so that whatever pulls, moves or is changed ends the rest at once. What is remembered for it
//! is a column of the state.

use super::GuardedPd;
use pd_core::{Real, State, StepContext, StepError, StepReport, Vec3, dot};

/// Largest way of a vertex in a step that counts as none, in δ.
const QUIET: Real = 1e-3;
/// Steps without motion after which a scene rests.
const STEPS: Real = 10.0;
/// Largest imbalance of forces of a scene that may rest, as a part of its weight.
const BALANCED: Real = 0.1;

impl GuardedPd {
    /// Whether the scene rests and nothing has changed; positions, forces and contacts are those of its start then.
    pub(super) fn rests(
        &mut self,
        context: &StepContext<'_>,
        state: &State,
        report: &mut StepReport,
    ) -> Result<bool, StepError> {
        let end = state.time + context.params.dt;
        if self.memory.rest[0] < STEPS {
            return Ok(false);
        }
        self.scratch.here.x.copy_from_slice(&state.x);
        context.model.place_kinematic(&mut self.scratch.here.x);
        let untouched = state.v.iter().all(|v| *v == Vec3::zeros())
            && self.scratch.here.x == state.x
            && self.obstacles_are_as_listed(context, end)
            && self.list.guard.holds(&state.x);
        if untouched {
            self.begin(context);
            self.evaluate(context, report)?;
            let imbalance = dot(&self.scratch.here.b, &self.scratch.here.b).sqrt();
            let first = self.memory.rest[0] == STEPS;
            if first && imbalance < BALANCED * self.weight(context)
                || !first && imbalance == self.memory.rest[1]
            {
                self.memory.rest = [STEPS + 1.0, imbalance];
                self.describe_contacts();
                return Ok(true);
            }
        }
        self.memory.rest = [0.0; 2];
        Ok(false)
    }

    /// Counts steps without motion at the end of a step, and ends all motion when there were enough.
    pub(super) fn note_motion(&mut self, context: &StepContext<'_>, state: &mut State) {
        let quiet = |i: usize, v: &Vec3| {
            let limit =
                if context.model.is_kinematic(i) { 0.0 } else { QUIET * self.surface.thickness_of(i) };
            (v * context.params.dt).norm_squared() <= limit * limit
        };
        let settled = self.contact.rebuilds == 0
            && self.contact.clamped == 0
            && !self.memory.tangled
            && self.memory.ignored.is_empty()
            && state.v.iter().enumerate().all(|(i, v)| quiet(i, v));
        self.memory.rest[0] = if settled { self.memory.rest[0] + 1.0 } else { 0.0 };
        if self.memory.rest[0] == STEPS {
            state.v.fill(Vec3::zeros());
        }
    }
}
