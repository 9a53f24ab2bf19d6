//! Corotated linear elasticity: ψ = μ |F − R|² + λ/2 (tr S − 3)², F = R S with the nearest rotation R.
//!
//! Müller, Gross 2004, "Interactive virtual materials"; in singular values ψ = μ Σ (σ_i − 1)² + λ/2 (Σ (σ_i − 1))². The strain
//! is linear, so resistance to compression stays finite; inverted elements recover.

use super::{IsotropicLaw, Lame};
use crate::isotropic::{Curvature, PAIRS};
use pd_core::{Real, Vec3};

/// Two singular values that add up to less than this leave the rotation undetermined.
const NO_ROTATION: Real = 1e-9;

/// The corotated law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Corotated;

impl IsotropicLaw for Corotated {
    const KIND: &'static str = "corotated";

    fn density(Lame { lambda, mu }: Lame, sigma: &Vec3) -> Real {
        let strain = sigma.add_scalar(-1.0);
        mu * strain.norm_squared() + 0.5 * lambda * strain.sum().powi(2)
    }

    fn slope(Lame { lambda, mu }: Lame, sigma: &Vec3) -> Vec3 {
        let strain = sigma.add_scalar(-1.0);
        (strain * (2.0 * mu)).add_scalar(lambda * strain.sum())
    }

    fn curvature(lame: Lame, sigma: &Vec3) -> Curvature {
        let (Lame { lambda, mu }, slope) = (lame, Self::slope(lame, sigma));
        let scaling =
            std::array::from_fn(|i| std::array::from_fn(|j| lambda + if i == j { 2.0 * mu } else { 0.0 }));
        let twist = PAIRS.map(|[i, j, _]| {
            let sum = sigma[i] + sigma[j];
            (slope[i] + slope[j]) / if sum.abs() > NO_ROTATION { sum } else { NO_ROTATION }
        });
        Curvature { scaling, twist, flip: [2.0 * mu; 3] }
    }
}
