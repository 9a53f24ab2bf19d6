//! Singular values clamped to a range, for several matrices side by side, without singular vectors.
//!
//! With C = FᵀF the matrix nearest to F whose singular values are s_k = clamp(σ_k) is T = F g(C), g(λ) = s/√λ, so
//! F − T = F h(C) with h = 1 − s/σ, and a function of a 3×3 matrix is the parabola through its values at the three
//! eigenvalues. These are the roots of a cubic in closed form: with m = tr C/3, p² = |C − m|²/6, B = (C − m)/p and
//! t = det B/2 they are λ = m + p β with β = 2 cos(arccos(t)/3 + 2πk/3) (Smith 1961, "Eigenvalues of a symmetric 3 × 3
//! matrix"). The root c of 4c³ − 3c = |t| in [√3/2, 1] is found by Newton's method; 2c, signed as t, is the root that
//! stands alone, and the other two, a and b, are −c ± √3 √(1 − c²), signed alike.
//!
//! Rounding of a cubic's coefficients moves close roots by much, but the parabola by little: its error is h'''
//! times Π (λ − λ̃_k), which is the rounding error of the cubic. Two things need care. The slope between close a and b is
//! taken in closed form where both are clamped to one end s of the range: h(a) − h(b) over λ_a − λ_b is
//! s/(σ_a σ_b (σ_a + σ_b)). And h has kinks at the ends of the range: lanes where one lies between close a and b are given
//! up. So are lanes with a small singular value, since FᵀF squares the condition, and inverted ones (det F < 0 makes the
//! smallest σ negative) whose two smallest values nearly tie, where the nearest point jumps.

use crate::lanes::{LARGEST_SQUARE, Lanes, SMALLEST_SQUARE, combine, cross, dot};

/// Least ratio of the eigenvalues of FᵀF. Rounding errors grow with its inverse.
const LEAST_RATIO: f64 = 1.5e-2;

/// Least distance of the two smallest singular values of an inverted matrix, relative to the largest: near a tie the
/// nearest point jumps from one to the other.
const LEAST_GAP: f64 = 2e-2;

/// Least half distance of a and b, in units of p, with an end of the range between them.
const LEAST_SPLIT: f64 = 1e-3;

/// Keeps 0/0 away where a and b are equal.
const TINY: f64 = 1e-150;

/// cos(arccos(u)/3) to 4e-4: the cubic with its values and slopes at 0 and 1.
const GUESS: [f64; 4] = [0.866_025_403_784_438_6, 1.0 / 6.0, -0.042_520_654_80, 0.009_828_584_35];

/// F − T for the columns of F, T having the singular values clamped to [min, max], and 1 in the lanes where it is
/// accurate, else 0.
#[inline(always)]
pub(crate) fn residual<T: Lanes>(f: &[[T; 3]; 3], min: f64, max: f64) -> ([[T; 3]; 3], T) {
    let one = f[0][0].fill(1.0);
    let (zero, half) = (one.fill(0.0), one.fill(0.5));
    let (min, max) = (one.fill(min), one.fill(max));

    let (diagonal, off) = gram(f);
    let mean = (diagonal[0] + diagonal[1] + diagonal[2]) * one.fill(1.0 / 3.0);
    let mut d = [diagonal[0] - mean, diagonal[1] - mean, diagonal[2] - mean];
    let mut o = off;
    let squares = dot(&o, &o).mul_add(one.fill(1.0 / 3.0), dot(&d, &d) * one.fill(1.0 / 6.0));
    // Not less than rounding errors, which have no direction.
    let p_square = (mean * mean).mul_add(one.fill(1e-40), squares);
    let inverse_p = p_square.rsqrt();
    let p = p_square * inverse_p;
    for k in 0..3 {
        d[k] = d[k] * inverse_p;
        o[k] = o[k] * inverse_p;
    }

    // t = det B/2.
    let product = o[0].mul_add(o[1] * o[2], (d[0] * d[1]) * (d[2] * half));
    let minus = d[2].mul_add(o[2] * o[2], d[1].mul_add(o[1] * o[1], d[0] * (o[0] * o[0])));
    let t = half.neg_mul_add(minus, product);
    let c = third_of_angle(t.abs().min(one));
    let sine_square = (one - c).mul_add(one + c, one.fill(TINY));
    let split = sine_square * sine_square.rsqrt() * one.fill(3.0_f64.sqrt());
    let centre = (-c).flip(t);
    let (beta_i, beta_a, beta_b) = ((c + c).flip(t), centre + split, centre - split);
    let lambda = [p.mul_add(beta_i, mean), p.mul_add(beta_a, mean), p.mul_add(beta_b, mean)];

    // Where t < 0 the lone root is the smallest, else b is; the smallest has the sign of det F.
    let det = dot(&f[0], &cross(&f[1], &f[2]));
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
    let quotient = (h[1] - h[2]) * (split + split + one.fill(TINY)).recip();
    let closed = (p * inverse[1]) * (inverse[2] * (sigma[1] + sigma[2]).recip());
    let clamped_alike = max.if_less(above, max * closed, quotient);
    let h_ab = below.if_less(min, min * closed, clamped_alike);
    let h_ai = (h[1] - h[0]) * (beta_a - beta_i).recip();
    let h_abi = (h_ai - h_ab) * (beta_i - beta_b).recip();
    let k1 = h_abi.neg_mul_add(beta_a + beta_b, h_ab);
    let k0 = (h_abi * beta_a).mul_add(beta_b, h_ab.neg_mul_add(beta_b, h[2]));

    // h(C) = k₀ + k₁ B + h_abi B².
    let b = [[d[0], o[2], o[1]], [o[2], d[1], o[0]], [o[1], o[0], d[2]]];
    let mut function = b;
    for i in 0..3 {
        for j in i..3 {
            let square = dot(&b[i], &b[j]);
            let rest = if i == j { k1.mul_add(b[i][j], k0) } else { k1 * b[i][j] };
            function[i][j] = h_abi.mul_add(square, rest);
            function[j][i] = function[i][j];
        }
    }
    let mut residual = *f;
    for j in 0..3 {
        residual[j] = combine(f, function[0][j], function[1][j], function[2][j]);
    }

    // Each comparison fails for NaN.
    let least = t.if_less(zero, lambda[0], lambda[2]);
    let most = t.if_less(zero, lambda[1], lambda[0]);
    let mut sound = (most * one.fill(LEAST_RATIO)).if_less(least, one, zero);
    sound = most.if_less(one.fill(LARGEST_SQUARE), sound, zero);
    sound = one.fill(SMALLEST_SQUARE).if_less(least, sound, zero);
    // A kink between a and b: neither both clamped to one end nor both inside.
    let mut smooth = max.if_less(above, one, split);
    smooth = below.if_less(min, one, smooth);
    smooth = (h[1].abs() + h[2].abs()).if_less(one.fill(1e-300), one, smooth);
    sound = one.fill(LEAST_SPLIT).if_less(smooth, sound, zero);
    // The gap of singular values from that of their squares: σ₂ − |σ₃| ≥ (σ₂² − σ₃²)/(2 σ₁).
    let middle = t.if_less(zero, lambda[2], lambda[1]);
    let apart = (most * one.fill(2.0 * LEAST_GAP)).if_less(middle - least, sound, zero);
    (residual, det.if_less(zero, apart, sound))
}

/// cos(arccos(u)/3) for u in [0, 1]: two Newton steps for 4c³ − 3c = u, and a third with the last slope.
#[inline(always)]
fn third_of_angle<T: Lanes>(u: T) -> T {
    let [a, b, c, d] = GUESS;
    let mut root = u.fill(d).mul_add(u, u.fill(c)).mul_add(u, u.fill(b)).mul_add(u, u.fill(a));
    let mut inverse_slope = u;
    for step in 0..3 {
        let square = root * root;
        if step < 2 {
            inverse_slope = square.mul_add(u.fill(12.0), u.fill(-3.0)).recip();
        }
        let value = square.mul_add(u.fill(4.0), u.fill(-3.0)).mul_add(root, -u);
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
