//! Gaps that motion leaves in joints, closed by moving bodies; velocities turn with their bodies and keep their kinetic energy.
//!
//! Newton's method on C(x) = 0 with the least motion in the metric of the masses, J M⁻¹ Jᵀ δ = −C, no farther in one step than a third
//! of a radian and never to a larger gap. Moments count as at least those of a tenth of the mass at the farthest joint: a body that is all but
//! a point would rather spin than move. Limits that are violated come back no faster than a given speed; if that keeps joints from closing,
//! joints alone do.

use super::assemble::{Inertia, assemble};
use super::body::Body;
use super::factor::Factor;
use super::rows::ROWS;
use super::system::System;
use super::work::{Island, JointWork};
use crate::RigidModel;
use nalgebra::UnitQuaternion;
use pd_core::{Mat3, Real, Vec3};

/// Most Newton steps.
const ITERATIONS: usize = 8;
/// Gap or angle that counts as none, m or rad.
const CLOSED: Real = 1e-12;
/// Gap or angle from which it is worth a Newton step at all.
const OPEN: Real = 1e-9;
/// Part of the mass that counts as being at the farthest joint.
const ARM: Real = 0.1;
/// Share by which diagonals grow: what is held twice at these poses, or nearly so, is not to fly apart. Newton's method corrects it.
const SOFT: Real = 1e-8;
/// Largest turn of a Newton step, rad.
const TURN: Real = 0.3;

/// Closes the gaps of all systems of an island; limits come back by `back` (m or rad) at most.
pub(super) fn mend(island: &mut Island<'_>, back: Real) {
    for &(number, start) in island.systems {
        let system = &island.all_systems[number as usize];
        let joints = &mut island.joints[start as usize..start as usize + system.joints.len()];
        open(joints, island.model, island.bodies, back);
        if worst(joints, island.model) < OPEN {
            continue;
        }
        weigh(joints, island.model, island.bodies);
        if !close(system, joints, island.model, island.bodies, island.factor) {
            for joint in joints.iter_mut() {
                joint.active[island.model.joints()[joint.index as usize].held..].fill(false);
            }
            close(system, joints, island.model, island.bodies, island.factor);
        }
    }
}

/// Which rows are to be closed, and where limits are to be after this.
fn open(joints: &mut [JointWork], model: &RigidModel, bodies: &[Body], back: Real) {
    for joint in joints.iter_mut() {
        let desc = &model.joints()[joint.index as usize];
        joint.set_rows(desc, bodies);
        for k in 0..desc.held {
            joint.active[k] = !joint.broken && joint.softness[k] == 0.0;
        }
        for (k, control) in desc.desc.controls.iter().enumerate() {
            let (row, value) = (desc.held + k, joint.rows.error[desc.held + k]);
            joint.active[row] = false;
            joint.softness[row] = 0.0;
            if let Some([min, max]) = control.limit.filter(|_| !joint.broken) {
                // What the motion went beyond its limit is undone; what was beyond before comes back slowly.
                let was = joint.coordinate[k].start;
                let (low, high) = (min.min(was + back), max.max(was - back));
                joint.active[row] = value < low || value > high;
                joint.coordinate[k].value = if value < low { low } else { high };
            }
        }
    }
}

/// The inverse inertia that counts here.
fn weigh(joints: &[JointWork], model: &RigidModel, bodies: &mut [Body]) {
    for b in joints.iter().flat_map(|joint| joint.bodies) {
        bodies[b as usize].stiff_inverse = Mat3::zeros();
    }
    for joint in joints {
        let frames = &model.joints()[joint.index as usize].frames;
        for side in 0..2 {
            let body = &mut bodies[joint.bodies[side] as usize];
            let own = ARM * frames[side].translation.vector.norm_squared();
            body.stiff_inverse[0] = body.stiff_inverse[0].max(own);
        }
    }
    for b in joints.iter().flat_map(|joint| joint.bodies) {
        let body = &mut bodies[b as usize];
        // Once, where a body has several joints: its inverse is not diagonal zeros any more.
        if body.is_dynamic() && body.stiff_inverse[4] == 0.0 {
            let least = Mat3::from_diagonal_element(body.stiff_inverse[0] / body.inv_mass);
            body.stiff_inverse = (body.inertia_at(&body.q) + least).try_inverse().unwrap_or(body.inv_inertia);
        }
    }
}

/// Largest error of what is to be closed.
fn worst(joints: &[JointWork], model: &RigidModel) -> Real {
    let mut worst = 0.0f64;
    for joint in joints {
        for i in (0..joint.rows.len).filter(|&i| joint.active[i]) {
            worst = worst.max(error(joint, model, i).abs());
        }
    }
    worst
}

fn error(joint: &JointWork, model: &RigidModel, row: usize) -> Real {
    let held = model.joints()[joint.index as usize].held;
    let goal = row.checked_sub(held).map_or(0.0, |c| joint.coordinate[c].value);
    joint.rows.error[row] - goal
}

/// Returns whether it came to an end.
fn close(
    system: &System,
    joints: &mut [JointWork],
    model: &RigidModel,
    bodies: &mut [Body],
    factor: &mut Factor,
) -> bool {
    let mut gap = worst(joints, model);
    for _ in 0..ITERATIONS {
        assemble(factor, system, joints, bodies, Inertia::Stiff, SOFT);
        factor.factor(system);
        for (k, joint) in joints.iter().enumerate() {
            factor.x[k] = [0.0; ROWS];
            for i in (0..joint.rows.len).filter(|&i| joint.active[i]) {
                factor.x[k][i] = -error(joint, model, i);
            }
        }
        factor.solve(system);
        for joint in joints.iter() {
            for b in joint.bodies {
                let body = &mut bodies[b as usize];
                (body.next_p, body.next_q) = (body.p, body.q);
                (body.shift, body.free_w) = (Vec3::zeros(), Vec3::zeros());
            }
        }
        for (joint, x) in joints.iter().zip(&factor.x) {
            displace(joint, bodies, x);
        }
        let farthest = joints.iter().flat_map(|joint| joint.bodies);
        let farthest = farthest.map(|b| bodies[b as usize].free_w.norm()).fold(0.0, Real::max);
        let mut part = if farthest > TURN { TURN / farthest } else { 1.0 };
        let mut better = false;
        for _ in 0..4 {
            for joint in joints.iter() {
                joint.bodies.iter().for_each(|&b| move_by(&mut bodies[b as usize], part));
            }
            for joint in joints.iter_mut() {
                joint.set_rows(&model.joints()[joint.index as usize], bodies);
            }
            let now = worst(joints, model);
            if now < gap {
                (gap, better) = (now, true);
                break;
            }
            part *= 0.25;
        }
        if !better {
            for joint in joints.iter() {
                joint.bodies.iter().for_each(|&b| move_by(&mut bodies[b as usize], 0.0));
            }
        }
        for joint in joints.iter_mut() {
            joint.bodies.iter().for_each(|&b| bodies[b as usize].turn_inertia());
            joint.set_rows(&model.joints()[joint.index as usize], bodies);
        }
        if !better || gap < CLOSED {
            return gap < OPEN;
        }
    }
    gap < OPEN
}

/// Adds the motion that multipliers of a joint ask for.
fn displace(joint: &JointWork, bodies: &mut [Body], x: &[Real; ROWS]) {
    let [mut force, mut torque_a, mut torque_b] = [Vec3::zeros(); 3];
    for k in 0..joint.rows.len {
        force += joint.rows.linear[k] * x[k];
        torque_a += joint.rows.angular_a[k] * x[k];
        torque_b += joint.rows.angular_b[k] * x[k];
    }
    let a = &mut bodies[joint.bodies[0] as usize];
    a.shift += force * a.inv_mass;
    a.free_w += a.stiff_inverse * torque_a;
    let b = &mut bodies[joint.bodies[1] as usize];
    b.shift -= force * b.inv_mass;
    b.free_w -= b.stiff_inverse * torque_b;
}

/// Puts a body where a part of its motion leads from where it was, its angular velocity turned with it.
fn move_by(body: &mut Body, part: Real) {
    if !body.is_dynamic() {
        return;
    }
    let back = body.next_q * body.q.inverse();
    let turn = UnitQuaternion::from_scaled_axis(body.free_w * part);
    body.p = body.next_p + body.shift * part;
    body.q = UnitQuaternion::new_normalize((turn * body.next_q).into_inner());
    body.w = turn * (back * body.w);
}
