//! Impulses of the substep before, given again.
//!
//! A substep starts from the impulses of the one before. Where levers are what they were, their sum is what the velocity of a body
//! changed by, and is given at once ([`Body::repeat_impulses`]); elsewhere, and at the start of a step, contact by contact.

use super::body::Body;
use super::group::{Group, Groups};
use super::lanes::{Instructions, Kernel, Lanes, scaled, sum};
use super::side::side;

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
            let (n, t, u) =
                (i.load3(&group.normal), i.load3(&group.tangents[0]), i.load3(&group.tangents[1]));
            let mut inertia = [[i.fill(0.0); 6]; 2];
            for k in 0..6 {
                inertia[0][k] = i.load(&group.inertia[0][k]);
                inertia[1][k] = i.load(&group.inertia[1][k]);
            }
            for point in &group.point[..group.points] {
                let lambda = i.load3(&point.lambda);
                let across = sum(scaled(t, lambda[1]), scaled(u, lambda[2]));
                let impulse = sum(scaled(n, lambda[0]), across);
                a.push(scaled(impulse, a.again), i.load3(&point.arm[0]), &inertia[0]);
                b.pull(scaled(impulse, b.again), i.load3(&point.arm[1]), &inertia[1]);
            }
            a.write(self.bodies, &group.bodies[0], group.count);
            b.write(self.bodies, &group.bodies[1], group.count);
        }
    }
}
