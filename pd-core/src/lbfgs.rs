//! L-BFGS with the constant matrix of projective dynamics as first Hessian.
//!
//! Two-loop recursion over the pairs s = x_{k+1} − x_k, y = ∇_{k+1} − ∇_k; the middle product is γ A⁻¹. With no pairs the
//! direction is that of projective dynamics.
//! Liu, Bouaziz, Kavan 2017, "Quasi-Newton Methods for Real-Time Simulation of Hyperelastic Materials".
//!
//! A is an upper bound of the Hessian, so A⁻¹ alone makes steps too short where no pair corrects them. The usual scale
//! γ = sᵀy/(yᵀA⁻¹y) of the newest pair (Nocedal, Wright 2006, equation 7.20, in the metric of A) is at least 1 and costs no
//! further solve: what is solved for is A⁻¹∇, and A⁻¹y is the difference of two of those.

use crate::acceleration::MOST_WINDOW;
use crate::anderson::dot;
use crate::ring::Ring;
use crate::{Real, Vec3};

/// The last pairs.
pub(crate) struct Lbfgs {
    /// s and y.
    pairs: Ring,
    /// A⁻¹y, by slot.
    solved: Vec<Vec<Vec3>>,
    /// The newest pair, if its A⁻¹y is not known yet.
    pending: Option<usize>,
    inverse_curvature: [Real; MOST_WINDOW],
    alpha: [Real; MOST_WINDOW],
    /// Iterate and negative gradient before the step under way.
    pub(crate) x: Vec<Vec3>,
    pub(crate) b: Vec<Vec3>,
    /// A⁻¹b.
    z: Vec<Vec3>,
}

impl Lbfgs {
    pub(crate) fn new(window: usize, vertices: usize) -> Self {
        let zeros = || vec![Vec3::zeros(); vertices];
        Self {
            pairs: Ring::new(window, vertices),
            solved: (0..window.max(1)).map(|_| zeros()).collect(),
            pending: None,
            inverse_curvature: [0.0; MOST_WINDOW],
            alpha: [0.0; MOST_WINDOW],
            x: zeros(),
            b: zeros(),
            z: zeros(),
        }
    }

    /// Forgets everything: a new step.
    pub(crate) fn reset(&mut self) {
        self.pairs.clear();
        self.pending = None;
    }

    /// In: b = −∇ and A⁻¹b. Out: the direction in place of A⁻¹b; b is used up.
    pub(crate) fn direct(&mut self, b: &mut [Vec3], direction: &mut [Vec3]) {
        if let Some(slot) = self.pending.take() {
            for ((solved, old), new) in self.solved[slot].iter_mut().zip(&self.z).zip(&*direction) {
                *solved = old - new;
            }
        }
        self.z.copy_from_slice(direction);
        let held = self.pairs.len();
        if held == 0 {
            return;
        }
        for age in 0..held {
            let slot = self.pairs.slot(age);
            let (s, y) = self.pairs.pair(slot);
            let alpha = self.inverse_curvature[slot] * dot(s, b);
            self.alpha[slot] = alpha;
            subtract(b, y, alpha);
            subtract(direction, &self.solved[slot], alpha);
        }
        let newest = self.pairs.slot(0);
        let scale =
            (self.inverse_curvature[newest] * dot(self.pairs.pair(newest).1, &self.solved[newest])).recip();
        // An inexact solve may spoil it.
        let scale = if scale.is_finite() && scale > 1.0 { scale } else { 1.0 };
        direction.iter_mut().for_each(|d| *d *= scale);
        for age in (0..held).rev() {
            let slot = self.pairs.slot(age);
            let (s, y) = self.pairs.pair(slot);
            let beta = self.inverse_curvature[slot] * dot(y, direction);
            subtract(direction, s, beta - self.alpha[slot]);
        }
    }

    /// Remembers the step from `self.x`, `self.b` to `x`, `b`, unless its curvature is not positive.
    pub(crate) fn remember(&mut self, x: &[Vec3], b: &[Vec3]) {
        let (s, y) = self.pairs.room();
        for i in 0..x.len() {
            s[i] = x[i] - self.x[i];
            y[i] = self.b[i] - b[i]; // b is minus the gradient
        }
        let curvature = dot(s, y);
        let scale = dot(y, y).sqrt() * dot(s, s).sqrt();
        if curvature > 1e-10 * scale && curvature.is_finite() {
            let slot = self.pairs.keep();
            self.inverse_curvature[slot] = 1.0 / curvature;
            self.pending = Some(slot);
        }
    }
}

/// a ← a − factor · b.
fn subtract(a: &mut [Vec3], b: &[Vec3], factor: Real) {
    for (a, b) in a.iter_mut().zip(b) {
        *a -= b * factor;
    }
}
