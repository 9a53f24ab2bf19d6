//! Singular values with a product in a range, for several matrices side by side, without singular vectors.
//!
//! As in `stretch_lanes.rs`, F − T = F h(C) with C = FᵀF. The nearest values with a given product are x = (σ + ϱ)/2 with
//! ϱ = √(σ² + 4μ) (see `determinant_clamp.rs`), so h(λ) = 1 − x/σ = (1 − q)/2 with q = ϱ/σ = √(1 + 4μ/λ). For this h the divided
//! differences have closed forms without differences of eigenvalues, so equal eigenvalues need no special case:
//! h[1,2] = 2μ/(λ₁ λ₂ (q₁ + q₂)) and
//! h[1,2,3] = −2μ/(λ₁ λ₂ λ₃) · (q₂ + (λ₁ + λ₃ + 4μ)/(λ₁ q₁ + λ₃ q₃))/((q₁ + q₂) (q₂ + q₃)).
//! μ is a symmetric function of the eigenvalues and so as accurate as the coefficients of their cubic. Lanes that are
//! inverted, near the fold ϱ = 0, far from the range or badly conditioned are rejected.

use crate::determinant_clamp_lanes::clamp_product;
use crate::lanes::{Arithmetic, BLOCK, Instructions, LARGEST_SQUARE, Lanes, SMALLEST_SQUARE};
use crate::matrix_lanes::{Matrices, Scratch};
use crate::stretch_lanes::{C, DETERMINANT, K, MEAN, MIN_RATIO, P, SPLIT, T, apply, eigenvalues};
use pd_core::Real;

/// Least ϱ/σ of the smallest value: rounding errors grow with the inverse.
const MIN_ROOT: Real = 0.1;

/// F − T of a block of matrices F, the product of T's singular values being clamped to [min, max], and 1 in the lanes
/// where it is accurate, else 0.
#[inline(always)]
pub(crate) fn residual<I: Instructions>(
    instructions: I,
    f: &Matrices,
    r: &mut Matrices,
    valid: &mut [Real; BLOCK],
    scratch: &mut Scratch,
    [min, max]: [Real; 2],
) {
    eigenvalues(instructions, f, scratch);
    for at in (0..BLOCK).step_by(I::Wide::COUNT) {
        parabola(instructions, valid, scratch, at, min, max);
    }
    for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
        apply(instructions, f, r, scratch, at);
    }
}

/// The parabola through h at the three eigenvalues, and whether it is accurate.
#[inline(always)]
fn parabola<I: Instructions>(
    instructions: I,
    valid: &mut [Real; BLOCK],
    scratch: &mut Scratch,
    at: usize,
    min: Real,
    max: Real,
) {
    let (mean, p) = (instructions.load_wide(&scratch[MEAN][at..]), instructions.load_wide(&scratch[P][at..]));
    let (t, det) =
        (instructions.load_wide(&scratch[T][at..]), instructions.load_wide(&scratch[DETERMINANT][at..]));
    let (c, split) =
        (instructions.load_wide(&scratch[C][at..]), instructions.load_wide(&scratch[SPLIT][at..]));
    let (zero, one) = (t.fill(0.0), t.fill(1.0));
    // The lone root is the largest where t ≥ 0 and the smallest where t < 0.
    let centre = (-c).flip(t);
    let (lone, upper, lower) = ((c + c).flip(t), centre + split, centre - split);
    let beta = [t.if_less(zero, upper, lone), t.if_less(zero, lower, upper), t.if_less(zero, lone, lower)];
    let lambda = [p.mul_add(beta[0], mean), p.mul_add(beta[1], mean), p.mul_add(beta[2], mean)];
    let inverse = [lambda[0].rsqrt(), lambda[1].rsqrt(), lambda[2].rsqrt()];
    let sigma = [lambda[0] * inverse[0], lambda[1] * inverse[1], (lambda[2] * inverse[2]).flip(det)];
    let (x, found) = clamp_product(&sigma, min, max);
    let mu = x[2] * (x[2] - sigma[2]);
    let mut q = inverse;
    for k in 0..3 {
        q[k] = (x[k] + x[k] - sigma[k]) * inverse[k];
    }
    let (q12, q23) = (q[0] + q[1], q[1] + q[2]);
    let inverse_12 = (inverse[0] * inverse[0]) * (inverse[1] * inverse[1]);
    let h1 = (sigma[0] - x[0]) * inverse[0];
    let h12 = ((mu + mu) * inverse_12).over(q12);
    let four = mu.mul_add(one.fill(4.0), lambda[0] + lambda[2]);
    let bracket = q[1] + four.over(lambda[0].mul_add(q[0], lambda[2] * q[2]));
    let h123 = -(h12 * (inverse[2] * inverse[2]) * bracket).over(q23);

    // h(C) in powers of B = (C − m)/p; nothing where the product, det F, is in the range already.
    let (k2, slope) = (h123 * p * p, h12 * p);
    let k1 = k2.neg_mul_add(beta[0] + beta[1], slope);
    let k0 = (k2 * beta[0]).mul_add(beta[1], slope.neg_mul_add(beta[0], h1));
    let (low, high) = (one.fill(min), one.fill(max));
    for (row, k) in [k0, k1, k2].into_iter().enumerate() {
        det.if_less(low, k, high.if_less(det, k, zero)).store(&mut scratch[K + row][at..]);
    }

    // Each comparison fails for NaN.
    let mut flags = (lambda[0] * one.fill(MIN_RATIO)).if_less(lambda[2], found, zero);
    flags = mean.if_less(one.fill(LARGEST_SQUARE), flags, zero);
    flags = one.fill(SMALLEST_SQUARE).if_less(lambda[2], flags, zero);
    flags = one.fill(MIN_ROOT).if_less(q[2], flags, zero);
    zero.if_less(det, flags, zero).store(&mut valid[at..]);
}
