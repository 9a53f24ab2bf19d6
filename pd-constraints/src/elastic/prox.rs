//! argmin_σ ψ(σ) + κω/2 |σ − z|²: the local step of ADMM for a law of singular values.
//!
//! The minimiser over matrices has the singular vectors of Z, since ψ depends on singular values alone (von Neumann's trace
//! inequality); three unknowns are left. Newton with a positive definite Hessian and step halving (Overby et al. 2017, who take
//! L-BFGS).

use super::{IsotropicLaw, Lame};
use crate::psd;
use pd_core::{Mat3, Real, Vec3};

/// Newton steps; five are usual.
const STEPS: usize = 40;

/// Halvings of a step that does not descend.
const HALVINGS: usize = 40;

/// Rounding of the value, as a part of it.
const ROUNDING: Real = 8.0 * Real::EPSILON;

/// The gradient is treated as zero below this fraction of ω.
const SETTLED: Real = 1e-14;

pub(super) fn minimise<L: IsotropicLaw>(lame: Lame, kappa: Real, z: &Vec3) -> Vec3 {
    let weight = kappa * L::stiffness(lame);
    let value = |s: &Vec3| L::density(lame, s) + 0.5 * weight * (s - z).norm_squared();
    // An inverted or flat element may lie where the law is not defined; the rest state never does.
    let mut sigma = if L::density(lame, z).is_finite() { *z } else { Vec3::repeat(1.0) };
    let mut here = value(&sigma);
    for _ in 0..STEPS {
        let gradient = L::slope(lame, &sigma) + (sigma - z) * weight;
        if gradient.amax() <= SETTLED * (weight + L::stiffness(lame)) {
            break;
        }
        let step = newton_step(L::curvature(lame, &sigma).scaling, weight, &gradient);
        let slope = step.dot(&gradient);
        let mut length = 1.0;
        let taken = (0..HALVINGS).find_map(|_| {
            let next = sigma + step * length;
            let there = value(&next);
            // Where the decrease is below rounding, compare gradients.
            let level = there <= here + ROUNDING * here.abs()
                && (L::slope(lame, &next) + (next - z) * weight).norm() < gradient.norm();
            let enough = there <= here + 1e-4 * length * slope || level;
            length *= 0.5;
            enough.then_some((next, there))
        });
        match taken {
            Some(better) => (sigma, here) = better,
            None => break,
        }
    }
    sigma
}

/// −(H₊ + weight)⁻¹ g with H₊ the positive semidefinite part of H.
fn newton_step(mut scaling: [[Real; 3]; 3], weight: Real, gradient: &Vec3) -> Vec3 {
    psd::project(&mut scaling);
    let h = Mat3::from_fn(|i, j| scaling[i][j]) + Mat3::identity() * weight;
    h.try_inverse().map_or_else(|| -gradient / weight, |inverse| -(inverse * gradient))
}
