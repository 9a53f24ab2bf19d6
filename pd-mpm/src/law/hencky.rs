//! Hencky elasticity of granular matter: with F = U Σ Vᵀ and ε = ln Σ, Ψ = μ tr ε² + λ/2 tr²ε and
//! τ = U (2με + λ tr ε I) Uᵀ; and the return to a cone along the deviator, at constant volume (Klár et al. 2016), with the
//! volume correction of Tampubolon et al. 2017.
//!
//! Where tr ε ≥ 0, matter without cohesion bears no tension: ε → 0, and the volume gained is remembered in v_c. It is added to
//! ε before the next return, so what was thrown up and falls together again takes the room it had.

use super::{Lame, Strains};
use pd_constraints::svd3;
use pd_core::{Mat3, Real, Vec3};

/// Singular values below this are taken for it: logarithms of a particle that was crushed stay finite.
const SMALLEST_STRETCH: Real = 1e-6;

/// ln Σ.
pub(super) fn logarithms(sigma: &Vec3) -> Vec3 {
    sigma.map(|s| s.max(SMALLEST_STRETCH).ln())
}

/// τ of all particles, Pa.
pub(super) fn stress(lame: &Lame, points: Strains<'_>, tau: &mut [Mat3]) {
    for (tau, f) in tau.iter_mut().zip(points.f) {
        let svd = svd3(f);
        let strain = logarithms(&svd.sigma);
        let principal = (strain * (2.0 * lame.mu)).add_scalar(lame.lambda * strain.sum());
        *tau = svd.u * Mat3::from_diagonal(&principal) * svd.u.transpose();
    }
}

/// Ψ per rest volume, J/m³.
pub(super) fn energy(lame: &Lame, f: &Mat3) -> Real {
    let strain = logarithms(&svd3(f).sigma);
    lame.mu * strain.norm_squared() + 0.5 * lame.lambda * strain.sum().powi(2)
}

/// Returns all particles; `kept` gives the part of a deviator that the cone allows at a negative trace, at most 1.
pub(super) fn plastic_return(f: &mut [Mat3], corrections: &mut [Real], kept: impl Fn(&Vec3, Real) -> Real) {
    for (f, correction) in f.iter_mut().zip(corrections) {
        let svd = svd3(f);
        let found = logarithms(&svd.sigma);
        let strain = found.add_scalar(*correction / 3.0);
        let trace = strain.sum();
        if trace >= 0.0 {
            *correction = trace;
            *f = svd.with(&Vec3::repeat(1.0));
            continue;
        }
        *correction = 0.0;
        let deviator = strain.add_scalar(-trace / 3.0);
        let kept = kept(&deviator, trace);
        let allowed = if kept < 1.0 { (deviator * kept).add_scalar(trace / 3.0) } else { strain };
        if allowed != found {
            *f = svd.with(&allowed.map(Real::exp));
        }
    }
}
