//! When to look for neighbours anew, and how far to look.
//!
//! Each particle is allowed to move as far as its speed takes it until the next search, and a little more; a pair is listed
//! if the allowances of both can close its gap. So one search serves a whole frame of slow grains, and fast ones are neither
//! missed nor make the lists of the others longer. If a particle uses up its allowance early, the search comes early.

use super::grains::{Grain, Spin};
use super::memory::{self};
use super::scratch::Scratch;
use crate::model::NO_BODY;
use crate::{Axes, ParticleModel, grid};
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Collider, Real, Vec3};

/// Part of the smallest radius by which a particle may move beyond what its speed says.
const SLACK: Real = 0.1;

/// What a search needs to know of the frame.
pub(crate) struct Frame<'a> {
    pub(crate) model: &'a ParticleModel,
    pub(crate) colliders: &'a [Box<dyn Collider>],
    pub(crate) gravity: Vec3,
    /// Now, and to the end of the frame, s.
    pub(crate) time: Real,
    pub(crate) rest: Real,
    /// Length of a substep, s.
    pub(crate) h: Real,
}

impl Scratch {
    /// Sorts everything and lists pairs and obstacles. `x` and `d` must be current (see [`Scratch::unsort`]).
    pub(crate) fn search(&mut self, frame: &Frame<'_>) {
        let Frame { model, h, .. } = *frame;
        let [most, least] = model.radius_range();
        let leaf = |range: std::ops::Range<usize>| {
            self.d[range].iter().map(|d| d.norm_squared()).fold(0.0, Real::max)
        };
        let speed = exec::reduce(0..self.d.len(), VERTEX_CHUNK, &leaf, &Real::max).sqrt() / h;
        // Look ahead no farther than the fastest particle takes for half a radius; at least a substep.
        let horizon = frame.rest / (2.0 * speed * frame.rest / least).ceil().max(1.0);
        let horizon = horizon.max(h);
        let slack = SLACK * least + frame.gravity.norm() * horizon * horizon;
        let reach = 2.0 * (most + speed * horizon + slack);
        let box_ = grid::bounds(&self.x);
        self.grid.build(&self.x, reach, Axes::new(&frame.gravity, &(box_.max - box_.min)));
        self.sort(model, horizon / h, slack);
        let (x, order, allowance) = (&self.searched, &self.order, &self.allowance);
        let near = |a: usize, b: usize| {
            let (i, j) = (order[a] as usize, order[b] as usize);
            let reach = model.radius[i] + model.radius[j] + allowance[a] + allowance[b];
            (x[a] - x[b]).norm_squared() < reach * reach
        };
        let free = |a: usize| model.body[order[a] as usize] == NO_BODY;
        let touch = |a: usize, b: usize| model.may_touch(order[a] as usize, order[b] as usize);
        if self.some_free {
            let grains = &self.grains;
            let near = |a: usize, b: usize| {
                let (ga, gb) = (&grains[a], &grains[b]);
                let reach = ga.r + gb.r + allowance[a] + allowance[b];
                (ga.x - gb.x).norm_squared() < reach * reach && free(a) && free(b) && touch(a, b)
            };
            self.grain_pairs.build(&self.grid, near);
        }
        if self.some_bodies {
            self.body_pairs.build(&self.grid, |a, b| near(a, b) && !(free(a) && free(b)) && touch(a, b));
            self.recall(h);
        }
        let (x, order, allowance, memory) = (&self.searched, &self.order, &self.allowance, &self.memory);
        for (number, (touches, collider)) in self.touches.iter_mut().zip(frame.colliders).enumerate() {
            let far = |k: usize| model.radius[order[k] as usize] + allowance[k];
            let last = |k: usize| match model.body[order[k] as usize] {
                NO_BODY => 0.0,
                _ => memory.force(order[k], memory::obstacle(number)) * (h * h),
            };
            touches.list(collider.as_ref(), (frame.time, frame.rest), x, far, last);
        }
        for body in &mut self.bodies {
            body.moved = 0.0;
            let reach = model.bodies[body.index as usize].reach;
            body.allowance = (body.d.norm() + body.theta.norm() * reach) * (horizon / h) + slack;
        }
    }

    /// Puts every column into the order of the grid.
    fn sort(&mut self, model: &ParticleModel, substeps: Real, slack: Real) {
        self.order.copy_from_slice(self.grid.order());
        for (k, &i) in self.order.iter().enumerate() {
            self.rank[i as usize] = k as u32;
        }
        let (order, x, d) = (&self.order, &self.x, &self.d);
        exec::for_each_chunk(&mut self.grains, VERTEX_CHUNK, |first, grains| {
            for (grain, &i) in grains.iter_mut().zip(&order[first..]) {
                let i = i as usize;
                *grain = Grain { x: x[i], d: d[i], w: model.inverse_mass(i), r: model.radius[i] };
            }
        });
        for (spin, &i) in self.spins.iter_mut().zip(order) {
            let i = i as usize;
            let rolls = model.friction_of(i).rolling.is_some() && model.body[i] == NO_BODY;
            *spin = Spin { turn: self.turn[i], factor: if rolls { 2.5 } else { 0.0 } };
        }
        for (set, &i) in self.set.iter_mut().zip(order) {
            *set = model.set[i as usize];
        }
        let grains = &self.grains;
        exec::for_each_chunk(&mut self.searched, VERTEX_CHUNK, |first, x| {
            x.iter_mut().zip(&grains[first..]).for_each(|(x, grain)| *x = grain.x);
        });
        exec::for_each_chunk(&mut self.allowance, VERTEX_CHUNK, |first, allowance| {
            for (allowance, grain) in allowance.iter_mut().zip(&grains[first..]) {
                *allowance = grain.d.norm() * substeps + slack;
            }
        });
    }

    /// Whether some particle may leave its allowance within the next substep.
    pub(crate) fn stale(&self) -> bool {
        let leaf = |range: std::ops::Range<usize>| {
            range.into_iter().any(|k| {
                let grain = &self.grains[k];
                let next = grain.x + grain.d - self.searched[k];
                next.norm_squared() > self.allowance[k] * self.allowance[k]
            })
        };
        let free = self.some_free || self.some_deformable();
        (free && exec::reduce(0..self.grains.len(), VERTEX_CHUNK, &leaf, &|a, b| a | b))
            || self.bodies.iter().any(|body| body.moved > body.allowance)
    }
}
