//! Smoothed Coulomb friction as a potential: Li et al., Incremental Potential Contact (2020), section 5.
//!
//! With the normal force λ and the tangent plane of the step before ("lagged"), friction has the potential
//!
//!   ψ(u) = μ λ f₀(|u|),   u = P Σ β_j (x_j − x⁰_j),   P = I − n nᵀ
//!
//! of the slip u over the step, with f₀′ = f₁ and f₁(y) = 2 y/ε − (y/ε)² for y < ε, 1 beyond: the force rises from zero
//! to its limit μ λ over a slip of ε (a speed times the step), which keeps sticking differentiable and lets it creep.

use crate::distance::{Closest, Derivatives};
use crate::error::{CollideError, not_negative, positive};
use pd_core::{Mat3, Real, Vec3};

/// Friction of one contact over one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothedFriction {
    limit: Real,
    slip: Real,
}

impl SmoothedFriction {
    /// Friction up to the force `limit` = μ λ, N, which it reaches at a slip of `slip` = ε, m.
    ///
    /// # Errors
    /// If the limit is negative, the slip not positive, or either not finite.
    pub fn new(limit: Real, slip: Real) -> Result<Self, CollideError> {
        not_negative("friction", "limit", limit)?;
        positive("friction", "slip", slip)?;
        Ok(SmoothedFriction { limit, slip })
    }

    /// f₀, f₁/y and f₁′ at a slip of length y, times the limit. f₁/y is finite at y = 0.
    fn at(&self, y: Real) -> [Real; 3] {
        let ratio = y / self.slip;
        if ratio < 1.0 {
            let potential = self.slip * (ratio * ratio * (1.0 - ratio / 3.0) + 1.0 / 3.0);
            [potential, (2.0 - ratio) / self.slip, 2.0 * (1.0 - ratio) / self.slip].map(|v| v * self.limit)
        } else {
            [y, 1.0 / y, 0.0].map(|v| v * self.limit)
        }
    }

    /// ψ with its derivatives by the slip, a vector in the tangent plane, m. The Hessian acts within that plane: along
    /// its normal it is the one that |u| has there, which a projected slip never sees.
    pub fn potential(&self, slip: &Vec3) -> (Real, Vec3, Mat3) {
        let y = slip.norm();
        let [value, over, slope] = self.at(y);
        let mut hessian = Mat3::from_diagonal_element(over);
        if y > 0.0 {
            let along = slip / y;
            hessian += along * along.transpose() * (slope - over);
        }
        (value, slip * over, hessian)
    }

    /// ψ as a function of the positions `x` of a pair that was at `before` at the start of the step, with closest points
    /// `closest` and unit normal `normal`, all three held fixed.
    pub fn energy<const N: usize>(
        &self,
        x: &[Vec3; N],
        before: &[Vec3; N],
        closest: &Closest<N>,
        normal: &Vec3,
    ) -> Derivatives<N> {
        let moved: Vec3 = (0..N).map(|j| (x[j] - before[j]) * closest.weights[j]).sum();
        let tangent = Mat3::identity() - normal * normal.transpose();
        let (value, gradient, hessian) = self.potential(&(tangent * moved));
        let (gradient, hessian) = (tangent * gradient, tangent * hessian * tangent);
        let mut out = Derivatives::constant(value);
        for j in 0..N {
            out.gradient[j] = gradient * closest.weights[j];
            for k in 0..N {
                out.hessian[j][k] = hessian * (closest.weights[j] * closest.weights[k]);
            }
        }
        out
    }
}
