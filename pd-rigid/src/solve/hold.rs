//! Velocities that joints, limits and motors allow, in one solve.
//!
//! Moreau's step: the velocities nearest to the present ones in the metric of the masses (at the present poses, with bare inertia) for
//! which
//!
//!   J v = 0 for what joints hold rigidly,   −(q − q₋)⁺/h ≤ q̇ ≤ (q₊ − q)⁺/h for every limit q₋ ≤ q ≤ q₊.
//!
//! The set is convex and contains rest, so kinetic energy never grows, whatever masses, moments and steps are. A limit
//! is met from inside at the end of the substep and beyond it nothing moves farther out; the way back is [`mend`](super::mend)'s,
//! which leaves velocities alone. Motors are rows with a largest impulse; one with a spring and a damper is implicit.
//!
//! The conditions of complementarity are met by block principal pivoting (Júdice & Pires 1994): all rows that contradict their
//! state change it at once, and if that does not lessen their number for a while, one at a time.

use super::assemble::{Inertia, assemble};
use super::body::Body;
use super::direct::give;
use super::factor::Factor;
use super::rows::ROWS;
use super::system::System;
use super::work::{Coordinate, Island, JointWork, Mode};
use crate::{Axis, AxisControl, Joint, JointKind, RigidModel, Target};
use pd_core::Real;

/// Rounds in which all rows may change their state without becoming fewer, before one at a time does.
const PATIENCE: usize = 4;
/// Most rounds. What contradicts its state then is held where it is, which cannot add energy either.
const ROUNDS: usize = 40;
/// How far beyond its bound a rate counts as there, as a share of the fastest, and m/s or rad/s.
const SLACK: [Real; 2] = [1e-9, 1e-12];

/// Shares by which diagonals grow where the solve as it is would add energy.
const SOFT: [Real; 2] = [1e-9, 1e-5];
/// Share of the kinetic energy that counts as rounding.
const ROUNDING: Real = 1e-9;

/// Which end of a substep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// Before the motion: motors push, and limits are approached.
    Before,
    /// After it: nothing moves on where a limit was reached.
    After,
}

/// Takes the velocities of all systems of an island to what their joints allow.
pub(super) fn hold(island: &mut Island<'_>, h: Real, when: When) {
    for joint in island.joints.iter_mut() {
        let desc = &island.model.joints()[joint.index as usize];
        joint.set_rows(desc, island.bodies);
        joint.impulse = [0.0; ROWS];
        joint.earlier = joint.lambda;
        for k in 0..desc.held {
            joint.active[k] = !joint.broken && joint.softness[k] == 0.0;
        }
        for (k, control) in desc.desc.controls.iter().enumerate() {
            let before = joint.coordinate[k].mode;
            joint.coordinate[k] = coordinate(joint, desc, k, control, island.bodies, h);
            match when {
                When::After => after(&mut joint.coordinate[k], before),
                When::Before => {}
            }
            if joint.broken {
                joint.coordinate[k] = Coordinate::default();
            }
        }
    }
    island.bodies.iter_mut().for_each(|body| (body.bare_v, body.bare_w) = (body.v, body.w));
    let before: Real = island.bodies.iter().map(Body::kinetic).sum();
    for soften in [0.0, SOFT[0], SOFT[1]] {
        for &(number, start) in island.systems {
            let system = &island.all_systems[number as usize];
            let joints = &mut island.joints[start as usize..start as usize + system.joints.len()];
            settle(system, joints, island.model, island.bodies, island.factor, h, soften);
        }
        // Rows that are nearly the same may leave nothing but rounding.
        let after: Real = island.bodies.iter().map(Body::kinetic).sum();
        if after - before <= ROUNDING * before + driven(island.joints, island.model, island.bodies) {
            break;
        }
        island.bodies.iter_mut().for_each(|body| (body.v, body.w) = (body.bare_v, body.bare_w));
        for joint in island.joints.iter_mut() {
            joint.impulse = [0.0; ROWS];
            joint.lambda = joint.earlier;
        }
    }
}

/// Work of the motors in the solve just done, J: p (q̇₋ + q̇₊)/2 for every impulse.
pub(super) fn driven(joints: &[JointWork], model: &RigidModel, bodies: &[Body]) -> Real {
    let mut work = 0.0;
    for joint in joints.iter().filter(|joint| !joint.broken) {
        let desc = &model.joints()[joint.index as usize];
        for k in (0..desc.desc.controls.len()).filter(|&k| joint.coordinate[k].driven) {
            let row = desc.held + k;
            let now = joint.rate(row, bodies);
            work += (joint.impulse[row] * 0.5 * (joint.coordinate[k].rate + now)).max(0.0);
        }
    }
    work
}

/// What limit and motor ask of a coordinate in a substep.
fn coordinate(
    joint: &JointWork,
    desc: &Joint,
    k: usize,
    control: &AxisControl,
    bodies: &[Body],
    h: Real,
) -> Coordinate {
    let value = joint.rows.error[desc.held + k];
    let rate = joint.rate(desc.held + k, bodies);
    let mut c = Coordinate { value, start: value, rate, ..Coordinate::default() };
    if let Some([min, max]) = control.limit {
        // An angle between axes and a distance have no lower bound but zero, where they have a kink.
        let bounded = match (control.axis, desc.desc.kind) {
            (Axis::Swing, _) => false,
            (_, JointKind::Distance { .. }) => min > 0.0,
            _ => true,
        };
        if bounded {
            c.low = -((value - min) / h).max(0.0);
        }
        c.high = ((max - value) / h).max(0.0);
    }
    if let Some(motor) = control.motor {
        c.most = motor.most * h;
        match motor.target {
            Target::Velocity(speed) => c.aim = speed,
            Target::Position { value: aim, stiffness, damping } => {
                // p = h (k (aim − q − h q̇) − d q̇), so that q̇ + p/(h (k h + d)) = k (aim − q)/(k h + d).
                let total = stiffness * h + damping;
                if total > 0.0 {
                    (c.aim, c.softness) = (stiffness * (aim - value) / total, 1.0 / (h * total));
                } else {
                    c.most = 0.0;
                }
            }
        }
        c.driven = c.most > 0.0;
        c.mode = if c.driven { Mode::Motor } else { Mode::Off };
    }
    c
}

/// After the motion motors have pushed, and only limits that were reached hold.
fn after(c: &mut Coordinate, before: Mode) {
    let reached = |side: Mode, rate: Real| before == side || rate == 0.0;
    c.low = if c.low > Real::NEG_INFINITY && reached(Mode::Low, c.low) { 0.0 } else { Real::NEG_INFINITY };
    c.high = if c.high < Real::INFINITY && reached(Mode::High, c.high) { 0.0 } else { Real::INFINITY };
    (c.mode, c.driven, c.most, c.softness) = (Mode::Off, false, 0.0, 0.0);
}

/// Finds which rows act, and gives the impulses.
fn settle(
    system: &System,
    joints: &mut [JointWork],
    model: &RigidModel,
    bodies: &mut [Body],
    factor: &mut Factor,
    h: Real,
    soften: Real,
) {
    let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
    let controlled =
        joints.iter().any(|joint| !model.joints()[joint.index as usize].desc.controls.is_empty());
    for round in 0..=ROUNDS {
        solve(system, joints, model, bodies, factor, h, soften);
        if !controlled {
            return;
        }
        let slack = slack(joints, bodies);
        let wrong =
            joints.iter().map(|joint| change(joint, model, bodies, slack).iter().flatten().count()).sum();
        if wrong == 0 || round == ROUNDS {
            return;
        }
        if wrong < fewest {
            (fewest, patience) = (wrong, PATIENCE);
        } else {
            patience = patience.saturating_sub(1);
        }
        let last = round + 1 == ROUNDS;
        let mut left = if patience > 0 || last { usize::MAX } else { 1 };
        for joint in joints.iter_mut() {
            let changes = change(joint, model, bodies, slack);
            for (c, mode) in joint.coordinate.iter_mut().zip(changes) {
                if let Some(mode) = mode.filter(|_| left > 0) {
                    c.mode = if last && !c.driven { Mode::Locked } else { mode };
                    left -= 1;
                }
            }
        }
    }
}

/// Impulses for the states of the rows as they are.
fn solve(
    system: &System,
    joints: &mut [JointWork],
    model: &RigidModel,
    bodies: &mut [Body],
    factor: &mut Factor,
    h: Real,
    soften: Real,
) {
    for joint in joints.iter_mut() {
        let held = model.joints()[joint.index as usize].held;
        let mut fixed = [0.0; ROWS];
        for row in held..joint.rows.len {
            let c = &joint.coordinate[row - held];
            joint.active[row] = c.acts() && !joint.broken;
            joint.softness[row] = if c.mode == Mode::Motor { c.softness } else { 0.0 };
            if !joint.active[row] {
                fixed[row] = c.given() - joint.impulse[row];
            }
        }
        if fixed != [0.0; ROWS] {
            push(joint, bodies, &fixed, h);
        }
    }
    assemble(factor, system, joints, bodies, Inertia::Plain, soften);
    factor.factor(system);
    for (k, joint) in joints.iter().enumerate() {
        let held = model.joints()[joint.index as usize].held;
        factor.x[k] = [0.0; ROWS];
        for i in (0..joint.rows.len).filter(|&i| joint.active[i]) {
            let aim = i.checked_sub(held).map_or(0.0, |c| joint.coordinate[c].goal());
            factor.x[k][i] = aim - joint.rate(i, bodies) - joint.softness[i] * joint.impulse[i];
        }
    }
    factor.solve(system);
    for (k, joint) in joints.iter_mut().enumerate() {
        push(joint, bodies, &factor.x[k], h);
    }
}

fn push(joint: &mut JointWork, bodies: &mut [Body], impulse: &[Real; ROWS], h: Real) {
    for (sum, new) in joint.impulse.iter_mut().zip(impulse) {
        *sum += new;
    }
    give(joint, bodies, &impulse.map(|p| p * h), h, Inertia::Plain);
}

/// The state a coordinate should change to, where its impulse or rate contradicts the one it has.
fn change(joint: &JointWork, model: &RigidModel, bodies: &[Body], slack: Real) -> [Option<Mode>; 2] {
    let desc = &model.joints()[joint.index as usize];
    let mut changes = [None; 2];
    for k in 0..desc.desc.controls.len() {
        let row = desc.held + k;
        if !joint.broken {
            changes[k] = joint.coordinate[k].contradicted(joint.impulse[row], joint.rate(row, bodies), slack);
        }
    }
    changes
}

/// How far a rate may lie beyond its bound.
fn slack(joints: &[JointWork], bodies: &[Body]) -> Real {
    let mut fastest = 0.0f64;
    for joint in joints {
        for b in joint.bodies {
            let body = &bodies[b as usize];
            fastest = fastest.max(body.v.norm()).max(body.w.norm());
        }
    }
    SLACK[0] * fastest + SLACK[1]
}
