//! The spectrum of D⁻¹A, which determines the convergence of the Jacobi family.
//!
//! For symmetric positive definite A with diagonal D, a damped Jacobi sweep x ← x + γ D⁻¹(b − A x) multiplies the
//! error by I − γ D⁻¹A. It converges if and only if 0 < γ < 2/λmax(D⁻¹A). The best damping and its contraction are
//!
//! ```text
//! γ = 2/(λmin + λmax),   ρ = (λmax − λmin)/(λmax + λmin)
//! ```
//! λmax is at most the number of vertices of an element: 2 for springs (so undamped Jacobi converges on mass-spring
//! cloth), 4 for tetrahedra (so it need not on solids), more for bending stencils.
//!
//! Both ends are found by Lanczos iteration on D^-½ A D^-½ from a fixed start vector, with the residual bounds of the
//! Ritz values as margins (Parlett 1998, "The Symmetric Eigenvalue Problem", chapter 13), and Gershgorin's bound as
//! ceiling and fallback.

use crate::sparse_rows::Rows;
use crate::tridiagonal::{extreme_eigenvalues, last_component};
use crate::vector::{dot, for_each_row, norm};
use pd_core::{Csr, LinearError, Real};

/// Estimated ends of the spectrum of D⁻¹A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spectrum {
    /// Smallest eigenvalue, as a rule from below. It need not be a bound: an error costs only speed.
    pub min: Real,
    /// Largest eigenvalue, from above, with a margin of at least 1 % over the Lanczos estimate, or Gershgorin's bound.
    pub max: Real,
    /// Products with A that were needed.
    pub products: usize,
}

/// Most Lanczos steps.
const STEPS: usize = 400;
/// Steps between evaluations of the Ritz values.
const LOOK: usize = 10;
/// Relative residual bound at which an end has converged: the small end affects only speed, by its square root;
/// the large end affects stability.
const MIN_ACCURACY: Real = 0.05;
const MAX_ACCURACY: Real = 0.005;
/// Margins against a start vector that is nearly orthogonal to the last eigenvector.
const MIN_MARGIN: Real = 0.95;
const MAX_MARGIN: Real = 1.01;

impl Spectrum {
    /// Estimates both ends. Checks the matrix first; an indefinite or singular matrix is an error if Lanczos
    /// detects it, naming the row that is least dominated by its diagonal.
    ///
    /// ```
    /// use pd_linear::{Csr, Spectrum};
    /// // D⁻¹A = [1 -½; -½ 1] has eigenvalues ½ and 3/2.
    /// let a = Csr::from_triplets(2, &[(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0)])?;
    /// let spectrum = Spectrum::estimate(&a)?;
    /// // The ends are safe ones: a little below the least eigenvalue, a little above the largest.
    /// assert!(spectrum.min <= 0.5 && spectrum.min > 0.45);
    /// assert!(spectrum.max > 1.5 - 1e-12 && spectrum.max < 1.55);
    /// # Ok::<(), pd_linear::LinearError>(())
    /// ```
    pub fn estimate(a: &Csr) -> Result<Self, LinearError> {
        a.check_symmetric()?;
        let found = lanczos(a, MIN_ACCURACY);
        // A Ritz value is a Rayleigh quotient: below zero it proves that A is indefinite.
        if found.ritz_min <= 1e-14 * found.max {
            return Err(not_definite(a, found.ritz_min));
        }
        Ok(Self { min: found.min, max: found.max, products: found.products })
    }

    /// The optimal damping: 2/(λmin + λmax).
    pub fn gamma(&self) -> Real {
        2.0 / (self.min + self.max)
    }

    /// Contraction per sweep with damping `gamma`: max(|1 − γ λmin|, |1 − γ λmax|). At 1 or above the sweep diverges.
    pub fn contraction(&self, gamma: Real) -> Real {
        (1.0 - gamma * self.min).abs().max((1.0 - gamma * self.max).abs())
    }

    /// Condition number of D⁻¹A.
    pub fn condition(&self) -> Real {
        self.max / self.min
    }
}

/// λmax(D⁻¹A) from above, in a few products.
pub(crate) fn largest_eigenvalue(a: &Csr) -> Real {
    lanczos(a, Real::INFINITY).max
}

struct Found {
    min: Real,
    max: Real,
    ritz_min: Real,
    products: usize,
}

/// Lanczos until λmin is known to the relative bound `min_accuracy` and λmax to `MAX_ACCURACY`.
fn lanczos(a: &Csr, min_accuracy: Real) -> Found {
    let n = a.rows();
    let ceiling = gershgorin(a);
    // Used if Lanczos breaks down: the safe ceiling, and a floor that only costs speed.
    let mut found = Found { min: 1e-6 * ceiling, max: ceiling, ritz_min: 1e-6 * ceiling, products: 0 };
    let scale: Vec<Real> = a.diagonal().iter().map(|d| 1.0 / d.sqrt()).collect();
    let (mut v, mut w) = (start_vector(n), vec![0.0; n]);
    let (mut previous, mut scaled) = (vec![0.0; n], vec![0.0; n]);
    let (mut alphas, mut betas): (Vec<Real>, Vec<Real>) = (vec![], vec![]);
    let mut ritz = (Real::INFINITY, 0.0); // the ends at the look before
    // Rounding costs orthogonality, so more than n steps can be of use.
    for step in 1..=STEPS {
        for_each_row(&mut scaled, 1, |i, out| out[0] = scale[i] * v[i]);
        let beta = betas.last().copied().unwrap_or(0.0);
        Rows::from(a).product(&scaled, &mut w, 1, |i, sums, out| {
            out[0] = scale[i] * sums[0] - beta * previous[i];
        });
        let alpha = dot(&w, &v);
        for_each_row(&mut w, 1, |i, out| out[0] -= alpha * v[i]);
        alphas.push(alpha);
        found.products = step;
        let beta = norm(&w);
        let exhausted = beta <= 1e-12 * ceiling;
        if step % LOOK == 0 || exhausted || step == STEPS {
            let Some((low, high)) = extreme_eigenvalues(&alphas, &betas) else { break };
            let bound = |ritz| if exhausted { 0.0 } else { beta * last_component(&alphas, &betas, ritz) };
            let (low_bound, high_bound) = (bound(low), bound(high));
            found.ritz_min = low;
            found.min = MIN_MARGIN * (low - low_bound).max(0.5 * low);
            found.max = (MAX_MARGIN * high + high_bound).min(ceiling);
            // A bound only says that *some* eigenvalue is near; that it is the last one shows when the Ritz value
            // rests while the Krylov space grows.
            let rests =
                |now: Real, before: Real, accuracy: Real| (now - before).abs() <= 0.1 * accuracy * now.abs();
            let done = low_bound <= min_accuracy * low.abs()
                && high_bound <= MAX_ACCURACY * high
                && (min_accuracy.is_infinite() || rests(low, ritz.0, min_accuracy))
                && rests(high, ritz.1, MAX_ACCURACY);
            ritz = (low, high);
            if exhausted || done || low <= 0.0 {
                break;
            }
        }
        betas.push(beta);
        std::mem::swap(&mut previous, &mut v);
        for_each_row(&mut v, 1, |i, out| out[0] = w[i] / beta);
    }
    found
}

/// max_i Σ_j |a_ij|/a_ii: no eigenvalue of D⁻¹A is larger.
fn gershgorin(a: &Csr) -> Real {
    let row = |i| a.row(i).map(|(_, v)| v.abs()).sum::<Real>() / a.get(i, i);
    (0..a.rows()).map(row).fold(1.0, Real::max)
}

/// The error for a matrix whose D^-½AD^-½ has the Rayleigh quotient `value`, not positive.
pub(crate) fn not_definite(a: &Csr, value: Real) -> LinearError {
    let dominance = |i: usize| 2.0 - a.row(i).map(|(_, v)| v.abs()).sum::<Real>() / a.get(i, i);
    let row = (0..a.rows()).min_by(|&i, &j| dominance(i).total_cmp(&dominance(j))).unwrap_or(0);
    LinearError::NotPositiveDefinite { row, pivot: value }
}

/// A unit vector without symmetry, the same on every machine: hashed indices in [−1, 1) (splitmix64).
fn start_vector(n: usize) -> Vec<Real> {
    let hash = |i: usize| {
        let mut z = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as i64 as Real / i64::MAX as Real
    };
    let mut v: Vec<Real> = (0..n).map(hash).collect();
    let scale = 1.0 / norm(&v);
    v.iter_mut().for_each(|v| *v *= scale);
    v
}
