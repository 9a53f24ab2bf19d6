//! Scenes at rest: where nothing has moved for some steps, a step only finds out whether any force has changed.
//!
//! A body at rest is never exactly in balance: iterations end early, and multipliers go on changing by what gaps are left.
//! So once every vertex has been quiet for [`STEPS`] steps, forces without velocities are looked at, and if they balance in
//! each connected part of the model, velocities are set to zero. From then on
//! positions and multipliers stay as they are for as long as the forces at them do: their norm is compared bit by bit with
//! that of the first such step, so that whatever pulls, moves or is changed ends the rest at once. What is remembered for it
//! is a column of the state.
//!
//! A vertex is quiet if it moves by less than [`QUIET`] δ in a step *and* more slowly than an acceleration of [`CREEP`] g makes it in
//! all of these steps, so that what begins to fall or to slide is not quiet however short the step is.

use super::GuardedPd;
use pd_core::{Pattern, Real, StepContext, StepError, StepReport, Vec3, View, dot};

/// Largest way of a vertex in a step that counts as none, in δ.
const QUIET: Real = 1e-3;
/// Steps without motion after which a scene rests.
const STEPS: Real = 10.0;
/// Acceleration that must show in so many steps, in g.
const CREEP: Real = 0.01;
/// Largest imbalance of forces of a connected part that may rest, as a part of its weight.
const BALANCED: Real = 0.1;

impl GuardedPd {
    /// Whether the scene rests and nothing has changed; positions, forces and contacts are those of its start then.
    pub(super) fn rests(
        &mut self,
        context: &StepContext<'_>,
        state: &mut View<'_>,
        report: &mut StepReport,
    ) -> Result<bool, StepError> {
        let end = state.time + context.params.dt;
        if self.memory.rest[0] < STEPS {
            return Ok(false);
        }
        let first = self.memory.rest[0] == STEPS;
        self.scratch.here.x.copy_from_slice(state.x);
        context.model.place_kinematic(&mut self.scratch.here.x);
        let untouched = (first || state.v.iter().all(|v| *v == Vec3::zeros()))
            && self.scratch.here.x == state.x
            && self.obstacles_are_as_listed(context, end)
            && self.list.guard.holds(state.x);
        if untouched {
            if first {
                // The balance of forces is that of bodies that stand.
                self.scratch.ap.fill(Vec3::zeros());
                state.v.swap_with_slice(&mut self.scratch.ap);
                self.open(context, state);
                state.v.swap_with_slice(&mut self.scratch.ap);
            }
            self.begin(context);
            self.evaluate(context, report)?;
            let imbalance = dot(&self.scratch.here.b, &self.scratch.here.b).sqrt();
            if first && self.parts_balance(context) || !first && imbalance == self.memory.rest[1] {
                self.memory.rest = [STEPS + 1.0, imbalance];
                self.describe_contacts();
                return Ok(true);
            }
            if first {
                self.open(context, state);
            }
        }
        self.memory.rest = [0.0; 2];
        Ok(false)
    }

    /// Whether forces at the present iterate balance in every connected part of the model: no part may hang in the air because
    /// all others lie still.
    fn parts_balance(&mut self, context: &StepContext<'_>) -> bool {
        let (model, b) = (context.model, &self.scratch.here.b);
        let sums = &mut self.part_sums;
        sums.fill([0.0; 2]);
        for (i, &part) in self.parts.iter().enumerate().filter(|(i, _)| !model.is_kinematic(*i)) {
            let [force, weight] = &mut sums[part as usize];
            *force += b[i].norm_squared();
            *weight += model.masses()[i].powi(2);
        }
        let limit = (BALANCED * context.params.gravity.norm()).powi(2);
        sums.iter().all(|&[force, weight]| weight == 0.0 || force < limit * weight)
    }

    /// Counts steps without motion at the end of a step.
    pub(super) fn note_motion(&mut self, context: &StepContext<'_>, state: &View<'_>) {
        let dt = context.params.dt;
        let creep = CREEP * STEPS * context.params.gravity.norm() * dt * dt;
        // What is eased out leaves no velocity.
        let eased = |i: usize| if self.eased { self.scratch.pushed[i] } else { Vec3::zeros() };
        let quiet = |i: usize, v: &Vec3| {
            let limit = if context.model.is_kinematic(i) {
                0.0
            } else {
                (QUIET * self.surface.thickness_of(i)).min(creep)
            };
            (v * dt).norm_squared().max(eased(i).norm_squared()) <= limit * limit
        };
        // What the guard alone holds back shows when forces are looked at.
        let settled = self.contact.rebuilds == 0
            && !self.memory.tangled
            && self.memory.ignored.is_empty()
            && state.v.iter().enumerate().all(|(i, v)| quiet(i, v));
        self.memory.rest[0] = if settled { (self.memory.rest[0] + 1.0).min(STEPS) } else { 0.0 };
    }
}

/// Connected part of each vertex and how many there are: vertices that elements of the model join.
pub(super) fn connected_parts(pattern: &Pattern) -> (Vec<u32>, usize) {
    let (mut part, mut parts, mut open) = (vec![u32::MAX; pattern.rows()], 0, vec![]);
    for first in 0..part.len() {
        if part[first] != u32::MAX {
            continue;
        }
        part[first] = parts;
        open.push(first);
        while let Some(i) = open.pop() {
            for &j in pattern.row(i) {
                if part[j as usize] == u32::MAX {
                    part[j as usize] = parts;
                    open.push(j as usize);
                }
            }
        }
        parts += 1;
    }
    (part, parts as usize)
}
