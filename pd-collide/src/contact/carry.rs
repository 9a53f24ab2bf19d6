//! Vertices that are moved and not pushed carry others along.
//!
//! A half-space n·x ≥ w that moves from w₀ to w₁ while vertices go straight from x_b to x parts a pair all the way if it
//! parts it at both ends: all is linear in time. So the guard may be placed about *references* c = x_b + u instead of x_b, if
//! every pair that is apart along n at x_b is still apart along n at c. For obstacles u is their motion. Where they come near
//! others these take over their motion, and pairs of these in turn the mean of theirs: a pair with one motion keeps its
//! distance. What then still would meet limits the part of the way that all of them go in this round.

use super::list::{ContactList, ListInput};
use super::pair::Pair;
use pd_core::{Real, Vec3};

/// Part of the separation that a pair must keep, lest its motions be made one.
const KEEP: Real = 0.5;
/// Part that it must keep after all.
const KEEP_AT_LEAST: Real = 0.25;
/// Sweeps over all pairs.
const SWEEPS: usize = 8;

impl ContactList {
    /// u of the start: the motion of what is not pushed. Says whether there is any.
    pub(super) fn start_carry(&mut self, input: &ListInput<'_>) -> bool {
        let mut moving = false;
        for (i, carry) in self.carry.iter_mut().enumerate() {
            *carry =
                if input.surface.kinematic[i] { input.target[i] - input.start[i] } else { Vec3::zeros() };
            moving |= *carry != Vec3::zeros();
        }
        moving
    }

    /// Gives pairs that would come too near one motion; says whether any motion was changed.
    pub(super) fn carry_along(&mut self, input: &ListInput<'_>) -> bool {
        let kinematic = &input.surface.kinematic;
        let mut changed = false;
        for _ in 0..SWEEPS {
            let mut any = false;
            for pair in &self.candidates {
                let Some((before, after)) = separations(input, pair, &self.carry) else { continue };
                if after >= KEEP * before {
                    continue;
                }
                let leads = pair.v.iter().any(|&v| kinematic[v as usize]);
                let (mut sum, mut count) = (Vec3::zeros(), 0.0);
                for &v in pair.v.iter().filter(|&&v| kinematic[v as usize] || !leads) {
                    sum += self.carry[v as usize];
                    count += 1.0;
                }
                let mean = sum / count;
                for &v in pair.v.iter().filter(|&&v| !kinematic[v as usize]) {
                    any |= self.carry[v as usize] != mean;
                    self.carry[v as usize] = mean;
                }
            }
            changed |= any;
            if !any {
                break;
            }
        }
        changed
    }

    /// Largest part of all motions for which every pair stays apart.
    pub(super) fn limit_carry(&self, input: &ListInput<'_>) -> Real {
        let mut fraction: Real = 1.0;
        for pair in &self.candidates {
            if let Some((before, after)) = separations(input, pair, &self.carry)
                && after < KEEP_AT_LEAST * before
            {
                // The separation is a concave function of the part, so it lies above the straight line.
                fraction = fraction.min((1.0 - KEEP_AT_LEAST) * before / (before - after));
            }
        }
        fraction
    }
}

/// Separation along the present direction before and after all go their way; `None` if nothing of the pair moves.
fn separations(input: &ListInput<'_>, pair: &Pair, carry: &[Vec3]) -> Option<(Real, Real)> {
    if pair.v.iter().all(|&v| carry[v as usize] == Vec3::zeros()) {
        return None;
    }
    let closest = pair.closest(input.start);
    let d = closest.separation.norm();
    if d <= 0.0 {
        return None;
    }
    let n = closest.separation / d;
    let m = pair.kind.first();
    let corner = input.start[pair.v[0] as usize];
    let along = |k: usize| {
        let v = pair.v[k] as usize;
        n.dot(&(input.start[v] - corner + carry[v]))
    };
    let low = (0..m).map(along).fold(Real::INFINITY, Real::min);
    let high = (m..4).map(along).fold(Real::NEG_INFINITY, Real::max);
    Some((d, low - high))
}
