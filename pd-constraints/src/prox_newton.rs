//! argmin_y U(y) + κω/2 |y − z|² of a law of few numbers, by Newton's method: the local step of ADMM for laws without a closed form.
//!
//! Hessians are positive semidefinite and κω I is added, so every step descends; halving makes it descend enough.

use nalgebra::{SMatrix, SVector};
use pd_core::Real;

/// Newton steps; four are usual.
const STEPS: usize = 30;

/// Halvings of a step that does not descend.
const HALVINGS: usize = 30;

/// Rounding of the value, as a part of it.
const ROUNDING: Real = 8.0 * Real::EPSILON;

/// The gradient is treated as zero below this fraction of κω times the size of z.
const SETTLED: Real = 1e-14;

/// A law of N numbers: value, gradient and positive semidefinite Hessian.
pub(crate) trait SmallLaw<const N: usize> {
    fn value(&self, y: &SVector<Real, N>) -> Real;
    fn gradient(&self, y: &SVector<Real, N>) -> SVector<Real, N>;
    fn hessian(&self, y: &SVector<Real, N>) -> SMatrix<Real, N, N>;
}

/// The minimiser that Newton's method finds from z; `weight` is κω.
pub(crate) fn minimise<const N: usize>(
    law: &impl SmallLaw<N>,
    weight: Real,
    z: &SVector<Real, N>,
) -> SVector<Real, N> {
    let value = |y: &SVector<Real, N>| law.value(y) + 0.5 * weight * (y - z).norm_squared();
    let slope = |y: &SVector<Real, N>| law.gradient(y) + (y - z) * weight;
    let (mut y, mut here) = (*z, value(z));
    for _ in 0..STEPS {
        let gradient = slope(&y);
        if gradient.norm() <= SETTLED * weight * z.norm() {
            break;
        }
        let matrix = law.hessian(&y) + SMatrix::identity() * weight;
        let Some(inverse) = matrix.cholesky() else { break };
        let step = -inverse.solve(&gradient);
        let descent = step.dot(&gradient);
        let mut length = 1.0;
        let taken = (0..HALVINGS).find_map(|_| {
            let next = y + step * length;
            let there = value(&next);
            // Where the decrease is below rounding, compare gradients.
            let level = there <= here + ROUNDING * here.abs() && slope(&next).norm() < gradient.norm();
            let enough = there <= here + 1e-4 * length * descent || level;
            length *= 0.5;
            enough.then_some((next, there))
        });
        match taken {
            Some(better) => (y, here) = better,
            None => break,
        }
    }
    y
}
