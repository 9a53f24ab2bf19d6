//! Acceleration of the local/global iteration: how the direction d = A⁻¹(−∇objective) becomes the next iterate.

use crate::anderson::Anderson;
use crate::lbfgs::Lbfgs;
use crate::pivoted_cholesky::MAX_WINDOW;

/// How projective dynamics uses the direction computed by a local and a global step.
///
/// All choices share the matrix and its factor and converge to the same minimiser; they differ in the number of
/// iterations. Accelerated steps also choose an initial guess, at the cost of three to five local steps: extrapolation
/// with the current forces, with the current velocities, or the inertial target, whichever has the smallest objective,
/// then smoothed by one Jacobi step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acceleration {
    /// x ← x + d: projective dynamics as published. The objective never increases.
    #[default]
    None,
    /// Anderson mixing of the last `window` steps (Peng et al. 2018); a step that increases the objective is rejected
    /// and replaced by the plain one.
    Anderson {
        /// Number of stored steps, 1 to 8; typically 5.
        window: usize,
    },
    /// L-BFGS in block form with A as the initial Hessian (Liu et al. 2017) and a line search. The initial guess, and after
    /// an impact the third iterate, is improved by steps with diag(A) as the initial Hessian: local steps without a solve.
    Lbfgs {
        /// Number of stored pairs, 1 to 8; typically 5.
        window: usize,
    },
}

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

/// History of an accelerated stepper.
#[allow(clippy::large_enum_variant, reason = "one lives in each stepper; its size does not matter")]
pub(crate) enum AccelerationState {
    None,
    Anderson(Anderson),
    Lbfgs(Lbfgs),
}

impl AccelerationState {
    /// The pairs of L-BFGS.
    pub(crate) fn pairs(&mut self) -> Option<&mut Lbfgs> {
        match self {
            Self::Lbfgs(memory) => Some(memory),
            Self::None | Self::Anderson(_) => None,
        }
    }

    pub(crate) fn new(acceleration: Acceleration, vertices: usize) -> Self {
        let window = |w: usize| w.clamp(1, MAX_WINDOW);
        match acceleration {
            Acceleration::None => Self::None,
            Acceleration::Anderson { window: w } => Self::Anderson(Anderson::new(window(w), vertices)),
            Acceleration::Lbfgs { window: w } => Self::Lbfgs(Lbfgs::new(window(w), vertices)),
        }
    }
}
