//! Adding or removing a pin or a spring: a symmetric rank-one update.

use pd_core::{LinearError, Real};

/// A symmetric change of rank one, A ← A + w a aᵀ.
#[derive(Clone, Debug, PartialEq)]
pub struct LowRankUpdate {
    /// w; negative to remove.
    pub weight: Real,
    /// The entries (index, value) of a.
    pub row: Vec<(u32, Real)>,
}

impl LowRankUpdate {
    /// A pin of this weight on a vertex.
    pub fn pin(vertex: u32, weight: Real) -> Self {
        Self { weight, row: vec![(vertex, 1.0)] }
    }

    /// A spring of this weight between two vertices.
    pub fn spring(i: u32, j: u32, weight: Real) -> Self {
        Self { weight, row: vec![(i, 1.0), (j, -1.0)] }
    }

    /// The inverse update.
    pub fn reversed(&self) -> Self {
        Self { weight: -self.weight, row: self.row.clone() }
    }

    /// uᵀx for u = √|w| a.
    pub(crate) fn scaled_dot(&self, x: impl Fn(usize) -> Real) -> Real {
        self.weight.abs().sqrt() * self.row.iter().map(|&(i, a)| a * x(i as usize)).sum::<Real>()
    }

    /// Checks that the update fits a matrix of n rows.
    pub(crate) fn check(&self, n: usize) -> Result<(), LinearError> {
        if !self.weight.is_finite() || self.weight == 0.0 {
            let what = format!("the weight of a change is {}; it must be finite and not zero", self.weight);
            return Err(LinearError::Parameter { solver: "low-rank".to_owned(), what });
        }
        for &(i, value) in &self.row {
            if i as usize >= n {
                return Err(LinearError::Dimension {
                    what: "vertex of a change",
                    expected: n,
                    got: i as usize,
                });
            }
            if !value.is_finite() {
                return Err(LinearError::NotFinite { row: i as usize, column: 0, value });
            }
        }
        Ok(())
    }
}
