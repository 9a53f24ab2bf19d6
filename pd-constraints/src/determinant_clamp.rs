//! Nearest values with a given product: the projection behind volume and area constraints.
//!
//! Given σ₁ ≥ … ≥ |σ_N| and s > 0, minimise Σ (x_i − σ_i)² over x with Π x_i = s. At a minimum all x_i > 0, and
//! x_i (x_i − σ_i) = μ with one multiplier μ for all i. Two cases:
//! - Π max(σ_i, 0) ≤ s (grow): μ ≥ 0, x_i = (σ_i + √(σ_i² + 4μ))/2, and Π x_i grows with μ: one root.
//! - Π σ_i > s (shrink): μ < 0. x_i is the larger root for i < N; x_N = t ∈ (0, σ_N) may be either root, so t is the
//!   parameter: μ = t (t − σ_N). Minima are the t where Π x_i rises through s (second-order condition); there may be
//!   two when s < Π σ_i/2; the nearer one is used.
//!
//! The fixed-point iteration D ← ((∇C·D − C)/|∇C|²) ∇C of Bouaziz et al. 2014 (appendix) finds the same points where
//! it converges, but only linearly, and in the shrinking case it may stop at the farther one.

use pd_core::Real;

/// Pieces of (0, σ_N] searched for a rise through s where there may be several.
const PIECES: usize = 32;

/// Plain Newton steps tried first.
const NEWTON_STEPS: usize = 8;

/// Newton steps with bisection as a guard: enough for bisection alone to reach the last bit.
const MAX_STEPS: usize = 128;

/// The values nearest to `sigma` whose product lies in [min, max], 0 < min ≤ max.
pub(crate) fn clamp_product<const N: usize>(sigma: [Real; N], min: Real, max: Real) -> [Real; N] {
    let inverted = sigma[N - 1] <= 0.0;
    let product: Real = sigma.iter().product();
    if inverted {
        grow(&sigma, min)
    } else if product < min {
        newton(&sigma, product, min).unwrap_or_else(|| grow(&sigma, min))
    } else if product > max {
        newton(&sigma, product, max).unwrap_or_else(|| shrink(&sigma, max))
    } else {
        sigma
    }
}

/// The common case, a product within a factor of two of its goal: plain Newton steps for μ from 0, on the larger roots,
/// where the solution is the only one. `None` if that does not converge immediately.
fn newton<const N: usize>(sigma: &[Real; N], product: Real, s: Real) -> Option<[Real; N]> {
    if product < 0.5 * s || product > 2.0 * s {
        return None;
    }
    let mut mu = 0.0;
    for _ in 0..NEWTON_STEPS {
        let x = sigma.map(|v| larger_root(v, mu));
        let product: Real = x.iter().product();
        let slope: Real = x.iter().zip(sigma).map(|(x, v)| (x * (2.0 * x - v)).recip()).sum();
        let error = product / s - 1.0;
        if error.abs() <= 4.0 * Real::EPSILON {
            return Some(x);
        }
        mu -= error * s / (product * slope);
        // Past the fold of the smallest value there is no larger root.
        if mu <= -0.25 * sigma[N - 1].powi(2) {
            return None;
        }
    }
    None
}

/// Case Π max(σ_i, 0) ≤ s.
fn grow<const N: usize>(sigma: &[Real; N], s: Real) -> [Real; N] {
    let values = |mu: Real| sigma.map(|v| larger_root(v, mu));
    // A step in ln μ, since μ may lie anywhere between rounding level and s^(2/N) or σ_N²-like sizes.
    let value_and_slope = |ln_mu: Real| {
        let mu = ln_mu.exp();
        let x = values(mu);
        let slope: Real = x.iter().zip(sigma).map(|(x, v)| mu / (x * (2.0 * x - v))).sum();
        (x.iter().map(|x| x.ln()).sum::<Real>() - s.ln(), slope)
    };
    let guess = (2.0 / N as Real) * s.ln();
    let (mut low, mut high) = (guess, guess);
    for _ in 0..MAX_STEPS {
        if value_and_slope(high).0 >= 0.0 {
            break;
        }
        high += (high - guess).max(1.0);
    }
    for _ in 0..MAX_STEPS {
        if value_and_slope(low).0 <= 0.0 {
            break;
        }
        low -= (guess - low).max(1.0);
    }
    values(rising_root(low, high, value_and_slope).exp())
}

/// Case Π σ_i > s, all σ_i > 0.
fn shrink<const N: usize>(sigma: &[Real; N], s: Real) -> [Real; N] {
    let last = sigma[N - 1];
    let values = |t: Real| {
        let mu = t * (t - last);
        let mut x = sigma.map(|v| larger_root(v, mu));
        x[N - 1] = t;
        x
    };
    let value_and_slope = |t: Real| {
        let x = values(t);
        // dx_i/dt = (2t − σ_N)/(2x_i − σ_i) for i < N.
        let others = x.iter().zip(sigma).take(N - 1).map(|(x, v)| (2.0 * t - last) / (x * (2.0 * x - v)));
        let slope = 1.0 / t + others.sum::<Real>();
        (x.iter().map(|x| x.ln()).sum::<Real>() - s.ln(), slope)
    };
    // For t ≤ σ_N/2 the product is at most half of Π σ_i, and above it rises monotonically.
    let pieces = if 2.0 * s > sigma.iter().product() { 2 } else { PIECES };
    let mut best = (Real::INFINITY, values(last));
    let mut start = (0.0, Real::NEG_INFINITY);
    for piece in 1..=pieces {
        let t = last * (piece as Real / pieces as Real);
        let end = (t, value_and_slope(t).0);
        if start.1 < 0.0 && end.1 >= 0.0 {
            let x = values(rising_root(start.0, end.0, value_and_slope));
            let distance = x.iter().zip(sigma).map(|(x, v)| (x - v).powi(2)).sum();
            if distance < best.0 {
                best = (distance, x);
            }
        }
        start = end;
    }
    best.1
}

/// The larger solution of x (x − v) = μ, without cancellation for negative v.
fn larger_root(v: Real, mu: Real) -> Real {
    let root = (v * v + 4.0 * mu).max(0.0).sqrt();
    if v >= 0.0 { 0.5 * (v + root) } else { 2.0 * mu / (root - v) }
}

/// Where a function that is negative at `low` and not at `high` rises through zero.
fn rising_root(mut low: Real, mut high: Real, value_and_slope: impl Fn(Real) -> (Real, Real)) -> Real {
    let mut t = 0.5 * (low + high);
    for _ in 0..MAX_STEPS {
        let (value, slope) = value_and_slope(t);
        if value < 0.0 {
            low = t;
        } else {
            high = t;
        }
        let newton = t - value / slope;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if next == t || value == 0.0 {
            break;
        }
        t = next;
    }
    t
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn distance<const N: usize>(a: &[Real; N], b: &[Real; N]) -> Real {
        a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<Real>().sqrt()
    }

    /// Least distance over a grid of the first two values, the third following from the product.
    fn brute_force_three(sigma: [Real; 3], s: Real) -> Real {
        let mut best = Real::INFINITY;
        let reach = sigma[0].max(s.cbrt()) * 1.2 + 0.5;
        for i in 1..=200 {
            for j in 1..=200 {
                let (a, b) = (reach * Real::from(i) / 200.0, reach * Real::from(j) / 200.0);
                best = best.min(distance(&[a, b, s / (a * b)], &sigma));
            }
        }
        best
    }

    #[test]
    fn of_two_minima_the_nearer_is_taken() {
        // Equal values 1 and s = 0.14: shrinking all alike to ∛s is a minimum, but a single smaller value is nearer.
        let x = clamp_product([1.0; 3], 0.1, 0.14);
        let alike = [0.14_f64.cbrt(); 3];
        assert!(distance(&x, &[1.0; 3]) < distance(&alike, &[1.0; 3]) - 1e-3, "{x:?}");
        let x = clamp_product([1.0; 3], 0.1, 0.16);
        assert!(distance(&x, &[0.16_f64.cbrt(); 3]) < 1e-12, "{x:?}");
        // In the plane the two ways part at s = ¼.
        let x = clamp_product([1.0; 2], 0.1, 0.21);
        assert!(distance(&x, &[0.7, 0.3]) < 1e-12, "{x:?}");
    }

    #[test]
    fn extremes() {
        let cases: [[Real; 3]; 8] = [
            [0.0; 3],
            [1.0, 0.0, 0.0],
            [1.0, 1.0, -1.0],
            [1e3, 1e3, -1e3],
            [1e6, 1e-6, 1e-9],
            [1e8, 1e8, 1e8],
            [1e-12, 1e-12, -1e-12],
            [1e5, 1.0, 1.0],
        ];
        for sigma in cases {
            let x = clamp_product(sigma, 1.0, 1.0);
            let product: Real = x.iter().product();
            assert!((product - 1.0).abs() < 1e-12, "{sigma:?} gave {x:?} with product {product}");
            assert!(x.iter().all(|x| *x > 0.0));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn three_values_against_brute_force(
            mut sigma in [0.0..2.0, 0.0..2.0, 0.0..2.0], sign in any::<bool>(), s in 0.02..2.0
        ) {
            sigma.sort_by(|a: &Real, b| b.total_cmp(a));
            if sign { sigma[2] = -sigma[2]; }
            let x = clamp_product(sigma, s, s);
            prop_assert!((x.iter().product::<Real>() / s - 1.0).abs() < 1e-12);
            prop_assert!(x[0] >= x[1] - 1e-12 && x[1] >= x[2] - 1e-12 && x[2] > 0.0);
            // One multiplier for all: x_i (x_i − σ_i) = μ.
            let mu: Vec<Real> = x.iter().zip(&sigma).map(|(x, v)| x * (x - v)).collect();
            prop_assert!((mu[0] - mu[1]).abs() < 1e-12 && (mu[1] - mu[2]).abs() < 1e-12, "{mu:?}");
            prop_assert!(distance(&x, &sigma) <= brute_force_three(sigma, s) + 1e-12);
        }

        #[test]
        fn two_values_against_brute_force(mut sigma in [0.0..2.0, 0.0..2.0], s in 0.02..2.0) {
            sigma.sort_by(|a: &Real, b| b.total_cmp(a));
            let x = clamp_product(sigma, s, s);
            prop_assert!((x[0] * x[1] / s - 1.0).abs() < 1e-12);
            for i in 1..=4000 {
                let a = Real::from(i) / 1000.0;
                prop_assert!(distance(&x, &sigma) <= distance(&[a, s / a], &sigma) + 1e-12);
            }
        }
    }
}
