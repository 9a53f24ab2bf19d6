//! Anderson acceleration of the local/global fixed point.
//!
//! With G(x) = x + d(x) one local and global step and F = G(x) − x = d, mix the last m differences:
//!
//! θ = argmin ‖F_k − Σ_j θ_j ΔF_j‖²,  x_{k+1} = G_k − Σ_j θ_j ΔG_j.
//!
//! Peng, Deng, Zhang, Geng, Qin, Liu 2018, "Anderson Acceleration for Geometry Optimization and Physics Simulation". The
//! safeguard there (take the plain step when the objective grew) is in the stepper.

use crate::exec::{self, VERTEX_CHUNK};
use crate::ring::Ring;
use crate::small::{Row, Small, Square};
use crate::{Real, Vec3};

/// Part of a difference, squared, that those before it must leave.
const INDEPENDENT: Real = 1e-10;

/// The last differences of F and G.
pub(crate) struct Anderson {
    /// ΔF and ΔG.
    deltas: Ring,
    last_f: Vec<Vec3>,
    last_g: Vec<Vec3>,
    gram: Square,
    small: Small,
    started: bool,
}

impl Anderson {
    pub(crate) fn new(window: usize, vertices: usize) -> Self {
        let zeros = || vec![Vec3::zeros(); vertices];
        Self {
            deltas: Ring::new(window, vertices),
            last_f: zeros(),
            last_g: zeros(),
            gram: Square::default(),
            small: Small::default(),
            started: false,
        }
    }

    /// Forgets everything: a new step.
    pub(crate) fn reset(&mut self) {
        self.deltas.clear();
        self.started = false;
    }

    /// The plain iterate of the last call, for the safeguard.
    pub(crate) fn plain(&self) -> &[Vec3] {
        &self.last_g
    }

    /// In: x and d at x. Out: the mixed next iterate in `x`.
    pub(crate) fn advance(&mut self, x: &mut [Vec3], d: &[Vec3]) {
        if self.started {
            let (delta_f, delta_g) = self.deltas.room();
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
        }
        self.started = true;
        self.last_f.copy_from_slice(d);
        for i in 0..x.len() {
            self.last_g[i] = x[i] + d[i];
        }
        x.copy_from_slice(&self.last_g);
        let held = self.deltas.len();
        let mut c = Row::default();
        for (j, c) in c[..held].iter_mut().enumerate() {
            *c = dot(self.deltas.pair(j).0, d);
        }
        self.small.factor(held, &self.gram, INDEPENDENT);
        let theta = self.small.solve(&c);
        for j in 0..held {
            for (x, delta) in x.iter_mut().zip(self.deltas.pair(j).1) {
                *x -= delta * theta[j];
            }
        }
    }
}

/// Σ a·b in a fixed order.
pub(crate) fn dot(a: &[Vec3], b: &[Vec3]) -> Real {
    let leaf = |range: std::ops::Range<usize>| range.map(|i| a[i].dot(&b[i])).sum::<Real>();
    exec::reduce(0..a.len(), VERTEX_CHUNK, &leaf, &|a, b| a + b)
}
