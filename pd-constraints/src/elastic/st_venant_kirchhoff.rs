//! St. Venant–Kirchhoff: ψ = μ E:E + λ/2 (tr E)², E = ½(FᵀF − I) Green's strain.
//!
//! The linear law with a rotation-invariant strain (Bonet, Wood, section 6.5). It softens under compression and lets
//! elements collapse below about 58 % of their length: for small strain only. In singular values E_i = (σ_i² − 1)/2 and
//! ψ_i = σ_i (2μ E_i + λ tr E).

use super::{IsotropicLaw, Lame};
use crate::isotropic::{Curvature, PAIRS};
use pd_core::{Real, Vec3};

/// The law of St. Venant and Kirchhoff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StVenantKirchhoff;

fn green(sigma: &Vec3) -> Vec3 {
    // (σ − 1)(σ + 1) keeps the digits of small strains.
    sigma.map(|s| 0.5 * (s - 1.0) * (s + 1.0))
}

impl IsotropicLaw for StVenantKirchhoff {
    const KIND: &'static str = "st-venant-kirchhoff";

    fn density(Lame { lambda, mu }: Lame, sigma: &Vec3) -> Real {
        let e = green(sigma);
        mu * e.norm_squared() + 0.5 * lambda * e.sum().powi(2)
    }

    fn slope(Lame { lambda, mu }: Lame, sigma: &Vec3) -> Vec3 {
        let e = green(sigma);
        let trace = lambda * e.sum();
        sigma.zip_map(&e, |s, e| s * (2.0 * mu * e + trace))
    }

    fn curvature(Lame { lambda, mu }: Lame, sigma: &Vec3) -> Curvature {
        let e = green(sigma);
        let trace = lambda * e.sum();
        let scaling = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let own = 2.0 * mu * (e[i] + sigma[i] * sigma[i]) + trace;
                lambda * sigma[i] * sigma[j] + if i == j { own } else { 0.0 }
            })
        });
        let quotient = |sign: Real| {
            PAIRS.map(|[i, j, _]| {
                let (a, b) = (sigma[i], sigma[j]);
                mu * (a * a + sign * a * b + b * b - 1.0) + trace
            })
        };
        Curvature { scaling, twist: quotient(-1.0), flip: quotient(1.0) }
    }
}
