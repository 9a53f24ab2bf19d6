//! Extended position-based dynamics of rigid bodies (Müller, Macklin, Chentanez, Jeschke & Kim 2020), with the signs, units
//! and angles of the published pseudo-code set right:
//!
//! - one rule of signs: every correction is the error of the first body against the second;
//! - angular corrections turn by I⁻¹ p, not by I⁻¹ (r × p);
//! - dynamic friction is bounded as an impulse: min(h μ |f_n|, |v_t|/(w₁ + w₂));
//! - angles of limits count full turns.
//!
//! Each substep predicts, corrects poses one joint and contact after the other, and reads velocities off the poses; a last
//! pass over velocities adds sliding friction and restitution. First order and dissipative; kept for comparison.

use super::RigidSolver;
use super::body::{Body, decay};
use super::contact::Manifold;
use super::rows::Rows;
use super::work::{Island, JointWork};
use crate::{AxisControl, Joint, JointKind, Target};
use nalgebra::{Quaternion, UnitQuaternion};
use pd_core::{Real, Vec3};

/// Positions corrected one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Xpbd;

impl RigidSolver for Xpbd {
    fn name(&self) -> &'static str {
        "xpbd"
    }

    fn solve(&self, island: &mut Island<'_>) {
        let substeps = island.params.substeps.max(1);
        let h = island.dt / substeps as Real;
        for _ in 0..substeps {
            substep(island, h);
        }
    }
}

fn substep(island: &mut Island<'_>, h: Real) {
    for m in island.contacts.iter_mut() {
        note_approach(m, island.bodies);
    }
    // The poses before are kept in `next_p` and `next_q`.
    for body in island.bodies.iter_mut() {
        (body.next_p, body.next_q) = (body.p, body.q);
        if body.is_dynamic() {
            let [keep, gain, _] = decay(body.damping[0] * h);
            body.v = body.v * keep + body.acceleration * (h * gain);
            let gyration = body.w.cross(&body.spin(&body.w));
            let [keep, gain, _] = decay(body.damping[1] * h);
            body.w = body.w * keep + body.inv_inertia * (body.torque - gyration) * (h * gain);
        }
        body.p += body.v * h;
        turn(body, &(body.w * h));
        body.turn_inertia();
    }
    for joint in island.joints.iter_mut().filter(|joint| !joint.broken) {
        let desc = &island.model.joints()[joint.index as usize];
        joint.lambda = [0.0; super::rows::ROWS];
        correct_joint(joint, desc, island.bodies, h);
    }
    for m in island.contacts.iter_mut() {
        let moved = m.drag * h;
        m.points[..m.len as usize].iter_mut().for_each(|point| point.local[1] += moved);
        correct_contact(m, island.bodies, h);
    }
    for body in island.bodies.iter_mut().filter(|body| body.is_dynamic()) {
        body.v = (body.p - body.next_p) / h;
        let change = body.q * body.next_q.inverse();
        body.w = change.imag() * (2.0 / h).copysign(change.w);
        body.turn_inertia();
    }
    for m in island.contacts.iter_mut() {
        let bounce = 2.0 * h * island.bodies[0].acceleration.norm();
        finish_contact(m, island.bodies, h, bounce.max(island.params.bounce_speed));
    }
    island.accept_joints(h);
}

/// q += ½ [d, 0] q, normalised.
fn turn(body: &mut Body, d: &Vec3) {
    let q = body.q.into_inner();
    body.q = UnitQuaternion::new_normalize(q + Quaternion::from_imag(d * 0.5) * q);
}

/// w of a body for a push along n at a lever.
fn weight(body: &Body, arm: &Vec3, n: &Vec3) -> Real {
    let t = arm.cross(n);
    body.inv_mass + t.dot(&(body.inv_inertia * t))
}

/// Moves two bodies by ±p at their levers.
fn push(bodies: &mut [Body], ends: [u32; 2], arms: &[Vec3; 2], p: &Vec3) {
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        let body = &mut bodies[ends[side] as usize];
        body.p += p * (sign * body.inv_mass);
        let d = body.inv_inertia * arms[side].cross(p) * sign;
        turn(body, &d);
    }
}

/// Positions held as one correction, angles held as another, then each free coordinate.
fn correct_joint(joint: &mut JointWork, desc: &Joint, bodies: &mut [Body], h: Real) {
    if let JointKind::Gear { .. } = desc.desc.kind {
        joint.set_rows(desc, bodies);
        let softness = desc.desc.angular_compliance / (h * h);
        correct_row(joint, 0, -joint.rows.error[0], softness, Real::INFINITY, bodies);
        return;
    }
    // Angles first: positions, which show, are exact afterwards.
    joint.set_rows(desc, bodies);
    let rows = joint.rows;
    let error: Vec3 = (rows.positions..desc.held).map(|k| rows.angular_a[k] * rows.error[k]).sum();
    let size = error.norm();
    if size > 1e-14 {
        let n = error / size;
        let w: Real = joint.bodies.iter().map(|&b| n.dot(&(bodies[b as usize].inv_inertia * n))).sum();
        let lambda = -size / (w + desc.desc.angular_compliance / (h * h));
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let body = &mut bodies[joint.bodies[side] as usize];
            let d = body.inv_inertia * n * (lambda * sign);
            turn(body, &d);
        }
        for k in rows.positions..desc.held {
            joint.lambda[k] = lambda * n.dot(&rows.angular_a[k]);
        }
    }
    joint.set_rows(desc, bodies);
    let rows = joint.rows;
    let error: Vec3 = (0..rows.positions).map(|k| rows.linear[k] * rows.error[k]).sum();
    let size = error.norm();
    if size > 1e-14 {
        let n = error / size;
        let mut arms = [0, 1]
            .map(|side: usize| bodies[joint.bodies[side] as usize].q * desc.frames[side].translation.vector);
        if let JointKind::Slider | JointKind::Cylindrical = desc.desc.kind {
            // The axis turns with the first body, and the second acts on it where it is.
            let [a, b] = joint.bodies.map(|b| bodies[b as usize].p);
            arms[0] = b + arms[1] - a;
        }
        let w: Real = (0..2).map(|s| weight(&bodies[joint.bodies[s] as usize], &arms[s], &n)).sum();
        let lambda = -size / (w + desc.desc.compliance / (h * h));
        push(bodies, joint.bodies, &arms, &(n * lambda));
        for k in 0..rows.positions {
            joint.lambda[k] = lambda * n.dot(&rows.linear[k]);
        }
    }
    for (k, control) in desc.desc.controls.iter().enumerate() {
        joint.set_rows(desc, bodies);
        correct_coordinate(joint, desc.held + k, joint.before[k], control, bodies, h);
    }
}

/// A limit, or else a motor, on one free coordinate.
fn correct_coordinate(
    joint: &mut JointWork,
    row: usize,
    before: Real,
    control: &AxisControl,
    bodies: &mut [Body],
    h: Real,
) {
    let rows = joint.rows;
    let value = rows.error[row];
    let (mut aim, mut softness, mut most) = (value, 0.0, Real::INFINITY);
    if let Some(motor) = control.motor {
        most = motor.most * h * h;
        aim = match motor.target {
            Target::Velocity(speed) => before + speed * h,
            Target::Position { value, stiffness, .. } => {
                softness = 1.0 / (stiffness.max(Real::MIN_POSITIVE) * h * h);
                value
            }
        };
    }
    if let Some([min, max]) = control.limit
        && !(min..=max).contains(&value)
    {
        (aim, softness, most) = (value.clamp(min, max), 0.0, Real::INFINITY);
    }
    if aim == value {
        return;
    }
    correct_row(joint, row, aim - value, softness, most, bodies);
}

/// Changes the value of one row by `change`, as far as its softness and its largest multiplier let it.
fn correct_row(
    joint: &mut JointWork,
    row: usize,
    change: Real,
    softness: Real,
    most: Real,
    bodies: &mut [Body],
) {
    let rows = joint.rows;
    let response = |b: u32, arm: &Vec3| arm.dot(&(bodies[b as usize].inv_inertia * arm));
    let n = rows.linear[row];
    let masses: Real = joint.bodies.iter().map(|&b| bodies[b as usize].inv_mass).sum();
    let w = n.norm_squared() * masses
        + response(joint.bodies[0], &rows.angular_a[row])
        + response(joint.bodies[1], &rows.angular_b[row]);
    let lambda = (change / (w + softness)).clamp(-most, most);
    joint.lambda[row] = lambda;
    for (side, sign, arm) in [(0, 1.0, rows.angular_a[row]), (1, -1.0, rows.angular_b[row])] {
        let body = &mut bodies[joint.bodies[side] as usize];
        body.p += n * (lambda * sign * body.inv_mass);
        let d = body.inv_inertia * arm * (lambda * sign);
        turn(body, &d);
    }
}

fn arms(m: &Manifold, k: usize, bodies: &[Body]) -> [Vec3; 2] {
    let [a, b] = m.bodies.map(|b| &bodies[b as usize]);
    let [on_a, on_b] = m.places(&m.points[k], a, b);
    [on_a - a.p, on_b - b.p]
}

/// Speed along the normal before the substep, for restitution.
fn note_approach(m: &mut Manifold, bodies: &[Body]) {
    for k in 0..m.len as usize {
        let arm = arms(m, k, bodies);
        let [a, b] = m.bodies.map(|b| &bodies[b as usize]);
        m.impact[k] = m.normal.dot(&(a.velocity_at(&arm[0]) - b.velocity_at(&arm[1]) - m.drag));
        m.points[k].force = [0.0; 3];
    }
}

/// Overlap out, and static friction against the motion of the substep.
fn correct_contact(m: &mut Manifold, bodies: &mut [Body], h: Real) {
    let n = m.normal;
    for k in 0..m.len as usize {
        let arm = arms(m, k, bodies);
        let [a, b] = m.bodies.map(|b| &bodies[b as usize]);
        let offset = a.p + arm[0] - b.p - arm[1];
        let overlap = -offset.dot(&n);
        if overlap <= 0.0 {
            continue;
        }
        let lambda = overlap / (weight(a, &arm[0], &n) + weight(b, &arm[1], &n));
        m.points[k].force[0] = lambda / (h * h);
        push(bodies, m.bodies, &arm, &(n * lambda));
        let arm = arms(m, k, bodies);
        let [a, b] = m.bodies.map(|b| &bodies[b as usize]);
        let moved = |body: &Body, side: usize| {
            let before = body.next_p + body.next_q * (body.q.inverse() * arm[side]);
            body.p + arm[side] - before
        };
        let slip = moved(a, 0) - moved(b, 1) - m.drag * h;
        let slip = slip - n * slip.dot(&n);
        if let Some(t) = slip.try_normalize(1e-14) {
            let friction = slip.norm() / (weight(a, &arm[0], &t) + weight(b, &arm[1], &t));
            if friction < m.friction * lambda {
                push(bodies, m.bodies, &arm, &(t * -friction));
            }
        }
    }
}

/// Sliding friction and restitution on velocities.
fn finish_contact(m: &mut Manifold, bodies: &mut [Body], h: Real, bounce: Real) {
    let n = m.normal;
    for k in 0..m.len as usize {
        let normal = m.points[k].force[0] * (h * h);
        if normal == 0.0 {
            continue;
        }
        let arm = arms(m, k, bodies);
        let speed = |bodies: &[Body]| {
            let [a, b] = m.bodies.map(|b| &bodies[b as usize]);
            a.velocity_at(&arm[0]) - b.velocity_at(&arm[1]) - m.drag
        };
        let weights = |bodies: &[Body], d: &Vec3| -> Real {
            (0..2).map(|s| weight(&bodies[m.bodies[s] as usize], &arm[s], d)).sum()
        };
        let kick = |bodies: &mut [Body], p: Vec3| {
            bodies[m.bodies[0] as usize].push(&p, &arm[0]);
            bodies[m.bodies[1] as usize].push(&-p, &arm[1]);
        };
        let v = speed(bodies);
        let sliding = v - n * v.dot(&n);
        if let Some(t) = sliding.try_normalize(1e-12) {
            let most = m.friction * normal / h;
            let p = t * -most.min(sliding.norm() / weights(bodies, &t));
            kick(bodies, p);
        }
        let v = speed(bodies).dot(&n);
        let impact = m.impact[k];
        let e = if impact.abs() <= bounce { 0.0 } else { m.restitution };
        let wanted = (-e * impact).max(0.0);
        let p = n * ((wanted - v) / weights(bodies, &n));
        kick(bodies, p);
    }
}

/// Rows are copied often here; keep them small.
const _: () = assert!(std::mem::size_of::<Rows>() < 640);
