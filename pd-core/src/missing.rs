//! How much of a step's motion an iteration has left out, from the lengths of its last steps.
//!
//! An iteration that converges linearly takes steps of lengths ℓ_k ≈ c qᵏ; what remains after the last of them is
//! Σ_{j>k} ℓ_j = ℓ_k q/(1 − q). In projective dynamics many components decay side by side: q grows as the slow ones, which make up what remains,
//! emerge. If lengths fall as a power, ℓ_k ∝ k⁻ᵖ, then p = (1 − q)²/(dq/dk), and what remains is p/(p − 1) times that sum. So the sum is
//! multiplied by this factor, one where q is steady and never more than a bound of 2.5.
//!
//! Accelerated iterations take steps of irregular lengths, from which nothing of the kind follows.
//!
//! Lengths are those of ‖Δx‖_M = √(Σ m |Δx|²) over the vertices that are free to move, so that a finer part of a mesh does not count for more. The
//! motion is that from the start of the step, or that which inertia and external forces would make, whichever is longer: a body at rest
//! that gravity pulls at has something to miss.

use crate::exec::{self, VERTEX_CHUNK};
use crate::{Model, Real, Vec3};

/// Lengths that are kept.
pub(crate) const WINDOW: usize = 6;

/// What remains over the sum of the series: at most, and where too few steps tell, as measured.
const MOST_HIDDEN: Real = 2.5;
const UNKNOWN: Real = 2.0;

/// Largest contraction that is believed: slower ones say nothing about how far it is.
const SLOWEST: Real = 0.99;

/// The lengths of the last steps of an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contraction {
    /// Newest first.
    lengths: [Real; WINDOW],
    steps: usize,
}

impl Contraction {
    /// Notes the length of a step.
    pub fn note(&mut self, length: Real) {
        self.lengths.rotate_right(1);
        self.lengths[0] = length;
        self.steps += 1;
    }

    /// What remains, in the unit of the lengths; `None` before the second step.
    pub fn remaining(&self) -> Option<Real> {
        let held = self.steps.min(WINDOW);
        if held < 2 {
            return None;
        }
        let lengths = &self.lengths;
        if lengths[0] == 0.0 {
            return Some(0.0);
        }
        let back = (held - 1).min(2);
        let q = (lengths[0] / lengths[back]).powf((back as Real).recip()).min(SLOWEST);
        let hidden = if held < 5 {
            UNKNOWN
        } else {
            let growth = 0.5 * (q - (lengths[2] / lengths[4]).sqrt());
            let p = (1.0 - q) * (1.0 - q) / growth.max(Real::MIN_POSITIVE);
            // p/(p − 1), which is at the bound where p is m/(m − 1).
            if p > MOST_HIDDEN / (MOST_HIDDEN - 1.0) { p / (p - 1.0) } else { MOST_HIDDEN }
        };
        Some(hidden * lengths[0] * q / (1.0 - q))
    }
}

/// ‖a − b‖_M over the vertices that are free to move, √kg·m.
pub fn distance(model: &Model, a: &[Vec3], b: &[Vec3]) -> Real {
    squared(model, |i| a[i] - b[i]).sqrt()
}

/// ‖d‖_M over the vertices that are free to move, √kg·m.
pub fn length(model: &Model, d: &[Vec3]) -> Real {
    squared(model, |i| d[i]).sqrt()
}

fn squared(model: &Model, d: impl Fn(usize) -> Vec3 + Sync) -> Real {
    let masses = model.masses();
    let all_free = model.kinematic().is_empty();
    let leaf = |range: std::ops::Range<usize>| {
        let free = range.filter(|&i| all_free || !model.is_kinematic(i));
        free.map(|i| masses[i] * d(i).norm_squared()).sum::<Real>()
    };
    exec::reduce(0..model.vertices(), VERTEX_CHUNK, &leaf, &|a, b| a + b)
}

/// What part of the motion is missing after steps from `start` toward the inertial target `s` that ended at `x`; `None` before the
/// second step.
pub fn missing(
    model: &Model,
    contraction: &Contraction,
    (start, s, x): (&[Vec3], &[Vec3], &[Vec3]),
) -> Option<Real> {
    let motion = distance(model, x, start).max(distance(model, s, start));
    contraction.remaining().map(|remaining| if remaining > 0.0 { remaining / motion } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_remains_of_a_geometric_series() {
        for q in [0.1, 0.5, 0.9] {
            let mut contraction = Contraction::default();
            assert_eq!(contraction.remaining(), None);
            let (mut length, mut done) = (1.0, 0.0);
            for _ in 0..8 {
                contraction.note(length);
                done += length;
                length *= q;
            }
            let (found, rest) = (contraction.remaining().unwrap(), 1.0 / (1.0 - q) - done);
            assert!((found / rest - 1.0).abs() < 1e-6, "{q}: {found} {rest}");
        }
    }

    #[test]
    fn what_remains_of_a_power() {
        for (p, most) in [(2.0, 1.15), (3.0, 1.15), (1.2, 1.0)] {
            let mut contraction = Contraction::default();
            (1..=40).for_each(|k| contraction.note(Real::from(k).powf(-p)));
            let rest: Real = (41..2_000_000).map(|k| Real::from(k).powf(-p)).sum();
            let found = contraction.remaining().unwrap() / rest;
            assert!((0.4..most).contains(&found), "{p}: {found}");
        }
    }

    #[test]
    fn an_iteration_at_its_end_misses_nothing_and_one_that_does_not_contract_much() {
        let mut contraction = Contraction::default();
        [1.0, 0.0, 0.0].into_iter().for_each(|length| contraction.note(length));
        assert_eq!(contraction.remaining(), Some(0.0));
        let mut contraction = Contraction::default();
        [1.0, 1.0, 1.5].into_iter().for_each(|length| contraction.note(length));
        assert!(contraction.remaining().unwrap() > 100.0);
    }
}
