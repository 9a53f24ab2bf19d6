//! The step of rigid bodies: contacts found once, islands solved in parallel, everything that lasts written to the state.

use crate::contacts::Contacts;
use crate::island::{Islands, Start};
use crate::model::pose;
use crate::solve::body::Body;
use crate::solve::contact::Manifold;
use crate::solve::factor::Factor;
use crate::solve::rows::{ROWS, Rows};
use crate::solve::system::System;
use crate::solve::work::JointWork;
use crate::{Direct, Island, RigidModel, RigidParams, RigidSolver};
use nalgebra::Isometry3;
use pd_core::{
    Bodies, Collider, Owner, Real, State, StepContext, StepError, StepParams, StepReport, Stepper, Vec3,
};
use std::sync::Arc;
use std::time::Instant;

/// Columns of the state that this stepper writes.
pub mod columns {
    /// Force (N) or torque (N·m) of every row of a joint in the last substep; six numbers a joint.
    pub const JOINT_LAMBDA: &str = "joint.lambda";
    /// Values of the limited or driven coordinates of a joint, full turns included, m or rad; two a joint.
    pub const JOINT_COORDINATE: &str = "joint.coordinate";
    /// 1 where a joint is broken.
    pub const JOINT_BROKEN: &str = "joint.broken";
    /// Parts (or part and obstacle) of a contact point, and the features that made it; two keys a point.
    pub const CONTACT_KEY: &str = "contact.key";
    /// Normal and tangential force of a contact point, N; three numbers a point.
    pub const CONTACT_LAMBDA: &str = "contact.lambda";
    /// Time for which a body has been at rest, s.
    pub const BODY_IDLE: &str = "body.idle";
    /// Force (N) and torque (N·m) on a body, world frame, six numbers a body. Read, not written: whoever pulls at bodies
    /// sets it; absent means none.
    pub const BODY_FORCE: &str = "body.force";
}

/// What one step of rigid bodies did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RigidReport {
    /// Islands that moved.
    pub islands: usize,
    /// Dynamic bodies asleep.
    pub asleep: usize,
    /// Contact points.
    pub contacts: usize,
    /// Deepest overlap at the start of the step, m; zero or positive.
    pub overlap: Real,
    /// Largest distance between anchors that a joint holds together, at the end, m.
    pub joint_gap: Real,
    /// Joints broken so far.
    pub broken: usize,
    /// Substeps of an island in which the solver asked for had to step back to `direct`.
    pub fallbacks: usize,
}

/// Advances [`State::bodies`](pd_core::State::bodies). See the crate's documentation for an example.
///
/// The stepper owns the constant [`RigidModel`]; a [`Model`](pd_core::Model) of vertices must be empty. Working memory grows
/// with the number of contacts and is kept, so that steps soon allocate nothing.
pub struct RigidStepper {
    model: Arc<RigidModel>,
    params: RigidParams,
    solver: Box<dyn RigidSolver>,
    systems: Vec<System>,
    islands: Islands,
    contacts: Contacts,
    manifolds: Vec<Manifold>,
    factors: Vec<Factor>,
    fallbacks: Vec<usize>,
    idle: Vec<Real>,
    awake: Vec<bool>,
    driven: Vec<(Isometry3<Real>, Vec3, Vec3)>,
    report: RigidReport,
}

impl RigidStepper {
    /// A stepper with the solver `direct`.
    pub fn new(model: Arc<RigidModel>, params: RigidParams) -> Self {
        Self::with_solver(model, params, Box::new(Direct))
    }

    /// A stepper with a solver of choice, see [`solver`](crate::solver).
    pub fn with_solver(model: Arc<RigidModel>, params: RigidParams, solver: Box<dyn RigidSolver>) -> Self {
        Self {
            systems: System::all(&model),
            contacts: Contacts::new(&model),
            model,
            params,
            solver,
            islands: Islands::default(),
            manifolds: vec![],
            factors: vec![],
            fallbacks: vec![],
            idle: vec![],
            awake: vec![],
            driven: vec![],
            report: RigidReport::default(),
        }
    }

    /// The model.
    pub fn model(&self) -> &Arc<RigidModel> {
        &self.model
    }

    /// The parameters.
    pub fn params(&self) -> &RigidParams {
        &self.params
    }

    /// What the last step did.
    pub fn report(&self) -> &RigidReport {
        &self.report
    }

    /// Points of contact of the last step for display: place and force on the first body, world frame, m and N.
    pub fn contact_forces(&self) -> impl Iterator<Item = (Vec3, Vec3)> + '_ {
        self.manifolds.iter().flat_map(move |m| {
            m.points().iter().map(move |p| {
                let [t, u] = m.tangents;
                (p.place, m.normal * p.force[0] + t * p.force[1] + u * p.force[2])
            })
        })
    }

    /// Advances the bodies of a state by `params.dt` among obstacles, and its time with them.
    ///
    /// # Errors
    /// [`StepError::Parameter`] for parameters out of range, [`StepError::Unsupported`] if the state has another number of
    /// bodies, [`StepError::NotFinite`] (with the number of the body) if a pose or velocity is not finite any more. The
    /// state is then what it was.
    pub fn advance(
        &mut self,
        params: &StepParams,
        colliders: &[Box<dyn Collider>],
        state: &mut State,
    ) -> Result<StepReport, StepError> {
        params.check()?;
        self.params.check()?;
        let bodies = self.model.bodies();
        if state.bodies.len() != bodies {
            let what = format!("{} bodies in the state where the model has {bodies}", state.bodies.len());
            return Err(StepError::Unsupported { stepper: "rigid".into(), what });
        }
        let mut report = StepReport::default();
        let started = Instant::now();
        self.open(params, state);
        self.find_contacts(params, colliders, state);
        report.stages.collide = started.elapsed();
        let started = Instant::now();
        self.lay_out(params, state);
        self.solve(params);
        report.stages.global = started.elapsed();
        self.accept(params, state)?;
        report.iterations = self.params.substeps;
        report.collisions = self.report.contacts;
        Ok(report)
    }

    /// Reads counters and the motion of driven bodies.
    fn open(&mut self, params: &StepParams, state: &State) {
        let bodies = self.model.bodies();
        self.report = RigidReport::default();
        self.idle.clear();
        self.idle.extend_from_slice(state.columns.real(columns::BODY_IDLE));
        self.idle.resize(bodies, 0.0);
        self.driven.clear();
        for b in 0..bodies {
            // The mean velocity over the step, so that the body arrives where it should.
            let motion = self.model.driven(b, state.time).zip(self.model.driven(b, state.time + params.dt));
            self.driven.push(match motion {
                Some(((now, ..), (next, ..))) => {
                    let v = (next.translation.vector - now.translation.vector) / params.dt;
                    (now, v, (next.rotation * now.rotation.inverse()).scaled_axis() / params.dt)
                }
                None => (pose(&state.bodies, b), state.bodies.v[b], state.bodies.w[b]),
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
    fn find_contacts(&mut self, params: &StepParams, colliders: &[Box<dyn Collider>], state: &State) {
        let Self { model, islands, contacts, manifolds, awake, driven, .. } = self;
        let broken = state.columns.keys(columns::JOINT_BROKEN);
        islands.reset(model.bodies());
        islands.join_joints(model, |j| broken.get(j).is_some_and(|&b| b != 0));
        let reach = Contacts::reach(&self.params, params);
        contacts.pairs(model, driven, &reach);
        manifolds.clear();
        contacts.find(model, driven, &reach, |a, b| awake[a] || awake[b], manifolds);
        let dynamic = |b: u32| b != u32::MAX && model.is_dynamic(b as usize);
        for m in manifolds.iter().filter(|m| m.len > 0 && dynamic(m.bodies[0]) && dynamic(m.bodies[1])) {
            islands.join(m.bodies[0], m.bodies[1]);
        }
        // Sleeping bodies stay together by the contacts they fell asleep with.
        for key in state.columns.keys(columns::CONTACT_KEY).chunks_exact(2) {
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
        for m in manifolds.iter().filter(|m| m.len > 0) {
            for (one, other) in [(m.bodies[0], m.bodies[1]), (m.bodies[1], m.bodies[0])] {
                let pushes = one != u32::MAX && !dynamic(one) && driven[one as usize].1.norm() > 0.0;
                if pushes && dynamic(other) {
                    moving[islands.root(other) as usize] = true;
                }
            }
        }
        let mut woken = false;
        for b in 0..model.bodies() {
            let moves = model.is_dynamic(b) && moving[islands.root(b as u32) as usize];
            woken |= moves && !awake[b];
            contacts.moves[b] = moves;
        }
        if woken {
            let now = std::mem::take(&mut contacts.moves);
            let fresh = |a: usize, b: usize| !(awake[a] || awake[b]) && (now[a] || now[b]);
            contacts.find(model, driven, &reach, fresh, manifolds);
            contacts.moves = now;
        }
        contacts.obstacles(model, driven, &reach, colliders, state.time + params.dt, manifolds);
        contacts.warm(state, manifolds);
        std::mem::swap(&mut contacts.moving, &mut moving);
        for m in manifolds.iter() {
            for p in m.points() {
                self.report.contacts += 1;
                self.report.overlap = self.report.overlap.max(-p.gap);
            }
        }
    }

    /// Lays the islands out.
    fn lay_out(&mut self, params: &StepParams, state: &State) {
        let Self { model, systems, islands, contacts, manifolds, driven, .. } = self;
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
        islands.lay_out(model, systems, manifolds, &contacts.moving, working, joint);
        self.report.islands = islands.starts.len() - 1;
    }

    /// Solves all islands.
    fn solve(&mut self, params: &StepParams) {
        let islands = self.islands.starts.len() - 1;
        if self.factors.len() < islands {
            self.factors.resize_with(islands, Factor::default);
        }
        self.fallbacks.clear();
        self.fallbacks.resize(islands, 0);
        let task = Task {
            starts: &self.islands.starts,
            systems: &self.islands.systems,
            all_systems: &self.systems,
            model: &self.model,
            params: &self.params,
            solver: &*self.solver,
            dt: params.dt,
        };
        let parts = Parts {
            bodies: &mut self.islands.bodies,
            joints: &mut self.islands.joints,
            contacts: &mut self.manifolds,
            factors: &mut self.factors[..islands],
            fallbacks: &mut self.fallbacks,
        };
        task.run(0, islands, parts);
        self.report.fallbacks = self.fallbacks.iter().sum();
    }

    /// Writes everything to the state, or nothing.
    fn accept(&mut self, params: &StepParams, state: &mut State) -> Result<(), StepError> {
        let model = Arc::clone(&self.model);
        for (body, &b) in self.islands.bodies.iter().zip(&self.islands.members) {
            let values = body.p.iter().chain(body.v.iter()).chain(body.w.iter()).chain(body.q.coords.iter());
            if b != u32::MAX && !values.into_iter().all(|x| x.is_finite()) {
                return Err(StepError::NotFinite { vertex: b as usize });
            }
        }
        let end = state.time + params.dt;
        for (body, &b) in self.islands.bodies.iter().zip(&self.islands.members) {
            if b == u32::MAX || !model.is_dynamic(b as usize) {
                continue;
            }
            let b = b as usize;
            let s = &mut state.bodies;
            (s.p[b], s.q[b], s.v[b], s.w[b]) = (body.p, body.q, body.v, body.w);
            // A body woken by another starts to count anew.
            let size = (body.moments.max() * body.inv_mass).sqrt();
            let still =
                body.v.norm().max(body.w.norm() * size) < self.params.sleep_speed && model.may_sleep[b];
            let was = if self.awake[b] { self.idle[b] } else { 0.0 };
            self.idle[b] = if still { was + params.dt } else { 0.0 };
        }
        for b in 0..model.bodies() {
            if let Some((pose, v, w)) = model.driven(b, end) {
                let s = &mut state.bodies;
                (s.p[b], s.q[b], s.v[b], s.w[b]) = (pose.translation.vector, pose.rotation, v, w);
            } else if self.islands.of[b] == u32::MAX {
                self.report.asleep += 1;
            }
        }
        self.sleep_together(&mut state.bodies);
        write_joints(
            &mut self.report,
            &model,
            &self.islands.joints,
            &self.islands.bodies,
            &self.islands.starts,
            state,
        );
        self.contacts.write(&self.manifolds, &model, &self.islands.of, state);
        let idle = state.columns.real_mut(columns::BODY_IDLE, Owner::Bodies, 1);
        idle.clear();
        idle.extend_from_slice(&self.idle);
        state.time = end;
        Ok(())
    }

    /// Bodies of one island fall asleep together or not at all: none counts beyond the one that moved last. Asleep they have
    /// no velocity.
    fn sleep_together(&mut self, state: &mut Bodies) {
        for range in self.islands.starts.windows(2) {
            let members = &self.islands.members[range[0].body..range[1].body];
            let dynamic = |b: &&u32| **b != u32::MAX && self.model.is_dynamic(**b as usize);
            let least = members
                .iter()
                .filter(dynamic)
                .map(|&b| self.idle[b as usize])
                .fold(Real::INFINITY, Real::min);
            for &b in members.iter().filter(dynamic) {
                let b = b as usize;
                if least < self.params.sleep_time {
                    self.idle[b] = self.idle[b].min(self.params.sleep_time * (1.0 - 1e-9));
                } else if self.params.sleep {
                    (state.v[b], state.w[b]) = (Vec3::zeros(), Vec3::zeros());
                }
            }
        }
    }
}

/// Free coordinates of a joint at the start, angles within half a turn.
fn first_coordinates(model: &RigidModel, poses: &[(Isometry3<Real>, Vec3, Vec3)], j: usize) -> [Real; 2] {
    let joint = &model.joints()[j];
    let place = |b: Option<usize>| b.map_or_else(Isometry3::identity, |b| poses[b].0);
    let [a, b] = [place(joint.desc.a), place(joint.desc.b)].map(|p| (p.translation.vector, p.rotation));
    let mut rows = Rows::default();
    rows.set(joint, &a, &b, &[0.0; 2]);
    let mut values = [0.0; 2];
    for (k, value) in values.iter_mut().enumerate().take(joint.desc.controls.len()) {
        *value = rows.error[joint.held + k];
    }
    values
}

/// Writes multipliers, coordinates and breaks of the joints that moved.
fn write_joints(
    report: &mut RigidReport,
    model: &RigidModel,
    joints: &[JointWork],
    bodies: &[Body],
    starts: &[Start],
    state: &mut State,
) {
    let count = model.joints().len();
    if count == 0 {
        return;
    }
    let mut island = 0;
    for (k, work) in joints.iter().enumerate() {
        while starts[island + 1].joint <= k {
            island += 1;
        }
        let (j, local) = (work.index as usize, &bodies[starts[island].body..]);
        let lambda = state.columns.real_mut(columns::JOINT_LAMBDA, Owner::Joints, ROWS);
        lambda.resize(ROWS * count, 0.0);
        lambda[ROWS * j..ROWS * (j + 1)].copy_from_slice(&work.force);
        let coordinate = state.columns.real_mut(columns::JOINT_COORDINATE, Owner::Joints, 2);
        coordinate.resize(2 * count, 0.0);
        coordinate[2 * j..2 * j + 2].copy_from_slice(&work.before);
        let broken = state.columns.keys_mut(columns::JOINT_BROKEN, Owner::Joints, 1);
        broken.resize(count, 0);
        broken[j] = u64::from(work.broken);
        if !work.broken {
            let mut now = *work;
            now.set_rows(&model.joints()[j], local);
            report.joint_gap = report.joint_gap.max(now.rows.gap());
        }
    }
    report.broken = state.columns.keys(columns::JOINT_BROKEN).iter().filter(|&&b| b != 0).count();
}

/// Takes a vector out of its place, cleared to `false`.
fn vec_of(place: &mut Vec<bool>, len: usize) -> Vec<bool> {
    let mut taken = std::mem::take(place);
    taken.clear();
    taken.resize(len, false);
    taken
}

/// What all islands share.
#[derive(Clone, Copy)]
struct Task<'a> {
    starts: &'a [Start],
    systems: &'a [(u32, u32)],
    all_systems: &'a [System],
    model: &'a RigidModel,
    params: &'a RigidParams,
    solver: &'a dyn RigidSolver,
    dt: Real,
}

/// What belongs to a run of islands.
struct Parts<'a> {
    bodies: &'a mut [Body],
    joints: &'a mut [JointWork],
    contacts: &'a mut [Manifold],
    factors: &'a mut [Factor],
    fallbacks: &'a mut [usize],
}

/// Islands with fewer bodies and contacts than this together are not worth a second thread.
const SMALL: usize = 64;

impl Task<'_> {
    /// Solves islands `first..last`, halves in parallel.
    fn run(self, first: usize, last: usize, parts: Parts<'_>) {
        let (a, z) = (self.starts[first], self.starts[last]);
        if last <= first {
            return;
        }
        if last == first + 1 {
            let mut island = Island {
                bodies: parts.bodies,
                joints: parts.joints,
                systems: &self.systems[a.system..z.system],
                all_systems: self.all_systems,
                model: self.model,
                contacts: parts.contacts,
                factor: &mut parts.factors[0],
                params: self.params,
                dt: self.dt,
                fallbacks: 0,
            };
            self.solver.solve(&mut island);
            parts.fallbacks[0] = island.fallbacks;
            return;
        }
        let middle = first + (last - first) / 2;
        let m = self.starts[middle];
        let (bodies, more_bodies) = parts.bodies.split_at_mut(m.body - a.body);
        let (joints, more_joints) = parts.joints.split_at_mut(m.joint - a.joint);
        let (contacts, more_contacts) = parts.contacts.split_at_mut(m.contact - a.contact);
        let (factors, more_factors) = parts.factors.split_at_mut(middle - first);
        let (fallbacks, more_fallbacks) = parts.fallbacks.split_at_mut(middle - first);
        let left = Parts { bodies, joints, contacts, factors, fallbacks };
        let right = Parts {
            bodies: more_bodies,
            joints: more_joints,
            contacts: more_contacts,
            factors: more_factors,
            fallbacks: more_fallbacks,
        };
        if z.body - a.body + z.contact - a.contact < SMALL {
            self.run(first, middle, left);
            self.run(middle, last, right);
        } else {
            rayon::join(|| self.run(first, middle, left), || self.run(middle, last, right));
        }
    }
}

impl Stepper for RigidStepper {
    fn name(&self) -> &str {
        "rigid"
    }

    fn global_name(&self) -> Option<&str> {
        Some(self.solver.name())
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        context.params.check()?;
        self.params.check()?;
        if context.model.vertices() > 0 {
            let what = format!("a model with {} vertices", context.model.vertices());
            return Err(StepError::Unsupported { stepper: "rigid".into(), what });
        }
        Ok(())
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError> {
        self.advance(context.params, context.colliders, state)
    }
}
