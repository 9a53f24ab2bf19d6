//! Incomplete Cholesky without fill, IC(0): L Lᵀ ≈ A with L on the lower pattern of A.
//!
//! Meijerink and van der Vorst 1977. A pivot that breaks down raises a shift of the diagonal, A + σ D, until the
//! factor exists (Manteuffel 1980). The triangular solves run on one thread, in row order.

use crate::preconditioner::Preconditioner;
use crate::sparse_rows::{OwnedRows, Rows};
use pd_core::{Csr, LinearError, Real};

/// First shift after a breakdown, and its growth.
const SHIFT: Real = 1e-3;
const SHIFT_GROWTH: Real = 3.0;
/// Pivots below this fraction of their diagonal are treated as breakdowns: they would amplify instead of smooth.
const PIVOT: Real = 1e-8;

/// Entries (column, value) of L below the diagonal, row by row.
type LowerRows = Vec<Vec<(usize, Real)>>;

/// IC(0) with a diagonal shift where needed.
#[derive(Clone, Debug, Default)]
pub struct IncompleteCholesky {
    /// L below the diagonal, by rows, and the same transposed.
    lower: OwnedRows,
    upper: OwnedRows,
    /// 1/L_ii.
    inverse: Vec<Real>,
    shift: Real,
}

impl IncompleteCholesky {
    /// The relative diagonal shift that was needed; 0 for matrices with positive pivots, such as cloth.
    pub fn shift(&self) -> Real {
        self.shift
    }

    /// Tries with one shift; `None` after a breakdown.
    fn attempt(a: &Csr, shift: Real) -> Option<(LowerRows, Vec<Real>)> {
        let n = a.rows();
        let (mut lower, mut inverse): (LowerRows, Vec<Real>) = (Vec::with_capacity(n), vec![]);
        let mut dense = vec![0.0; n]; // row i of L, scattered
        for i in 0..n {
            let diagonal = a.get(i, i) * (1.0 + shift);
            let mut pivot = diagonal;
            let mut row: Vec<(usize, Real)> = a.row(i).filter(|&(j, _)| j < i).collect();
            for (j, value) in &mut row {
                let known: Real = lower[*j].iter().map(|&(k, l)| l * dense[k]).sum();
                *value = (*value - known) * inverse[*j];
                dense[*j] = *value;
                pivot -= *value * *value;
            }
            row.iter().for_each(|&(j, _)| dense[j] = 0.0);
            if pivot <= PIVOT * diagonal || !pivot.is_finite() {
                return None;
            }
            inverse.push(1.0 / pivot.sqrt());
            lower.push(row);
        }
        Some((lower, inverse))
    }
}

impl Preconditioner for IncompleteCholesky {
    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        let n = a.rows();
        self.shift = 0.0;
        // A shift as large as the off-diagonal row sums makes A dominant, so this ends.
        let (lower, inverse) = loop {
            if let Some(factor) = Self::attempt(a, self.shift) {
                break factor;
            }
            self.shift = if self.shift == 0.0 { SHIFT } else { SHIFT_GROWTH * self.shift };
            if !self.shift.is_finite() {
                return Err(LinearError::NotPositiveDefinite { row: 0, pivot: Real::NAN });
            }
        };
        self.lower = OwnedRows::from_rows(n, n, |i| lower[i].iter().copied());
        self.upper = self.lower.transpose();
        self.inverse = inverse;
        Ok(())
    }

    fn apply(&mut self, r: &[Real], z: &mut [Real], columns: usize) {
        z.copy_from_slice(r);
        let (lower, upper) = (self.lower.view(), self.upper.view());
        let n = lower.rows();
        match columns {
            3 => {
                (0..n).for_each(|i| eliminate::<3>(lower, i, self.inverse[i], z, 3, 0));
                (0..n).rev().for_each(|i| eliminate::<3>(upper, i, self.inverse[i], z, 3, 0));
            }
            _ => {
                for c in 0..columns {
                    (0..n).for_each(|i| eliminate::<1>(lower, i, self.inverse[i], z, columns, c));
                    (0..n).rev().for_each(|i| eliminate::<1>(upper, i, self.inverse[i], z, columns, c));
                }
            }
        }
    }

    fn bytes(&self) -> usize {
        self.lower.bytes() + self.upper.bytes() + size_of_val(&*self.inverse)
    }
}

/// z_i ← (z_i − Σ_j t_ij z_j)/L_ii for `WIDTH` columns from `column` on.
fn eliminate<const WIDTH: usize>(
    table: Rows<'_>,
    i: usize,
    inverse: Real,
    z: &mut [Real],
    columns: usize,
    column: usize,
) {
    let mut sums: [Real; WIDTH] = std::array::from_fn(|c| z[i * columns + column + c]);
    for (j, value) in table.row(i) {
        let z = &z[j * columns + column..][..WIDTH];
        for c in 0..WIDTH {
            sums[c] -= value * z[c];
        }
    }
    for c in 0..WIDTH {
        z[i * columns + column + c] = sums[c] * inverse;
    }
}
