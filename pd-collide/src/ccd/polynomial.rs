//! Polynomials in time of degree up to six and their roots in [0, 1].
//!
//! Between neighbouring roots of its derivative a polynomial is monotone, so a sign change there is one root, found by
//! bisection with Newton steps: no root is skipped and no starting value guessed. The roots of the derivative come the
//! same way, down to a linear one. Where a polynomial touches zero without changing sign, the root of the derivative is
//! the root, up to rounding; those are listed too.

use pd_core::{Real, Vec3};
use std::ops::{Add, Sub};

/// Largest degree plus one.
const LEN: usize = 7;

/// |p| at an extremum below this part of Σ|coefficient| counts as touching zero.
const TOUCH: Real = 1e-11;

/// Coefficients, the constant first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Polynomial([Real; LEN]);

impl Polynomial {
    pub(super) fn new(coefficients: &[Real]) -> Self {
        let mut out = [0.0; LEN];
        out[..coefficients.len()].copy_from_slice(coefficients);
        Polynomial(out)
    }

    /// a + (b − a) t.
    pub(super) fn linear(a: Real, b: Real) -> Self {
        Self::new(&[a, b - a])
    }

    /// The product; its degree must not exceed six.
    pub(super) fn times(&self, other: &Self) -> Self {
        let mut out = [0.0; LEN];
        for i in 0..LEN {
            for j in 0..LEN - i {
                out[i + j] += self.0[i] * other.0[j];
            }
        }
        Polynomial(out)
    }

    pub(super) fn scaled(&self, factor: Real) -> Self {
        Polynomial(self.0.map(|c| c * factor))
    }

    fn at(&self, t: Real) -> Real {
        self.0.iter().rev().fold(0.0, |sum, c| sum * t + c)
    }

    fn derivative(&self) -> Self {
        let mut out = [0.0; LEN];
        for k in 1..LEN {
            out[k - 1] = self.0[k] * k as Real;
        }
        Polynomial(out)
    }

    /// Adds the roots in [0, 1] to `times`: the lower end of a bracket of each.
    pub(super) fn roots(&self, times: &mut Times) {
        let size: Real = self.0.iter().map(|c| c.abs()).sum();
        let degree = self.0.iter().rposition(|c| *c != 0.0).unwrap_or(0);
        if degree == 0 {
            return;
        }
        let mut cuts = Times::default();
        let derivative = self.derivative();
        derivative.roots(&mut cuts);
        cuts.sort();
        let mut from = 0.0;
        for to in cuts.as_slice().iter().copied().chain([1.0]) {
            if self.at(to).abs() <= TOUCH * size {
                times.push(to);
            }
            if let Some(root) = self.bracketed(&derivative, from, to) {
                times.push(root);
            }
            from = to;
        }
        if self.at(0.0).abs() <= TOUCH * size {
            times.push(0.0);
        }
    }

    /// The root in an interval on which the polynomial is monotone.
    fn bracketed(&self, derivative: &Self, from: Real, to: Real) -> Option<Real> {
        let (mut low, mut high) = (from, to);
        let sign = self.at(low);
        if sign * self.at(high) > 0.0 || high <= low {
            return None;
        }
        let mut t = 0.5 * (low + high);
        for _ in 0..64 {
            let value = self.at(t);
            if value * sign > 0.0 {
                low = t
            } else {
                high = t
            }
            if high - low < 1e-14 {
                break;
            }
            let newton = t - value / derivative.at(t);
            // A step a little beyond the root closes the bracket from the other side.
            let beyond = newton + (newton - t).signum() * 2e-15;
            t = if beyond > low && beyond < high { beyond } else { 0.5 * (low + high) };
        }
        Some(low)
    }
}

impl Add for Polynomial {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Polynomial(std::array::from_fn(|k| self.0[k] + other.0[k]))
    }
}

impl Sub for Polynomial {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Polynomial(std::array::from_fn(|k| self.0[k] - other.0[k]))
    }
}

/// A vector whose coordinates are polynomials.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve([Polynomial; 3]);

impl Curve {
    /// a + (b − a) t.
    pub(super) fn linear(a: &Vec3, b: &Vec3) -> Self {
        Curve(std::array::from_fn(|k| Polynomial::linear(a[k], b[k])))
    }

    pub(super) fn axis(&self, k: usize) -> Polynomial {
        self.0[k]
    }

    pub(super) fn dot(&self, other: &Self) -> Polynomial {
        self.0[0].times(&other.0[0]) + self.0[1].times(&other.0[1]) + self.0[2].times(&other.0[2])
    }

    pub(super) fn cross(&self, other: &Self) -> Self {
        Curve(std::array::from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            self.0[i].times(&other.0[j]) - self.0[j].times(&other.0[i])
        }))
    }
}

/// A short list of times on the stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    times: [Real; 64],
    len: usize,
}

impl Default for Times {
    fn default() -> Self {
        Times { times: [0.0; 64], len: 0 }
    }
}

impl Times {
    /// Adds a time; the list is longer than all roots of all polynomials of a query together.
    pub(super) fn push(&mut self, t: Real) {
        if self.len < self.times.len() {
            self.times[self.len] = t;
            self.len += 1;
        }
    }

    pub(super) fn sort(&mut self) {
        self.times[..self.len].sort_unstable_by(Real::total_cmp);
    }

    pub(super) fn as_slice(&self) -> &[Real] {
        &self.times[..self.len]
    }
}
