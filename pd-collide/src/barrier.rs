//! The logarithmic barrier of Incremental Potential Contact (Li et al. 2020, equation 6).
//!
//!   b(d) = −(d − d̂)² ln(d / d̂)  for 0 < d < d̂,   0 for d ≥ d̂,   +∞ for d ≤ 0
//!
//! with the derivatives b′ = (d̂ − d)(2 ln(d/d̂) − d̂/d + 1) and b″ = (d̂/d + 2) d̂/d − 2 ln(d/d̂) − 3. It is twice
//! continuously differentiable at d̂. As in the authors' program the argument is the *squared* distance, so that no root
//! stands between it and the positions: [`LogBarrier::energy`] takes what [`squared_distance`] gives.
//!
//! [`squared_distance`]: crate::distance::squared_distance

use crate::distance::Derivatives;
use crate::error::{CollideError, positive};
use pd_core::Real;

/// A barrier that acts below some distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogBarrier {
    squared: Real,
}

impl LogBarrier {
    /// A barrier that acts on pairs nearer than `distance`, m.
    ///
    /// # Errors
    /// If the distance is not positive and finite, or its square is not.
    pub fn new(distance: Real) -> Result<Self, CollideError> {
        positive("log barrier", "distance", distance)?;
        positive("log barrier", "squared distance", distance * distance)?;
        Ok(LogBarrier { squared: distance * distance })
    }

    /// The distance below which it acts, m.
    pub fn distance(&self) -> Real {
        self.squared.sqrt()
    }

    /// b, b′ and b″ at a squared distance, m²; infinite, with no slope, at zero and below.
    pub fn at(&self, squared: Real) -> [Real; 3] {
        if squared >= self.squared {
            return [0.0; 3];
        }
        if squared <= 0.0 {
            return [Real::INFINITY, 0.0, 0.0];
        }
        let inverse = self.squared / squared;
        let log = -inverse.ln();
        let room = self.squared - squared;
        [-room * room * log, room * (2.0 * log - inverse + 1.0), (inverse + 2.0) * inverse - 2.0 * log - 3.0]
    }

    /// The barrier of a pair with its derivatives, from those of the pair's squared distance.
    pub fn energy<const N: usize>(&self, squared: &Derivatives<N>) -> Derivatives<N> {
        squared.chain(self.at(squared.value))
    }
}
