//! Anderson acceleration of the local/global fixed point.
//!
//! With G(x) = x + d(x) one local and global step and F = G(x) − x = d, mix the last m differences:
//!
//! θ = argmin ‖F_k − Σ_j θ_j ΔF_j‖²,  x_{k+1} = G_k − Σ_j θ_j ΔG_j + (β − 1) (F_k − Σ_j θ_j ΔF_j).
//!
//! Peng, Deng, Zhang, Geng, Qin, Liu 2018, "Anderson Acceleration for Geometry Optimization and Physics Simulation", with
//! β = 1. The safeguard there (take the plain step when the objective grew) is in the stepper.
//!
//! A is an upper bound of the Hessian, so the remaining step is too short: Anderson's mixing parameter β ≥ 1 lengthens
//! it. With b = A F = −∇objective the newest difference gives βₖ = −Δx·Δb/(ΔF·Δb), the scale at which A/β
//! matches the curvature along that difference (Nocedal, Wright 2006, equation 7.20, in the metric of A).

use crate::exec::{self, VERTEX_CHUNK};
use crate::pair_history::PairHistory;
use crate::pivoted_cholesky::{PivotedCholesky, Row, Square};
use crate::{Real, Vec3};

/// Least squared fraction of a difference that must remain after projecting out earlier ones.
const INDEPENDENT: Real = 1e-10;
/// β over the scale of the newest difference.
const BEYOND: Real = 1.2;
/// Largest β.
const MAX_MIXING: Real = 4.0;

/// The last differences of F and G.
pub(crate) struct Anderson {
    /// ΔF and ΔG.
    deltas: PairHistory,
    last_f: Vec<Vec3>,
    last_g: Vec<Vec3>,
    last_b: Vec<Vec3>,
    /// β.
    mixing: Real,
    gram: Square,
    small: PivotedCholesky,
    started: bool,
}

impl Anderson {
    pub(crate) fn new(window: usize, vertices: usize) -> Self {
        let zeros = || vec![Vec3::zeros(); vertices];
        Self {
            deltas: PairHistory::new(window, vertices),
            last_f: zeros(),
            last_g: zeros(),
            last_b: zeros(),
            mixing: 1.0,
            gram: Square::default(),
            small: PivotedCholesky::default(),
            started: false,
        }
    }

    /// Clears the history: a new step.
    pub(crate) fn reset(&mut self) {
        self.deltas.clear();
        self.started = false;
        self.mixing = 1.0;
    }

    /// The plain iterate of the last call, for the safeguard.
    pub(crate) fn plain_iterate(&self) -> &[Vec3] {
        &self.last_g
    }

    /// In: x, d and b = A d at x. Out: the mixed next iterate in `x`.
    pub(crate) fn advance(&mut self, x: &mut [Vec3], d: &[Vec3], b: &[Vec3]) {
        if self.started {
            let (delta_f, delta_g) = self.deltas.next_slot();
            for i in 0..x.len() {
                delta_f[i] = d[i] - self.last_f[i];
                delta_g[i] = (x[i] + d[i]) - self.last_g[i];
            }
            let slot = self.deltas.keep();
            for j in 0..self.deltas.len() {
                let value = dot(self.deltas.pair(slot).0, self.deltas.pair(j).0);
                self.gram[slot][j] = value;
                self.gram[j][slot] = value;
            }
            self.rescale(slot, b);
        }
        self.started = true;
        self.last_f.copy_from_slice(d);
        self.last_b.copy_from_slice(b);
        for i in 0..x.len() {
            self.last_g[i] = x[i] + d[i];
        }
        let longer = self.mixing - 1.0;
        for ((x, plain), d) in x.iter_mut().zip(&self.last_g).zip(d) {
            *x = plain + d * longer;
        }
        // The newest first: it is dropped last.
        let held = self.deltas.len();
        let (mut gram, mut c) = (Square::default(), Row::default());
        for i in 0..held {
            let slot = self.deltas.slot(i);
            for (j, entry) in gram[i][..=i].iter_mut().enumerate() {
                *entry = self.gram[slot][self.deltas.slot(j)];
            }
            c[i] = dot(self.deltas.pair(slot).0, d);
        }
        self.small.factor(held, &gram, INDEPENDENT);
        let theta = self.small.solve(&c);
        for (i, theta) in theta[..held].iter().enumerate() {
            let (delta_f, delta_g) = self.deltas.pair(self.deltas.slot(i));
            for ((x, f), g) in x.iter_mut().zip(delta_f).zip(delta_g) {
                *x -= (g + f * longer) * *theta;
            }
        }
    }

    /// β from the difference in a slot and the change of b.
    fn rescale(&mut self, slot: usize, b: &[Vec3]) {
        let (delta_f, delta_g) = self.deltas.pair(slot);
        let leaf = |range: std::ops::Range<usize>| {
            range.fold((0.0, 0.0), |(along, across), i| {
                let change = self.last_b[i] - b[i];
                (along + change.dot(&(delta_g[i] - delta_f[i])), across - change.dot(&delta_f[i]))
            })
        };
        let add = |a: (Real, Real), b: (Real, Real)| (a.0 + b.0, a.1 + b.1);
        let (along, across) = exec::reduce(0..b.len(), VERTEX_CHUNK, &leaf, &add);
        let scale = along / across;
        // An inexact solve may make it invalid.
        self.mixing = if along > 0.0 && across > 0.0 && scale.is_finite() {
            (BEYOND * scale).clamp(1.0, MAX_MIXING)
        } else {
            1.0
        };
    }
}

/// Σ a·b in a fixed order, in the current rayon pool.
pub fn dot(a: &[Vec3], b: &[Vec3]) -> Real {
    let leaf = |range: std::ops::Range<usize>| range.map(|i| a[i].dot(&b[i])).sum::<Real>();
    exec::reduce(0..a.len(), VERTEX_CHUNK, &leaf, &|a, b| a + b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Diagonal H ≤ A = I: F = b = f − H x.
    fn residual(x: &[Vec3]) -> Vec<Vec3> {
        let (h, f) = ([0.9, 0.5, 0.2], [1.0, -2.0, 0.5]);
        (0..3).map(|i| Vec3::x() * (f[i] - h[i] * x[i].x)).collect()
    }

    #[test]
    fn a_quadratic_of_three_dimensions_is_minimised_one_step_late() {
        let mut memory = Anderson::new(5, 3);
        let mut x = vec![Vec3::zeros(); 3];
        let mut left = vec![];
        for _ in 0..4 {
            let d = residual(&x);
            memory.advance(&mut x, &d, &d);
            left.push(dot(&residual(&x), &residual(&x)).sqrt());
        }
        assert!(left[2] > 1e-3, "not by luck: {left:?}");
        assert!(left[3] < 1e-9, "{left:?}");
    }

    #[test]
    fn the_mixing_fits_the_curvature_along_the_newest_difference() {
        let mut memory = Anderson::new(5, 3);
        // Along the third axis the Hessian is a fifth of A.
        for value in [0.0, 1.0] {
            let mut x = vec![Vec3::zeros(), Vec3::zeros(), Vec3::x() * value];
            let d = residual(&x);
            memory.advance(&mut x, &d, &d);
        }
        assert_eq!(memory.mixing, MAX_MIXING, "1.2 · 5 is cut off");
        let mut memory = Anderson::new(5, 3);
        for value in [0.0, 1.0] {
            let mut x = vec![Vec3::zeros(), Vec3::x() * value, Vec3::zeros()];
            let d = residual(&x);
            memory.advance(&mut x, &d, &d);
        }
        assert!((memory.mixing - BEYOND / 0.5).abs() < 1e-12, "{}", memory.mixing);
    }
}
