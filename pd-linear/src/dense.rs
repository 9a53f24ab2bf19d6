//! Dense Cholesky A = L Lᵀ: the reference for tests of the other solvers.
//!
//! Golub and Van Loan 2013, "Matrix Computations", algorithm 4.2.1, by rows. O(n²) memory, O(n³) time.

use crate::vector::check_input;
use pd_core::{Csr, GlobalSolver, LinearError, Real, SolveReport};

/// Dense Cholesky with a limit on memory, checked before anything is allocated.
pub struct DenseCholesky {
    /// Maximum size of the factor, bytes.
    pub limit: u64,
    rows: usize,
    /// Lower triangle by rows: entry (i, j) at i (i + 1)/2 + j.
    l: Vec<Real>,
}

impl Default for DenseCholesky {
    /// A limit of 512 MiB: about 11,500 rows.
    fn default() -> Self {
        Self { limit: 512 << 20, rows: 0, l: vec![] }
    }
}

impl DenseCholesky {
    /// With another limit, in bytes.
    pub fn with_limit(limit: u64) -> Self {
        Self { limit, ..Self::default() }
    }
}

fn start(row: usize) -> usize {
    row * (row + 1) / 2
}

fn dot(a: &[Real], b: &[Real]) -> Real {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl GlobalSolver for DenseCholesky {
    fn name(&self) -> &str {
        "dense"
    }

    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        self.l.clear();
        let n = a.rows();
        let bytes = (n as u128 * (n as u128 + 1) / 2 * size_of::<Real>() as u128).min(u64::MAX.into()) as u64;
        if bytes > self.limit {
            return Err(LinearError::TooLarge { solver: self.name().to_owned(), bytes, limit: self.limit });
        }
        a.check_symmetric()?;
        let mut l = std::mem::take(&mut self.l);
        l.resize(start(n), 0.0);
        for i in 0..n {
            for (j, value) in a.row(i).filter(|&(j, _)| j <= i) {
                l[start(i) + j] = value;
            }
            let (above, row) = l.split_at_mut(start(i));
            for j in 0..i {
                let pivot_row = &above[start(j)..start(j + 1)];
                row[j] = (row[j] - dot(&row[..j], &pivot_row[..j])) / pivot_row[j];
            }
            let diagonal = row[i];
            let pivot = diagonal - dot(&row[..i], &row[..i]);
            // A pivot this small against its diagonal has no correct digit: the matrix is singular to rounding.
            if pivot <= 16.0 * Real::EPSILON * diagonal || !pivot.is_finite() {
                return Err(LinearError::NotPositiveDefinite { row: i, pivot });
            }
            row[i] = pivot.sqrt();
        }
        self.rows = n;
        self.l = l;
        Ok(())
    }

    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        if self.l.is_empty() {
            return Err(LinearError::NotFactored { solver: self.name().to_owned() });
        }
        check_input(self.rows, b, x, columns)?;
        x.copy_from_slice(b);
        for i in 0..self.rows {
            let row = &self.l[start(i)..start(i + 1)];
            for c in 0..columns {
                let sum: Real = (0..i).map(|j| row[j] * x[j * columns + c]).sum();
                x[i * columns + c] = (x[i * columns + c] - sum) / row[i];
            }
        }
        for i in (0..self.rows).rev() {
            let row = &self.l[start(i)..start(i + 1)];
            for c in 0..columns {
                let value = x[i * columns + c] / row[i];
                x[i * columns + c] = value;
                for j in 0..i {
                    x[j * columns + c] -= row[j] * value;
                }
            }
        }
        Ok(SolveReport::direct())
    }

    fn bytes(&self) -> usize {
        size_of::<Real>() * self.l.len()
    }
}
