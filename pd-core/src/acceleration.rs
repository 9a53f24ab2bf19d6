//! Fewer iterations for the same error: how the direction d = A⁻¹(−∇objective) becomes the next iterate.

use crate::anderson::Anderson;
use crate::lbfgs::Lbfgs;
use crate::pivoted_cholesky::MOST_WINDOW;

/// What projective dynamics does with the direction that a local and a global step give.
///
/// All choices share the matrix and its factor, and all converge to the same minimiser; they differ in how many
/// iterations that takes. Those that accelerate also choose their first iterate, at the price of three to five local
/// steps: where the forces at the present positions would take the vertices, or where their velocities would, or the
/// inertial target, whichever has the least objective, without its worst forces.
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
    /// L-BFGS in block form with A as the first Hessian (Liu et al. 2017) and a line search. The first iterate, and after
    /// an impact the third, is improved by steps with the diagonal of A as the first Hessian: local steps without a solve.
    Lbfgs {
        /// Pairs remembered, 1 to 8; 5 is usual.
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

/// The memory of an accelerated stepper.
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
        let window = |w: usize| w.clamp(1, MOST_WINDOW);
        match acceleration {
            Acceleration::None => Self::None,
            Acceleration::Anderson { window: w } => Self::Anderson(Anderson::new(window(w), vertices)),
            Acceleration::Lbfgs { window: w } => Self::Lbfgs(Lbfgs::new(window(w), vertices)),
        }
    }
}
