//! Fewer iterations for the same error: how the direction d = A⁻¹(−∇objective) becomes the next iterate.

use crate::Real;
use crate::anderson::Anderson;
use crate::lbfgs::Lbfgs;

/// What projective dynamics does with the direction that a local and a global step give.
///
/// All choices share the matrix and its factor, and all converge to the same minimiser; they differ in how many
/// iterations that takes. Those that accelerate also choose their first iterate: on the way from the inertial target to
/// where the forces at the present positions would take the vertices, as far along as the objective falls (at the price
/// of two or three local steps).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acceleration {
    /// x ← x + d: projective dynamics as published. The objective never grows.
    #[default]
    None,
    /// Anderson mixing of the last `window` steps (Peng et al. 2018); a step that raises the objective is taken back
    /// and replaced by the plain one.
    Anderson {
        /// Steps remembered, 1 to 8; 5 is usual.
        window: usize,
    },
    /// L-BFGS with A as the first Hessian (Liu et al. 2017) and a line search.
    Lbfgs {
        /// Pairs remembered, 1 to 8; 5 is usual.
        window: usize,
    },
}

/// Longest memory of an accelerated stepper: small systems live on the stack.
pub(crate) const MOST_WINDOW: usize = 8;

impl Acceleration {
    /// Name of the stepper with this choice.
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "pd",
            Self::Anderson { .. } => "pd-anderson",
            Self::Lbfgs { .. } => "pd-lbfgs",
        }
    }
}

/// The memory of an accelerated stepper.
#[allow(clippy::large_enum_variant, reason = "one lives in each stepper; its size does not matter")]
pub(crate) enum Memory {
    None,
    Anderson(Anderson),
    Lbfgs(Lbfgs),
}

impl Memory {
    pub(crate) fn new(acceleration: Acceleration, vertices: usize) -> Self {
        let window = |w: usize| w.clamp(1, MOST_WINDOW);
        match acceleration {
            Acceleration::None => Self::None,
            Acceleration::Anderson { window: w } => Self::Anderson(Anderson::new(window(w), vertices)),
            Acceleration::Lbfgs { window: w } => Self::Lbfgs(Lbfgs::new(window(w), vertices)),
        }
    }
}

/// Solves the symmetric positive semi-definite system G θ = c of size `n` by Cholesky with a small shift, which keeps
/// nearly dependent directions from blowing up. `false` if it still breaks down.
pub(crate) fn solve_small(
    n: usize,
    gram: &[[Real; MOST_WINDOW]; MOST_WINDOW],
    c: &[Real; MOST_WINDOW],
    theta: &mut [Real; MOST_WINDOW],
) -> bool {
    let mut l = [[0.0; MOST_WINDOW]; MOST_WINDOW];
    let largest = (0..n).map(|i| gram[i][i]).fold(0.0, Real::max);
    for i in 0..n {
        for j in 0..=i {
            let shift = if i == j { 1e-12 * largest } else { 0.0 };
            let sum = gram[i][j] + shift - (0..j).map(|k| l[i][k] * l[j][k]).sum::<Real>();
            if i != j {
                l[i][j] = sum / l[j][j];
            } else if sum > 0.0 && sum.is_finite() {
                l[i][i] = sum.sqrt();
            } else {
                return false;
            }
        }
    }
    for i in 0..n {
        theta[i] = (c[i] - (0..i).map(|k| l[i][k] * theta[k]).sum::<Real>()) / l[i][i];
    }
    for i in (0..n).rev() {
        theta[i] = (theta[i] - (i + 1..n).map(|k| l[k][i] * theta[k]).sum::<Real>()) / l[i][i];
    }
    theta[..n].iter().all(|t| t.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_systems_are_solved() {
        let mut gram = [[0.0; MOST_WINDOW]; MOST_WINDOW];
        let rows = [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]];
        for i in 0..3 {
            gram[i][..3].copy_from_slice(&rows[i]);
        }
        let expected = [1.0, -2.0, 3.0];
        let (mut c, mut theta) = ([0.0; MOST_WINDOW], [0.0; MOST_WINDOW]);
        for i in 0..3 {
            c[i] = (0..3).map(|j| rows[i][j] * expected[j]).sum();
        }
        assert!(solve_small(3, &gram, &c, &mut theta));
        for i in 0..3 {
            assert!((theta[i] - expected[i]).abs() < 1e-9);
        }
        assert!(!solve_small(2, &[[0.0; MOST_WINDOW]; MOST_WINDOW], &c, &mut theta));
    }
}
