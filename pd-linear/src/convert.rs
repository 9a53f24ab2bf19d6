//! From and to `nalgebra_sparse::CsrMatrix<f64>`.

use nalgebra_sparse::CsrMatrix;
use pd_core::{Csr, LinearError, Pattern, Real};
use std::sync::Arc;

/// Converts a square matrix; one that is not square is rejected.
///
/// ```
/// use nalgebra_sparse::{CooMatrix, CsrMatrix};
/// let mut coo = CooMatrix::new(2, 2);
/// coo.push(0, 0, 2.0);
/// coo.push(1, 1, 3.0);
/// let a = pd_linear::from_nalgebra(&CsrMatrix::from(&coo))?;
/// assert_eq!(a.diagonal(), [2.0, 3.0]);
/// # Ok::<(), pd_linear::LinearError>(())
/// ```
pub fn from_nalgebra(matrix: &CsrMatrix<Real>) -> Result<Csr, LinearError> {
    let (rows, columns) = (matrix.nrows(), matrix.ncols());
    if rows != columns {
        return Err(LinearError::Dimension {
            what: "columns of a square matrix",
            expected: rows,
            got: columns,
        });
    }
    if u32::try_from(rows).is_err() {
        return Err(LinearError::Dimension {
            what: "rows of a matrix with 32-bit indices",
            expected: u32::MAX as usize,
            got: rows,
        });
    }
    let indices = matrix.col_indices().iter().map(|&j| j as u32).collect();
    let pattern = Pattern::new(matrix.row_offsets().to_vec(), indices)?;
    Csr::new(Arc::new(pattern), matrix.values().to_vec())
}

/// Converts to nalgebra-sparse.
pub fn to_nalgebra(matrix: &Csr) -> Result<CsrMatrix<Real>, LinearError> {
    let (n, pattern) = (matrix.rows(), matrix.pattern());
    let indices = pattern.columns().iter().map(|&j| j as usize).collect();
    let offsets = if n == 0 { vec![0] } else { pattern.offsets().to_vec() };
    CsrMatrix::try_from_csr_data(n, n, offsets, indices, matrix.values().to_vec()).map_err(|error| {
        LinearError::Backend { solver: "nalgebra-sparse".to_owned(), what: error.to_string() }
    })
}
