//! Joints solved all at once.
//!
//! Without contacts a substep is that of [`free`]: second order, limits and motors included, and it cannot add energy. Bodies that turn far in
//! a substep take several smaller ones.
//!
//! A chain too tense for an explicit step, and soft joints, take Newton's method on C(x + h v) = −α̃ λ instead:
//!
//!   (J M̂⁻¹ Jᵀ + α̃) δλ = −C − α̃ λ,   v += M̂⁻¹ Jᵀ δλ / h,
//!
//! with the derivatives J of the predicted pose (so it is implicit and damps), compliance α̃ = α/h², and the geometric
//! stiffness of the last substep's forces added to the inertia in M̂. Without that term a loaded chain that swings blows up:
//! the linearised joint does not know that a rotating link shortens. Errors remain of second order in the change of one
//! substep and do not add up, since the next substep starts from them. Where that would gain energy, the substep is one of [`free`] after
//! all.
//!
//! Bodies that have contacts as well take turns: sweeps over contacts, [`hold`] with limits and motors, Newton's method. Holding velocities with
//! the bare inertia comes first because the impulse of a contact is what all that hangs on its body asks for; the body alone,
//! where it is light, would go so far with it that Newton's method on the predicted poses finds nothing.

use super::assemble::{Inertia, assemble};
use super::body::Body;
use super::energy::{Before, pay};
use super::factor::Factor;
use super::hold::{When, driven, hold};
use super::mend::mend;
use super::rows::{ROWS, geometric_stiffness};
use super::system::System;
use super::work::{Island, JointWork};
use super::{RigidSolver, free};
use crate::{Joint, RigidModel};
use pd_core::{Mat3, Real, Vec3};

/// Share of the kinetic energy of which a good substep takes no more.
const KEPT: Real = 0.9;
/// Largest turn in a substep of bodies with joints, rad.
const FAR: Real = 0.5;
/// Most parts of a substep.
const MOST_PARTS: usize = 16;

/// Joints by block LDLᵀ, contacts by soft sweeps: the default.
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
            let jointed = island.has_joints();
            if !jointed || !island.contacts.is_empty() {
                island.fallbacks += usize::from(jointed);
                touching(island, h);
            } else {
                let parts = parts(island, h);
                (0..parts).for_each(|_| without_contacts(island, h / parts as Real));
            }
        }
        island.close_contacts(h);
    }
}

/// How many parts a substep without contacts has: as many as keep jointed bodies from turning far in one.
fn parts(island: &Island<'_>, h: Real) -> usize {
    let fastest = island.bodies.iter().map(|body| body.w.norm_squared()).fold(0.0, Real::max).sqrt();
    ((fastest * h / FAR) as usize + 1).min(MOST_PARTS)
}

/// One substep, or part of one, without contacts.
fn without_contacts(island: &mut Island<'_>, h: Real) {
    if island.is_soft() {
        island.fallbacks += 1;
        implicit(island, h);
        island.accept_joints(h);
    } else if is_tense(island, h) || !free::substep(island, h, false) {
        island.fallbacks += 1;
        free::note_start(island);
        // What it gains beyond rounding shows that the motion is too fast for it.
        if implicit(island, h) {
            island.accept_joints(h);
        } else {
            free::go_back(island);
            free::substep(island, h, true);
        }
    }
}

/// One substep with contacts: contacts and joints in turn on the velocities, then motion, then contacts without push-out.
fn touching(island: &mut Island<'_>, h: Real) {
    island.kick(h);
    begin(island, h);
    island.warm_contacts();
    // Where joints and contacts share bodies each undoes some of the other's work.
    let both = island.has_joints();
    let turns = if both { island.params.turns.max(1) } else { 1 };
    for _ in 0..turns {
        island.groups.push_out(island.bodies, island.params, h);
        if both {
            hold(island, h, When::Before);
            newton(island, h);
        }
    }
    island.drift(h);
    if both {
        mend(island, island.params.push_out_speed * h);
        island.relax_contacts(h);
        hold(island, h, When::After);
        island.accept_joints(h);
    } else {
        island.relax_contacts(h);
    }
}

/// One substep of joints that are soft, or too tense for an explicit one: Newton's method on the poses at its end. Returns whether rigid
/// joints kept the energy, all but a little that is taken off the velocities.
fn implicit(island: &mut Island<'_>, h: Real) -> bool {
    let before = Before::note(island);
    island.kick(h);
    begin(island, h);
    // Limits and motors alone: what joints hold is Newton's to find, whose inertia knows of their tension.
    let mut work = 0.0;
    if island.joints.iter().any(|joint| !island.model.joints()[joint.index as usize].desc.controls.is_empty())
    {
        hold(island, h, When::Before);
        work = driven(island.joints, island.model, island.bodies);
    }
    newton(island, h);
    island.drift(h);
    if island.is_soft() {
        return true;
    }
    let (kept, owed) = pay(island, &before, work, h);
    kept > KEPT && owed == 0.0
}

/// Whether the forces of the substep before were too large for an explicit one.
fn is_tense(island: &mut Island<'_>, h: Real) -> bool {
    for joint in island.joints.iter_mut().filter(|joint| !joint.broken) {
        joint.set_rows(&island.model.joints()[joint.index as usize], island.bodies);
    }
    island.is_tense(h, |joint| joint.force)
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
fn newton(island: &mut Island<'_>, h: Real) {
    for round in 0..island.params.joint_iterations.max(1) {
        if round > 0 {
            restiffen(island, h);
        }
        island.bodies.iter_mut().for_each(|body| body.predict(h));
        for &(number, start) in island.systems {
            let system = &island.all_systems[number as usize];
            let joints = &mut island.joints[start as usize..start as usize + system.joints.len()];
            newton_step(system, joints, island.model, island.bodies, island.factor, h);
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

/// One Newton step of a system.
fn newton_step(
    system: &System,
    joints: &mut [JointWork],
    model: &RigidModel,
    bodies: &mut [Body],
    factor: &mut Factor,
    h: Real,
) {
    for joint in joints.iter_mut() {
        let desc = &model.joints()[joint.index as usize];
        joint.predict_rows(desc, bodies);
        joint.active = [false; ROWS];
        joint.active[..desc.held].fill(!joint.broken);
    }
    assemble(factor, system, joints, bodies, Inertia::Stiff, 0.0);
    factor.factor(system);
    for (k, joint) in joints.iter().enumerate() {
        factor.x[k] = [0.0; ROWS];
        for i in (0..joint.rows.len).filter(|&i| joint.active[i]) {
            factor.x[k][i] = joint.offset[i] - joint.rows.error[i] - joint.softness[i] * joint.lambda[i];
        }
    }
    factor.solve(system);
    for (k, joint) in joints.iter_mut().enumerate() {
        give(joint, bodies, &factor.x[k], h, Inertia::Stiff);
    }
}

/// Adds multipliers: impulses δλ/h on both bodies, by this inertia.
pub(super) fn give(
    joint: &mut JointWork,
    bodies: &mut [Body],
    change: &[Real; ROWS],
    h: Real,
    inertia: Inertia,
) {
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
