//! Working memory of a frame: particles in the order of the grid, bodies, lists and rows.

use super::body::{Body, Inertia};
use super::grains::{Grain, Push, Rub, Spin};
use super::links::LinkMemory;
use super::memory::{self, Memory};
use super::rows::{Row, is_rigid};
use super::touch::Touches;
use crate::matching::Matching;
use crate::model::NO_BODY;
use crate::spots::Spots;
use crate::{BodyKind, Grid, Pairs, ParticleModel};
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Real, Vec3};

/// Bodies near a body for which room is made; more are met with an allocation.
const NEIGHBOURS: usize = 64;

/// All of it can be dropped and made again at any frame.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(crate) grid: Grid,
    /// Pairs of free grains.
    pub(crate) grain_pairs: Pairs,
    /// Pairs with a body on at least one side.
    pub(crate) body_pairs: Pairs,
    /// Push of every slot of theirs in the last substep, kg m.
    pub(crate) body_last: Vec<Real>,
    pub(crate) memory: Memory,
    /// Particles in the order of the grid.
    pub(crate) grains: Vec<Grain>,
    /// Empty if no set has a spin.
    pub(crate) spins: Vec<Spin>,
    /// Of every slot of the pairs of grains, where some spin.
    pub(crate) pushes: Vec<Push>,
    /// Number of the particle at each sorted place, and its set.
    pub(crate) order: Vec<u32>,
    pub(crate) set: Vec<u32>,
    /// Body of each sorted particle, and whether another may come to touch it.
    pub(crate) owner: Vec<u32>,
    pub(crate) live: Vec<bool>,
    /// The same by particle, and whether a body has such particles.
    pub(crate) live_of: Vec<bool>,
    pub(crate) body_live: Vec<bool>,
    /// Bodies near each body: `first_neighbour[k]..first_neighbour[k + 1]` in `neighbours`.
    pub(crate) neighbours: Vec<u32>,
    pub(crate) centres: Vec<Vec3>,
    pub(crate) balls: Vec<Real>,
    pub(crate) body_grid: Grid,
    pub(crate) first_neighbour: Vec<u32>,
    pub(crate) spots: Spots,
    /// Sorted place of each particle.
    pub(crate) rank: Vec<u32>,
    /// Position at the last search and how far each sorted particle may get before the next, m.
    pub(crate) searched: Vec<Vec3>,
    pub(crate) allowance: Vec<Real>,
    /// By particle: position, displacement over the substep, rotation over the substep, acceleration.
    pub(crate) x: Vec<Vec3>,
    pub(crate) d: Vec<Vec3>,
    pub(crate) turn: Vec<Vec3>,
    pub(crate) acceleration: Vec<Vec3>,
    pub(crate) bodies: Vec<Body>,
    pub(crate) inertia: Vec<Inertia>,
    /// Of each body.
    pub(crate) matching: Vec<Matching>,
    pub(crate) touches: Vec<Touches>,
    pub(crate) links: LinkMemory,
    pub(crate) rows: Vec<Row>,
    pub(crate) rub: Vec<Rub>,
    pub(crate) rigid_bodies: usize,
    pub(crate) some_free: bool,
    pub(crate) some_bodies: bool,
    pub(crate) some_spin: bool,
}

impl Scratch {
    /// Room for a model and so many obstacles.
    pub(crate) fn new(model: &ParticleModel, obstacles: usize) -> Self {
        let (n, sets) = (model.len(), model.sets());
        let mut scratch = Self {
            rigid_bodies: model.bodies.iter().filter(|body| body.kind == BodyKind::Rigid).count(),
            some_free: model.body.contains(&NO_BODY),
            some_bodies: !model.bodies.is_empty(),
            some_spin: sets.iter().any(|set| set.friction.rolling.is_some()),
            ..Self::default()
        };
        scratch.grid.reserve(n);
        if scratch.some_free {
            scratch.grain_pairs.reserve(n, n.max(4096));
        }
        if scratch.some_bodies {
            scratch.body_pairs.reserve(n, n.max(4096));
            scratch.rows.reserve(2 * n);
            scratch.body_last.reserve(scratch.body_pairs.room_reserved());
            scratch.memory.reserve(n, 2 * n);
        }
        let blank = Grain { x: Vec3::zeros(), d: Vec3::zeros(), w: 0.0, r: 1.0 };
        scratch.grains.resize(n, blank);
        if scratch.some_spin {
            scratch.spins.resize(n, Spin::default());
            scratch.turn.resize(n, Vec3::zeros());
            scratch.pushes.reserve(scratch.grain_pairs.room_reserved());
        }
        for column in [&mut scratch.order, &mut scratch.set, &mut scratch.rank, &mut scratch.owner] {
            column.resize(n, 0);
        }
        for column in [&mut scratch.searched, &mut scratch.x, &mut scratch.d, &mut scratch.acceleration] {
            column.resize(n, Vec3::zeros());
        }
        scratch.allowance.resize(n, 0.0);
        scratch.live.resize(n, true);
        scratch.live_of.resize(n, true);
        scratch.body_live.resize(model.bodies.len(), true);
        scratch.spots.reserve(n);
        scratch.centres.reserve(model.bodies.len());
        scratch.balls.reserve(model.bodies.len());
        scratch.body_grid.reserve(model.bodies.len());
        scratch.first_neighbour.reserve(model.bodies.len() + 1);
        scratch.neighbours.reserve(model.bodies.len() * NEIGHBOURS.min(model.bodies.len()));
        scratch.inertia = (0..model.bodies.len()).map(|body| Inertia::new(model, body)).collect();
        scratch.bodies.reserve(model.bodies.len());
        scratch.matching = model
            .bodies
            .iter()
            .map(|body| {
                let rest = &model.rest[body.range.clone()];
                Matching::new(body.kind, rest, model.mass[body.range.start], true)
            })
            .collect();
        scratch.links = LinkMemory::new(&model.links);
        scratch.touches.resize_with(obstacles, Touches::default);
        scratch.touches.iter_mut().for_each(|touches| touches.reserve(sets, n));
        scratch.rub = sets
            .iter()
            .flat_map(|a| {
                sets.iter().map(move |b| {
                    let (a, b) = (a.friction, b.friction);
                    let rolling = 0.5 * (a.rolling.unwrap_or(0.0) + b.rolling.unwrap_or(0.0));
                    Rub { fixed: 0.5 * (a.fixed + b.fixed), sliding: 0.5 * (a.sliding + b.sliding), rolling }
                })
            })
            .collect();
        scratch
    }

    /// Coefficients between two particles.
    pub(crate) fn rub(&self, model: &ParticleModel, i: usize, j: usize) -> Rub {
        self.rub[model.set[i] as usize * model.sets.len() + model.set[j] as usize]
    }

    /// Brings positions and displacements of all particles into their own order.
    pub(crate) fn unsort(&mut self, model: &ParticleModel) {
        let Self { x, d, turn, grains, spins, rank, bodies, .. } = self;
        let (grains, rank, bodies) = (&*grains, &*rank, &*bodies);
        let body = |i: usize| {
            let b = model.body[i];
            is_rigid(model, b).then(|| &bodies[b as usize])
        };
        exec::for_each_chunk(x, VERTEX_CHUNK, |first, x| {
            for (x, i) in x.iter_mut().zip(first..) {
                *x = body(i).map_or_else(|| grains[rank[i] as usize].x, |b| b.p + b.turn * model.rest[i]);
            }
        });
        exec::for_each_chunk(d, VERTEX_CHUNK, |first, d| {
            for (d, i) in d.iter_mut().zip(first..) {
                let rigid = |b: &Body| b.displacement(&(b.turn * model.rest[i]));
                *d = body(i).map_or_else(|| grains[rank[i] as usize].d, rigid);
            }
        });
        for (turn, &k) in turn.iter_mut().zip(rank) {
            *turn = spins[k as usize].turn;
        }
    }

    /// Rotations of deformable bodies, which their particles' normals turn with.
    pub(crate) fn turn_deformable(&mut self, model: &ParticleModel) {
        for (k, body) in model.bodies.iter().enumerate().filter(|(_, body)| body.kind != BodyKind::Rigid) {
            let places = &self.rank[body.range.clone()];
            let x = places.iter().map(|&k| self.grains[k as usize].x);
            let fit = self.matching[k].fit(&model.rest[body.range.clone()], x);
            self.bodies[k].turn = fit.rotation;
            self.bodies[k].p = fit.centre;
        }
    }

    /// Writes the forces of all contacts of bodies into the memory; pushes are forces times h².
    pub(crate) fn remember(&mut self, h: Real) {
        self.memory.clear();
        if !self.some_bodies {
            return;
        }
        let (order, scale) = (&self.order, 1.0 / (h * h));
        for layer in 0..self.body_pairs.layers() {
            let last = &self.body_last[self.body_pairs.room(layer)];
            for (&[a, b], last) in self.body_pairs.layer(layer).iter().zip(last) {
                self.memory.write(order[a as usize], order[b as usize], last * scale);
            }
        }
        for (k, touches) in self.touches.iter().enumerate() {
            for (touch, last) in touches.all().iter().zip(&touches.last) {
                self.memory.write(order[touch.point as usize], memory::obstacle(k), last * scale);
            }
        }
    }

    /// Gives every listed pair the push that the memory has for it.
    pub(crate) fn recall(&mut self, h: Real) {
        self.body_last.resize(self.body_pairs.slots(), 0.0);
        for layer in 0..self.body_pairs.layers() {
            let room = self.body_pairs.room(layer);
            for (&[a, b], last) in self.body_pairs.layer(layer).iter().zip(&mut self.body_last[room]) {
                *last = self.memory.between(self.order[a as usize], self.order[b as usize]) * (h * h);
            }
        }
    }
}
