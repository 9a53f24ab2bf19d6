//! Neo-Hookean: ψ = μ/2 (|F|² − 3) − μ ln J + λ/2 (ln J)², J = det F.
//!
//! Bonet, Wood, "Nonlinear continuum mechanics for finite element analysis", section 6.4.3. Compression to zero volume takes
//! infinite energy; for J ≤ 0 the law is not defined and its energy is treated as infinite, so that a line search never
//! enters that region. With g = λ ln J − μ: ψ_i = μ σ_i + g/σ_i.

use super::{IsotropicLaw, Lame};
use crate::isotropic::{Curvature, PAIRS};
use pd_core::{Real, Vec3};

/// The Neo-Hookean law with logarithmic volume terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NeoHookean;

/// λ ln J − μ.
fn pressure(Lame { lambda, mu }: Lame, sigma: &Vec3) -> Real {
    lambda * sigma.product().ln() - mu
}

impl IsotropicLaw for NeoHookean {
    const KIND: &'static str = "neo-hookean";

    fn density(Lame { lambda, mu }: Lame, sigma: &Vec3) -> Real {
        // σ₁ ≥ σ₂ ≥ |σ₃|, so the last value decides; the others are checked for line searches over all three.
        if !sigma.iter().all(|s| *s > 0.0) {
            return Real::INFINITY;
        }
        let log = sigma.product().ln();
        0.5 * mu * (sigma.norm_squared() - 3.0) - mu * log + 0.5 * lambda * log * log
    }

    fn slope(lame: Lame, sigma: &Vec3) -> Vec3 {
        let g = pressure(lame, sigma);
        sigma.map(|s| lame.mu * s + g / s)
    }

    fn curvature(lame: Lame, sigma: &Vec3) -> Curvature {
        let (Lame { lambda, mu }, g) = (lame, pressure(lame, sigma));
        let scaling = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let own = mu - g / (sigma[i] * sigma[i]);
                lambda / (sigma[i] * sigma[j]) + if i == j { own } else { 0.0 }
            })
        });
        let quotient = |sign: Real| PAIRS.map(|[i, j, _]| mu + sign * g / (sigma[i] * sigma[j]));
        Curvature { scaling, twist: quotient(1.0), flip: quotient(-1.0) }
    }
}
