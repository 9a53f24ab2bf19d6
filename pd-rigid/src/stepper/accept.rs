//! The end of a step: poses, sleep and what joints and contacts remember go to the state, all or nothing.

use super::{RigidReport, RigidStepper, columns};
use crate::RigidModel;
use crate::island::Start;
use crate::solve::body::Body;
use crate::solve::rows::{ROWS, Rows};
use crate::solve::work::JointWork;
use pd_core::{Bodies, Owner, Real, StepError, StepParams, Vec3, View};
use std::sync::Arc;

impl RigidStepper {
    /// Writes everything to the state, or nothing.
    pub(super) fn accept(&mut self, params: &StepParams, state: &mut View<'_>) -> Result<(), StepError> {
        let model = Arc::clone(&self.model);
        for (body, &b) in self.islands.bodies.iter().zip(&self.islands.members) {
            // A sum of squares is finite only if every number is.
            let squares = body.p.norm_squared() + body.v.norm_squared() + body.w.norm_squared();
            if b != u32::MAX && !(squares + body.q.coords.norm_squared()).is_finite() {
                return Err(StepError::BodyNotFinite { body: b as usize });
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
        self.sleep_together(state.bodies);
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

/// Writes multipliers, coordinates and breaks of the joints that moved.
fn write_joints(
    report: &mut RigidReport,
    model: &RigidModel,
    joints: &[JointWork],
    bodies: &[Body],
    starts: &[Start],
    state: &mut View<'_>,
) {
    let count = model.joints().len();
    if count == 0 {
        return;
    }
    let lambda = state.columns.real_mut(columns::JOINT_LAMBDA, Owner::Joints, ROWS);
    lambda.resize(ROWS * count, 0.0);
    for work in joints {
        let j = work.index as usize;
        lambda[ROWS * j..ROWS * (j + 1)].copy_from_slice(&work.force);
    }
    let coordinate = state.columns.real_mut(columns::JOINT_COORDINATE, Owner::Joints, 2);
    coordinate.resize(2 * count, 0.0);
    for work in joints {
        let j = work.index as usize;
        coordinate[2 * j..2 * j + 2].copy_from_slice(&work.before);
    }
    let broken = state.columns.keys_mut(columns::JOINT_BROKEN, Owner::Joints, 1);
    broken.resize(count, 0);
    joints.iter().for_each(|work| broken[work.index as usize] = u64::from(work.broken));
    let (mut island, mut rows) = (0, Rows::default());
    for (k, work) in joints.iter().enumerate().filter(|(_, work)| !work.broken) {
        while starts[island + 1].joint <= k {
            island += 1;
        }
        let [a, b] = work.bodies.map(|b| &bodies[starts[island].body + b as usize]);
        rows.set(&model.joints()[work.index as usize], &(a.p, a.q), &(b.p, b.q), &work.before);
        report.joint_gap = report.joint_gap.max(rows.gap());
    }
    report.broken = state.columns.keys(columns::JOINT_BROKEN).iter().filter(|&&b| b != 0).count();
}
