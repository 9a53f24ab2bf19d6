//! L-BFGS with the constant matrix of projective dynamics as first Hessian.
//!
//! Two-loop recursion over the pairs s = x_{k+1} − x_k, y = ∇_{k+1} − ∇_k; the middle product is a solve with A. With no
//! pairs the direction is that of projective dynamics.
//! Liu, Bouaziz, Kavan 2017, "Quasi-Newton Methods for Real-Time Simulation of Hyperelastic Materials".

use crate::anderson::dot;
use crate::{Real, Vec3};

/// The last pairs, newest last, in a ring.
pub(crate) struct Lbfgs {
    window: usize,
    held: usize,
    next: usize,
    s: Vec<Vec<Vec3>>,
    y: Vec<Vec<Vec3>>,
    inverse_curvature: Vec<Real>,
    alpha: Vec<Real>,
    /// Iterate and negative gradient before the step under way.
    pub(crate) x: Vec<Vec3>,
    pub(crate) b: Vec<Vec3>,
}

impl Lbfgs {
    pub(crate) fn new(window: usize, vertices: usize) -> Self {
        let zeros = || vec![Vec3::zeros(); vertices];
        Self {
            window,
            held: 0,
            next: 0,
            s: (0..window).map(|_| zeros()).collect(),
            y: (0..window).map(|_| zeros()).collect(),
            inverse_curvature: vec![0.0; window],
            alpha: vec![0.0; window],
            x: zeros(),
            b: zeros(),
        }
    }

    /// Forgets everything: a new step.
    pub(crate) fn reset(&mut self) {
        self.held = 0;
        self.next = 0;
    }

    /// Slots from the newest to the oldest.
    fn slot(&self, age: usize) -> usize {
        (self.next + self.window - 1 - age) % self.window
    }

    /// First loop: b becomes what the solve with A is applied to.
    pub(crate) fn before_solve(&mut self, b: &mut [Vec3]) {
        for age in 0..self.held {
            let slot = self.slot(age);
            let alpha = self.inverse_curvature[slot] * dot(&self.s[slot], b);
            self.alpha[slot] = alpha;
            for (b, y) in b.iter_mut().zip(&self.y[slot]) {
                *b -= y * alpha;
            }
        }
    }

    /// Second loop: the solution becomes the direction.
    pub(crate) fn after_solve(&self, direction: &mut [Vec3]) {
        for age in (0..self.held).rev() {
            let slot = self.slot(age);
            let beta = self.inverse_curvature[slot] * dot(&self.y[slot], direction);
            for (d, s) in direction.iter_mut().zip(&self.s[slot]) {
                *d += s * (self.alpha[slot] - beta);
            }
        }
    }

    /// Remembers the step from `self.x`, `self.b` to `x`, `b`, unless its curvature is not positive.
    pub(crate) fn remember(&mut self, x: &[Vec3], b: &[Vec3]) {
        let slot = self.next;
        for i in 0..x.len() {
            self.s[slot][i] = x[i] - self.x[i];
            self.y[slot][i] = self.b[i] - b[i]; // b is minus the gradient
        }
        let curvature = dot(&self.s[slot], &self.y[slot]);
        let scale = dot(&self.y[slot], &self.y[slot]).sqrt() * dot(&self.s[slot], &self.s[slot]).sqrt();
        if curvature > 1e-10 * scale && curvature.is_finite() {
            self.inverse_curvature[slot] = 1.0 / curvature;
            self.next = (slot + 1) % self.window;
            self.held = (self.held + 1).min(self.window);
        }
    }
}
