//! Joints and contacts alike by soft sweeps: every joint in turn, its rows together, with the spring of
//! [`contact`](super::contact) and a relaxing sweep. Fast for many short chains; long or unequal ones stretch.

use super::RigidSolver;
use super::body::Body;
use super::factor::{Block, invert};
use super::rows::ROWS;
use super::work::{Island, JointWork};
use crate::{Joint, Target};
use pd_core::{Real, Vec3};

/// Frequency of the springs of joints, Hz, where the substep can follow it.
const FREQUENCY: Real = 60.0;
/// Their damping ratio.
const DAMPING: Real = 5.0;

/// Joints and contacts by soft sweeps.
#[derive(Clone, Copy, Debug, Default)]
pub struct TgsSoft;

impl RigidSolver for TgsSoft {
    fn name(&self) -> &'static str {
        "tgs-soft"
    }

    fn solve(&self, island: &mut Island<'_>) {
        let substeps = island.params.substeps.max(1);
        let h = island.dt / substeps as Real;
        island.open_contacts(h);
        for _ in 0..substeps {
            island.kick(h);
            for joint in island.joints.iter_mut().filter(|joint| !joint.broken) {
                let desc = &island.model.joints()[joint.index as usize];
                super::direct::open_joint(joint, desc, island.bodies, h);
                let warm = joint.force.map(|f| f * h);
                push(joint, island.bodies, &warm, h);
            }
            island.warm_contacts();
            sweep(island, h, true);
            island.groups.push_out(island.bodies, island.params, h);
            island.drift(h);
            sweep(island, h, false);
            island.relax_contacts(h);
            island.accept_joints(h);
        }
        island.close_contacts(h);
    }
}

fn sweep(island: &mut Island<'_>, h: Real, push_out: bool) {
    for joint in island.joints.iter_mut().filter(|joint| !joint.broken) {
        let desc = &island.model.joints()[joint.index as usize];
        joint.set_rows(desc, island.bodies);
        held(joint, desc, island.bodies, h, push_out);
        for k in 0..desc.desc.controls.len() {
            coordinate(joint, desc, k, island.bodies, h, push_out);
        }
    }
}

/// What is held: one dense block.
fn held(joint: &mut JointWork, desc: &Joint, bodies: &mut [Body], h: Real, push_out: bool) {
    let d = desc.held;
    let mut block: Block = [[0.0; ROWS]; ROWS];
    let mut scale = [0.0; ROWS];
    for i in 0..d {
        for k in 0..=i {
            block[i][k] = response(joint, i, k, bodies);
            block[k][i] = block[i][k];
        }
    }
    let omega = std::f64::consts::TAU * FREQUENCY.min(0.25 / h);
    let a1 = 2.0 * DAMPING + h * omega;
    let a2 = h * omega * a1;
    let [rate, firm, loose] =
        if push_out { [omega / a1, a2 / (1.0 + a2), 1.0 / (1.0 + a2)] } else { [0.0, 1.0, 0.0] };
    let mut right = [0.0; ROWS];
    for i in 0..d {
        let soft = joint.softness[i];
        block[i][i] += soft;
        scale[i] = block[i][i];
        let speed = joint.rate(i, bodies);
        // A spring of its own replaces the spring of the method.
        right[i] = if soft > 0.0 {
            let stretch = (joint.rows.error[i] - joint.offset[i]) / h;
            -(speed + if push_out { stretch } else { 0.0 }) - soft * joint.lambda[i] / h
        } else {
            -(speed + rate * joint.rows.error[i])
        };
    }
    if !push_out && joint.softness[..d].iter().any(|&s| s > 0.0) {
        return; // a spring keeps the force it was given
    }
    let inverse = invert(&block, &scale, d);
    let mut change = [0.0; ROWS];
    for i in 0..d {
        let full: Real = (0..d).map(|k| inverse[i][k] * right[k]).sum();
        change[i] = if joint.softness[i] > 0.0 { full } else { firm * full - loose * joint.lambda[i] / h };
    }
    push(joint, bodies, &change, h);
}

/// A limit, or else a motor.
fn coordinate(joint: &mut JointWork, desc: &Joint, k: usize, bodies: &mut [Body], h: Real, push_out: bool) {
    let (row, control) = (desc.held + k, &desc.desc.controls[k]);
    let mass = 1.0 / response(joint, row, row, bodies).max(Real::MIN_POSITIVE);
    let (value, speed) = (joint.rows.error[row], joint.rate(row, bodies));
    let now = joint.lambda[row] / h;
    let most = control.motor.map_or(0.0, |motor| motor.most * h);
    let mut wanted = control.motor.map_or(0.0, |motor| match motor.target {
        Target::Velocity(aim) => now + mass * (aim - speed),
        Target::Position { value: aim, stiffness, damping } => {
            stiffness.mul_add(aim - value, -damping * speed) * h
        }
    });
    wanted = wanted.clamp(-most, most);
    if let Some([min, max]) = control.limit {
        // The speed with which the coordinate just arrives at a limit, or leaves where it is beyond.
        let needed = |way: Real, beyond: bool| match (beyond, push_out) {
            (false, _) => way / h,
            (true, true) => (0.2 * way / h).clamp(-3.0, 3.0),
            (true, false) => 0.0,
        };
        let reach = |aim: Real| now + mass * (aim - speed);
        wanted = wanted.max(reach(needed(min - value, value < min)));
        wanted = wanted.min(reach(needed(max - value, value > max)));
    }
    let mut change = [0.0; ROWS];
    change[row] = wanted - now;
    push(joint, bodies, &change, h);
}

/// Entry of J M⁻¹ Jᵀ.
fn response(joint: &JointWork, i: usize, k: usize, bodies: &[Body]) -> Real {
    let rows = &joint.rows;
    (0..2)
        .map(|side| {
            let body = &bodies[joint.bodies[side] as usize];
            let turned = body.inv_inertia * rows.torque_arm(k, side);
            rows.linear[i].dot(&rows.linear[k]) * body.inv_mass + rows.torque_arm(i, side).dot(&turned)
        })
        .sum()
}

/// Adds impulses, N·s.
fn push(joint: &mut JointWork, bodies: &mut [Body], change: &[Real; ROWS], h: Real) {
    let [mut force, mut torque_a, mut torque_b] = [Vec3::zeros(); 3];
    for k in 0..joint.rows.len {
        joint.lambda[k] += change[k] * h;
        force += joint.rows.linear[k] * change[k];
        torque_a += joint.rows.angular_a[k] * change[k];
        torque_b += joint.rows.angular_b[k] * change[k];
    }
    let a = &mut bodies[joint.bodies[0] as usize];
    a.v += force * a.inv_mass;
    a.w += a.inv_inertia * torque_a;
    let b = &mut bodies[joint.bodies[1] as usize];
    b.v -= force * b.inv_mass;
    b.w -= b.inv_inertia * torque_b;
}
