//! A substep of joints without contacts.
//!
//! RATTLE (Andersen 1983), second order and symplectic: half a kick of forces; [`hold`]; impulses along the joint directions of
//! the *old* pose such that the joints hold at the *new* one (Newton with a constant matrix); motion; half a kick; [`hold`]
//! again. Rotations follow the Lie midpoint rule of [`Body`](super::body::Body), limits that act are held like joints.
//!
//! Where the poses are too far apart for that (Newton does not converge, or its impulses are no small correction) the motion follows the
//! velocities, and [`mend`] closes the gaps: first order, and it cannot diverge.
//!
//! Neither adds energy: [`pay`](super::energy) takes what the motion would have gained off the velocities.

use super::assemble::{Inertia, assemble};
use super::body::decay;
use super::energy::{Before, pay, undo};
use super::hold::{When, driven, hold};
use super::mend::mend;
use super::rows::{ROWS, Rows};
use super::work::{Coordinate, Island, JointWork, Mode};
use crate::AxisControl;
use nalgebra::UnitQuaternion;
use pd_core::{Real, Vec3};
use std::ops::Range;

/// Most Newton steps for the position half.
const ITERATIONS: usize = 12;
/// Largest gap that counts as closed, m or rad.
const CLOSED: Real = 1e-6;
/// How far a limit is violated where that is no rounding, m or rad.
const BEYOND: Real = 1e-6;
/// Share of the kinetic energy that the impulses of the position half may change.
const SMALL: Real = 0.2;

/// One substep; `false`, and bodies as they were, where forces are too large for it, unless it is `always` taken.
pub(super) fn substep(island: &mut Island<'_>, h: Real, always: bool) -> bool {
    let before = Before::note(island);
    note_start(island);
    for joint in island.joints.iter_mut() {
        joint.softness = [0.0; ROWS];
        joint.lambda = [0.0; ROWS];
    }
    for body in island.bodies.iter_mut().filter(|body| body.is_dynamic()) {
        body.v += body.acceleration * (0.5 * h);
        body.w += body.inv_inertia * body.torque * (0.5 * h);
    }
    hold(island, h, When::Before);
    let driven = driven(island.joints, island.model, island.bodies);
    for body in island.bodies.iter_mut() {
        body.momentum = body.spin(&body.w);
        (body.bare_v, body.bare_w) = (body.v, body.w);
    }
    let mut second = true;
    for s in 0..island.systems.len() {
        second &= connect(island, s, h);
    }
    // Half of the time has its impulses now.
    if !always && island.is_tense(h, |joint| joint.lambda.map(|x| 2.0 * x / (h * h))) {
        go_back(island);
        return false;
    }
    island.fallbacks += usize::from(!second);
    for body in island.bodies.iter_mut() {
        let w = if body.is_dynamic() { body.mean_spin(&body.momentum, h) } else { body.w };
        body.p += body.v * h;
        body.q =
            UnitQuaternion::new_normalize((UnitQuaternion::from_scaled_axis(w * h) * body.q).into_inner());
        body.turn_inertia();
        if body.is_dynamic() {
            body.w = body.inv_inertia * body.momentum;
        }
    }
    island.factor.poses.clear();
    island.factor.poses.extend(island.bodies.iter().map(|body| (body.p, body.q)));
    let outside = is_violated(island);
    mend(island, if outside { island.params.push_out_speed * h } else { 0.0 });
    for body in island.bodies.iter_mut().filter(|body| body.is_dynamic()) {
        // Half of the kick came at the start, undamped.
        let [keep, gain, _] = decay(body.damping[0] * h);
        body.v = body.v * keep + body.acceleration * (h * (gain - 0.5 * keep));
        let [keep, gain, _] = decay(body.damping[1] * h);
        body.w = body.w * keep + body.inv_inertia * body.torque * (h * (gain - 0.5 * keep));
    }
    hold(island, h, When::After);
    let (_, owed) = pay(island, &before, driven, h);
    // To take back a start beyond a limit may be work from nowhere.
    if owed > 0.0 && !outside {
        undo(island, owed);
    }
    island.accept_joints(h);
    true
}

/// Notes poses and velocities, to be able to go back.
pub(super) fn note_start(island: &mut Island<'_>) {
    island.factor.velocities.clear();
    island.factor.velocities.extend(island.bodies.iter().map(|body| (body.v, body.w)));
    island.factor.poses.clear();
    island.factor.poses.extend(island.bodies.iter().map(|body| (body.p, body.q)));
}

/// Goes back to what was noted.
pub(super) fn go_back(island: &mut Island<'_>) {
    let start = island.factor.poses.iter().zip(&island.factor.velocities);
    for (body, ((p, q), (v, w))) in island.bodies.iter_mut().zip(start) {
        (body.p, body.q, body.v, body.w) = (*p, *q, *v, *w);
        body.turn_inertia();
    }
}

/// Whether a limit was violated at the start of the substep: to take it back is work from nowhere.
fn is_violated(island: &Island<'_>) -> bool {
    island.joints.iter().filter(|joint| !joint.broken).any(|joint| {
        let controls = &island.model.joints()[joint.index as usize].desc.controls;
        let beyond = |(control, c): (&AxisControl, &Coordinate)| {
            control.limit.is_some_and(|[min, max]| c.start < min - BEYOND || c.start > max + BEYOND)
        };
        controls.iter().zip(&joint.coordinate).any(beyond)
    })
}

/// Impulses such that the joints of a system hold at the new poses; `false`, and velocities as they were, if there are none.
fn connect(island: &mut Island<'_>, s: usize, h: Real) -> bool {
    let (number, start) = island.systems[s];
    let system = &island.all_systems[number as usize];
    let range = start as usize..start as usize + system.joints.len();
    for joint in &mut island.joints[range.clone()] {
        let held = island.model.joints()[joint.index as usize].held;
        joint.impulse = [0.0; ROWS];
        for row in held..joint.rows.len {
            // A limit that was approached is where it acts; one that was violated stays as violated as it is.
            let c = &mut joint.coordinate[row - held];
            joint.active[row] = matches!(c.mode, Mode::Low | Mode::High | Mode::Locked);
            joint.softness[row] = 0.0;
            c.value += c.goal() * h;
        }
    }
    assemble(island.factor, system, &island.joints[range.clone()], island.bodies, Inertia::Plain, 0.0);
    island.factor.factor(system);
    let mut rows = Rows::default();
    let mut error = Real::INFINITY;
    for _ in 0..ITERATIONS {
        predict(island, range.clone(), h);
        let mut worst = 0.0f64;
        for (k, joint) in island.joints[range.clone()].iter().enumerate() {
            let [a, b] = joint.bodies.map(|b| &island.bodies[b as usize]);
            let desc = &island.model.joints()[joint.index as usize];
            rows.set(desc, &(a.next_p, a.next_q), &(b.next_p, b.next_q), &joint.before);
            island.factor.x[k] = [0.0; ROWS];
            for i in (0..rows.len).filter(|&i| joint.active[i]) {
                let goal = i.checked_sub(desc.held).map_or(0.0, |c| joint.coordinate[c].value);
                worst = worst.max((rows.error[i] - goal).abs());
                island.factor.x[k][i] = (goal - rows.error[i]) / h;
            }
        }
        // Newton with a constant matrix: stop where it no longer gains.
        if worst < 1e-13 || worst.is_nan() || worst > 0.9 * error {
            error = error.min(worst);
            break;
        }
        error = worst;
        island.factor.solve(system);
        for k in 0..range.len() {
            let change = island.factor.x[k];
            push(island, range.start + k, &change);
        }
    }
    let (mut now, mut was) = (0.0, 0.0);
    for joint in &island.joints[range.clone()] {
        for b in joint.bodies {
            let body = &island.bodies[b as usize];
            now += kinetic(body, &body.v, &body.momentum);
            was += kinetic(body, &body.bare_v, &body.spin(&body.bare_w));
        }
    }
    if error < CLOSED && (now - was).abs() <= SMALL * was {
        for joint in &mut island.joints[range] {
            joint.lambda.iter_mut().zip(joint.impulse).for_each(|(sum, new)| *sum += new * h);
        }
        return true;
    }
    for k in range {
        for b in island.joints[k].bodies {
            let body = &mut island.bodies[b as usize];
            (body.v, body.w) = (body.bare_v, body.bare_w);
            body.momentum = body.spin(&body.w);
        }
    }
    false
}

/// Kinetic energy for a velocity and an angular momentum, J.
fn kinetic(body: &super::body::Body, v: &Vec3, momentum: &Vec3) -> Real {
    if !body.is_dynamic() {
        return 0.0;
    }
    0.5 * (v.norm_squared() / body.inv_mass + momentum.dot(&(body.inv_inertia * momentum)))
}

/// Adds impulses (N·s) along the rows of a joint to velocities and angular momenta.
fn push(island: &mut Island<'_>, k: usize, change: &[Real; ROWS]) {
    let joint: &mut JointWork = &mut island.joints[k];
    let [mut force, mut torque_a, mut torque_b] = [Vec3::zeros(); 3];
    for i in 0..joint.rows.len {
        joint.impulse[i] += change[i];
        force += joint.rows.linear[i] * change[i];
        torque_a += joint.rows.angular_a[i] * change[i];
        torque_b += joint.rows.angular_b[i] * change[i];
    }
    for (side, torque, sign) in [(0, torque_a, 1.0), (1, torque_b, -1.0)] {
        let body = &mut island.bodies[joint.bodies[side] as usize];
        if body.is_dynamic() {
            body.v += force * (sign * body.inv_mass);
            body.momentum += torque * sign;
        }
    }
}

/// Where momenta lead the bodies of some joints in h.
fn predict(island: &mut Island<'_>, range: Range<usize>, h: Real) {
    for k in range {
        for b in island.joints[k].bodies {
            let body = &mut island.bodies[b as usize];
            let w = if body.is_dynamic() { body.mean_spin(&body.momentum, h) } else { body.w };
            body.next_p = body.p + body.v * h;
            body.next_q = UnitQuaternion::from_scaled_axis(w * h) * body.q;
        }
    }
}
