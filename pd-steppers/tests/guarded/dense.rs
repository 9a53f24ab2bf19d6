//! A dense factor: all that small scenes need.

use nalgebra::{Cholesky, DMatrix, DMatrixViewMut, Dyn};
use pd_core::{Csr, GlobalSolver, LinearError, Pattern, Real, SolveReport};
use std::sync::Arc;

#[derive(Default)]
pub(crate) struct Dense(Option<Cholesky<Real, Dyn>>);

impl GlobalSolver for Dense {
    fn name(&self) -> &str {
        "dense"
    }
    fn analyse(&mut self, _: &Arc<Pattern>) -> Result<(), LinearError> {
        Ok(())
    }
    fn factor(&mut self, matrix: &Csr) -> Result<(), LinearError> {
        let n = matrix.rows();
        let mut full = DMatrix::zeros(n, n);
        for row in 0..n {
            for (column, value) in matrix.row(row) {
                full[(row, column)] = value;
            }
        }
        self.0 = Cholesky::new(full);
        Ok(())
    }
    fn solve(&mut self, rhs: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        x.copy_from_slice(rhs);
        let factor = self.0.as_ref().expect("positive definite").l_dirty();
        let n = factor.nrows();
        // Coordinates of a vertex are neighbours; columns of the view are far apart.
        let mut separate = DMatrix::from_fn(n, columns, |i, c| x[columns * i + c]);
        let mut view: DMatrixViewMut<'_, Real> = separate.as_view_mut();
        factor.solve_lower_triangular_mut(&mut view);
        factor.tr_solve_lower_triangular_mut(&mut view);
        for i in 0..n {
            for c in 0..columns {
                x[columns * i + c] = separate[(i, c)];
            }
        }
        Ok(SolveReport::default())
    }
}
