//! Ranges that singular values of a deformation gradient may take.

use crate::isotropic::{Curvature, Curvature2, PAIRS};
use crate::{ConstraintError, check};
use pd_core::{Real, Vec3};

/// Singular values closer than this are treated as equal, and sums below it as zero, in quotients of differences.
const EQUAL: Real = 1e-9;

/// Allowed range of each singular value, largest singular value first. Triangles use the first two axes.
///
/// The values are sorted by size, so the axes are not material directions: different ranges per axis do not define an
/// anisotropic material. `min = max = 1` is as-rigid-as-possible; a wider range is strain limiting.
///
/// ```
/// use pd_constraints::StrainRange;
/// assert_eq!(StrainRange::uniform(0.95, 1.05).min, [0.95; 3]);
/// assert_eq!(StrainRange::RIGID, StrainRange::uniform(1.0, 1.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrainRange {
    /// Least value of each, 0 < min ≤ 1.
    pub min: [Real; 3],
    /// Greatest value of each, max ≥ 1.
    pub max: [Real; 3],
}

impl StrainRange {
    /// Every singular value must be 1.
    pub const RIGID: Self = Self::uniform(1.0, 1.0);

    /// The same range for every axis.
    pub const fn uniform(min: Real, max: Real) -> Self {
        Self { min: [min; 3], max: [max; 3] }
    }

    /// Checks the first `axes` ranges and tightens them so that they fall with the axis.
    ///
    /// Since σ₁ ≥ σ₂ ≥ σ₃, a lower end of σ₂ also holds for σ₁, and an upper end of σ₁ for σ₂. The set of allowed
    /// matrices stays the same, and clamping each value then keeps their order, which makes it the nearest point.
    pub(crate) fn checked(mut self, kind: &'static str, axes: usize) -> Result<Self, ConstraintError> {
        for axis in 0..axes {
            check::range(kind, axis, self.min[axis], self.max[axis])?;
        }
        for axis in 1..axes {
            self.max[axis] = self.max[axis].min(self.max[axis - 1]);
        }
        for axis in (1..axes).rev() {
            self.min[axis - 1] = self.min[axis - 1].max(self.min[axis]);
        }
        Ok(self)
    }

    /// σ_i − clamp(σ_i), and whether it changes with σ_i.
    fn excess(&self, axis: usize, sigma: Real) -> (Real, bool) {
        let (min, max) = (self.min[axis], self.max[axis]);
        (sigma - sigma.max(min).min(max), min == max || sigma < min || sigma > max)
    }

    /// Second derivatives of ½ Σ (σ_i − clamp(σ_i))² of three singular values.
    pub(crate) fn curvature(&self, sigma: &Vec3) -> Curvature {
        let excess = [0, 1, 2].map(|i| self.excess(i, sigma[i]));
        let mut scaling = [[0.0; 3]; 3];
        (0..3).for_each(|i| scaling[i][i] = Real::from(excess[i].1));
        let of = |[i, j, _]: [usize; 3]| quotients([sigma[i], sigma[j]], [excess[i], excess[j]]);
        Curvature { scaling, twist: PAIRS.map(|pair| of(pair).0), flip: PAIRS.map(|pair| of(pair).1) }
    }

    /// The same of the two singular values of a triangle.
    pub(crate) fn curvature2(&self, sigma: [Real; 2]) -> Curvature2 {
        let excess = [0, 1].map(|i| self.excess(i, sigma[i]));
        let (twist, flip) = quotients(sigma, excess);
        let scaling = [[Real::from(excess[0].1), 0.0], [0.0, Real::from(excess[1].1)]];
        Curvature2 { scaling, twist, flip, normal: [0, 1].map(|i| excess[i].0 / sigma[i].max(EQUAL)) }
    }
}

/// (r_i + r_j)/(σ_i + σ_j) and (r_i − r_j)/(σ_i − σ_j).
fn quotients([a, b]: [Real; 2], [(ra, active), (rb, _)]: [(Real, bool); 2]) -> (Real, Real) {
    let (sum, difference) = (a + b, a - b);
    let twist = (ra + rb) / if sum.abs() > EQUAL { sum } else { EQUAL };
    let flip = if difference.abs() > EQUAL { (ra - rb) / difference } else { Real::from(active) };
    (twist, flip)
}
