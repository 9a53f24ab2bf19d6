//! Impulses of the substep before, given again.
//!
//! A substep starts from the impulses of the one before. Where levers are what they were, their sum is what the velocity of a body
//! changed by, and is given at once ([`Body::repeat_impulses`]); elsewhere, and where there are joints, contact by contact.

use super::body::{Body, Line};
use super::group::{Group, Groups};
use super::lanes::{Instructions, Kernel, Lanes, cross, difference, scaled, sum, symmetric};
use super::side::{bare, side};

impl Groups {
    /// Gives the impulses of the substep before to the bodies that ask for it.
    pub(crate) fn warm_start(&self, bodies: &mut [Body]) {
        self.level.run(WarmStart { groups: &self.groups[..self.used], bodies });
    }
}

struct WarmStart<'a> {
    groups: &'a [Group],
    bodies: &'a mut [Body],
}

impl Kernel for WarmStart<'_> {
    #[inline(always)]
    fn run<I: Instructions>(self, i: I) {
        for group in self.groups {
            let mut a = side(i, self.bodies, &group.bodies[0]);
            let mut b = side(i, self.bodies, &group.bodies[1]);
            if !a.again.max(b.again).some_above(i.fill(0.0)) {
                continue;
            }
            let [da, db] = impulses(i, group, [a.inv_mass, b.inv_mass]);
            a.v = sum(a.v, scaled(da[0], a.again));
            a.w = sum(a.w, scaled(da[1], a.again));
            b.v = difference(b.v, scaled(db[0], b.again));
            b.w = difference(b.w, scaled(db[1], b.again));
            a.write(self.bodies, &group.bodies[0], group.count);
            b.write(self.bodies, &group.bodies[1], group.count);
        }
    }
}

/// Changes of velocity and angular velocity by the impulses of a group: to be added to the first body and taken from the second.
#[inline(always)]
fn impulses<I: Instructions>(i: I, group: &Group, inv_mass: [I::Lanes; 2]) -> [[[I::Lanes; 3]; 2]; 2] {
    let (n, t, u) = (i.load3(&group.normal), i.load3(&group.tangents[0]), i.load3(&group.tangents[1]));
    let zero = [i.fill(0.0); 3];
    let (mut total, mut turn) = (zero, [zero; 2]);
    for point in &group.point[..group.points] {
        let lambda = i.load3(&point.lambda);
        let across = sum(scaled(t, lambda[1]), scaled(u, lambda[2]));
        let impulse = sum(scaled(n, lambda[0]), across);
        total = sum(total, impulse);
        turn[0] = sum(turn[0], cross(i.load3(&point.arm[0]), impulse));
        turn[1] = sum(turn[1], cross(i.load3(&point.arm[1]), impulse));
    }
    let mut inertia = [[i.fill(0.0); 6]; 2];
    for k in 0..6 {
        inertia[0][k] = i.load(&group.inertia[0][k]);
        inertia[1][k] = i.load(&group.inertia[1][k]);
    }
    [
        [scaled(total, inv_mass[0]), symmetric(&inertia[0], turn[0])],
        [scaled(total, inv_mass[1]), symmetric(&inertia[1], turn[1])],
    ]
}

/// Notes the impulses of a group as if they had been given in a substep before: the next one gives their sum.
#[inline(always)]
pub(super) fn note_impulses<I: Instructions>(i: I, group: &Group, bodies: &mut [Body]) {
    let of = &group.bodies;
    let inv_mass = [side(i, bodies, &of[0]).inv_mass, side(i, bodies, &of[1]).inv_mass];
    let [da, db] = impulses(i, group, inv_mass);
    let [a, b] = [bare(i, bodies, &of[0]), bare(i, bodies, &of[1])];
    let a_after = [difference([a[0], a[1], a[2]], da[0]), difference([a[4], a[5], a[6]], da[1])];
    let b_after = [sum([b[0], b[1], b[2]], db[0]), sum([b[4], b[5], b[6]], db[1])];
    for (side, rest, [v, w]) in [(0, a, a_after), (1, b, b_after)] {
        let lines = I::Lanes::transposed([v[0], v[1], v[2], rest[3], w[0], w[1], w[2], rest[7]]);
        for lane in 0..group.count {
            lines[lane].store(&mut bodies[of[side][lane] as usize].lines_mut()[Line::BARE]);
        }
    }
}
