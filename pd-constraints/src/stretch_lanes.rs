//! Singular values clamped to a range, for several matrices side by side, without singular vectors.
//!
//! With C = FᵀF the matrix nearest to F whose singular values are s_k = clamp(σ_k) is T = F g(C), g(λ) = s/√λ, so
//! F − T = F h(C) with h = 1 − s/σ, and a function of a 3×3 matrix is the parabola through its values at the three
//! eigenvalues. These are the roots of a cubic in closed form: with m = tr C/3, p² = |C − m|²/6, B = (C − m)/p and
//! t = det B/2 they are λ = m + p β with β = 2 cos(arccos(t)/3 + 2πk/3) (Smith 1961, "Eigenvalues of a symmetric 3 × 3
//! matrix"). The root c of 4c³ − 3c = |t| in [√3/2, 1] is found by Newton's method; 2c, signed as t, is the isolated
//! root, and the other two, a and b, are −c ± √3 √(1 − c²), signed alike.
//!
//! Rounding of a cubic's coefficients moves close roots by much, but the parabola by little: its error is h'''
//! times Π (λ − λ̃_k), which is the rounding error of the cubic. Two things need care. The slope between close a and b is
//! taken in closed form where both are clamped to one end s of the range: h(a) − h(b) over λ_a − λ_b is
//! s/(σ_a σ_b (σ_a + σ_b)). And h has kinks at the ends of the range: lanes where one lies between close a and b are
//! rejected. So are lanes with a small singular value, since FᵀF squares the condition, and inverted ones (det F < 0 makes the
//! smallest σ negative) whose two smallest values nearly tie, where the nearest point jumps.
//!
//! Four loops over a block, so that the chains of operations of several groups of elements overlap: B, its angle, the
//! parabola, the residual.

use crate::lanes::{
    Arithmetic, BLOCK, Instructions, LARGEST_SQUARE, Lanes, SMALLEST_SQUARE, combine, cross, dot,
};
use crate::matrix_lanes::{Matrices, Scratch, load, store};
use pd_core::Real;

/// Least ratio of the eigenvalues of FᵀF. Rounding errors grow with its inverse.
pub(crate) const MIN_RATIO: f64 = 1.5e-2;

/// Least distance of the two smallest singular values of an inverted matrix, relative to the largest: near a tie the
/// nearest point jumps from one to the other.
const MIN_GAP: f64 = 2e-2;

/// Least half distance of a and b, in units of p, with an end of the range between them.
const MIN_SPLIT: f64 = 1e-3;

/// Keeps 0/0 away where a and b are equal.
const TINY: f64 = 1e-150;

/// cos(arccos(u)/3) on [0, 1] to 7e-7: the polynomial through its values at Chebyshev's points.
const GUESS: [f64; 6] = [
    0.866_026_061_058_833_1,
    0.166_618_856_515_035_4,
    -0.047_525_013_932_435_26,
    0.021_899_627_345_145_62,
    -0.008_966_451_200_158_58,
    0.001_947_301_610_416_94,
];

// What is kept between the loops: the diagonal of B and its other entries, opposite to index r that of the other two.
const D: usize = 0;
const O: usize = 3;
pub(crate) const MEAN: usize = 6;
pub(crate) const P: usize = 7;
pub(crate) const T: usize = 8;
pub(crate) const DETERMINANT: usize = 9;
pub(crate) const C: usize = 10;
pub(crate) const SPLIT: usize = 11;
// In the places of what is no longer needed: h(C) = k₀ + k₁ B + k₂ B².
pub(crate) const K: usize = 6;

/// F − T of a block of matrices F, T having the singular values clamped to [min, max], and 1 in the lanes where it is
/// accurate, else 0.
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
    for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
        parabola(instructions, valid, scratch, at, min, max);
    }
    for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
        apply(instructions, f, r, scratch, at);
    }
}

/// B, and c and √3 √(1 − c²) that give its eigenvalues.
#[inline(always)]
pub(crate) fn eigenvalues<I: Instructions>(instructions: I, f: &Matrices, scratch: &mut Scratch) {
    for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
        normalise(instructions, f, scratch, at);
    }
    for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
        let t = instructions.load(&scratch[T][at..]);
        let one = t.fill(1.0);
        let c = third_of_angle(t.abs().min(one));
        let sine_square = (one - c).mul_add(one + c, one.fill(TINY));
        c.store(&mut scratch[C][at..]);
        (sine_square * sine_square.rsqrt() * one.fill(3.0_f64.sqrt())).store(&mut scratch[SPLIT][at..]);
    }
}

/// B, p, t and det F.
#[inline(always)]
fn normalise<I: Instructions>(instructions: I, f: &Matrices, scratch: &mut Scratch, at: usize) {
    let f = load(instructions, f, at);
    let (diagonal, off) = gram(&f);
    let one = diagonal[0].fill(1.0);
    let mean = (diagonal[0] + diagonal[1] + diagonal[2]) * one.fill(1.0 / 3.0);
    let mut d = [diagonal[0] - mean, diagonal[1] - mean, diagonal[2] - mean];
    let mut o = off;
    let squares = dot(&o, &o).mul_add(one.fill(1.0 / 3.0), dot(&d, &d) * one.fill(1.0 / 6.0));
    // Not less than rounding errors, which have no direction.
    let p_square = (mean * mean).mul_add(one.fill(1e-40), squares);
    let p = p_square.sqrt();
    let inverse_p = p.recip();
    for k in 0..3 {
        d[k] = d[k] * inverse_p;
        o[k] = o[k] * inverse_p;
        d[k].store(&mut scratch[D + k][at..]);
        o[k].store(&mut scratch[O + k][at..]);
    }
    mean.store(&mut scratch[MEAN][at..]);
    p.store(&mut scratch[P][at..]);
    // t = det B/2.
    let half = one.fill(0.5);
    let product = o[0].mul_add(o[1] * o[2], (d[0] * d[1]) * (d[2] * half));
    let minus = d[2].mul_add(o[2] * o[2], d[1].mul_add(o[1] * o[1], d[0] * (o[0] * o[0])));
    // Never −0, whose sign says other than a comparison with 0.
    (half.neg_mul_add(minus, product) + one.fill(0.0)).store(&mut scratch[T][at..]);
    dot(&f[0], &cross(&f[1], &f[2])).store(&mut scratch[DETERMINANT][at..]);
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
    let (mean, p) = (instructions.load(&scratch[MEAN][at..]), instructions.load(&scratch[P][at..]));
    let (t, det) = (instructions.load(&scratch[T][at..]), instructions.load(&scratch[DETERMINANT][at..]));
    let (c, split) = (instructions.load(&scratch[C][at..]), instructions.load(&scratch[SPLIT][at..]));
    let (zero, one) = (t.fill(0.0), t.fill(1.0));
    let (min, max) = (t.fill(min), t.fill(max));
    let centre = (-c).flip(t);
    let (beta_i, beta_a, beta_b) = ((c + c).flip(t), centre + split, centre - split);
    let lambda = [p.mul_add(beta_i, mean), p.mul_add(beta_a, mean), p.mul_add(beta_b, mean)];

    // Where t < 0 the lone root is the smallest, else b is; the smallest has the sign of det F.
    let sign = one.flip(det);
    let signs = [t.if_less(zero, sign, one), one, t.if_less(zero, one, sign)];
    let (mut inverse, mut sigma, mut h) = (lambda, lambda, lambda);
    for k in 0..3 {
        inverse[k] = lambda[k].rsqrt();
        sigma[k] = (lambda[k] * inverse[k]).flip(signs[k]);
        inverse[k] = inverse[k].flip(signs[k]);
        let clamped = sigma[k].max(min).min(max);
        h[k] = (sigma[k] - clamped) * inverse[k];
    }

    // Divided differences over b, a and the lone root, in units of p.
    let below = sigma[1].max(sigma[2]);
    let above = sigma[1].min(sigma[2]);
    let quotient = (h[1] - h[2]).over(split + split + one.fill(TINY));
    let closed = (p * inverse[1]) * inverse[2].over(sigma[1] + sigma[2]);
    let clamped_alike = max.if_less(above, max * closed, quotient);
    let h_ab = below.if_less(min, min * closed, clamped_alike);
    let h_ai = (h[1] - h[0]).over(beta_a - beta_i);
    let h_abi = (h_ai - h_ab).over(beta_i - beta_b);
    let k1 = h_abi.neg_mul_add(beta_a + beta_b, h_ab);
    let k0 = (h_abi * beta_a).mul_add(beta_b, h_ab.neg_mul_add(beta_b, h[2]));

    k0.store(&mut scratch[K][at..]);
    k1.store(&mut scratch[K + 1][at..]);
    h_abi.store(&mut scratch[K + 2][at..]);

    // Each comparison fails for NaN.
    let least = t.if_less(zero, lambda[0], lambda[2]);
    let most = t.if_less(zero, lambda[1], lambda[0]);
    let mut flags = (most * one.fill(MIN_RATIO)).if_less(least, one, zero);
    // The mean, since eigenvalues mean nothing once squares of it overflow.
    flags = mean.if_less(one.fill(LARGEST_SQUARE), flags, zero);
    flags = one.fill(SMALLEST_SQUARE).if_less(least, flags, zero);
    // A kink between a and b: neither both clamped to one end nor both inside.
    let mut smooth = max.if_less(above, one, split);
    smooth = below.if_less(min, one, smooth);
    smooth = (h[1].abs() + h[2].abs()).if_less(one.fill(1e-300), one, smooth);
    flags = one.fill(MIN_SPLIT).if_less(smooth, flags, zero);
    // The gap of singular values from that of their squares: σ₂ − |σ₃| ≥ (σ₂² − σ₃²)/(2 σ₁).
    let middle = t.if_less(zero, lambda[2], lambda[1]);
    let apart = (most * one.fill(2.0 * MIN_GAP)).if_less(middle - least, flags, zero);
    det.if_less(zero, apart, flags).store(&mut valid[at..]);
}

/// F h(C).
#[inline(always)]
pub(crate) fn apply<I: Instructions>(
    instructions: I,
    f: &Matrices,
    r: &mut Matrices,
    scratch: &Scratch,
    at: usize,
) {
    let b00 = instructions.load(&scratch[D][at..]);
    let b11 = instructions.load(&scratch[D + 1][at..]);
    let b22 = instructions.load(&scratch[D + 2][at..]);
    let b12 = instructions.load(&scratch[O][at..]);
    let b02 = instructions.load(&scratch[O + 1][at..]);
    let b01 = instructions.load(&scratch[O + 2][at..]);
    let k0 = instructions.load(&scratch[K][at..]);
    let k1 = instructions.load(&scratch[K + 1][at..]);
    let k2 = instructions.load(&scratch[K + 2][at..]);
    let b = [[b00, b01, b02], [b01, b11, b12], [b02, b12, b22]];
    let mut function = b;
    for i in 0..3 {
        for j in i..3 {
            let square = dot(&b[i], &b[j]);
            let rest = if i == j { k1.mul_add(b[i][j], k0) } else { k1 * b[i][j] };
            function[i][j] = k2.mul_add(square, rest);
            function[j][i] = function[i][j];
        }
    }
    let f = load(instructions, f, at);
    let mut residual = f;
    for j in 0..3 {
        residual[j] = combine(&f, function[0][j], function[1][j], function[2][j]);
    }
    store(&residual, r, at);
}

/// cos(arccos(u)/3) for u in [0, 1]: a Newton step for 4c³ − 3c = u, and a second with the same slope.
#[inline(always)]
fn third_of_angle<T: Lanes>(u: T) -> T {
    let mut root = u.fill(GUESS[5]);
    for k in (0..5).rev() {
        root = root.mul_add(u, u.fill(GUESS[k]));
    }
    let inverse_slope = (root * root).mul_add(u.fill(12.0), u.fill(-3.0)).recip();
    for _ in 0..2 {
        let value = (root * root).mul_add(u.fill(4.0), u.fill(-3.0)).mul_add(root, -u);
        root = inverse_slope.neg_mul_add(value, root);
    }
    root
}

/// Diagonal of FᵀF, and its other entries: opposite to index r the entry (p, q) of the other two.
#[inline(always)]
fn gram<T: Lanes>(f: &[[T; 3]; 3]) -> ([T; 3], [T; 3]) {
    (
        [dot(&f[0], &f[0]), dot(&f[1], &f[1]), dot(&f[2], &f[2])],
        [dot(&f[1], &f[2]), dot(&f[0], &f[2]), dot(&f[0], &f[1])],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_an_angle() {
        for k in 0..=1000 {
            let u = f64::from(k) / 1000.0;
            let (found, wanted) = (third_of_angle(u), (u.acos() / 3.0).cos());
            assert!((found - wanted).abs() < 3e-16, "{u}: {found} {wanted}");
        }
    }
}
