//! A solver of a truncated matrix: entries outside a mask are dropped, the diagonal is kept.
//!
//! The thesis' A-Jacobi stores for each vertex its mesh neighbours only. Bending couples vertices two rings apart; those
//! entries are lost, so it solves another system: rows no longer sum to what they should, the result depends on where
//! the origin is, and the matrix may be indefinite. This wrapper reproduces that, to explain published numbers; nothing
//! uses it by default.

use pd_core::{Csr, GlobalSolver, LinearError, Pattern, Real, SolveReport};
use std::sync::Arc;

/// Any solver, given only the entries of the matrix that lie on the diagonal or inside the mask.
///
/// ```
/// use pd_linear::{Cholesky, Csr, GlobalSolver, Masked};
/// let a = Csr::from_triplets(3, &[(0, 0, 4.0), (1, 1, 4.0), (2, 2, 4.0), (0, 2, 1.0), (2, 0, 1.0)])?;
/// let mut solver = Masked::new(Cholesky::default(), Masked::<Cholesky>::edges(3, &[[0, 1], [1, 2]])?);
/// solver.factor(&a)?; // the pair (0, 2) is no edge
/// let mut x = [0.0; 3];
/// solver.solve(&[4.0, 4.0, 4.0], &mut x, 1)?;
/// assert_eq!(x, [1.0, 1.0, 1.0]);
/// assert_eq!(solver.dropped(), 2);
/// # Ok::<(), pd_linear::LinearError>(())
/// ```
pub struct Masked<S> {
    inner: S,
    mask: Pattern,
    dropped: usize,
}

impl<S: GlobalSolver> Masked<S> {
    /// Wraps a solver; `mask` says which pairs it may see.
    pub fn new(inner: S, mask: Pattern) -> Self {
        Self { inner, mask, dropped: 0 }
    }

    /// The mask of a mesh: the diagonal and both directions of every edge.
    pub fn edges(vertices: usize, edges: &[[u32; 2]]) -> Result<Pattern, LinearError> {
        let mut triplets: Vec<(u32, u32, Real)> = (0..vertices as u32).map(|i| (i, i, 1.0)).collect();
        for &[i, j] in edges {
            triplets.push((i, j, 1.0));
            triplets.push((j, i, 1.0));
        }
        Ok(Csr::from_triplets(vertices, &triplets)?.pattern().as_ref().clone())
    }

    /// Entries dropped by the last `factor`.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    fn truncate(&self, a: &Csr) -> Result<Csr, LinearError> {
        if self.mask.rows() != a.rows() {
            let (what, expected, got) = ("rows of the mask", a.rows(), self.mask.rows());
            return Err(LinearError::Dimension { what, expected, got });
        }
        let (mut offsets, mut columns, mut values) = (vec![0], vec![], vec![]);
        for row in 0..a.rows() {
            let mask = self.mask.row(row);
            for (column, value) in a.row(row) {
                if column == row || mask.binary_search(&(column as u32)).is_ok() {
                    columns.push(column as u32);
                    values.push(value);
                }
            }
            offsets.push(columns.len());
        }
        Csr::new(Arc::new(Pattern::new(offsets, columns)?), values)
    }
}

impl<S: GlobalSolver> GlobalSolver for Masked<S> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        let truncated = self.truncate(a)?;
        self.dropped = a.pattern().entries() - truncated.pattern().entries();
        self.inner.factor(&truncated)
    }

    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        self.inner.solve(b, x, columns)
    }

    fn bytes(&self) -> usize {
        self.inner.bytes() + self.mask.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cholesky;

    /// M + w (Dᵀ D) of one bending stencil on a path of five vertices, far from the origin.
    fn bending() -> Csr {
        let stencil = [(1u32, -1.0), (2, 2.0), (3, -1.0)];
        let mut triplets: Vec<(u32, u32, Real)> = (0..5).map(|i| (i, i, 1.0)).collect();
        for (i, ci) in stencil {
            triplets.extend(stencil.iter().map(|&(j, cj)| (i, j, 10.0 * ci * cj)));
        }
        Csr::from_triplets(5, &triplets).unwrap()
    }

    #[test]
    fn a_mask_that_covers_the_matrix_changes_nothing() {
        let a = bending();
        let mut plain = Cholesky::default();
        let mut masked = Masked::new(Cholesky::default(), a.pattern().as_ref().clone());
        let b: Vec<Real> = (0..5).map(|i| (i as Real).sin()).collect();
        let (mut x, mut y) = ([0.0; 5], [0.0; 5]);
        for (solver, x) in [(&mut plain as &mut dyn GlobalSolver, &mut x), (&mut masked, &mut y)] {
            solver.factor(&a).unwrap();
            solver.solve(&b, x, 1).unwrap();
        }
        assert_eq!(x, y);
        assert_eq!(masked.dropped(), 0);
    }

    #[test]
    fn dropping_the_second_ring_makes_the_matrix_indefinite() {
        // The full matrix is M + w DᵀD, positive definite; without the pair (1, 3) its minor of rows 1 to 3 is −3839.
        let a = bending();
        Cholesky::default().factor(&a).unwrap();
        let mask = Masked::<Cholesky>::edges(5, &[[0, 1], [1, 2], [2, 3], [3, 4]]).unwrap();
        let mut masked = Masked::new(Cholesky::default(), mask);
        assert!(matches!(masked.factor(&a), Err(LinearError::NotPositiveDefinite { .. })));
        assert_eq!(masked.dropped(), 2);
    }

    #[test]
    fn a_mask_of_another_size_is_refused() {
        let mask = Masked::<Cholesky>::edges(4, &[[0, 1]]).unwrap();
        assert!(matches!(
            Masked::new(Cholesky::default(), mask).factor(&bending()),
            Err(LinearError::Dimension { expected: 5, got: 4, .. })
        ));
        assert!(Masked::<Cholesky>::edges(2, &[[0, 2]]).is_err());
    }
}
