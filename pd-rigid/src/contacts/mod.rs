//! Contacts of a step: which parts are near each other, where they touch, and what they remember.

use crate::columns::{CONTACT_KEY, CONTACT_LAMBDA};
use crate::narrow::touches;
use crate::solve::contact::{Manifold, tangents};
use crate::{Part, RigidModel, RigidParams};
use nalgebra::Isometry3;
use pd_collide::broad::{BroadPhase, FixedBvh};
use pd_core::{Aabb, Collider, Owner, Real, State, StepParams, Vec3, exec};

mod obstacle;

/// Pairs of parts handled by one task.
const PAIR_CHUNK: usize = 32;

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
    tree: FixedBvh,
    boxes: Vec<Aabb>,
    near: Vec<[u32; 2]>,
    chosen: Vec<[u32; 2]>,
    /// Whether the island of a root moves.
    pub(crate) moving: Vec<bool>,
    /// Whether a body moves.
    pub(crate) moves: Vec<bool>,
    built: bool,
    /// Keys and forces to remember.
    kept: Vec<([u64; 2], [Real; 3])>,
}

impl Contacts {
    pub(crate) fn new(model: &RigidModel) -> Self {
        Self { moves: vec![false; model.bodies()], ..Self::default() }
    }

    pub(crate) fn reach(rigid: &RigidParams, params: &StepParams) -> Reach {
        Reach { margin: rigid.margin, dt: params.dt, gravity: params.gravity }
    }

    /// Pairs of parts whose boxes, grown by what their bodies may move, overlap.
    pub(crate) fn pairs(&mut self, model: &RigidModel, motion: &Motion, reach: &Reach) {
        self.boxes.clear();
        if model.parts().is_empty() {
            self.near.clear();
            return;
        }
        for part in model.parts() {
            let (pose, v, w) = &motion[part.body as usize];
            let world = pose * part.pose;
            let mut bounds = part.shape.bounds(&world);
            let fall =
                if model.is_dynamic(part.body as usize) { reach.gravity * reach.dt } else { Vec3::zeros() };
            let far = part.shape.reach() + part.pose.translation.vector.norm();
            let turn = if far.is_finite() { w.norm() * far } else { 0.0 };
            for axis in 0..3 {
                let grow =
                    ((v[axis].abs() + fall[axis].abs() + turn) * reach.dt).max(0.0) + 0.5 * reach.margin;
                bounds.min[axis] -= grow;
                bounds.max[axis] += grow;
            }
            self.boxes.push(bounds);
        }
        if self.built {
            self.tree.refit(&self.boxes);
        } else {
            self.tree.build(&self.boxes);
            self.built = true;
        }
        self.tree.self_pairs(&mut self.near);
        self.near.retain(|&[i, j]| {
            let [a, b] = [i, j].map(|k| model.parts()[k as usize].body);
            let moves = model.is_dynamic(a as usize) || model.is_dynamic(b as usize);
            let allowed = model.filter[a as usize].allows(&model.filter[b as usize]);
            a != b && moves && allowed && model.apart.binary_search(&[a.min(b), a.max(b)]).is_err()
        });
    }

    /// Adds manifolds of the pairs whose bodies satisfy a condition, in the order of the pairs.
    pub(crate) fn find(
        &mut self,
        model: &RigidModel,
        motion: &Motion,
        reach: &Reach,
        condition: impl Fn(usize, usize) -> bool,
        manifolds: &mut Vec<Manifold>,
    ) {
        self.chosen.clear();
        self.chosen.extend(self.near.iter().copied().filter(|&[i, j]| {
            let [a, b] = [i, j].map(|k| model.parts()[k as usize].body as usize);
            condition(a, b)
        }));
        let first = manifolds.len();
        manifolds.resize(first + self.chosen.len(), Manifold::default());
        let chosen = &self.chosen;
        exec::for_each_chunk(&mut manifolds[first..], PAIR_CHUNK, |start, chunk| {
            for (m, &pair) in chunk.iter_mut().zip(&chosen[start..]) {
                touch(model, motion, reach, pair, m);
            }
        });
        manifolds.retain(|m| m.len > 0);
    }

    /// Adds manifolds with obstacles: vertices, ends and rims of the parts against their signed distance, and the point of a
    /// polyhedron nearest to what the obstacle turns towards it.
    pub(crate) fn obstacles(
        &mut self,
        model: &RigidModel,
        motion: &Motion,
        reach: &Reach,
        colliders: &[Box<dyn Collider>],
        time: Real,
        manifolds: &mut Vec<Manifold>,
    ) {
        if colliders.is_empty() {
            return;
        }
        for (p, part) in model.parts().iter().enumerate() {
            let body = part.body as usize;
            if !self.moves[body] || model.filter[body].mask == 0 {
                continue;
            }
            for (c, collider) in colliders.iter().enumerate() {
                if pd_collide::broad::overlap(&self.boxes[p], &collider.bounds(time)) {
                    obstacle::touch(part, p, motion, reach, (c, collider.as_ref(), time), manifolds);
                }
            }
        }
    }

    /// Bodies of the parts of a key; `None` for an obstacle.
    pub(crate) fn bodies_of(model: &RigidModel, key: u64) -> Option<[u32; 2]> {
        let part = |k: u64| model.parts().get(k as usize).map(|part| part.body);
        Some([part(key >> 32)?, part(key & 0xffff_ffff)?])
    }

    /// Gives points the forces they had in the step before.
    pub(crate) fn warm(&self, state: &State, manifolds: &mut [Manifold]) {
        let keys = state.columns.keys(CONTACT_KEY);
        let force = state.columns.real(CONTACT_LAMBDA);
        let rows = (keys.len() / 2).min(force.len() / 3);
        let row = |k: usize| (keys[2 * k], keys[2 * k + 1]);
        for m in manifolds {
            for point in &mut m.points[..m.len] {
                let wanted = (m.key, point.feature);
                let (mut low, mut high) = (0, rows);
                while low < high {
                    let middle = (low + high) / 2;
                    if row(middle) < wanted { low = middle + 1 } else { high = middle }
                }
                if low < rows && row(low) == wanted {
                    point.force = [force[3 * low], force[3 * low + 1], force[3 * low + 2]];
                }
            }
        }
    }

    /// Writes keys and forces of all contacts, sorted by key; those among sleeping bodies stay.
    pub(crate) fn write(
        &mut self,
        manifolds: &[Manifold],
        model: &RigidModel,
        islands: &[u32],
        state: &mut State,
    ) {
        self.kept.clear();
        let asleep = |b: u32| islands[b as usize] == u32::MAX;
        let (keys, force) = (state.columns.keys(CONTACT_KEY), state.columns.real(CONTACT_LAMBDA));
        for (key, force) in keys.chunks_exact(2).zip(force.chunks_exact(3)) {
            let bodies = match Self::bodies_of(model, key[0]) {
                Some(bodies) => bodies,
                None => match model.parts().get((key[0] >> 32) as usize) {
                    Some(part) => [part.body; 2],
                    None => continue,
                },
            };
            if bodies.into_iter().all(asleep) {
                self.kept.push(([key[0], key[1]], [force[0], force[1], force[2]]));
            }
        }
        for m in manifolds {
            self.kept.extend(m.points().iter().map(|p| ([m.key, p.feature], p.force)));
        }
        self.kept.sort_unstable_by_key(|row| row.0);
        let keys = state.columns.keys_mut(CONTACT_KEY, Owner::Contacts, 2);
        keys.clear();
        keys.extend(self.kept.iter().flat_map(|row| row.0));
        let force = state.columns.real_mut(CONTACT_LAMBDA, Owner::Contacts, 3);
        force.clear();
        force.extend(self.kept.iter().flat_map(|row| row.1));
    }
}

/// Manifold of a pair of parts.
fn touch(model: &RigidModel, motion: &Motion, reach: &Reach, pair: [u32; 2], m: &mut Manifold) {
    let parts = pair.map(|k| &model.parts()[k as usize]);
    let bodies = parts.map(|part| &motion[part.body as usize]);
    let poses = [0, 1].map(|k: usize| bodies[k].0 * parts[k].pose);
    let far = reach.of(parts[0], bodies[0]) + reach.of(parts[1], bodies[1]);
    let found = touches((&parts[0].shape, &poses[0]), (&parts[1].shape, &poses[1]), reach.margin.max(far));
    if found.len == 0 {
        return;
    }
    *m = Manifold {
        key: u64::from(pair[0]) << 32 | u64::from(pair[1]),
        bodies: parts.map(|part| part.body),
        normal: found.normal,
        tangents: tangents(&found.normal),
        friction: (parts[0].friction * parts[1].friction).sqrt(),
        restitution: parts[0].restitution.max(parts[1].restitution),
        len: found.len,
        ..Manifold::default()
    };
    for (point, touch) in m.points.iter_mut().zip(found.points()) {
        point.place = touch.place;
        point.gap = touch.gap;
        point.feature = touch.feature;
        point.local =
            bodies.map(|body| body.0.rotation.inverse() * (touch.place - body.0.translation.vector));
    }
}
