//! Joints solved all at once, at the poses where the substep ends.
//!
//! Newton's method on C(x + h v) = −α̃ λ for the joints of a system:
//!
//!   (J M̂⁻¹ Jᵀ + α̃) δλ = −C − α̃ λ,   v += M̂⁻¹ Jᵀ δλ / h,
//!
//! with the derivatives J of the predicted pose (so it is implicit and damps), compliance α̃ = α/h², and the geometric
//! stiffness of the last substep's forces added to the inertia in M̂. Without that term a loaded chain that swings blows up:
//! the linearised joint does not know that a rotating link shortens. Errors remain of second order in the change of one
//! substep and do not add up, since the next substep starts from them.
//!
//! Limits and motors are rows with bounds, by an active set that is revised a few times.
//!
//! Bodies that have contacts as well also have J v = 0 restored after every sweep over contacts, by one linear solve with the bare
//! inertia: Newton's method then starts near its solution.

use super::assemble::{Inertia, assemble};
use super::body::Body;
use super::factor::Factor;
use super::rows::{ROWS, geometric_stiffness};
use super::system::System;
use super::work::{Island, JointWork, Mode};
use super::{RigidSolver, work};
use crate::{AxisControl, Joint, RigidModel, Target};
use pd_core::{Mat3, Real, Vec3};

/// Most revisions of which limits and motors act, beyond the iterations asked for.
const REVISIONS: usize = 4;

/// Joints by block LDLᵀ with geometric stiffness, contacts by soft sweeps: the default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Direct;

impl RigidSolver for Direct {
    fn name(&self) -> &'static str {
        "direct"
    }

    fn solve(&self, island: &mut Island<'_>) {
        let substeps = island.params.substeps.max(1);
        let h = island.dt / substeps as Real;
        island.open_contacts(h);
        for _ in 0..substeps {
            substep(island, h);
        }
        island.close_contacts(h);
    }
}

/// One substep: contacts and joints in turn on the velocities, then motion, then contacts without push-out.
pub(crate) fn substep(island: &mut Island<'_>, h: Real) {
    let both = island.has_joints() && !island.contacts.is_empty();
    island.kick(h);
    begin(island, h);
    island.warm_contacts();
    // Where joints and contacts share bodies each undoes some of the other's work.
    let turns = if both { island.params.turns.max(1) } else { 1 };
    for _ in 0..turns {
        island.groups.push_out(island.bodies, island.params, h);
        if both {
            hold_velocities(island, h);
        }
        joints(island, h);
    }
    island.drift(h);
    if both {
        island.relax_contacts(h);
        hold_velocities(island, h);
        island.accept_joints(h);
    } else {
        island.accept_joints(h);
        island.relax_contacts(h);
    }
}

/// Takes velocities along what joints hold rigidly to zero, J v = 0 at the present poses. The impulse of a contact is what all that
/// hangs on its body asks for; the body alone, where it is light, would go so far with it that Newton's method on the predicted
/// poses finds nothing. With the bare inertia this cannot add energy; with that of the stiffness it could.
fn hold_velocities(island: &mut Island<'_>, h: Real) {
    for joint in island.joints.iter_mut() {
        let desc = &island.model.joints()[joint.index as usize];
        joint.set_rows(desc, island.bodies);
        for k in 0..ROWS {
            joint.active[k] = !joint.broken && k < desc.held && joint.softness[k] == 0.0;
        }
    }
    for &(number, start) in island.systems {
        let system = &island.all_systems[number as usize];
        let joints = &mut island.joints[start as usize..start as usize + system.joints.len()];
        assemble(island.factor, system, joints, island.bodies, Inertia::Plain);
        island.factor.factor(system);
        for (k, joint) in joints.iter().enumerate() {
            let rate = |i: usize| if joint.active[i] { -joint.rate(i, island.bodies) } else { 0.0 };
            island.factor.x[k] = std::array::from_fn(rate);
        }
        island.factor.solve(system);
        for (k, joint) in joints.iter_mut().enumerate() {
            let change = island.factor.x[k].map(|impulse| impulse * h);
            give(joint, island.bodies, &change, h, Inertia::Plain);
        }
    }
}

/// Opens a substep: multipliers, softness and geometric stiffness.
fn begin(island: &mut Island<'_>, h: Real) {
    if !island.has_joints() {
        return;
    }
    for joint in island.joints.iter_mut() {
        open_joint(joint, &island.model.joints()[joint.index as usize], island.bodies, h);
    }
    stiffen(island.joints, island.model, island.bodies, h);
}

/// Resets multipliers and sets softness; a damped spring notes its error.
pub(crate) fn open_joint(joint: &mut JointWork, desc: &Joint, bodies: &[Body], h: Real) {
    joint.lambda = [0.0; ROWS];
    joint.softness = [0.0; ROWS];
    joint.offset = [0.0; ROWS];
    joint.set_rows(desc, bodies);
    let soft = &desc.desc;
    for k in 0..desc.held {
        let alpha = if k < joint.rows.positions { soft.compliance } else { soft.angular_compliance };
        if alpha > 0.0 {
            // f = −k C⁺ − c (C⁺ − C)/h = −(C⁺ − c/h α' C)/α' with 1/α' = k + c/h.
            let damp = soft.damping / h;
            let effective = 1.0 / (1.0 / alpha + damp);
            joint.softness[k] = effective / (h * h);
            joint.offset[k] = damp * effective * joint.rows.error[k];
        }
    }
    for (k, control) in desc.desc.controls.iter().enumerate() {
        joint.mode[k] = if control.motor.is_some() { Mode::Motor } else { Mode::Off };
    }
}

/// Adds the geometric stiffness of the last forces to the inertia of every body.
fn stiffen(joints: &[JointWork], model: &RigidModel, bodies: &mut [Body], h: Real) {
    bodies.iter_mut().for_each(|body| body.stiff_inverse = Mat3::zeros());
    for joint in joints.iter().filter(|joint| !joint.broken) {
        let (force, _) = joint.rows.total(&joint.force);
        let push = force * (h * h);
        let frames = &model.joints()[joint.index as usize].frames;
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let body = &mut bodies[joint.bodies[side] as usize];
            if !body.is_dynamic() {
                continue; // what holds everything else does not turn
            }
            let lever = body.q * frames[side].translation.vector;
            body.stiff_inverse += geometric_stiffness(&lever, &(push * sign));
        }
    }
    for body in bodies.iter_mut().filter(|body| body.is_dynamic()) {
        let stiffness = body.stiff_inverse;
        let stiff = (body.inertia_at(&body.q) + stiffness).try_inverse();
        body.stiff_inverse =
            if stiffness == Mat3::zeros() { body.inv_inertia } else { stiff.unwrap_or(body.inv_inertia) };
    }
}

/// Newton steps on all systems of an island.
fn joints(island: &mut Island<'_>, h: Real) {
    if island.joints.is_empty() {
        return;
    }
    let controlled =
        island.joints.iter().any(|j| !island.model.joints()[j.index as usize].desc.controls.is_empty());
    let iterations = island.params.joint_iterations.max(1);
    let rounds = iterations + if controlled { REVISIONS } else { 0 };
    let mut applied = 0;
    for round in 0..rounds {
        if round > 0 {
            restiffen(island, h);
        }
        island.bodies.iter_mut().for_each(|body| body.predict(h));
        let mut revised = false;
        for &(number, start) in island.systems {
            let system = &island.all_systems[number as usize];
            let joints = &mut island.joints[start as usize..start as usize + system.joints.len()];
            let last = round + 1 == rounds;
            revised |= newton(system, joints, island.model, island.bodies, island.factor, h, last);
        }
        applied += usize::from(!revised);
        // One more look after the last step, in case it carried something beyond a limit.
        if applied >= iterations + usize::from(controlled) {
            break;
        }
        if applied >= iterations && controlled {
            island.bodies.iter_mut().for_each(|body| body.predict(h));
            if !beyond(island) {
                break;
            }
        }
    }
}

/// As [`stiffen`], with the forces of the substep so far.
fn restiffen(island: &mut Island<'_>, h: Real) {
    for joint in island.joints.iter_mut() {
        joint.force = joint.lambda.map(|x| x / (h * h));
    }
    stiffen(island.joints, island.model, island.bodies, h);
}

/// Whether a free coordinate lies beyond a limit that does not act yet.
fn beyond(island: &mut Island<'_>) -> bool {
    let mut any = false;
    for joint in island.joints.iter_mut().filter(|joint| !joint.broken) {
        let desc = &island.model.joints()[joint.index as usize];
        joint.predict_rows(desc, island.bodies);
        for (k, control) in desc.desc.controls.iter().enumerate() {
            let value = joint.rows.error[desc.held + k];
            let free = !matches!(joint.mode[k], Mode::Low | Mode::High);
            any |= free && control.limit.is_some_and(|[min, max]| value < min || value > max);
        }
    }
    any
}

/// One Newton step of a system. Returns whether bounds were revised instead.
fn newton(
    system: &System,
    joints: &mut [JointWork],
    model: &RigidModel,
    bodies: &mut [Body],
    factor: &mut Factor,
    h: Real,
    last: bool,
) -> bool {
    for joint in joints.iter_mut() {
        let desc = &model.joints()[joint.index as usize];
        joint.predict_rows(desc, bodies);
        joint.active = [!joint.broken; ROWS];
        for (k, control) in desc.desc.controls.iter().enumerate() {
            choose(joint, desc.held + k, k, control, h);
        }
    }
    assemble(factor, system, joints, bodies, Inertia::Stiff);
    factor.factor(system);
    for (k, joint) in joints.iter().enumerate() {
        let desc = &model.joints()[joint.index as usize];
        factor.x[k] = [0.0; ROWS];
        for i in 0..joint.rows.len {
            if joint.active[i] {
                let error = match i.checked_sub(desc.held) {
                    Some(c) => wanted(joint, i, joint.mode[c], &desc.desc.controls[c], bodies, h),
                    None => joint.rows.error[i] - joint.offset[i],
                };
                factor.x[k][i] = -error - joint.softness[i] * joint.lambda[i];
            }
        }
    }
    factor.solve(system);
    let mut revised = false;
    for (k, joint) in joints.iter_mut().enumerate() {
        let desc = &model.joints()[joint.index as usize];
        for (c, control) in desc.desc.controls.iter().enumerate() {
            let row = desc.held + c;
            if joint.broken || !joint.active[row] {
                continue;
            }
            let [low, high] = bounds(joint.mode[c], control, h);
            let total = joint.lambda[row] + factor.x[k][row];
            if total < low || total > high {
                let bound = total.clamp(low, high);
                let mut change = [0.0; ROWS];
                change[row] = bound - joint.lambda[row];
                if last {
                    factor.x[k][row] = change[row];
                    continue;
                }
                apply(joint, bodies, &change, h);
                joint.mode[c] = if control.motor.is_some() { Mode::Clamped } else { Mode::Off };
                revised = true;
            }
        }
    }
    if revised {
        return true;
    }
    for (k, joint) in joints.iter_mut().enumerate() {
        apply(joint, bodies, &factor.x[k], h);
    }
    false
}

/// Which of limit and motor acts on a free coordinate.
fn choose(joint: &mut JointWork, row: usize, k: usize, control: &AxisControl, h: Real) {
    let value = joint.rows.error[row];
    if let Some([min, max]) = control.limit {
        if value < min {
            joint.mode[k] = Mode::Low;
        } else if value > max {
            joint.mode[k] = Mode::High;
        }
    }
    joint.active[row] = !joint.broken && !matches!(joint.mode[k], Mode::Off | Mode::Clamped);
    joint.softness[row] = match (joint.mode[k], control.motor.map(|m| m.target)) {
        (Mode::Motor, Some(Target::Position { stiffness, damping, .. })) => {
            1.0 / ((stiffness + damping / h).max(Real::MIN_POSITIVE) * h * h)
        }
        _ => 0.0,
    };
}

/// Error of a free coordinate against what limit or motor want of it.
fn wanted(
    joint: &JointWork,
    row: usize,
    mode: Mode,
    control: &AxisControl,
    bodies: &[Body],
    h: Real,
) -> Real {
    let value = joint.rows.error[row];
    match (mode, control.limit, control.motor.map(|motor| motor.target)) {
        (Mode::Low, Some([min, _]), _) => value - min,
        (Mode::High, Some([_, max]), _) => value - max,
        (Mode::Motor, _, Some(Target::Velocity(speed))) => (joint.rate(row, bodies) - speed) * h,
        (Mode::Motor, _, Some(Target::Position { value: aim, stiffness, damping })) => {
            // f = k (aim − c⁺) − d ċ as one spring to a point between aim and where the coordinate was.
            let was = value - joint.rate(row, bodies) * h;
            let total = (stiffness + damping / h).max(Real::MIN_POSITIVE);
            value - (stiffness * aim + damping / h * was) / total
        }
        _ => 0.0,
    }
}

/// Bounds of the multiplier of a free coordinate. A motor may press against a limit with its own force.
fn bounds(mode: Mode, control: &AxisControl, h: Real) -> [Real; 2] {
    let motor = control.motor.map_or(0.0, |motor| motor.most * h * h);
    match mode {
        Mode::Low => [-motor, Real::INFINITY],
        Mode::High => [Real::NEG_INFINITY, motor],
        _ => [-motor, motor],
    }
}

/// Adds multipliers: impulses δλ/h on both bodies.
pub(crate) fn apply(joint: &mut work::JointWork, bodies: &mut [Body], change: &[Real; ROWS], h: Real) {
    give(joint, bodies, change, h, Inertia::Stiff);
}

/// As [`apply`], with this inertia.
fn give(joint: &mut work::JointWork, bodies: &mut [Body], change: &[Real; ROWS], h: Real, inertia: Inertia) {
    let rows = &joint.rows;
    let [mut force, mut torque_a, mut torque_b] = [Vec3::zeros(); 3];
    for k in 0..rows.len {
        joint.lambda[k] += change[k];
        let impulse = change[k] / h;
        force += rows.linear[k] * impulse;
        torque_a += rows.angular_a[k] * impulse;
        torque_b += rows.angular_b[k] * impulse;
    }
    let a = &mut bodies[joint.bodies[0] as usize];
    a.v += force * a.inv_mass;
    a.w += inertia.of(a) * torque_a;
    let b = &mut bodies[joint.bodies[1] as usize];
    b.v -= force * b.inv_mass;
    b.w -= inertia.of(b) * torque_b;
}
