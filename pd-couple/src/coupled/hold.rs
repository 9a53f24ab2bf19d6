//! Attached vertices, brought to their bodies at the end of a step.

use super::Coupled;
use super::exchange::turn;
use crate::{Movers, Scheme, Velocities};
use pd_core::{Real, Vec3};

/// Passes that bring attached vertices to their places after everything else, at most.
const HOLDS: usize = 3;

impl Coupled {
    /// Brings attached vertices to their places once more, where displacements and the turn of the bodies left them off; then gives
    /// the bodies the angular velocity that has their angular momentum as they are turned now. Returns the largest gap, m.
    pub(super) fn hold(&mut self, h: Real) -> Real {
        let Some(rigid) = self.layout.rigid.as_ref().filter(|_| !self.attached.is_empty()) else {
            return 0.0;
        };
        let one_way = self.settings.scheme == Scheme::OneWay;
        let movers = if one_way {
            Movers { points: &self.inverse, bodies: &self.zeros, inertia: &self.no_inertia }
        } else {
            Movers { points: &self.inverse, bodies: &self.body_inverse, inertia: &self.inertia }
        };
        let mut largest = 0.0;
        for pass in 0..=HOLDS {
            self.shift.iter_mut().for_each(|shift| shift.fill(Vec3::zeros()));
            let [points, bodies, turns] = &mut self.shift;
            let mut change = Velocities { points, bodies, turns };
            largest = self.attached.aim((&self.work.x, &self.work.bodies), &change, h);
            if pass == HOLDS || largest <= self.settings.enough * h {
                break;
            }
            self.attached.visit(&movers, &mut change);
            let work = &mut self.work;
            for ((x, v), change) in work.x.iter_mut().zip(&mut work.v).zip(&self.shift[0]) {
                *v += change;
                *x += change * h;
            }
            for b in self.attached.carriers() {
                let (change, spin) = (self.shift[1][b], self.shift[2][b]);
                work.bodies.v[b] += change;
                work.bodies.p[b] += change * h;
                work.bodies.w[b] += spin;
                turn(&mut work.bodies.q[b], &(spin * h));
            }
        }
        for b in self.attached.carriers().filter(|&b| rigid.is_dynamic(b) && !one_way) {
            let moments = &rigid.inertia()[b];
            let (was, now) = (&self.before.q[b], self.work.bodies.q[b]);
            let spin = was * was.inverse_transform_vector(&self.work.bodies.w[b]).component_mul(moments);
            self.work.bodies.w[b] = now * now.inverse_transform_vector(&spin).component_div(moments);
        }
        largest
    }
}
