//! A step that came out badly is taken again with more caution.
//!
//! Where obstacles stand still a step of implicit Euler gives bodies no energy: with a = M⁻¹ f,
//!
//! ½ ‖v⁺‖²_M + E(x⁺) ≤ ½ ‖v‖²_M + E(x₀) + Σ m a·(x⁺ − x₀).
//!
//! But the guard's sets may leave out x₀, where bodies are carried along, and what is clamped from a
//! fast motion into them may be bent by far more than iterations mend: a stiff ball that meets the floor had a thousand times its energy. Where
//! energy comes of nothing, or an element turned over, the step is done again from x₀ + u, u the mean motion of each connected part of the
//! model as far as nothing is in its way, or from x₀, with lists that carry nothing else and with more iterations:
//! from there the potential ½ ‖x − s‖²_{M/h²} + E(x) can only fall, and so E(x⁺) ≤ ½ ‖v + h a‖²_M + E(x₀).

use super::GuardedPd;
use super::scratch::Scratch;
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::stepper::weighted_square_distance;
use pd_core::{LocalInput, Real, StepContext, StepError, StepReport, Vec3};
use std::time::Instant;

/// Part of what moves bodies by which their energy may rise: iterations end early.
const RISE: Real = 0.02;
/// Part of the room before an obstacle that a part may be carried through.
const ROOM: Real = 0.9;
/// Least share of its motion that a part is carried before it stays.
const LEAST: Real = 0.2;
/// Distance from where all of its part was carried at which a vertex was moved aside, in δ.
const BENT: Real = 1e-6;

impl GuardedPd {
    /// Repeats the step if it came out badly: first with every part carried as a whole, then with none.
    pub(super) fn retry(
        &mut self,
        context: &StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        for carried in [true, false] {
            let scratch = &self.scratch;
            let turned = self.solids.turned_over(&scratch.start, &scratch.here.x) > 0;
            if !turned && !self.gains(context)? {
                break;
            }
            let started = Instant::now();
            self.remember_rows();
            self.list_parts(context, carried);
            report.stages.collide += started.elapsed();
            self.cautious = true;
            self.predicted = false;
            self.highest = Real::NEG_INFINITY;
            let result = self.minimise(context, report);
            self.cautious = false;
            result?;
        }
        Ok(())
    }

    /// A list for the motion of parts as a whole, of as much of it as no pair gets in the way of.
    fn list_parts(&mut self, context: &StepContext<'_>, carried: bool) {
        let model = context.model;
        let mut part = if carried { 1.0 } else { 0.0 };
        loop {
            self.part_motion(context, part);
            let scratch = &mut self.scratch;
            let means = &self.part_means;
            for (i, target) in scratch.target.iter_mut().enumerate() {
                let [_, mean] = &means[self.parts[i] as usize];
                *target = scratch.start[i] + mean;
            }
            model.place_kinematic(&mut scratch.target);
            self.memory.start.clone_from(&scratch.start);
            self.memory.target.clone_from(&scratch.target);
            self.memory.made[0] = if part > 0.0 { 1.0 } else { -1.0 };
            self.list_again(context);
            let reference = self.list.guard.reference();
            let bent = |i: usize| {
                let far = (reference[i] - self.scratch.target[i]).norm();
                self.surface.touches(i) && !model.is_kinematic(i) && far > BENT * self.surface.thickness_of(i)
            };
            // Slow parts are not carried, all of them alike.
            let stays = (0..reference.len())
                .all(|i| !self.surface.touches(i) || reference[i] == self.scratch.start[i]);
            if part == 0.0 || stays || !(0..reference.len()).any(bent) {
                if stays {
                    self.scratch.target.copy_from_slice(&self.scratch.start);
                    model.place_kinematic(&mut self.scratch.target);
                }
                return;
            }
            part = if part > LEAST { 0.5 * part } else { 0.0 };
        }
    }

    /// Mean motion of each part to its inertial target, so much of it as no obstacle that is given by a distance gets in the way of, and of that a
    /// `share`.
    fn part_motion(&mut self, context: &StepContext<'_>, share: Real) {
        let (model, scratch, means) = (context.model, &self.scratch, &mut self.part_means);
        means.fill([Vec3::zeros(); 2]);
        for (i, &part) in self.parts.iter().enumerate().filter(|(i, _)| !model.is_kinematic(*i)) {
            let [mass, sum] = &mut means[part as usize];
            mass.x += model.masses()[i];
            *sum += (scratch.s[i] - scratch.start[i]) * model.masses()[i];
        }
        for [mass, mean] in means.iter_mut().filter(|[mass, _]| mass.x > 0.0) {
            *mean *= share / mass.x;
            mass.y = 1.0;
        }
        let end = self.time + context.params.dt;
        for obstacle in context.colliders {
            for (i, &part) in self.parts.iter().enumerate().filter(|(i, _)| self.surface.touches(*i)) {
                let [limit, mean] = &mut means[part as usize];
                let at = obstacle.surface_at(&scratch.start[i], end);
                let approach = -at.normal.dot(mean);
                if approach > 0.0 && at.distance.is_finite() {
                    limit.y = limit.y.min(ROOM * at.distance.max(0.0) / approach);
                }
            }
        }
        means.iter_mut().for_each(|[limit, mean]| *mean *= limit.y);
    }

    /// Whether energy came of nothing. A list that still serves has x₀ in its sets.
    fn gains(&mut self, context: &StepContext<'_>) -> Result<bool, StepError> {
        let (model, dt) = (context.model, context.params.dt);
        if self.contact.rebuilds == 0 {
            return Ok(false);
        }
        let Scratch { start, here, s, velocity, .. } = &self.scratch;
        let masses = model.masses();
        let leaf = |range: std::ops::Range<usize>| {
            range.filter(|&i| !model.is_kinematic(i)).fold([0.0; 2], |[gain, motion], i| {
                let (way, flown) = (here.x[i] - start[i], velocity[i] * dt);
                let pulled = s[i] - start[i] - flown; // h² a
                let kinetic = 0.5 * (way.norm_squared() - flown.norm_squared());
                let scale = masses[i] / (dt * dt);
                [
                    gain + scale * (kinetic - pulled.dot(&way)),
                    motion + 0.5 * scale * (flown + pulled).norm_squared(),
                ]
            })
        };
        let [kinetic, motion] =
            exec::reduce(0..masses.len(), VERTEX_CHUNK, &leaf, &|a, b| [a[0] + b[0], a[1] + b[1]]);
        let inertia = weighted_square_distance(|i| masses[i] / (dt * dt), &here.x, s);
        let gain = kinetic + (here.potential - inertia) - RISE * motion;
        if gain <= 0.0 {
            return Ok(false);
        }
        // Obstacles that move give energy.
        let end = self.time + dt;
        let still = |i: &u32| start[*i as usize] == s[*i as usize];
        if !model.kinematic().iter().all(still)
            || context.colliders.iter().any(|collider| collider.pose(end) != collider.pose(self.time))
        {
            return Ok(false);
        }
        let input = LocalInput { model, dt, s: &self.scratch.s, x: &self.scratch.start };
        self.local.run(input, &mut self.scratch.r)?;
        let before = self.local.elastic_energy(input)?;
        Ok(gain > (1.0 + RISE) * before)
    }
}
