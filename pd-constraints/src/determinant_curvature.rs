//! Second derivatives of the squared distance to values with a given product: those of volume and area constraints.
//!
//! ψ(σ) = ½ Σ (σ_i − y_i)² with the nearest values y of `determinant_clamp.rs`, y_i (y_i − σ_i) = μ and Σ ln y_i = ln s. Since y is
//! nearest, ψ_i = σ_i − y_i and ψ_ij = δ_ij − ∂y_i/∂σ_j, and with q_i = 2 y_i − σ_i the differentials of the conditions are
//!
//! q_i dy_i = y_i dσ_i + dμ,  Σ dy_i/y_i = 0.
//!
//! y_N may be at a fold, q_N = 0, where a smaller root begins; it is therefore eliminated last: with T = Σ_{k<N} 1/(y_k q_k)
//!
//! (1 + y_N q_N T) dy_N = y_N² T dσ_N − y_N Σ_{k<N} dσ_k/q_k,  dμ = q_N dy_N − y_N dσ_N,
//!
//! whose factor on the left is positive at a minimum (second-order condition). The difference quotient of two values has the closed form
//! (y_i − y_j)/(σ_i − σ_j) = y_j/(y_i + y_j − σ_i), which does not cancel where two singular values meet.

use crate::determinant_clamp::clamp_product;
use crate::isotropic::{Curvature, Curvature2, PAIRS};
use pd_core::{Real, Vec3};

/// Divisors below this, in units of the values, stand for zero: the distance has a crease there.
const CREASE: Real = 1e-9;

/// y, and ψ_ij; `None` where the product is in the range, and the energy with all its derivatives zero.
fn nearest<const N: usize>(sigma: [Real; N], min: Real, max: Real) -> Option<([Real; N], [[Real; N]; N])> {
    let y = clamp_product(sigma, min, max);
    if y == sigma {
        return None;
    }
    let last = N - 1;
    let q: [Real; N] = std::array::from_fn(|i| 2.0 * y[i] - sigma[i]);
    let t: Real = (0..last).map(|k| away(y[k] * q[k]).recip()).sum();
    let factor = away(1.0 + y[last] * q[last] * t);
    let mut scaling = [[0.0; N]; N];
    for j in 0..N {
        let last_rate =
            if j == last { y[last] * y[last] * t / factor } else { -y[last] / (away(q[j]) * factor) };
        let multiplier_rate = q[last] * last_rate - if j == last { y[last] } else { 0.0 };
        for (i, row) in scaling.iter_mut().enumerate() {
            let own = if i == j { y[i] } else { 0.0 };
            let rate = if i == last { last_rate } else { (own + multiplier_rate) / away(q[i]) };
            row[j] = Real::from(i == j) - rate;
        }
    }
    Some((y, scaling))
}

/// The value, kept from zero.
fn away(value: Real) -> Real {
    if value.abs() < CREASE { CREASE.copysign(value) } else { value }
}

/// (ψ_i + ψ_j)/(σ_i + σ_j) and (ψ_i − ψ_j)/(σ_i − σ_j).
fn quotients(sigma: [Real; 2], y: [Real; 2]) -> (Real, Real) {
    let twist = 1.0 - (y[0] + y[1]) / away(sigma[0] + sigma[1]);
    let flip = 1.0 - y[1] / away(y[0] + y[1] - sigma[0]);
    (twist, flip)
}

/// Second derivatives in three singular values.
pub(crate) fn curvature(sigma: &Vec3, min: Real, max: Real) -> Curvature {
    let Some((y, scaling)) = nearest::<3>((*sigma).into(), min, max) else {
        return Curvature { scaling: [[0.0; 3]; 3], twist: [0.0; 3], flip: [0.0; 3] };
    };
    let of = |[i, j, _]: [usize; 3]| quotients([sigma[i], sigma[j]], [y[i], y[j]]);
    Curvature { scaling, twist: PAIRS.map(|pair| of(pair).0), flip: PAIRS.map(|pair| of(pair).1) }
}

/// The same in the two singular values of a triangle.
pub(crate) fn curvature2(sigma: [Real; 2], min: Real, max: Real) -> Curvature2 {
    let Some((y, scaling)) = nearest(sigma, min, max) else {
        return Curvature2 { scaling: [[0.0; 2]; 2], twist: 0.0, flip: 0.0, normal: [0.0; 2] };
    };
    let (twist, flip) = quotients(sigma, y);
    Curvature2 { scaling, twist, flip, normal: [0, 1].map(|i| (sigma[i] - y[i]) / away(sigma[i])) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn rates_are_those_of_the_nearest_values(
            mut sigma in [0.2..2.0, 0.2..2.0, 0.2..2.0], inverted in any::<bool>(), s in 0.3..2.0f64
        ) {
            sigma.sort_by(|a: &Real, b| b.total_cmp(a));
            if inverted { sigma[2] = -sigma[2]; }
            let product: Real = sigma.iter().product();
            // Beyond a quarter of the product two minima compete, and the nearest values may jump.
            prop_assume!(product < 2.0 * s);
            let Some((_, scaling)) = nearest(sigma, s, s) else { return Ok(()) };
            let step = 1e-6;
            for j in 0..3 {
                let at = |h: Real| {
                    let mut moved = sigma;
                    moved[j] += h;
                    let y = clamp_product(moved, s, s);
                    [0, 1, 2].map(|i| moved[i] - y[i])
                };
                let (up, down) = (at(step), at(-step));
                for i in 0..3 {
                    let expected = (up[i] - down[i]) / (2.0 * step);
                    let scale = 1.0 + scaling.iter().flatten().fold(0.0, |m: Real, v| m.max(v.abs()));
                    prop_assert!((scaling[i][j] - expected).abs() < 1e-6 * scale.powi(2), "{i} {j}: {} {expected}", scaling[i][j]);
                    prop_assert!((scaling[i][j] - scaling[j][i]).abs() < 1e-9 * scale);
                }
            }
        }
    }

    #[test]
    fn at_rest_only_the_change_of_the_product_costs() {
        // ψ = ½ (Σ δσ)²/3 to second order: the distance to the plane Σ δ = 0.
        let curvature = curvature(&Vec3::repeat(1.0 + 1e-12), 1.0, 1.0);
        for entry in curvature.scaling.iter().flatten() {
            assert!((entry - 1.0 / 3.0).abs() < 1e-6);
        }
        for (twist, flip) in curvature.twist.iter().zip(curvature.flip) {
            assert!(twist.abs() < 1e-6 && flip.abs() < 1e-6);
        }
    }
}
