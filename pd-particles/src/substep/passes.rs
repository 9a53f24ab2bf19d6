//! The passes of a substep over particles, bodies and rows, in the order in which they run.

use super::SubstepSettings;
use super::body::Body;
use super::grains::{self, Grain, Sweep};
use super::manifold;
use super::rows::{Contact, End, Movers, Source, is_rigid, normal_and_gap, see};
use super::scratch::Scratch;
use super::search::Frame;
use crate::model::NO_BODY;
use crate::spots::has_avx2;
use crate::{BodyKind, ParticleModel};
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Real, Vec3};

impl Scratch {
    pub(super) fn some_deformable(&self) -> bool {
        self.bodies.len() != self.rigid_bodies
    }

    /// d += h² a. Before the first search of a frame the particles are still in their own order.
    pub(super) fn predict(&mut self, frame: &Frame<'_>, unsorted: bool) {
        let (h2, model, acceleration) = (frame.h * frame.h, frame.model, &self.acceleration);
        if unsorted {
            exec::for_each_chunk(&mut self.d, VERTEX_CHUNK, |first, d| {
                for (d, i) in d.iter_mut().zip(first..) {
                    *d += acceleration[i] * (if model.fixed(i) { 0.0 } else { h2 });
                }
            });
        } else {
            let order = &self.order;
            exec::for_each_chunk(&mut self.grains, VERTEX_CHUNK, |first, grains| {
                for (grain, &i) in grains.iter_mut().zip(&order[first..]) {
                    grain.d += acceleration[i as usize] * (if grain.w > 0.0 { h2 } else { 0.0 });
                }
            });
        }
        for body in &mut self.bodies {
            let range = model.bodies[body.index as usize].range.clone();
            if model.bodies[body.index as usize].kind != BodyKind::Rigid {
                continue;
            }
            let mean = acceleration[range.clone()].iter().sum::<Vec3>() / range.len() as Real;
            let arms = model.rest[range.clone()].iter().map(|q| body.turn * q);
            let torque: Vec3 =
                arms.zip(&acceleration[range.clone()]).map(|(r, a)| r.cross(&(a - mean))).sum();
            body.d += mean * h2;
            body.theta += body.inverse * torque * (model.mass[range.start] * h2);
        }
    }

    /// Rows of obstacles for a substep.
    pub(super) fn obstacles(&mut self, frame: &Frame<'_>) {
        let (model, end) = (frame.model, frame.time + frame.h);
        let Self { touches, grains, bodies, order, .. } = self;
        let (grains, bodies, order) = (&*grains, &*bodies, &*order);
        for (touches, collider) in touches.iter_mut().zip(frame.colliders) {
            let place = |k: usize| see(model, bodies, &grains[k], order[k] as usize).x;
            touches.rows(collider.as_ref(), (end, frame.h), place, |k| grains[k].r);
        }
    }

    /// Rows of bodies for a substep.
    pub(super) fn body_rows(&mut self, frame: &Frame<'_>) {
        self.rows.clear();
        if !self.some_bodies {
            return;
        }
        let model = frame.model;
        let mut rows = std::mem::take(&mut self.rows);
        let mut bodies = std::mem::take(&mut self.bodies);
        let mut grains = std::mem::take(&mut self.grains);
        let movers = Movers { grains: &mut grains, bodies: &mut bodies };
        for layer in 0..self.body_pairs.layers() {
            for (&[a, b], slot) in self.body_pairs.layer(layer).iter().zip(self.body_pairs.room(layer)) {
                let (a, b) = (a as usize, b as usize);
                let (i, j) = (self.order[a] as usize, self.order[b] as usize);
                let sa = see(model, movers.bodies, &movers.grains[a], i);
                let sb = see(model, movers.bodies, &movers.grains[b], j);
                let (n, gap) = normal_and_gap(&sa, &sb);
                let at = (sa.x * sb.r + sb.x * sa.r) / (sa.r + sb.r);
                let last = std::mem::take(&mut self.body_last[slot]);
                let end = |i: usize, k: usize| end(model, movers.bodies, i, k, &at);
                let (a, b, rub, size) = (end(i, a), end(j, b), self.rub(model, i, j), sa.r + sb.r);
                let source = Source::Pair(slot);
                rows.extend(movers.row(Contact {
                    a,
                    b,
                    n,
                    gap,
                    rub,
                    size,
                    last,
                    at,
                    source,
                    number: rows.len(),
                }));
            }
        }
        for (collider, touches) in self.touches.iter_mut().enumerate() {
            for number in 0..touches.all().len() {
                let touch = touches.all()[number];
                let k = touch.point as usize;
                let i = self.order[k] as usize;
                if model.body[i] == NO_BODY {
                    continue; // the sweep over grains has it
                }
                let seen = see(model, movers.bodies, &movers.grains[k], i);
                let at = seen.x - touch.normal * seen.r;
                let (a, b) = (end(model, movers.bodies, i, k, &at), End::Obstacle(touch.slide));
                let (n, gap, rub, size) =
                    (touch.normal, touch.gap, touches.rub[model.set[i] as usize], seen.r);
                let source = Source::Touch(collider as u32, number as u32);
                let last = std::mem::take(&mut touches.last[number]);
                rows.extend(movers.row(Contact {
                    a,
                    b,
                    n,
                    gap,
                    rub,
                    size,
                    last,
                    at,
                    source,
                    number: rows.len(),
                }));
            }
        }
        manifold::reduce(&mut rows);
        (self.rows, self.bodies, self.grains) = (rows, bodies, grains);
    }

    /// Brings every row to its bounds, those of bodies forwards and backwards in turn.
    pub(super) fn solve(&mut self, model: &ParticleModel, settings: &SubstepSettings, push: Real) {
        let sets = model.sets.len();
        if self.some_free {
            let sweep = Sweep {
                pairs: &self.grain_pairs,
                set: &self.set,
                rub: &self.rub,
                sets,
                push,
                wide: has_avx2(),
            };
            if self.some_spin {
                self.pushes.clear();
                self.pushes.resize(self.grain_pairs.slots(), grains::Push::default());
            }
            for _ in 0..if self.some_spin { settings.spin_sweeps } else { 1 } {
                sweep.run(&mut self.grains, &mut self.spins, &mut self.pushes);
                for touches in &mut self.touches {
                    let (rows, rub) = touches.rows_and_rub();
                    for touch in rows {
                        let k = touch.point as usize;
                        if self.owner[k] == NO_BODY {
                            let rub = &rub[self.set[k] as usize];
                            touch.solve(&mut self.grains[k], self.spins.get_mut(k), rub, push);
                        }
                    }
                }
            }
        }
        let mut movers = Movers { grains: &mut self.grains, bodies: &mut self.bodies };
        self.rows.iter().for_each(|row| movers.warm(row));
        for sweep in 0..settings.body_sweeps {
            if sweep % 2 == 0 {
                self.rows.iter_mut().for_each(|row| movers.solve(row, push));
            } else {
                self.rows.iter_mut().rev().for_each(|row| movers.solve(row, push));
            }
        }
    }

    /// Takes back the velocity that pushing bodies apart has left, and notes the forces.
    pub(super) fn relax(&mut self) {
        let mut movers = Movers { grains: &mut self.grains, bodies: &mut self.bodies };
        self.rows.iter_mut().for_each(|row| movers.relax(row));
        for row in &self.rows {
            match row.source {
                Source::Pair(slot) => self.body_last[slot] = row.last(),
                Source::Touch(collider, number) => {
                    self.touches[collider as usize].last[number as usize] = row.last()
                }
            }
        }
    }

    /// Moves the particles of deformable bodies to their goals.
    pub(super) fn match_shapes(&mut self, model: &ParticleModel) {
        for (k, body) in model.bodies.iter().enumerate().filter(|(_, body)| body.kind != BodyKind::Rigid) {
            let (places, rest) = (&self.rank[body.range.clone()], &model.rest[body.range.clone()]);
            let grains = &self.grains;
            let x = places.iter().map(|&k| grains[k as usize].x + grains[k as usize].d);
            let fit = self.matching[k].fit(rest, x);
            for (&place, q) in places.iter().zip(rest) {
                let grain: &mut Grain = &mut self.grains[place as usize];
                grain.d = self.matching[k].goal(&fit, q) - grain.x;
            }
        }
    }

    /// x += d and the poses.
    pub(super) fn advance(&mut self, model: &ParticleModel) {
        let movers = Movers { grains: &mut self.grains, bodies: &mut self.bodies };
        self.rows.iter_mut().for_each(|row| movers.follow(row));
        exec::for_each_chunk(&mut self.grains, VERTEX_CHUNK, |_, grains| {
            grains.iter_mut().for_each(|grain| grain.x += grain.d);
        });
        for body in &mut self.bodies {
            let parts = &model.bodies[body.index as usize];
            if parts.kind == BodyKind::Rigid {
                body.moved += body.d.norm() + body.theta.norm() * parts.reach;
                body.advance(&self.inertia[body.index as usize]);
            }
        }
    }
}

/// The side of a row that a particle is on.
fn end(model: &ParticleModel, bodies: &[Body], i: usize, place: usize, at: &Vec3) -> End {
    let b = model.body[i];
    if is_rigid(model, b) { End::Body(b, at - bodies[b as usize].p) } else { End::Point(place as u32) }
}
