//! Anderson acceleration of the local/global fixed point.
//!
//! With G(x) = x + d(x) one local and global step and F = G(x) − x = d, mix the last m differences:
//!
//! θ = argmin ‖F_k − Σ_j θ_j ΔF_j‖²,  x_{k+1} = G_k − Σ_j θ_j ΔG_j.
//!
//! Peng, Deng, Zhang, Geng, Qin, Liu 2018, "Anderson Acceleration for Geometry Optimization and Physics Simulation". The
//! safeguard there (take the plain step when the objective grew) is in the stepper.

use crate::acceleration::{MOST_WINDOW, solve_small};
use crate::exec::{self, VERTEX_CHUNK};
use crate::{Real, Vec3};

/// The last differences of F and G, in a ring.
pub(crate) struct Anderson {
    window: usize,
    /// Differences held.
    held: usize,
    /// Slot the next difference goes to.
    next: usize,
    delta_f: Vec<Vec<Vec3>>,
    delta_g: Vec<Vec<Vec3>>,
    last_f: Vec<Vec3>,
    last_g: Vec<Vec3>,
    gram: [[Real; MOST_WINDOW]; MOST_WINDOW],
    started: bool,
}

impl Anderson {
    pub(crate) fn new(window: usize, vertices: usize) -> Self {
        let zeros = || vec![Vec3::zeros(); vertices];
        Self {
            window,
            held: 0,
            next: 0,
            delta_f: (0..window).map(|_| zeros()).collect(),
            delta_g: (0..window).map(|_| zeros()).collect(),
            last_f: zeros(),
            last_g: zeros(),
            gram: [[0.0; MOST_WINDOW]; MOST_WINDOW],
            started: false,
        }
    }

    /// Forgets everything: a new step, or the safeguard has spoken.
    pub(crate) fn reset(&mut self) {
        self.held = 0;
        self.next = 0;
        self.started = false;
    }

    /// The plain iterate of the last call, for the safeguard.
    pub(crate) fn plain(&self) -> &[Vec3] {
        &self.last_g
    }

    /// In: x and d at x. Out: the mixed next iterate in `x`.
    pub(crate) fn advance(&mut self, x: &mut [Vec3], d: &[Vec3]) {
        if self.started {
            let slot = self.next;
            let (delta_f, delta_g) = (&mut self.delta_f[slot], &mut self.delta_g[slot]);
            for i in 0..x.len() {
                let g = x[i] + d[i];
                delta_f[i] = d[i] - self.last_f[i];
                delta_g[i] = g - self.last_g[i];
            }
            self.next = (slot + 1) % self.window;
            self.held = (self.held + 1).min(self.window);
            for j in 0..self.held {
                let value = dot(&self.delta_f[slot], &self.delta_f[j]);
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
        let (mut c, mut theta) = ([0.0; MOST_WINDOW], [0.0; MOST_WINDOW]);
        for j in 0..self.held {
            c[j] = dot(&self.delta_f[j], d);
        }
        if self.held == 0 || !solve_small(self.held, &self.gram, &c, &mut theta) {
            return; // the plain step
        }
        for j in 0..self.held {
            for (x, delta) in x.iter_mut().zip(&self.delta_g[j]) {
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
