//! When to look for neighbours anew, and how far to look.
//!
//! Each particle is allowed to move as far as its speed takes it until the next search, and a little more; a pair is listed
//! if the allowances of both can close its gap. So one search serves a whole frame of slow grains, and fast ones are neither
//! missed nor make the lists of the others longer. If a particle uses up its allowance early, the search comes early.

use super::body::Body;
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
        let whole = (frame.rest / h, self.slack(frame, frame.rest));
        self.meet_bodies(model, whole);
        let speed = self.fastest(model) / h;
        // Look ahead no farther than the fastest particle takes for a radius; at least a substep.
        let horizon = frame.rest / (speed * frame.rest / least).ceil().max(1.0);
        let horizon = horizon.max(h);
        let slack = self.slack(frame, horizon);
        for (body, live) in self.bodies.iter_mut().zip(&self.body_live) {
            // A body that lies apart needs no search before the next frame.
            let (substeps, slack) = if *live { (horizon / h, slack) } else { whole };
            let reach = model.bodies[body.index as usize].reach;
            (body.moved, body.ahead) = (0.0, (substeps, slack));
            body.allowance = (body.d.norm() + body.theta.norm() * reach) * substeps + slack;
        }
        self.mark_live(model);
        let reach = 2.0 * (most + speed * horizon + slack);
        let box_ = grid::bounds(&self.x);
        self.grid.build(&self.x, reach, Axes::new(&frame.gravity, &(box_.max - box_.min)));
        self.sort(model, horizon / h, slack);
        let reaches = self.grains.iter().zip(&self.allowance).map(|(grain, far)| (grain.x, grain.r + far));
        self.spots.set(&(0.5 * (box_.min + box_.max)), reaches);
        self.list_pairs(model, h);
        let (x, order, allowance, memory) = (&self.searched, &self.order, &self.allowance, &self.memory);
        for (number, (touches, collider)) in self.touches.iter_mut().zip(frame.colliders).enumerate() {
            let far = |k: usize| model.radius[order[k] as usize] + allowance[k];
            let last = |k: usize| match model.body[order[k] as usize] {
                NO_BODY => 0.0,
                _ => memory.force(order[k], memory::obstacle(number)) * (h * h),
            };
            touches.list(collider.as_ref(), (frame.time, frame.rest), x, far, last);
        }
    }

    /// How far a particle may get in `time` (s) beyond what its speed says, m.
    fn slack(&self, frame: &Frame<'_>, time: Real) -> Real {
        SLACK * frame.model.radius_range()[1] + frame.gravity.norm() * time * time
    }

    /// Pairs of free grains, and pairs with a body.
    fn list_pairs(&mut self, model: &ParticleModel, h: Real) {
        if self.some_free {
            let (order, owner, spots) = (&self.order, &self.owner, &self.spots);
            let touch = |a: usize, b: usize| model.may_touch(order[a] as usize, order[b] as usize);
            let free = |a: usize| owner[a] == NO_BODY;
            let plain = !self.some_bodies && model.all_grains();
            self.grain_pairs.build_near(&self.grid, spots, free, |a, b| plain || (free(b) && touch(a, b)));
        }
        if !self.some_bodies {
            return;
        }
        let (order, owner, live) = (&self.order, &self.owner, &self.live);
        let touch = |a: usize, b: usize| model.may_touch(order[a] as usize, order[b] as usize);
        // Both in one body, or both in none, is a matter of one comparison.
        let accept = |a: usize, b: usize| owner[a] != owner[b] && live[b] && touch(a, b);
        self.body_pairs.build_near(&self.grid, &self.spots, |a| live[a], accept);
        self.recall(h);
    }

    /// Whether only rigid bodies are there, so that what lies apart can be told from their poses.
    fn rigid_only(&self) -> bool {
        !self.some_free && !self.some_deformable()
    }

    /// Longest displacement over a substep of the particles that may come to touch others, m.
    fn fastest(&self, model: &ParticleModel) -> Real {
        if self.rigid_only() {
            let live = model.bodies.iter().zip(&self.body_live).filter(|(_, live)| **live);
            let own = live.map(|(body, _)| self.d[body.range.clone()].iter().map(|d| d.norm_squared()));
            return own.flatten().fold(0.0, Real::max).sqrt();
        }
        let leaf = |range: std::ops::Range<usize>| {
            self.d[range].iter().map(|d| d.norm_squared()).fold(0.0, Real::max)
        };
        exec::reduce(0..self.d.len(), VERTEX_CHUNK, &leaf, &Real::max).sqrt()
    }

    /// Lists for every body the others whose balls it may meet within so many substeps and with so much slack: the balls
    /// hold all that their particles may move.
    fn meet_bodies(&mut self, model: &ParticleModel, (substeps, slack): (Real, Real)) {
        if !self.rigid_only() {
            self.body_live.fill(true);
            return;
        }
        let radius = model.radius_range()[0];
        let ball = |body: &Body| {
            let reach = model.bodies[body.index as usize].reach;
            reach + radius + (body.d.norm() + body.theta.norm() * reach) * substeps + slack
        };
        self.centres.clear();
        self.centres.extend(self.bodies.iter().map(|body| body.p));
        self.balls.clear();
        self.balls.extend(self.bodies.iter().map(ball));
        let largest = self.balls.iter().copied().fold(0.0, Real::max);
        self.body_grid.build(&self.centres, 2.0 * largest, Axes::default());
        self.neighbours.clear();
        self.first_neighbour.clear();
        for (k, p) in self.centres.iter().enumerate() {
            let first = self.neighbours.len();
            self.first_neighbour.push(first as u32);
            self.body_grid.candidates(p, |range| {
                for &other in &self.body_grid.order()[range] {
                    let there = &self.centres[other as usize];
                    let reach = self.balls[k] + self.balls[other as usize];
                    if other as usize != k && (p - there).norm_squared() < reach * reach {
                        self.neighbours.push(other);
                    }
                }
            });
            self.body_live[k] = self.neighbours.len() > first;
        }
        self.first_neighbour.push(self.neighbours.len() as u32);
    }

    /// Marks the particles that something of another body, or a free particle, may come to touch before the next search:
    /// of bodies that lie apart, and of the far sides of those that do not, no pair needs to be looked for.
    fn mark_live(&mut self, model: &ParticleModel) {
        if !self.rigid_only() {
            self.live_of.fill(true);
            return;
        }
        let radius = model.radius_range()[0];
        for (ball, body) in self.balls.iter_mut().zip(&self.bodies) {
            *ball = model.bodies[body.index as usize].reach + radius + body.allowance;
        }
        let (neighbours, first, x) = (&self.neighbours, &self.first_neighbour, &self.x);
        let (centres, balls, bodies) = (&self.centres, &self.balls, &self.bodies);
        exec::for_each_chunk(&mut self.live_of, VERTEX_CHUNK, |start, live| {
            for (live, i) in live.iter_mut().zip(start..) {
                let k = model.body[i] as usize;
                let (x, own) = (x[i], model.radius[i] + bodies[k].allowance);
                let near = |&other: &u32| {
                    let reach = balls[other as usize] + own;
                    (x - centres[other as usize]).norm_squared() < reach * reach
                };
                *live = neighbours[first[k] as usize..first[k + 1] as usize].iter().any(near);
            }
        });
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
        for ((set, owner), &i) in self.set.iter_mut().zip(&mut self.owner).zip(order) {
            *set = model.set[i as usize];
            *owner = model.body[i as usize];
        }
        for (live, &i) in self.live.iter_mut().zip(order) {
            *live = self.live_of[i as usize];
        }
        let (grains, owner, bodies) = (&self.grains, &self.owner, &self.bodies);
        exec::for_each_chunk(&mut self.searched, VERTEX_CHUNK, |first, x| {
            x.iter_mut().zip(&grains[first..]).for_each(|(x, grain)| *x = grain.x);
        });
        exec::for_each_chunk(&mut self.allowance, VERTEX_CHUNK, |first, allowance| {
            for ((allowance, grain), &owner) in
                allowance.iter_mut().zip(&grains[first..]).zip(&owner[first..])
            {
                let (ahead, slack) =
                    if owner == NO_BODY { (substeps, slack) } else { bodies[owner as usize].ahead };
                *allowance = grain.d.norm() * ahead + slack;
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
