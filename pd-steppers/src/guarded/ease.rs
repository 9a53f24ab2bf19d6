//! Overlap within the thickness is eased out: `pd_collide::contact`'s displacement p, which leaves no velocity.
//!
//! p is found after the step by Newton's method, (A + K) Δp = Jᵀ f − A p, each solved by conjugate gradients with A⁻¹ as
//! preconditioner. It moves inside the guard like any other motion.

use super::GuardedPd;
use super::descent::{add, advance};
use pd_collide::contact::{Pace, load_difference};
use pd_core::{Real, StepContext, StepError, StepReport, Vec3, View, as_flat, as_flat_mut, dot};

/// Newton steps, at most.
const ROUNDS: usize = 12;
/// Conjugate gradient iterations of each, at most, and the residual (squared, in the norm of A⁻¹) at which they end.
const SOLVES: usize = 24;
const SOLVED: Real = 1e-8;
/// Stiffness of rows, in their own: a heavy body may lie on few of them.
const STIFFER: f32 = 16.0;
/// What may be missing in the end, as a part of the largest way.
const MISSING: Real = 1e-3;
/// Part of what was missing above which another Newton step would not help.
const STUCK: Real = 0.7;

impl GuardedPd {
    /// How overlap is eased out in a step.
    pub(super) fn pace(&self, context: &StepContext<'_>) -> Pace {
        let dt = context.params.dt;
        Pace { part: self.options.ease_rate * dt, most: self.options.ease_speed * dt }
    }

    /// Displaces bodies that overlapped at the start of the step; `pushed` is by how much.
    pub(super) fn ease(
        &mut self,
        context: &StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        self.eased = false;
        if self.memory.tangled || !self.rows.overlap() {
            return Ok(());
        }
        let way = self.rows.open_ease(&self.list.rows, &self.scratch.d, self.pace(context));
        if way == 0.0 {
            return Ok(());
        }
        self.eased = true;
        self.scratch.pushed.fill(Vec3::zeros());
        self.scratch.before.fill(Vec3::zeros()); // A p
        let mut before = Real::INFINITY;
        for round in 0..ROUNDS {
            let scratch = &mut self.scratch;
            load_difference(&scratch.pushed, None, &mut scratch.e);
            let missing = self.rows.ease_missing(&scratch.e);
            // Some cannot have what they need.
            if missing < MISSING * way || missing > STUCK * before {
                break;
            }
            before = missing;
            self.rows.ease_forces(&scratch.e, STIFFER, round == 0);
            scratch.r.iter_mut().zip(&scratch.before).for_each(|(r, ap)| *r = -ap);
            self.rows.gather(&mut scratch.r);
            self.displace(report)?;
        }
        let scratch = &mut self.scratch;
        scratch.there.x.copy_from_slice(&scratch.here.x);
        for (x, p) in scratch.here.x.iter_mut().zip(&scratch.pushed) {
            *x += p;
        }
        self.list.guard.clamp(&mut scratch.here.x);
        self.solids.hold(&scratch.there.x, &mut scratch.here.x);
        for (p, (to, from)) in scratch.pushed.iter_mut().zip(scratch.here.x.iter().zip(&scratch.there.x)) {
            *p = to - from;
        }
        Ok(())
    }

    /// p ← p + (A + K)⁻¹ r, and A p with it.
    fn displace(&mut self, report: &mut StepReport) -> Result<(), StepError> {
        let scratch = &mut self.scratch;
        let (mut first, mut last) = (0.0, 0.0);
        for k in 0..SOLVES {
            scratch.z.fill(Vec3::zeros());
            report.linear = self.global.solve(as_flat(&scratch.r), as_flat_mut(&mut scratch.z), 3)?;
            report.linear_iterations += report.linear.iterations;
            self.contact.solves += 1;
            let rz = dot(&scratch.r, &scratch.z);
            if k == 0 {
                first = rz;
            }
            // False for what is not a number.
            if !(rz > SOLVED * first && rz > 0.0) {
                break;
            }
            let beta = if k == 0 { 0.0 } else { rz / last };
            last = rz;
            advance(&mut scratch.p, &scratch.z, beta);
            advance(&mut scratch.ap, &scratch.r, beta);
            scratch.q.copy_from_slice(&scratch.ap);
            self.rows.multiply(&scratch.p, &mut scratch.e, &mut scratch.q);
            let alpha = rz / dot(&scratch.p, &scratch.q);
            add(&mut scratch.pushed, &scratch.p, alpha);
            add(&mut scratch.before, &scratch.ap, alpha);
            add(&mut scratch.r, &scratch.q, -alpha);
        }
        Ok(())
    }

    /// Takes the speed at which surfaces were pushed apart or eased out of the velocities: they do not fly on.
    pub(super) fn forget_push(&self, context: &StepContext<'_>, state: &mut View<'_>) {
        if self.memory.tangled || self.eased {
            let StepContext { params, .. } = context;
            let scale = 1.0 / (params.dt * (1.0 + params.dt * params.damping));
            for (v, push) in state.v.iter_mut().zip(&self.scratch.pushed) {
                *v -= push * scale;
            }
        }
    }
}
