//! Sparse Cholesky, P A Pᵀ = L Lᵀ, by faer: approximate minimum degree ordering, then a simplicial (column by
//! column) or supernodal (dense blocks of columns) factor.
//!
//! Davis 2006, "Direct Methods for Sparse Linear Systems", chapters 4 and 7. Factor and solve run on one thread, so
//! that results do not depend on the pool.

use crate::vector::check_input;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky, supernodal::SupernodalLltRef,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};
use pd_core::{Csr, GlobalSolver, LinearError, Pattern, Real, SolveReport};
use std::sync::Arc;

/// How the factor is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Supernodes {
    /// Chosen by the ratio of arithmetic to fill: usually the fastest.
    #[default]
    Auto,
    /// Column by column: best for very sparse factors such as small cloth.
    Never,
    /// Dense blocks of columns: best for solids and bending.
    Always,
}

/// Everything that depends only on the pattern.
struct Analysis {
    pattern: Arc<Pattern>,
    symbolic: SymbolicCholesky<usize>,
    /// The pattern's columns in faer's format.
    indices: Vec<usize>,
}

/// Sparse Cholesky. The ordering and the symbolic factor are kept while the pattern stays the same (same `Arc` or
/// equal), so a new time step or weight costs the numeric factor only.
///
/// ```
/// use pd_linear::{Cholesky, Csr, GlobalSolver};
/// let a = Csr::from_triplets(2, &[(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0)])?;
/// let mut solver = Cholesky::default();
/// solver.factor(&a)?;
/// let mut x = [0.0; 2];
/// solver.solve(&[1.0, 1.0], &mut x, 1)?;
/// assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 1.0).abs() < 1e-15);
/// # Ok::<(), pd_linear::LinearError>(())
/// ```
#[derive(Default)]
pub struct Cholesky {
    supernodes: Supernodes,
    analysis: Option<Analysis>,
    analyses: usize,
    /// Values of L; empty when there is no valid factor.
    values: Vec<Real>,
    /// Scratch of `solve` and the number of columns it suffices for.
    scratch: Option<(MemBuffer, usize)>,
}

impl Cholesky {
    /// With the storage chosen.
    pub fn new(supernodes: Supernodes) -> Self {
        Self { supernodes, ..Self::default() }
    }

    /// Number of symbolic analyses so far: one per pattern.
    pub fn analyses(&self) -> usize {
        self.analyses
    }

    /// Stored entries of L (supernodal storage counts its explicit zeros); 0 before `factor`.
    pub fn factor_entries(&self) -> usize {
        self.values.len()
    }

    fn backend(&self, what: impl std::fmt::Debug) -> LinearError {
        LinearError::Backend { solver: self.name().to_owned(), what: format!("{what:?}") }
    }

    /// Smallest accepted L_jj²/A_jj. It would be zero for a singular matrix without rounding: such a pivot has no correct digit.
    fn check_pivots(&self, a: &Csr) -> Result<(), LinearError> {
        let Some(Analysis { symbolic, .. }) = &self.analysis else { return Ok(()) };
        let check = |column: usize, l: Real| {
            let row = original_row(symbolic, column);
            let pivot = l * l;
            if pivot > 16.0 * Real::EPSILON * a.get(row, row) && pivot.is_finite() {
                return Ok(());
            }
            Err(LinearError::NotPositiveDefinite { row, pivot })
        };
        match symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(raw) => {
                raw.col_ptr()[..a.rows()].iter().enumerate().try_for_each(|(j, &k)| check(j, self.values[k]))
            }
            SymbolicCholeskyRaw::Supernodal(raw) => {
                let factor = SupernodalLltRef::new(raw, &self.values);
                for s in 0..raw.n_supernodes() {
                    let node = factor.supernode(s);
                    for j in 0..node.val().ncols() {
                        check(node.start() + j, node.val()[(j, j)])?;
                    }
                }
                Ok(())
            }
        }
    }

    fn reserve_scratch(&mut self, columns: usize) -> Result<(), LinearError> {
        let Some(Analysis { symbolic, .. }) = &self.analysis else { return Ok(()) };
        if self.scratch.as_ref().is_none_or(|(_, enough)| *enough < columns) {
            let need = symbolic.solve_in_place_scratch::<Real>(columns, Par::Seq);
            let buffer = MemBuffer::try_new(need).map_err(|e| self.backend(e))?;
            self.scratch = Some((buffer, columns));
        }
        Ok(())
    }
}

/// The row of A that elimination step `column` belongs to.
fn original_row(symbolic: &SymbolicCholesky<usize>, column: usize) -> usize {
    symbolic.perm().and_then(|perm| perm.arrays().0.get(column).copied()).unwrap_or(column)
}

impl GlobalSolver for Cholesky {
    fn name(&self) -> &str {
        match self.supernodes {
            Supernodes::Auto => "cholesky",
            Supernodes::Never => "cholesky-simplicial",
            Supernodes::Always => "cholesky-supernodal",
        }
    }

    fn analyse(&mut self, pattern: &Arc<Pattern>) -> Result<(), LinearError> {
        let same = |known: &Arc<Pattern>| Arc::ptr_eq(known, pattern) || known == pattern;
        if self.analysis.as_ref().is_some_and(|analysis| same(&analysis.pattern)) {
            return Ok(());
        }
        self.analysis = None;
        self.values.clear();
        self.scratch = None;
        let n = pattern.rows();
        if n == 0 {
            return Err(LinearError::Empty);
        }
        let indices: Vec<usize> = pattern.columns().iter().map(|&j| j as usize).collect();
        // A symmetric matrix by rows is the same matrix by columns.
        let view = SymbolicSparseColMatRef::new_checked(n, n, pattern.offsets(), None, &indices);
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: match self.supernodes {
                Supernodes::Auto => SupernodalThreshold::AUTO,
                Supernodes::Never => SupernodalThreshold::FORCE_SIMPLICIAL,
                Supernodes::Always => SupernodalThreshold::FORCE_SUPERNODAL,
            },
            ..CholeskySymbolicParams::default()
        };
        let symbolic = factorize_symbolic_cholesky(view, Side::Lower, SymmetricOrdering::Amd, params)
            .map_err(|e| self.backend(e))?;
        self.analysis = Some(Analysis { pattern: pattern.clone(), symbolic, indices });
        self.analyses += 1;
        Ok(())
    }

    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        let mut values = std::mem::take(&mut self.values); // no factor until the new one is complete
        a.check_symmetric()?;
        self.analyse(a.pattern())?;
        let Some(Analysis { symbolic, indices, .. }) = &self.analysis else { return Err(LinearError::Empty) };
        let n = a.rows();
        values.clear();
        values.resize(symbolic.len_val(), 0.0);
        let view = SymbolicSparseColMatRef::new_checked(n, n, a.pattern().offsets(), None, indices);
        let need = symbolic.factorize_numeric_llt_scratch::<Real>(Par::Seq, Default::default());
        let mut scratch = MemBuffer::try_new(need).map_err(|e| self.backend(e))?;
        let result = symbolic.factorize_numeric_llt(
            &mut values,
            SparseColMatRef::new(view, a.values()),
            Side::Lower,
            Default::default(),
            Par::Seq,
            MemStack::new(&mut scratch),
            Default::default(),
        );
        if let Err(LltError::NonPositivePivot { index }) = result {
            let row = original_row(symbolic, index.saturating_sub(1)); // faer counts from one
            return Err(LinearError::NotPositiveDefinite { row, pivot: Real::NAN });
        }
        self.values = values;
        if let Err(error) = self.check_pivots(a) {
            self.values.clear();
            return Err(error);
        }
        self.reserve_scratch(3)
    }

    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        if self.values.is_empty() {
            return Err(LinearError::NotFactored { solver: self.name().to_owned() });
        }
        let rows = self.analysis.as_ref().map_or(0, |analysis| analysis.pattern.rows());
        check_input(rows, b, x, columns)?;
        self.reserve_scratch(columns)?;
        let (Some(Analysis { symbolic, .. }), Some((scratch, _))) = (&self.analysis, &mut self.scratch)
        else {
            return Err(LinearError::NotFactored { solver: self.name().to_owned() });
        };
        x.copy_from_slice(b);
        let rhs = MatMut::from_row_major_slice_mut(x, rows, columns);
        let factor = LltRef::new(symbolic, &self.values);
        factor.solve_in_place_with_conj(Conj::No, rhs, Par::Seq, MemStack::new(scratch));
        Ok(SolveReport::direct())
    }

    fn bytes(&self) -> usize {
        let indices = self.analysis.as_ref().map_or(0, |analysis| {
            let symbolic = match analysis.symbolic.raw() {
                SymbolicCholeskyRaw::Simplicial(raw) => raw.row_idx().len() + raw.col_ptr().len(),
                SymbolicCholeskyRaw::Supernodal(raw) => raw.row_idx().len() + 3 * raw.n_supernodes(),
            };
            analysis.indices.len() + symbolic + 2 * analysis.pattern.rows()
        });
        size_of::<Real>() * self.values.len() + size_of::<usize>() * indices
    }
}
