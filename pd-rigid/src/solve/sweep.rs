//! Sweeps over groups of contacts; formulas in [`contact`](super::contact).

use super::body::Body;
use super::group::{Group, Groups, Point};
use super::lanes::{Instructions, Kernel, Lanes, difference, dot, scaled, sum};
use super::place::{FAST_TURN, place};
use super::side::{Side, side, way};
use crate::RigidParams;
use pd_core::Real;

/// Rounds over the points of parts that meet at speed.
const MEETING_ROUNDS: usize = 8;
/// Rounds over the points, friction included, of parts that did not touch in the step before: without impulses to start from a single
/// one leaves a part of the load, and so of the friction, to the next substep, and what slips by then slips on.
const FRESH_ROUNDS: usize = 8;

impl Groups {
    /// The first sweep of a substep, forwards: overlap is pushed out.
    pub(crate) fn push_out(&mut self, bodies: &mut [Body], params: &RigidParams, h: Real) {
        self.sweep::<true>(bodies, params, h);
    }

    /// The second sweep, after the motion, backwards (the two ends of a stack are treated alike, and it does not creep to one
    /// side): without push-out, with friction.
    pub(crate) fn relax(&mut self, bodies: &mut [Body], params: &RigidParams, h: Real) {
        self.sweep::<false>(bodies, params, h);
    }

    fn sweep<const PUSH_OUT: bool>(&mut self, bodies: &mut [Body], params: &RigidParams, h: Real) {
        let fast = (FAST_TURN / h).powi(2);
        let fastest = params.push_out_speed;
        self.level.run(Sweep::<PUSH_OUT> { groups: &mut self.groups[..self.used], bodies, fastest, fast, h });
    }
}

struct Sweep<'a, const PUSH_OUT: bool> {
    groups: &'a mut [Group],
    bodies: &'a mut [Body],
    /// Fastest push-out, m/s.
    fastest: Real,
    /// Square of the angular velocity from which a body turns fast, 1/s².
    fast: Real,
    h: Real,
}

impl<const PUSH_OUT: bool> Kernel for Sweep<'_, PUSH_OUT> {
    #[inline(always)]
    fn run<I: Instructions>(self, i: I) {
        let Self { groups, bodies, fastest, fast, h } = self;
        if PUSH_OUT {
            for group in groups {
                let mut a = side(i, bodies, &group.bodies[0]);
                let mut b = side(i, bodies, &group.bodies[1]);
                normals::<I, true>(i, group, [&mut a, &mut b], fastest, h, false);
                a.write(bodies, &group.bodies[0], group.count);
                b.write(bodies, &group.bodies[1], group.count);
            }
        } else {
            for group in groups.iter_mut().rev() {
                let mut a = side(i, bodies, &group.bodies[0]);
                let mut b = side(i, bodies, &group.bodies[1]);
                follow(i, group, bodies, [&mut a, &mut b], fast);
                for round in 0..if group.some_fresh { FRESH_ROUNDS } else { 1 } {
                    normals::<I, false>(i, group, [&mut a, &mut b], fastest, h, round > 0);
                    // After the normals: the bound of friction is the force that really presses.
                    friction(i, group, [&mut a, &mut b], round > 0);
                }
                a.write(bodies, &group.bodies[0], group.count);
                b.write(bodies, &group.bodies[1], group.count);
            }
        }
    }
}

/// Gaps after the motion: to first order, or with levers and masses where a body came far.
#[inline(always)]
fn follow<I: Instructions>(
    i: I,
    group: &mut Group,
    bodies: &[Body],
    [a, b]: [&mut Side<I::Lanes>; 2],
    fast: Real,
) {
    let zero = i.fill(0.0);
    let mut wa = way(i, bodies, &group.bodies[0]);
    let mut wb = way(i, bodies, &group.bodies[1]);
    let stale = wa.fast.max(wb.fast);
    if stale.some_above(zero) {
        let spin = dot(a.w, a.w).max(dot(b.w, b.w));
        let spins = spin.if_above(i.fill(fast), stale, i.load(&group.spins));
        spins.store(&mut group.spins);
        place::<I, false>(i, group, bodies, stale, spins);
        (a.again, b.again) = (a.again.max(stale), b.again.max(stale));
        wa.forget(stale, zero);
        wb.forget(stale, zero);
    }
    let along = dot(i.load3(&group.normal), difference(wa.moved, wb.moved));
    for point in &mut group.point[..group.points] {
        let turned = [i.load3(&point.along[0]), i.load3(&point.along[1])];
        let turn = dot(turned[0], wa.turned) - dot(turned[1], wb.turned);
        (i.load(&point.gap_there) + along + turn).store(&mut point.gap);
    }
}

/// The impulses along the normals; `again` only those of parts that did not touch before.
#[inline(always)]
fn normals<I: Instructions, const PUSH_OUT: bool>(
    i: I,
    group: &mut Group,
    [a, b]: [&mut Side<I::Lanes>; 2],
    fastest: Real,
    h: Real,
    again: bool,
) {
    let n = i.load3(&group.normal);
    let drag_along = dot(n, i.load3(&group.drag));
    let [rate, firm, loose] = [i.load(&group.spring[0]), i.load(&group.spring[1]), i.load(&group.spring[2])];
    let (zero, one, per_h) = (i.fill(0.0), i.fill(1.0), i.fill(1.0 / h));
    let rounds = if group.some_meets && !again { MEETING_ROUNDS } else { 1 };
    for round in 0..rounds {
        // Only what meets at speed has more than one round.
        let active = match (again, round) {
            (true, _) => i.load(&group.fresh),
            (false, 0) => one,
            (false, _) => i.load(&group.meets),
        };
        for point in &mut group.point[..group.points] {
            let along = [i.load3(&point.along[0]), i.load3(&point.along[1])];
            let spin = dot(along[0], a.w) - dot(along[1], b.w) - drag_along;
            let speed = dot(n, difference(a.v, b.v)) + spin;
            let (gap, old) = (i.load(&point.gap), i.load(&point.lambda[0]));
            let mut mass = i.load(&point.mass) * active;
            if !PUSH_OUT && group.some_bounce {
                // What is still in the air after the motion is left to the next substep: at the end of a frame it would bounce
                // where it is, above the ground.
                let presses = gap.if_above(zero, old.if_above(zero, one, zero), one);
                mass = mass * i.load(&group.restitution).if_above(zero, presses, one);
            }
            let new = if PUSH_OUT {
                let bias = gap.if_above(zero, gap * per_h, (rate * gap).max(i.fill(-fastest)));
                let scale = gap.if_above(zero, one, firm);
                let leak = gap.if_above(zero, zero, loose) * active;
                old - mass * scale * (speed + bias) - leak * old
            } else {
                old - mass * (speed + gap.max(zero) * per_h)
            };
            let new = new.max(zero);
            if group.some_bounce {
                note_impact(i, point, [gap, speed, new], i.load(&group.fall), h, PUSH_OUT);
            }
            new.store(&mut point.lambda[0]);
            let change = new - old;
            a.v = sum(a.v, scaled(n, change * a.inv_mass));
            b.v = difference(b.v, scaled(n, change * b.inv_mass));
            a.w = sum(a.w, scaled(i.load3(&point.turned[0]), change));
            b.w = difference(b.w, scaled(i.load3(&point.turned[1]), change));
        }
    }
}

/// The impulses across the normals; `again` only those of parts that did not touch before.
#[inline(always)]
fn friction<I: Instructions>(i: I, group: &mut Group, [a, b]: [&mut Side<I::Lanes>; 2], again: bool) {
    let (t, u) = (i.load3(&group.tangents[0]), i.load3(&group.tangents[1]));
    let (drag, friction) = (i.load3(&group.drag), i.load(&group.friction));
    let mut inertia = [[i.fill(0.0); 6]; 2];
    for k in 0..6 {
        inertia[0][k] = i.load(&group.inertia[0][k]);
        inertia[1][k] = i.load(&group.inertia[1][k]);
    }
    for point in &mut group.point[..group.points] {
        let arm = [i.load3(&point.arm[0]), i.load3(&point.arm[1])];
        let v = difference(difference(a.at(arm[0]), b.at(arm[1])), drag);
        let (mass, old) = (i.load(&point.tangent_mass), i.load3(&point.lambda));
        let (mut x, mut y) = (old[1] - mass * dot(t, v), old[2] - mass * dot(u, v));
        let (square, most) = (x * x + y * y, friction * old[0]);
        // Root and quotient take long, and what rests does not slip.
        if square.some_above(most * most) {
            let part = square.if_above(most * most, most.over(square.sqrt()), i.fill(1.0));
            (x, y) = (x * part, y * part);
        }
        if again {
            let fresh = i.load(&group.fresh);
            x = fresh.if_above(i.fill(0.0), x, old[1]);
            y = fresh.if_above(i.fill(0.0), y, old[2]);
        }
        x.store(&mut point.lambda[1]);
        y.store(&mut point.lambda[2]);
        let impulse = sum(scaled(t, x - old[1]), scaled(u, y - old[2]));
        a.push(impulse, arm[0], &inertia[0]);
        b.pull(impulse, arm[1], &inertia[1]);
    }
}

/// Notes the speed at the moment of impact where a point begins to press. Before the motion velocities are those of the end of
/// the substep, after it those of the start of the next: go to when the gap closes.
#[inline(always)]
fn note_impact<I: Instructions>(
    i: I,
    point: &mut Point,
    [gap, speed, new]: [I::Lanes; 3],
    fall: I::Lanes,
    h: Real,
    push_out: bool,
) {
    let (zero, long) = (i.fill(0.0), i.fill(h));
    let most = i.load(&point.most);
    let until = zero.if_above(speed, gap.over(-speed).max(zero).min(long), long);
    let impact = speed + fall * if push_out { until - long } else { until };
    let first = new.if_above(zero, most.if_above(zero, i.load(&point.impact), impact), i.load(&point.impact));
    first.store(&mut point.impact);
    new.max(most).store(&mut point.most);
}

#[cfg(test)]
mod tests;
