//! Ranges that singular values of a deformation gradient may take.

use crate::{ConstraintError, check};
use pd_core::Real;

/// Allowed range of each singular value, largest singular value first. Triangles use the first two axes.
///
/// The values are sorted by size, so the axes are no material directions: different ranges per axis do not make an
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
}
