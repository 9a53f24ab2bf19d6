//! Joints and islands while they are solved.

use super::body::Body;
use super::contact::Manifold;
use super::factor::Factor;
use super::group::Groups;
use super::motion::{Drift, Kick};
use super::rows::{ROWS, Rows};
use super::system::System;
use crate::{Joint, JointKind, RigidModel, RigidParams};
use pd_core::{Real, Vec3};

/// How a limited or driven coordinate is treated at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Free.
    Off,
    /// At its lower limit.
    Low,
    /// At its upper limit.
    High,
    /// Driven by its motor.
    Motor,
    /// Driven up, or down, by the largest force of its motor.
    Up,
    Down,
    /// Held where it is.
    Locked,
}

/// A limited or driven coordinate in a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coordinate {
    /// Its treatment.
    pub(crate) mode: Mode,
    /// Value at the start, or where it is to be put, m or rad.
    pub(crate) value: Real,
    /// Value at the start of the substep, m or rad.
    pub(crate) start: Real,
    /// Rate before the solve for velocities, m/s or rad/s.
    pub(crate) rate: Real,
    /// Slowest and fastest rate that its limit allows, m/s or rad/s.
    pub(crate) low: Real,
    pub(crate) high: Real,
    /// Whether it has a motor, the rate that this aims at, the softness of its spring and its largest impulse.
    pub(crate) driven: bool,
    pub(crate) aim: Real,
    pub(crate) softness: Real,
    pub(crate) most: Real,
}

impl Default for Coordinate {
    fn default() -> Self {
        let (low, high) = (Real::NEG_INFINITY, Real::INFINITY);
        Self {
            mode: Mode::Off,
            value: 0.0,
            start: 0.0,
            rate: 0.0,
            low,
            high,
            driven: false,
            aim: 0.0,
            softness: 0.0,
            most: 0.0,
        }
    }
}

impl Coordinate {
    /// Whether its rate is solved for.
    pub(crate) fn acts(&self) -> bool {
        !matches!(self.mode, Mode::Off | Mode::Up | Mode::Down)
    }

    /// Impulse where its rate is not solved for.
    pub(crate) fn given(&self) -> Real {
        match self.mode {
            Mode::Up => self.most,
            Mode::Down => -self.most,
            _ => 0.0,
        }
    }

    /// Rate to be reached where it is solved for.
    pub(crate) fn goal(&self) -> Real {
        match self.mode {
            Mode::Low => self.low,
            Mode::High => self.high,
            Mode::Motor => self.aim,
            _ => 0.0,
        }
    }

    /// What a motor does at a rate.
    fn driven_at(&self, rate: Real) -> Real {
        let wish = self.aim - rate;
        if !self.driven || wish == 0.0 {
            0.0
        } else if self.softness > 0.0 {
            (wish / self.softness).clamp(-self.most, self.most)
        } else {
            self.most.copysign(wish)
        }
    }

    /// The treatment that an impulse and a rate ask for, if it is another one.
    pub(crate) fn contradicted(&self, impulse: Real, rate: Real, slack: Real) -> Option<Mode> {
        let free = if self.driven { Mode::Motor } else { Mode::Off };
        // At its limit the impulse is that of the motor and one away from the limit.
        match self.mode {
            Mode::Low => return (impulse < self.driven_at(self.low).min(self.most)).then_some(free),
            Mode::High => return (impulse > self.driven_at(self.high).max(-self.most)).then_some(free),
            Mode::Locked => return None,
            _ => {}
        }
        if rate < self.low - slack {
            return Some(Mode::Low);
        }
        if rate > self.high + slack {
            return Some(Mode::High);
        }
        let beyond = rate + self.softness * impulse - self.aim;
        match self.mode {
            Mode::Motor if impulse > self.most => Some(Mode::Up),
            Mode::Motor if impulse < -self.most => Some(Mode::Down),
            Mode::Up if beyond > slack => Some(Mode::Motor),
            Mode::Down if beyond < -slack => Some(Mode::Motor),
            _ => None,
        }
    }
}

/// A joint while an island is solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointWork {
    /// Its number in the model.
    pub(crate) index: u32,
    /// Its bodies in the island.
    pub(crate) bodies: [u32; 2],
    /// Rows at the poses last looked at.
    pub(crate) rows: Rows,
    /// Which rows are solved for.
    pub(crate) active: [bool; ROWS],
    /// Added to the diagonal of K: compliance over h².
    pub(crate) softness: [Real; ROWS],
    /// Multipliers of this substep, force·h² (torque·h²).
    pub(crate) lambda: [Real; ROWS],
    /// Forces and torques of the substep before, N and N·m.
    pub(crate) force: [Real; ROWS],
    /// Free coordinates at the last accepted pose.
    pub(crate) before: [Real; 2],
    /// Each free coordinate.
    pub(crate) coordinate: [Coordinate; 2],
    /// `lambda` before the last solve for velocities.
    pub(crate) earlier: [Real; ROWS],
    /// Impulses of the last solve for velocities, N·s.
    pub(crate) impulse: [Real; ROWS],
    /// What a damped spring remembers of its error at the start of the substep.
    pub(crate) offset: [Real; ROWS],
    /// Whether it is broken.
    pub(crate) broken: bool,
}

impl JointWork {
    /// A joint between two bodies of an island.
    pub(crate) fn new(index: u32, bodies: [u32; 2]) -> Self {
        Self {
            index,
            bodies,
            rows: Rows::default(),
            active: [false; ROWS],
            softness: [0.0; ROWS],
            lambda: [0.0; ROWS],
            force: [0.0; ROWS],
            before: [0.0; 2],
            coordinate: [Coordinate::default(); 2],
            earlier: [0.0; ROWS],
            impulse: [0.0; ROWS],
            offset: [0.0; ROWS],
            broken: false,
        }
    }

    /// Rows at the predicted poses.
    pub(crate) fn predict_rows(&mut self, joint: &Joint, bodies: &[Body]) {
        let [a, b] = self.bodies.map(|k| &bodies[k as usize]);
        self.rows.set(joint, &(a.next_p, a.next_q), &(b.next_p, b.next_q), &self.before);
    }

    /// Rows at the present poses.
    pub(crate) fn set_rows(&mut self, joint: &Joint, bodies: &[Body]) {
        let [a, b] = self.bodies.map(|k| &bodies[k as usize]);
        self.rows.set(joint, &(a.p, a.q), &(b.p, b.q), &self.before);
    }

    /// Rate of a row for the present velocities.
    pub(crate) fn rate(&self, k: usize, bodies: &[Body]) -> Real {
        let [a, b] = self.bodies.map(|k| &bodies[k as usize]);
        self.rows.rate(k, &a.v, &a.w, &b.v, &b.w)
    }

    /// Ends a substep: remembers forces and coordinates, and breaks if they are too large.
    pub(crate) fn accept(&mut self, joint: &Joint, bodies: &[Body], h: Real) {
        if self.broken {
            return;
        }
        for k in 0..self.rows.len {
            self.force[k] = self.lambda[k] / (h * h);
        }
        let (force, _) = self.rows.total(&self.force);
        // Torque at the joint, without that of the force on its lever.
        let mut torque = Vec3::zeros();
        for k in self.rows.positions..self.rows.len {
            if self.rows.linear[k] == Vec3::zeros() {
                torque += self.rows.angular_a[k] * self.force[k];
            }
        }
        self.broken = force.norm() > joint.desc.break_force || torque.norm() > joint.desc.break_torque;
        if self.broken {
            self.force = [0.0; ROWS];
        }
        if let JointKind::Gear { .. } = joint.desc.kind {
            self.set_rows(joint, bodies);
            self.before = self.rows.angles;
        } else if !joint.desc.controls.is_empty() {
            self.set_rows(joint, bodies);
            for k in 0..joint.desc.controls.len() {
                self.before[k] = self.rows.error[joint.held + k];
            }
        }
    }
}

/// What the solver of an island works on: bodies, joints and contacts that depend on each other.
#[derive(Debug)]
pub struct Island<'a> {
    /// Dynamic bodies first, then copies of the static ones they touch; joints to the world use one at the origin.
    pub(crate) bodies: &'a mut [Body],
    /// Joints, system by system, each in the order of elimination.
    pub(crate) joints: &'a mut [JointWork],
    /// Number of each system and where its joints begin.
    pub(crate) systems: &'a [(u32, u32)],
    /// All systems of the model.
    pub(crate) all_systems: &'a [System],
    /// The model.
    pub(crate) model: &'a RigidModel,
    /// Contacts, sorted by key.
    pub(crate) contacts: &'a mut [Manifold],
    /// Scratch for factors.
    pub(crate) factor: &'a mut Factor,
    /// Contacts as sweeps have them.
    pub(crate) groups: &'a mut Groups,
    /// Parameters.
    pub(crate) params: &'a RigidParams,
    /// Time step of the whole frame, s.
    pub(crate) dt: Real,
    /// Substeps with joints that were not of second order.
    pub(crate) fallbacks: usize,
}

impl Island<'_> {
    /// Whether there are joints.
    pub(crate) fn has_joints(&self) -> bool {
        !self.joints.is_empty()
    }

    /// Whether some joint gives way.
    pub(crate) fn is_soft(&self) -> bool {
        self.joints.iter().any(|joint| {
            let desc = &self.model.joints()[joint.index as usize].desc;
            desc.compliance > 0.0 || desc.angular_compliance > 0.0
        })
    }

    /// Whether forces are too large for an explicit substep: beyond h √(4T/(m L)) = 2 a chain of links of mass m and length L under tension T
    /// vibrates ever more across its length. The blow of a limit is no tension that lasts.
    pub(crate) fn is_tense(&self, h: Real, force: impl Fn(&JointWork) -> [Real; ROWS]) -> bool {
        let mut tense = false;
        for joint in self.joints.iter().filter(|joint| !joint.broken) {
            let desc = &self.model.joints()[joint.index as usize];
            let force = force(joint);
            if (desc.held..desc.rows()).any(|row| force[row] != 0.0) {
                return false;
            }
            let tension = joint.rows.total(&force).0.norm();
            for side in 0..2 {
                let body = &self.bodies[joint.bodies[side] as usize];
                let length = 2.0 * desc.frames[side].translation.vector.norm();
                tense |= body.is_dynamic() && h * h * 4.0 * tension * body.inv_mass > 4.0 * length;
            }
        }
        tense
    }

    /// Whether impulses have to be repeated contact by contact: with joints their sum is not known from the velocities.
    fn again(&self) -> Real {
        if self.has_joints() { 1.0 } else { 0.0 }
    }

    /// Takes up the contacts, for substeps of h.
    pub(crate) fn open_contacts(&mut self, h: Real) {
        let again = self.again();
        self.bodies.iter_mut().for_each(|body| body.open(again));
        self.groups.open(self.contacts, self.bodies, self.params, h);
    }

    /// Bounces, and notes the forces of contacts.
    pub(crate) fn close_contacts(&mut self, h: Real) {
        self.groups.restitution(self.bodies, self.params);
        self.groups.close(self.contacts, h);
    }

    /// The sweep over contacts after the motion.
    pub(crate) fn relax_contacts(&mut self, h: Real) {
        self.groups.carry(h);
        self.groups.relax(self.bodies, self.params, h);
    }

    /// Adds forces to all velocities, and without joints what contacts did in the substep before.
    pub(crate) fn kick(&mut self, h: Real) {
        if !self.has_joints() {
            return self.groups.level.run(Kick { bodies: self.bodies, h });
        }
        self.bodies.iter_mut().for_each(|body| body.kick(h));
        for joint in self.joints.iter().filter(|joint| !joint.broken) {
            joint.bodies.iter().for_each(|&b| self.bodies[b as usize].held = true);
        }
    }

    /// Impulses of the substep before, contact by contact where they have to be.
    pub(crate) fn warm_contacts(&mut self) {
        if self.bodies.iter().any(|body| body.again > 0.0 && body.is_dynamic()) {
            self.groups.warm_start(self.bodies);
        }
        let again = self.again();
        self.bodies.iter_mut().for_each(|body| body.again = again);
    }

    /// Moves all bodies.
    pub(crate) fn drift(&mut self, h: Real) {
        if !self.has_joints() {
            return self.groups.level.run(Drift { bodies: self.bodies, h });
        }
        self.bodies.iter_mut().for_each(|body| body.drift(h));
    }

    /// Ends a substep for the joints.
    pub(crate) fn accept_joints(&mut self, h: Real) {
        for joint in self.joints.iter_mut() {
            joint.accept(&self.model.joints()[joint.index as usize], self.bodies, h);
        }
    }
}
