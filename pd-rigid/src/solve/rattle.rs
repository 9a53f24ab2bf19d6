//! RATTLE (Andersen 1983): second order and symplectic, for joints that are to be accurate rather than damped.
//!
//! Half a kick of forces; impulses along the joint directions of the *old* pose such that the joints hold at the *new* one
//! (Newton with a constant matrix); motion; half a kick; impulses along the new directions such that the velocities hold too.
//! Rotations follow the Lie midpoint rule of [`Body`].
//!
//! It is explicit for the vibration of a tense chain across its length: stable while h √(4T/(m L)) < 2 for tension T, link mass m and length
//! L. Beyond that, with contacts, and for soft, limited or driven joints a substep is one of `direct`, and counted.

use super::assemble::{Inertia, assemble};
use super::body::decay;
use super::rows::{ROWS, Rows};
use super::work::Island;
use super::{RigidSolver, direct};
use nalgebra::UnitQuaternion;
use pd_core::{Real, Vec3};

/// Most Newton steps for the position half.
const ITERATIONS: usize = 12;

/// Joints second order in time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rattle;

impl RigidSolver for Rattle {
    fn name(&self) -> &'static str {
        "rattle"
    }

    fn solve(&self, island: &mut Island<'_>) {
        let substeps = island.params.substeps.max(1);
        let h = island.dt / substeps as Real;
        island.open_contacts(h);
        for _ in 0..substeps {
            let fits =
                island.has_joints() && island.contacts.is_empty() && is_plain(island) && is_slow(island, h);
            if !(fits && step(island, h)) {
                island.fallbacks += usize::from(island.has_joints());
                direct::substep(island, h);
            }
        }
        island.close_contacts(h);
    }
}

/// Whether all joints are rigid and without limits and motors.
fn is_plain(island: &Island<'_>) -> bool {
    island.joints.iter().all(|joint| {
        let desc = &island.model.joints()[joint.index as usize].desc;
        desc.controls.is_empty() && desc.compliance == 0.0 && desc.angular_compliance == 0.0
    })
}

/// Whether the step is short enough for the tension of every joint.
fn is_slow(island: &mut Island<'_>, h: Real) -> bool {
    for joint in island.joints.iter_mut().filter(|joint| !joint.broken) {
        let desc = &island.model.joints()[joint.index as usize];
        joint.set_rows(desc, island.bodies);
        let tension = joint.rows.total(&joint.force).0.norm();
        for side in 0..2 {
            let body = &island.bodies[joint.bodies[side] as usize];
            let length = 2.0 * desc.frames[side].translation.vector.norm();
            if body.is_dynamic() && h * h * 4.0 * tension * body.inv_mass > 4.0 * length {
                return false;
            }
        }
    }
    true
}

/// One substep; `false` (and nothing changed but scratch) if the joints could not be made to hold.
fn step(island: &mut Island<'_>, h: Real) -> bool {
    for joint in island.joints.iter_mut() {
        joint.softness = [0.0; ROWS];
        joint.lambda = [0.0; ROWS];
        joint.active = [!joint.broken; ROWS];
    }
    for body in island.bodies.iter_mut().filter(|body| body.is_dynamic()) {
        body.free_w = body.w; // kept for a return
        body.v += body.acceleration * (0.5 * h);
        body.momentum = body.spin(&body.w) + body.torque * (0.5 * h);
    }
    let mut holds = true;
    for &(number, start) in island.systems {
        let system = &island.all_systems[number as usize];
        let range = start as usize..start as usize + system.joints.len();
        assemble(island.factor, system, &island.joints[range.clone()], island.bodies, Inertia::Plain);
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
                for i in 0..rows.len {
                    if joint.active[i] {
                        worst = worst.max(rows.error[i].abs());
                        island.factor.x[k][i] = -rows.error[i] / h;
                    }
                }
            }
            // Newton with a constant matrix: stop where it no longer gains.
            if worst < 1e-13 || worst > 0.9 * error {
                error = error.min(worst);
                break;
            }
            error = worst;
            island.factor.solve(system);
            for k in 0..range.len() {
                let change = island.factor.x[k];
                push(island, range.start + k, &change, h, 1.0);
            }
        }
        holds &= error < 1e-6;
    }
    if !holds {
        go_back(island, h);
        return false;
    }
    predict_all(island, h);
    for body in island.bodies.iter_mut() {
        (body.p, body.q) = (body.next_p, UnitQuaternion::new_normalize(body.next_q.into_inner()));
        if body.is_dynamic() {
            body.turn_inertia();
            // Half of the kick came at the start, undamped.
            let [keep, gain, _] = decay(body.damping[0] * h);
            body.v = body.v * keep + body.acceleration * (h * (gain - 0.5 * keep));
            let [keep, gain, _] = decay(body.damping[1] * h);
            body.momentum = body.momentum * keep + body.torque * (h * (gain - 0.5 * keep));
            body.w = body.inv_inertia * body.momentum;
        }
    }
    project_velocities(island, h);
    island.accept_joints(h);
    true
}

/// Velocities along the joints of the new pose to zero.
fn project_velocities(island: &mut Island<'_>, h: Real) {
    for joint in island.joints.iter_mut() {
        joint.set_rows(&island.model.joints()[joint.index as usize], island.bodies);
    }
    for &(number, start) in island.systems {
        let system = &island.all_systems[number as usize];
        let range = start as usize..start as usize + system.joints.len();
        assemble(island.factor, system, &island.joints[range.clone()], island.bodies, Inertia::Plain);
        island.factor.factor(system);
        for (k, joint) in island.joints[range.clone()].iter().enumerate() {
            island.factor.x[k] = [0.0; ROWS];
            for i in (0..joint.rows.len).filter(|&i| joint.active[i]) {
                island.factor.x[k][i] = -joint.rate(i, island.bodies);
            }
        }
        island.factor.solve(system);
        for k in 0..range.len() {
            let change = island.factor.x[k];
            push(island, range.start + k, &change, h, 1.0);
        }
    }
    for body in island.bodies.iter_mut().filter(|body| body.is_dynamic()) {
        body.w = body.inv_inertia * body.momentum;
    }
}

/// Adds impulses (N·s) along the rows of a joint to velocities and angular momenta.
fn push(island: &mut Island<'_>, k: usize, change: &[Real; ROWS], h: Real, sign: Real) {
    let joint = &mut island.joints[k];
    let [mut force, mut torque_a, mut torque_b] = [Vec3::zeros(); 3];
    for i in 0..joint.rows.len {
        let impulse = change[i] * sign;
        joint.lambda[i] += impulse * h;
        force += joint.rows.linear[i] * impulse;
        torque_a += joint.rows.angular_a[i] * impulse;
        torque_b += joint.rows.angular_b[i] * impulse;
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
fn predict(island: &mut Island<'_>, range: std::ops::Range<usize>, h: Real) {
    for k in range {
        for b in island.joints[k].bodies {
            let body = &mut island.bodies[b as usize];
            let w = if body.is_dynamic() { body.mean_spin(&body.momentum, h) } else { body.w };
            body.next_p = body.p + body.v * h;
            body.next_q = UnitQuaternion::from_scaled_axis(w * h) * body.q;
        }
    }
}

fn predict_all(island: &mut Island<'_>, h: Real) {
    for body in island.bodies.iter_mut() {
        let w = if body.is_dynamic() { body.mean_spin(&body.momentum, h) } else { body.w };
        body.next_p = body.p + body.v * h;
        body.next_q = UnitQuaternion::from_scaled_axis(w * h) * body.q;
    }
}

/// Takes the impulses and the half kick back.
fn go_back(island: &mut Island<'_>, h: Real) {
    for k in 0..island.joints.len() {
        let undo = island.joints[k].lambda.map(|x| x / h);
        push(island, k, &undo, h, -1.0);
    }
    for body in island.bodies.iter_mut().filter(|body| body.is_dynamic()) {
        body.v -= body.acceleration * (0.5 * h);
        body.w = body.free_w;
    }
}
