//! Contacts of a step: which parts are near each other and where they touch.

use crate::narrow::Separations;
use crate::solve::contact::Manifold;
use crate::solve::lanes::{LANES, Level};
use crate::{Drive, Part, RigidModel, RigidParams};
use nalgebra::Isometry3;
use pd_collide::broad::{BroadPhase, FixedBvh, overlap};
use pd_core::{Aabb, Collider, Real, StepParams, Vec3, exec};

mod memory;
mod obstacle;
mod pair;

use memory::Kept;
use obstacle::Obstacle;
use pair::{Placed, swept, touch};

/// Pairs of parts handled by one task.
const PAIR_CHUNK: usize = 32;

/// Searches after which the tree of moving parts is made anew.
const REBUILD: usize = 64;

/// How far contacts are looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// Least distance, m.
    margin: Real,
    /// Time over which bodies approach, s.
    dt: Real,
    /// Acceleration of gravity, m/s².
    gravity: Vec3,
}

impl Reach {
    /// How far a part may come in a step, m.
    fn of(&self, part: &Part, body: &(Isometry3<Real>, Vec3, Vec3)) -> Real {
        let size = part.shape.reach() + part.pose.translation.vector.norm();
        let turn = if size.is_finite() { body.2.norm() * size } else { 0.0 };
        (body.1.norm() + turn + self.gravity.norm() * self.dt) * self.dt
    }
}

/// Poses and velocities of all bodies.
pub(crate) type Motion = [(Isometry3<Real>, Vec3, Vec3)];

/// Finds contacts; scratch.
#[derive(Debug, Default)]
pub(crate) struct Contacts {
    /// Parts of static bodies, whose tree is made once, and of all others.
    still_parts: Vec<u32>,
    moving_parts: Vec<u32>,
    still: FixedBvh,
    tree: FixedBvh,
    boxes: Vec<Aabb>,
    /// Where the parts are.
    placed: Vec<Placed>,
    part_boxes: Vec<Aabb>,
    found: Vec<[u32; 2]>,
    age: usize,
    level: Level,
    /// Boxes that parts may move in before pairs are looked for again, and the pairs of those that overlap: what is near in a
    /// step is chosen from them by the boxes of the step, so that it does not depend on the steps before.
    loose: Vec<Aabb>,
    candidates: Vec<(u64, [u32; 2])>,
    /// Pairs of parts that are near, after their place in a sweep: ranks and numbers of both.
    near: Vec<(u64, [u32; 2])>,
    chosen: Vec<[u32; 2]>,
    /// Whether the island of a root moves.
    pub(crate) moving: Vec<bool>,
    /// Whether a body moves.
    pub(crate) moves: Vec<bool>,
    built: bool,
    /// What sleeping bodies remember.
    kept: Vec<Kept>,
    /// Key, whether it moves, and number of everything to remember.
    places: Vec<(u64, u8, u32)>,
}

/// Manifolds as they are found, in memory that lasts: they are large, and to clear it would take as long as to fill it.
#[derive(Debug, Default)]
pub(crate) struct Manifolds {
    all: Vec<Manifold>,
    used: usize,
}

impl Manifolds {
    pub(crate) fn clear(&mut self) {
        self.used = 0;
    }

    /// Room for so many more, with what was there before.
    fn add(&mut self, count: usize) -> &mut [Manifold] {
        let first = self.used;
        self.used += count;
        if self.all.len() < self.used {
            self.all.resize(self.used, Manifold::default());
        }
        &mut self.all[first..self.used]
    }

    fn push(&mut self, manifold: Manifold) {
        self.add(1)[0] = manifold;
    }

    /// All of them; those without points are of pairs that do not touch.
    pub(crate) fn all(&self) -> &[Manifold] {
        &self.all[..self.used]
    }

    /// Gives all of them away for the memory of others.
    pub(crate) fn swap(&mut self, to: &mut Vec<Manifold>) {
        self.all.truncate(self.used);
        std::mem::swap(&mut self.all, to);
        self.used = 0;
    }

    pub(crate) fn all_mut(&mut self) -> &mut [Manifold] {
        &mut self.all[..self.used]
    }
}

impl Contacts {
    pub(crate) fn new(model: &RigidModel) -> Self {
        let ids = 0..model.parts().len() as u32;
        let is_still = |&p: &u32| model.drive[model.parts()[p as usize].body as usize] == Drive::Static;
        let (still_parts, moving_parts) = ids.partition(is_still);
        Self { moves: vec![false; model.bodies()], still_parts, moving_parts, ..Self::default() }
    }

    pub(crate) fn reach(rigid: &RigidParams, params: &StepParams) -> Reach {
        Reach { margin: rigid.margin, dt: params.dt, gravity: params.gravity }
    }

    /// Pairs of parts whose boxes, grown by what their bodies may move, overlap.
    pub(crate) fn pairs(&mut self, model: &RigidModel, motion: &Motion, reach: &Reach) {
        if !self.built {
            self.boxes.clear();
            self.placed.clear();
            self.placed.extend(model.parts().iter().map(|part| Placed::new(part, motion, reach)));
            let parts = model.parts().iter().zip(&self.placed);
            self.boxes.extend(parts.map(|(part, placed)| swept(model, part, placed, motion, reach)));
            self.part_boxes.clear();
            self.part_boxes.extend(self.still_parts.iter().map(|&p| self.boxes[p as usize]));
            self.still.build(&self.part_boxes);
        }
        self.part_boxes.clear();
        for &p in &self.moving_parts {
            let part = &model.parts()[p as usize];
            let placed = Placed::new(part, motion, reach);
            let bounds = swept(model, part, &placed, motion, reach);
            self.placed[p as usize] = placed;
            self.boxes[p as usize] = bounds;
            self.part_boxes.push(bounds);
        }
        self.built = true;
        let inside = |(loose, tight): (&Aabb, &Aabb)| {
            (0..3).all(|k| loose.min[k] <= tight.min[k] && tight.max[k] <= loose.max[k])
        };
        if self.loose.len() != self.part_boxes.len() || !self.loose.iter().zip(&self.part_boxes).all(inside) {
            self.gather_candidates(model, reach.margin);
        }
        let boxes = &self.boxes;
        let near = |&&(_, [i, j]): &&(u64, [u32; 2])| overlap(&boxes[i as usize], &boxes[j as usize]);
        self.near.clear();
        self.near.extend(self.candidates.iter().filter(near));
    }

    /// Pairs of parts that may be near as long as all stay in their loose boxes, in the order of sweeps.
    fn gather_candidates(&mut self, model: &RigidModel, margin: Real) {
        self.loose.clear();
        let grow = Vec3::repeat(margin);
        let grown = |tight: &Aabb| Aabb { min: tight.min - grow, max: tight.max + grow };
        self.loose.extend(self.part_boxes.iter().map(grown));
        // What was near once is not so for ever.
        if self.age.is_multiple_of(REBUILD) {
            self.tree.build(&self.loose);
        } else {
            self.tree.refit(&self.loose);
        }
        self.age = self.age.wrapping_add(1);
        let may_touch = |&[i, j]: &[u32; 2]| {
            let [a, b] = [i, j].map(|k| model.parts()[k as usize].body);
            let moves = model.is_dynamic(a as usize) || model.is_dynamic(b as usize);
            let allowed = model.filter[a as usize].allows(&model.filter[b as usize]);
            a != b && moves && allowed && model.apart.binary_search(&[a.min(b), a.max(b)]).is_err()
        };
        self.candidates.clear();
        self.tree.self_pairs(&mut self.found);
        let moving = |k: u32| self.moving_parts[k as usize];
        let ranked = |[i, j]: [u32; 2]| {
            let [first, second] = [i, j].map(|part| model.rank[part as usize]);
            let (pair, low, high) =
                if first < second { ([i, j], first, second) } else { ([j, i], second, first) };
            (u64::from(low) << 32 | u64::from(high), pair)
        };
        self.candidates.extend(self.found.iter().map(|pair| pair.map(moving)).filter(may_touch).map(ranked));
        self.still.pairs_with(&self.loose, &mut self.found);
        let mixed = |&[q, i]: &[u32; 2]| {
            let (a, b) = (moving(q), self.still_parts[i as usize]);
            [a.min(b), a.max(b)]
        };
        self.candidates.extend(self.found.iter().map(mixed).filter(may_touch).map(ranked));
        self.candidates.sort_unstable_by_key(|pair| pair.0);
    }

    /// Adds manifolds of the pairs whose bodies satisfy a condition, in the order of the pairs; those of pairs that do not touch
    /// have no points.
    pub(crate) fn find(
        &mut self,
        model: &RigidModel,
        motion: &Motion,
        reach: &Reach,
        condition: impl Fn(usize, usize) -> bool,
        manifolds: &mut Manifolds,
    ) {
        self.chosen.clear();
        self.chosen.extend(self.near.iter().map(|near| near.1).filter(|&[i, j]| {
            let [a, b] = [i, j].map(|k| model.parts()[k as usize].body as usize);
            condition(a, b)
        }));
        let (chosen, placed) = (&self.chosen, &self.placed);
        let level = self.level;
        exec::for_each_chunk(manifolds.add(chosen.len()), PAIR_CHUNK, |start, chunk| {
            let mut axes = Separations::default();
            for (eight, pairs) in chunk.chunks_mut(LANES).zip(chosen[start..].chunks(LANES)) {
                let boxes = |k: usize| pairs[k.min(pairs.len() - 1)].map(|p| &placed[p as usize].as_box);
                let is_box = |pair: &[u32; 2]| pair.iter().all(|&p| placed[p as usize].is_box);
                if pairs.iter().any(is_box) {
                    let all =
                        [boxes(0), boxes(1), boxes(2), boxes(3), boxes(4), boxes(5), boxes(6), boxes(7)];
                    axes.find(level, &all, reach.margin);
                }
                for (lane, (m, &pair)) in eight.iter_mut().zip(pairs).enumerate() {
                    m.len = 0;
                    let found = is_box(&pair).then(|| {
                        let [a, b] = boxes(lane);
                        axes.touches(lane, [a, b], reach.margin.max(a.far + b.far))
                    });
                    touch(model, placed, motion, reach, pair, found, m);
                }
            }
        });
    }

    /// Adds manifolds with obstacles, which move over the step that begins at `start` (s).
    pub(crate) fn obstacles(
        &mut self,
        model: &RigidModel,
        motion: &Motion,
        reach: &Reach,
        colliders: &[Box<dyn Collider>],
        start: Real,
        manifolds: &mut Manifolds,
    ) {
        for (c, collider) in colliders.iter().enumerate() {
            let bounds = swept_bounds(collider.as_ref(), start, reach.dt);
            let obstacle = Obstacle { number: c, shape: collider.as_ref(), start };
            for (p, part) in model.parts().iter().enumerate() {
                let body = part.body as usize;
                if self.moves[body] && model.filter[body].mask != 0 && overlap(&self.boxes[p], &bounds) {
                    obstacle::touch((part, p, model.rank[p]), motion, reach, &obstacle, manifolds);
                }
            }
        }
    }

    /// Marks the bodies of parts next to a surface of an obstacle that moves: they wake.
    pub(crate) fn stirred(
        &self,
        model: &RigidModel,
        motion: &Motion,
        reach: &Reach,
        colliders: &[Box<dyn Collider>],
        start: Real,
        mut wake: impl FnMut(usize),
    ) {
        for collider in colliders {
            let bounds = swept_bounds(collider.as_ref(), start, reach.dt);
            let carried = collider.pose(start) != collider.pose(start + reach.dt);
            for (part, own) in model.parts().iter().zip(&self.boxes) {
                let body = part.body as usize;
                if model.is_dynamic(body)
                    && model.filter[body].mask != 0
                    && overlap(own, &bounds)
                    && (carried || {
                        let centre = (motion[body].0 * part.pose).translation.vector;
                        collider.surface_at(&centre, start).velocity != Vec3::zeros()
                    })
                {
                    wake(body);
                }
            }
        }
    }

    /// Bodies of the parts of a key; `None` for an obstacle.
    pub(crate) fn bodies_of(model: &RigidModel, key: u64) -> Option<[u32; 2]> {
        let part = |k: u64| model.parts().get(k as usize).map(|part| part.body);
        Some([part(key >> 32)?, part(key & 0xffff_ffff)?])
    }
}

/// A box around an obstacle from the start of a step to its end.
fn swept_bounds(collider: &dyn Collider, start: Real, dt: Real) -> Aabb {
    collider.bounds(start).union(&collider.bounds(start + dt))
}
