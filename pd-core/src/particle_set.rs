//! Ranges of the shared array of points: cloth, solids, grains, material points.

use crate::Real;
use std::ops::Range;

/// Kind of the points of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SetKind {
    /// Vertices of a surface with elastic energies.
    Cloth,
    /// Vertices of a solid with elastic energies.
    Solid,
    /// Grains and particles of particle bodies: contact by radius.
    Grains,
    /// Material points of a fluid or granular medium on a grid.
    Material,
}

impl SetKind {
    /// Whether elastic energies may act on the points: only these enter the global matrix.
    pub fn is_elastic(self) -> bool {
        matches!(self, Self::Cloth | Self::Solid)
    }
}

/// A named range of points of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleSet {
    /// Name, as a scene gives it.
    pub name: String,
    /// The points.
    pub range: Range<u32>,
    /// Their kind.
    pub kind: SetKind,
    /// Radius of a point, m; 0 where points have no size of their own.
    pub radius: Real,
}
