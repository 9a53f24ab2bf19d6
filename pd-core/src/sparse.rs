//! Compressed sparse rows with 32-bit column indices: the matrix type of all global solvers.
//!
//! Own types rather than nalgebra-sparse's: a column index of four bytes instead of eight cuts the traffic of
//! every product by a quarter, and the pattern is shared (`Arc`) so that "same pattern, new values" is a pointer
//! comparison. `pd-linear` converts from and to nalgebra-sparse.

use crate::{LinearError, Real};
use std::sync::Arc;

/// Where the entries of a square sparse matrix are: row offsets and ascending column indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    offsets: Vec<usize>,
    columns: Vec<u32>,
}

impl Pattern {
    /// Checks and wraps the two arrays: `offsets` ascends from 0 to `columns.len()`, and the columns of each row
    /// ascend strictly and are below the number of rows.
    pub fn new(offsets: Vec<usize>, columns: Vec<u32>) -> Result<Self, LinearError> {
        let rows = offsets.len().saturating_sub(1);
        let malformed = |row: usize, what: &'static str| LinearError::Pattern { row, what };
        if offsets.first() != Some(&0) || offsets.last() != Some(&columns.len()) {
            return Err(malformed(rows, "offsets must run from 0 to the number of entries"));
        }
        for row in 0..rows {
            let Some(entries) = columns.get(offsets[row]..offsets[row + 1]) else {
                return Err(malformed(row, "offsets must ascend"));
            };
            if entries.windows(2).any(|pair| pair[0] >= pair[1]) {
                return Err(malformed(row, "columns must ascend without repetition"));
            }
            if entries.last().is_some_and(|&last| last as usize >= rows) {
                return Err(malformed(row, "a column lies outside the square matrix"));
            }
        }
        Ok(Self { offsets, columns })
    }

    /// Wraps arrays that are valid by construction; [`new`](Self::new) checks them in debug builds.
    pub(crate) fn trusted(offsets: Vec<usize>, columns: Vec<u32>) -> Self {
        debug_assert!(Self::new(offsets.clone(), columns.clone()).is_ok());
        Self { offsets, columns }
    }

    /// Number of rows (and columns).
    pub fn rows(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Number of stored entries.
    pub fn entries(&self) -> usize {
        self.columns.len()
    }

    /// Row offsets, `rows + 1` of them.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// Column index of every entry, row after row.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Bytes of its arrays.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.offsets[..]) + size_of_val(&self.columns[..])
    }

    /// The columns of one row, ascending.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.columns[self.offsets[row]..self.offsets[row + 1]]
    }
}

/// A square sparse matrix: a shared [`Pattern`] and one value per entry.
///
/// ```
/// use pd_core::Csr;
/// // [ 2 -1 ]
/// // [-1  2 ]
/// let a = Csr::from_triplets(2, &[(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0)])?;
/// let mut y = [0.0; 2];
/// a.multiply(&[1.0, 3.0], &mut y, 1);
/// assert_eq!(y, [-1.0, 5.0]);
/// # Ok::<(), pd_core::LinearError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Csr {
    pattern: Arc<Pattern>,
    values: Vec<Real>,
}

impl Csr {
    /// A matrix of this pattern and these values, one per entry.
    pub fn new(pattern: Arc<Pattern>, values: Vec<Real>) -> Result<Self, LinearError> {
        if values.len() != pattern.entries() {
            return Err(LinearError::Dimension {
                what: "values of a sparse matrix",
                expected: pattern.entries(),
                got: values.len(),
            });
        }
        Ok(Self { pattern, values })
    }

    /// As [`new`](Self::new), for values made on the pattern.
    pub(crate) fn trusted(pattern: Arc<Pattern>, values: Vec<Real>) -> Self {
        debug_assert_eq!(values.len(), pattern.entries());
        Self { pattern, values }
    }

    /// Sums duplicates in the order given.
    pub fn from_triplets(rows: usize, triplets: &[(u32, u32, Real)]) -> Result<Self, LinearError> {
        let mut sorted = triplets.to_vec();
        sorted.sort_by_key(|t| (t.0, t.1)); // stable: duplicates keep their order
        let (mut offsets, mut columns, mut values) = (vec![0; rows + 1], vec![], vec![]);
        let mut last = None;
        for (row, column, value) in sorted {
            if row as usize >= rows || column as usize >= rows {
                return Err(LinearError::Pattern {
                    row: row as usize,
                    what: "a triplet lies outside the square matrix",
                });
            }
            if last == Some((row, column)) {
                if let Some(sum) = values.last_mut() {
                    *sum += value;
                }
                continue;
            }
            last = Some((row, column));
            columns.push(column);
            values.push(value);
            offsets[row as usize + 1] += 1;
        }
        for row in 0..rows {
            offsets[row + 1] += offsets[row];
        }
        Self::new(Arc::new(Pattern::new(offsets, columns)?), values)
    }

    /// Number of rows (and columns).
    pub fn rows(&self) -> usize {
        self.pattern.rows()
    }

    /// The pattern, shared.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// Value of every entry, row after row.
    pub fn values(&self) -> &[Real] {
        &self.values
    }

    /// Mutable values; the pattern stays.
    pub fn values_mut(&mut self) -> &mut [Real] {
        &mut self.values
    }

    /// The `(column, value)` pairs of a row, columns ascending.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, Real)> + '_ {
        let range = self.pattern.offsets[row]..self.pattern.offsets[row + 1];
        let columns = self.pattern.columns[range.clone()].iter();
        columns.zip(&self.values[range]).map(|(&column, &value)| (column as usize, value))
    }

    /// The entry at `(row, column)`, zero where none is stored.
    pub fn get(&self, row: usize, column: usize) -> Real {
        match self.pattern.row(row).binary_search(&(column as u32)) {
            Ok(k) => self.values[self.pattern.offsets[row] + k],
            Err(_) => 0.0,
        }
    }

    /// The diagonal, zero where no entry is stored.
    pub fn diagonal(&self) -> Vec<Real> {
        (0..self.rows()).map(|i| self.get(i, i)).collect()
    }

    /// y = A x for `columns` right-hand sides, row-major (`x[i * columns + c]`). Serial; each row sums in column
    /// order.
    pub fn multiply(&self, x: &[Real], y: &mut [Real], columns: usize) {
        for (row, out) in y.chunks_exact_mut(columns).enumerate() {
            out.fill(0.0);
            for (j, value) in self.row(row) {
                for (sum, x) in out.iter_mut().zip(&x[j * columns..(j + 1) * columns]) {
                    *sum += value * x;
                }
            }
        }
    }

    /// Checks what every solver relies on: finite entries, a stored positive diagonal, and symmetry to rounding.
    /// Solvers call it in `factor`, so that an invalid matrix is reported instead of producing a wrong answer.
    pub fn check_symmetric(&self) -> Result<(), LinearError> {
        if self.rows() == 0 {
            return Err(LinearError::Empty);
        }
        for i in 0..self.rows() {
            let diagonal = self.get(i, i);
            for (j, value) in self.row(i) {
                if !value.is_finite() {
                    return Err(LinearError::NotFinite { row: i, column: j, value });
                }
                if j > i {
                    continue; // the pair is checked once, from the row below
                }
                let transposed = self.get(j, i);
                let scale = diagonal.abs().max(self.get(j, j).abs()).max(value.abs());
                if (value - transposed).abs() > 1e-12 * scale {
                    return Err(LinearError::NotSymmetric { row: i, column: j, value, transposed });
                }
            }
            if diagonal <= 0.0 {
                return Err(LinearError::NotPositiveDefinite { row: i, pivot: diagonal });
            }
        }
        self.check_upper_has_twin()
    }

    /// An entry above the diagonal without a stored counterpart below it escapes the loop over lower entries.
    fn check_upper_has_twin(&self) -> Result<(), LinearError> {
        for i in 0..self.rows() {
            for (j, value) in self.row(i).filter(|&(j, _)| j > i) {
                if value != 0.0 && self.pattern.row(j).binary_search(&(i as u32)).is_err() {
                    return Err(LinearError::NotSymmetric { row: i, column: j, value, transposed: 0.0 });
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triplets_sum_and_sort() {
        let a = Csr::from_triplets(3, &[(2, 0, 1.0), (0, 2, 5.0), (2, 0, 2.0), (1, 1, 4.0)]).unwrap();
        assert_eq!(a.get(2, 0), 3.0);
        assert_eq!(a.get(0, 2), 5.0);
        assert_eq!(a.get(0, 0), 0.0);
        assert_eq!(a.diagonal(), vec![0.0, 4.0, 0.0]);
        assert_eq!(a.pattern().offsets(), &[0, 1, 2, 3]);
    }

    #[test]
    fn malformed_patterns_are_refused() {
        assert!(Pattern::new(vec![], vec![]).is_err());
        assert!(Pattern::new(vec![0, 2], vec![0]).is_err());
        assert!(Pattern::new(vec![0, 2, 1, 2], vec![0, 1]).is_err());
        assert!(Pattern::new(vec![0, 2, 2], vec![1, 0]).is_err());
        assert!(Pattern::new(vec![0, 1, 1], vec![2]).is_err());
        assert!(Csr::from_triplets(2, &[(0, 2, 1.0)]).is_err());
    }

    #[test]
    fn matrices_no_solver_can_take_are_named() {
        let check = |t: &[(u32, u32, Real)]| Csr::from_triplets(2, t).unwrap().check_symmetric();
        assert!(check(&[(0, 0, 1.0), (1, 1, 1.0)]).is_ok());
        assert!(matches!(
            check(&[(0, 0, 1.0), (1, 1, 1.0), (0, 1, 0.5)]),
            Err(LinearError::NotSymmetric { row: 0, column: 1, .. })
        ));
        assert!(matches!(
            check(&[(0, 0, 1.0), (1, 1, 1.0), (1, 0, 0.5), (0, 1, 0.4)]),
            Err(LinearError::NotSymmetric { row: 1, column: 0, .. })
        ));
        assert!(matches!(
            check(&[(0, 0, 1.0), (1, 1, Real::NAN)]),
            Err(LinearError::NotFinite { row: 1, column: 1, .. })
        ));
        assert!(matches!(
            check(&[(0, 0, 1.0), (1, 1, -1.0)]),
            Err(LinearError::NotPositiveDefinite { row: 1, .. })
        ));
        assert!(matches!(Csr::from_triplets(0, &[]).unwrap().check_symmetric(), Err(LinearError::Empty)));
    }
}
