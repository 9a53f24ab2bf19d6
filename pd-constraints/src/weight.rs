//! Weights of a batch: one for all elements, or one for each.

use crate::ConstraintError;
use pd_core::Real;

/// The weight ω of the elements of a batch. Constructors take `impl Into<Weight>`, so a number, a slice or a
/// reference to a `Vec` is accepted.
///
/// ```
/// use pd_constraints::{EdgeSprings, Weight};
/// use pd_core::{EnergyBatch, Vec3};
/// let x = [Vec3::zeros(), Vec3::x(), Vec3::y()];
/// let edges = [[0, 1], [1, 2]];
/// let alike = EdgeSprings::new(&x, &edges, 100.0)?;
/// let varied = EdgeSprings::new(&x, &edges, &[100.0, 50.0])?;
/// assert_eq!(alike.stencil().weights(), &[100.0, 100.0]);
/// assert_eq!(varied.stencil().weights(), &[100.0, 50.0]);
/// # Ok::<(), pd_constraints::ConstraintError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weight<'a> {
    /// The same for every element.
    Uniform(Real),
    /// One for each element given to the constructor, including those it skips.
    PerElement(&'a [Real]),
}

impl Weight<'_> {
    /// Checks that there is a positive, finite weight for each of `elements`.
    pub(crate) fn check(self, kind: &'static str, elements: usize) -> Result<(), ConstraintError> {
        let bad = |w: &Real| !(*w > 0.0 && w.is_finite());
        match self {
            Weight::Uniform(weight) if bad(&weight) => {
                Err(ConstraintError::Weight { kind, element: 0, weight })
            }
            Weight::Uniform(_) => Ok(()),
            Weight::PerElement(weights) if weights.len() != elements => {
                Err(ConstraintError::WeightCount { kind, elements, weights: weights.len() })
            }
            Weight::PerElement(weights) => match weights.iter().position(bad) {
                Some(element) => Err(ConstraintError::Weight { kind, element, weight: weights[element] }),
                None => Ok(()),
            },
        }
    }

    /// Weight of an element; call after [`check`](Self::check).
    pub(crate) fn at(self, element: usize) -> Real {
        match self {
            Weight::Uniform(weight) => weight,
            Weight::PerElement(weights) => weights[element],
        }
    }
}

impl From<Real> for Weight<'_> {
    fn from(weight: Real) -> Self {
        Weight::Uniform(weight)
    }
}

impl<'a> From<&'a [Real]> for Weight<'a> {
    fn from(weights: &'a [Real]) -> Self {
        Weight::PerElement(weights)
    }
}

impl<'a, const N: usize> From<&'a [Real; N]> for Weight<'a> {
    fn from(weights: &'a [Real; N]) -> Self {
        Weight::PerElement(weights)
    }
}

impl<'a> From<&'a Vec<Real>> for Weight<'a> {
    fn from(weights: &'a Vec<Real>) -> Self {
        Weight::PerElement(weights)
    }
}
