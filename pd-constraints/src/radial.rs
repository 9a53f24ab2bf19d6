//! Second derivatives of laws of a length: U(y) = u(|y|).
//!
//! ∂²U/∂y² = u″ ŷŷᵀ + (u′/|y|)(I − ŷŷᵀ). The eigenvalue across, u′/|y|, is negative under compression, where a spring would
//! buckle; clamping it to zero is the nearest positive semidefinite matrix (Choi, Ko 2002, "Stable but
//! responsive cloth").

use pd_core::{Psd, Real, Vec3};

/// Writes the 3×3 Hessian, row by row. `along` is u″, `across` u′/|y|; `None` for a vector without direction, where
/// `along` counts in every direction.
pub(crate) fn hessian(direction: Option<Vec3>, along: Real, across: Real, psd: Psd, out: &mut [Real]) {
    let clamp = |value: Real| if psd == Psd::Project { value.max(0.0) } else { value };
    let (along, across) = (clamp(along), clamp(across));
    let (unit, across) = direction.map_or((Vec3::zeros(), along), |unit| (unit, across));
    for (k, out) in out.iter_mut().enumerate() {
        let (i, j) = (k / 3, k % 3);
        *out = (along - across) * unit[i] * unit[j] + if i == j { across } else { 0.0 };
    }
}

/// The Hessian of ω/2 (|y| − r)².
pub(crate) fn spring(y: &Vec3, rest: Real, weight: Real, psd: Psd, out: &mut [Real]) {
    let length = y.norm();
    let direction = (length > 0.0).then(|| y / length);
    hessian(direction, weight, weight * (1.0 - rest / length), psd, out);
}
