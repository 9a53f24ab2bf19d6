//! The first half of a step: motion of driven bodies, who is awake, contacts, islands.

use super::{RigidReport, RigidStepper, columns};
use crate::contacts::Contacts;
use crate::model::pose;
use crate::solve::body::Body;
use crate::solve::rows::{ROWS, Rows};
use crate::solve::system::System;
use crate::solve::work::JointWork;
use crate::{JointKind, RigidModel};
use nalgebra::Isometry3;
use pd_core::{Collider, Real, StepParams, Vec3, View};

impl RigidStepper {
    /// Reads counters and the motion of driven bodies.
    pub(super) fn open(&mut self, params: &StepParams, state: &View<'_>) {
        let bodies = self.model.bodies();
        self.report = RigidReport::default();
        self.idle.clear();
        self.idle.extend_from_slice(state.columns.real(columns::BODY_IDLE));
        self.idle.resize(bodies, 0.0);
        // What a broken joint held together are systems of their own. Those without any are as the model has them.
        let broken = state.columns.keys(columns::JOINT_BROKEN);
        let now = broken.iter().chain(std::iter::repeat(&0)).take(self.model.joints().len());
        if !now.clone().eq(self.broken.iter().chain(std::iter::repeat(&0)).take(self.model.joints().len())) {
            self.broken.clear();
            self.broken.extend(now);
            self.systems = System::all(&self.model, |j| self.broken[j] != 0);
        }
        self.driven.clear();
        for b in 0..bodies {
            // The mean velocity over the step, so that the body arrives where it should.
            let motion = self.model.driven(b, state.time).zip(self.model.driven(b, state.time + params.dt));
            self.driven.push(match motion {
                Some(((now, ..), (next, ..))) => {
                    let v = (next.translation.vector - now.translation.vector) / params.dt;
                    (now, v, (next.rotation * now.rotation.inverse()).scaled_axis() / params.dt)
                }
                None => (pose(state.bodies, b), state.bodies.v[b], state.bodies.w[b]),
            });
        }
        // Sleeping bodies have no velocity; one that has was given it from outside and wakes.
        let still = |b: usize| state.bodies.v[b] == Vec3::zeros() && state.bodies.w[b] == Vec3::zeros();
        let asleep = |b: usize| self.params.sleep && self.idle[b] >= self.params.sleep_time && still(b);
        self.awake.clear();
        self.awake.extend((0..bodies).map(|b| self.model.is_dynamic(b) && !asleep(b)));
        // Whoever pulls at a body wakes it.
        for (b, force) in state.columns.real(columns::BODY_FORCE).chunks_exact(6).enumerate().take(bodies) {
            if force.iter().any(|&f| f != 0.0) && self.model.is_dynamic(b) {
                self.awake[b] = true;
            }
        }
    }

    /// Contacts of what is awake, then of sleeping islands that something awake touches; joins islands on the way.
    pub(super) fn find_contacts(
        &mut self,
        params: &StepParams,
        colliders: &[Box<dyn Collider>],
        state: &View<'_>,
    ) {
        let Self { model, islands, contacts, found, awake, driven, .. } = self;
        let broken = state.columns.keys(columns::JOINT_BROKEN);
        islands.reset(model.bodies());
        islands.join_joints(model, |j| broken.get(j).is_some_and(|&b| b != 0));
        let reach = Contacts::reach(&self.params, params);
        contacts.pairs(model, driven, &reach);
        found.clear();
        contacts.find(model, driven, &reach, |a, b| awake[a] || awake[b], found);
        let dynamic = |b: u32| b != u32::MAX && model.is_dynamic(b as usize);
        for m in found.all().iter().filter(|m| m.len > 0 && dynamic(m.bodies[0]) && dynamic(m.bodies[1])) {
            islands.join(m.bodies[0], m.bodies[1]);
        }
        // Sleeping bodies stay together by the contacts they fell asleep with.
        let some_asleep = (0..model.bodies()).any(|b| model.is_dynamic(b) && !awake[b]);
        let old = if some_asleep { state.columns.keys(columns::CONTACT_KEY) } else { &[] };
        for key in old.chunks_exact(2) {
            if let Some([a, b]) = Contacts::bodies_of(model, key[0])
                && dynamic(a)
                && dynamic(b)
                && !(awake[a as usize] || awake[b as usize])
            {
                islands.join(a, b);
            }
        }
        // An island moves as soon as one of its bodies is awake; driven bodies that move wake what they touch.
        let mut moving = vec_of(&mut contacts.moving, model.bodies());
        for b in 0..model.bodies() {
            if awake[b] {
                moving[islands.root(b as u32) as usize] = true;
            }
        }
        for m in found.all().iter().filter(|m| m.len > 0) {
            for (one, other) in [(m.bodies[0], m.bodies[1]), (m.bodies[1], m.bodies[0])] {
                let pushes = one != u32::MAX && !dynamic(one) && driven[one as usize].1.norm() > 0.0;
                if pushes && dynamic(other) {
                    moving[islands.root(other) as usize] = true;
                }
            }
        }
        contacts.stirred(model, driven, &reach, colliders, state.time, |body| {
            moving[islands.root(body as u32) as usize] = true;
        });
        let mut woken = false;
        for b in 0..model.bodies() {
            let moves = model.is_dynamic(b) && moving[islands.root(b as u32) as usize];
            woken |= moves && !awake[b];
            contacts.moves[b] = moves;
        }
        if woken {
            let now = std::mem::take(&mut contacts.moves);
            let fresh = |a: usize, b: usize| !(awake[a] || awake[b]) && (now[a] || now[b]);
            contacts.find(model, driven, &reach, fresh, found);
            contacts.moves = now;
        }
        contacts.obstacles(model, driven, &reach, colliders, state.time, found);
        contacts.warm(state, self.params.margin, found.all_mut());
        std::mem::swap(&mut contacts.moving, &mut moving);
        for m in found.all().iter() {
            for p in m.points() {
                self.report.contacts += 1;
                self.report.overlap = self.report.overlap.max(-p.gap);
            }
        }
    }

    /// Lays the islands out.
    pub(super) fn lay_out(&mut self, params: &StepParams, state: &View<'_>) {
        let Self { model, systems, islands, contacts, found, manifolds, driven, .. } = self;
        let force = state.columns.real(columns::BODY_FORCE);
        let working = |b: u32| {
            let b = b as usize;
            let (pose, v, w) = &driven[b];
            let mut body = Body::fixed(pose.translation.vector, pose.rotation);
            (body.v, body.w, body.free_w) = (*v, *w, *w);
            if model.is_dynamic(b) {
                body.inv_mass = 1.0 / model.mass[b];
                body.moments = model.inertia[b];
                body.acceleration = params.gravity;
                if let Some(f) = force.get(6 * b..6 * b + 6) {
                    body.acceleration += Vec3::new(f[0], f[1], f[2]) * body.inv_mass;
                    body.torque = Vec3::new(f[3], f[4], f[5]);
                }
                body.damping = model.damping[b].map(|c| c + params.damping);
                body.size = (body.moments.max() * body.inv_mass).sqrt();
                body.turn_inertia();
            }
            body
        };
        let (lambda, coordinate, broken) = (
            state.columns.real(columns::JOINT_LAMBDA),
            state.columns.real(columns::JOINT_COORDINATE),
            state.columns.keys(columns::JOINT_BROKEN),
        );
        let joint = |j: u32, ends: [u32; 2]| {
            let k = j as usize;
            let mut work = JointWork::new(j, ends);
            if let Some(force) = lambda.get(ROWS * k..ROWS * (k + 1)) {
                work.force.copy_from_slice(force);
            }
            work.broken = broken.get(k).is_some_and(|&b| b != 0);
            work.before = match coordinate.get(2 * k..2 * k + 2) {
                Some(c) => [c[0], c[1]],
                None => first_coordinates(model, driven, k),
            };
            work
        };
        islands.lay_out(model, systems, (found, manifolds), &contacts.moving, working, joint);
        self.report.islands = islands.starts.len() - 1;
    }
}

/// Free coordinates of a joint at the start, angles within half a turn.
fn first_coordinates(model: &RigidModel, poses: &[(Isometry3<Real>, Vec3, Vec3)], j: usize) -> [Real; 2] {
    let joint = &model.joints()[j];
    let place = |b: Option<usize>| b.map_or_else(Isometry3::identity, |b| poses[b].0);
    let [a, b] = [place(joint.desc.a), place(joint.desc.b)].map(|p| (p.translation.vector, p.rotation));
    let mut rows = Rows::default();
    rows.set(joint, &a, &b, &[0.0; 2]);
    if let JointKind::Gear { .. } = joint.desc.kind {
        return rows.angles;
    }
    let mut values = [0.0; 2];
    for (k, value) in values.iter_mut().enumerate().take(joint.desc.controls.len()) {
        *value = rows.error[joint.held + k];
    }
    values
}

/// Takes a vector out of its place, cleared to `false`.
fn vec_of(place: &mut Vec<bool>, len: usize) -> Vec<bool> {
    let mut taken = std::mem::take(place);
    taken.clear();
    taken.resize(len, false);
    taken
}
