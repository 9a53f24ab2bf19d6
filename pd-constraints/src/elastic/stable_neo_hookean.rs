//! Stable Neo-Hookean: ψ = μ̂/2 (|F|² − 3) + λ̂/2 (J − α)² − μ̂/2 ln(|F|² + 1) − ψ₀, J = det F.
//!
//! Smith, de Goes, Kim 2018, "Stable Neo-Hookean flesh simulation", equation 14, with μ̂ = 4/3 μ and λ̂ = λ + 5/6 μ so that
//! small strains see Lamé's μ and λ (section 3.4 there), α = 1 + 3/4 μ̂/λ̂ so that the rest state has no stress, and ψ₀ the
//! energy at rest. Defined and smooth for every F, inverted and flat elements included.

use super::{IsotropicLaw, Lame};
use crate::isotropic::{Curvature, PAIRS};
use pd_core::{Real, Vec3};

/// The stable Neo-Hookean law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StableNeoHookean;

/// The constants of the law.
struct Constants {
    mu: Real,
    lambda: Real,
    alpha: Real,
}

impl Constants {
    fn new(lame: Lame) -> Self {
        let (mu, lambda) = (4.0 / 3.0 * lame.mu, lame.lambda + 5.0 / 6.0 * lame.mu);
        Self { mu, lambda, alpha: 1.0 + 0.75 * mu / lambda }
    }
}

fn cofactors(sigma: &Vec3) -> Vec3 {
    Vec3::new(sigma.y * sigma.z, sigma.x * sigma.z, sigma.x * sigma.y)
}

impl IsotropicLaw for StableNeoHookean {
    const KIND: &'static str = "stable-neo-hookean";

    fn density(lame: Lame, sigma: &Vec3) -> Real {
        let Constants { mu, lambda, alpha } = Constants::new(lame);
        // Differences from the rest state, where |F|² = 3 and J = 1: small strains keep their digits.
        let square: Real = sigma.iter().map(|s| (s - 1.0) * (s + 1.0)).sum();
        let volume = sigma.product() - 1.0;
        0.5 * mu * (square - (0.25 * square).ln_1p()) + 0.5 * lambda * volume * (volume + 2.0 * (1.0 - alpha))
    }

    fn slope(lame: Lame, sigma: &Vec3) -> Vec3 {
        let Constants { mu, lambda, alpha } = Constants::new(lame);
        let shear = mu * (1.0 - (sigma.norm_squared() + 1.0).recip());
        sigma * shear + cofactors(sigma) * (lambda * (sigma.product() - alpha))
    }

    fn curvature(lame: Lame, sigma: &Vec3) -> Curvature {
        let Constants { mu, lambda, alpha } = Constants::new(lame);
        let inverse = (sigma.norm_squared() + 1.0).recip();
        let shear = mu * (1.0 - inverse);
        let (pressure, c) = (lambda * (sigma.product() - alpha), cofactors(sigma));
        let mut scaling = [[0.0; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                scaling[i][j] = 2.0 * mu * inverse * inverse * sigma[i] * sigma[j] + lambda * c[i] * c[j];
            }
            scaling[i][i] += shear;
        }
        for [i, j, k] in PAIRS {
            scaling[i][j] += pressure * sigma[k];
            scaling[j][i] += pressure * sigma[k];
        }
        let quotient = |sign: Real| PAIRS.map(|[_, _, k]| shear + sign * pressure * sigma[k]);
        Curvature { scaling, twist: quotient(1.0), flip: quotient(-1.0) }
    }
}
