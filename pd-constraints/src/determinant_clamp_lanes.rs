//! Nearest values with a product in a range, several side by side: the common case of `determinant_clamp.rs`.
//!
//! Newton's method for the multiplier μ from 0, x_i = (σ_i + √(σ_i² + 4μ))/2. With the roots ϱ_i = 2x_i − σ_i,
//! d(Π x)/dμ = Π x Σ 1/(x_i ϱ_i) = Σ_i (Π_{j≠i} x_j)/ϱ_i: one division per step. Lanes whose product is more than a
//! factor of two from the goal, or whose smallest value is not positive, use the scalar path.

use crate::lanes::Lanes;
use pd_core::Real;

/// Most Newton steps.
const MAX_STEPS: usize = 8;

/// The step from an error this small is the last one: convergence is quadratic.
const LAST_ERROR: Real = 1e-9;

/// Keeps inverse roots finite.
const TINY: Real = 1e-300;

/// The values nearest to `sigma` (falling) whose product lies in [min, max], and 1 in the lanes where they are accurate,
/// else 0.
#[inline(always)]
pub(crate) fn clamp_product<T: Lanes, const N: usize>(sigma: &[T; N], min: Real, max: Real) -> ([T; N], T) {
    let one = sigma[0].fill(1.0);
    let (zero, last) = (one.fill(0.0), sigma[N - 1]);
    let product = product_but(sigma, N);
    let goal = product.max(one.fill(min)).min(one.fill(max));
    let mut valid = zero.if_less(last, one, zero);
    valid = (goal * one.fill(0.499_999)).if_less(product, valid, zero);
    valid = product.if_less(goal * one.fill(2.000_001), valid, zero);
    // Past the fold of the smallest value there is no larger root.
    let fold = last * last * one.fill(-0.25);
    let inverse_goal = goal.recip();
    let (mut mu, mut x, mut inverse_roots) = (zero, *sigma, *sigma);
    let mut left = one; // 1 in the lanes that go on
    for _ in 0..MAX_STEPS {
        larger_roots(sigma, mu, &mut x, &mut inverse_roots);
        let mut slope = zero;
        for i in 0..N {
            slope = inverse_roots[i].mul_add(product_but(&x, i), slope);
        }
        let over = product_but(&x, N) - goal;
        let next = mu - over * slope.recip();
        mu = zero.if_less(left, next, mu);
        valid = fold.if_less(mu, valid, zero);
        let error = (over * inverse_goal).abs();
        left = error.if_less(one.fill(LAST_ERROR), zero, left);
        // Rejected lanes need no further iterations.
        if !(one - left * valid).any_not_above(0.0) {
            break;
        }
    }
    larger_roots(sigma, mu, &mut x, &mut inverse_roots);
    // Values whose product is admissible stay as they are.
    for i in 0..N {
        let above = one.fill(max).if_less(product, x[i], sigma[i]);
        x[i] = product.if_less(one.fill(min), x[i], above);
    }
    (x, one.fill(0.5).if_less(left, zero, valid))
}

/// Π x_j over j ≠ i; all of them for i = N.
#[inline(always)]
fn product_but<T: Lanes, const N: usize>(x: &[T; N], i: usize) -> T {
    let mut product = x[0].fill(1.0);
    for j in 0..N {
        if j != i {
            product = product * x[j];
        }
    }
    product
}

/// The larger solutions of x (x − σ) = μ and 1/(2x − σ).
#[inline(always)]
fn larger_roots<T: Lanes, const N: usize>(sigma: &[T; N], mu: T, x: &mut [T; N], inverse_roots: &mut [T; N]) {
    let half = mu.fill(0.5);
    for i in 0..N {
        let square = sigma[i].mul_add(sigma[i], mu * mu.fill(4.0)).max(mu.fill(TINY));
        inverse_roots[i] = square.rsqrt();
        x[i] = square.mul_add(inverse_roots[i], sigma[i]) * half;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::determinant_clamp;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn agrees_with_the_plain_way(
            mut sigma in [0.0..2.0, 0.0..2.0, 0.0..2.0], inverted in any::<bool>(), min in 0.2..1.0, max in 1.0..2.0
        ) {
            sigma.sort_by(|a: &Real, b| b.total_cmp(a));
            if inverted { sigma[2] = -sigma[2]; }
            let (x, valid) = clamp_product::<Real, 3>(&sigma, min, max);
            let plain = determinant_clamp::clamp_product(sigma, min, max);
            let product: Real = sigma.iter().product();
            if valid == 1.0 {
                // Near the fold the values are as sensitive as 1/(2x − σ).
                let sensitivity = 1.0 / (2.0 * plain[2] - sigma[2]).abs();
                for i in 0..3 {
                    prop_assert!((x[i] - plain[i]).abs() < 1e-13 * (1.0 + sensitivity), "{sigma:?} {x:?} {plain:?}");
                }
            } else {
                prop_assert!(product < 0.5 * min || product > 1.9 * max || sigma[2] <= 0.0 || product > max, "{sigma:?}");
            }
        }

        #[test]
        fn two_values_agree_too(mut sigma in [0.0..2.0, 0.0..2.0], min in 0.2..1.0, max in 1.0..2.0) {
            sigma.sort_by(|a: &Real, b| b.total_cmp(a));
            let (x, valid) = clamp_product::<Real, 2>(&sigma, min, max);
            let plain = determinant_clamp::clamp_product(sigma, min, max);
            let sensitivity = 1.0 / (2.0 * plain[1] - sigma[1]).abs();
            for i in 0..2 {
                prop_assert!(valid == 0.0 || (x[i] - plain[i]).abs() < 1e-13 * (1.0 + sensitivity));
            }
        }
    }

    /// Ordinary changes of volume must not need the slow way.
    #[test]
    fn ordinary_values_are_done_in_lanes() {
        for sigma in [[1.0; 3], [1.1; 3], [0.85; 3], [1.6, 1.0, 0.5], [2.0, 0.7, 0.6], [1.2, 0.9, 0.8]] {
            assert_eq!(clamp_product::<Real, 3>(&sigma, 1.0, 1.0).1, 1.0, "{sigma:?}");
        }
    }
}
