//! Low-rank updates: adding and removing pins or springs without refactoring.
//!
//! With the factor of A₀ and changes A = A₀ + U Σ Uᵀ, where Σ holds signs and the columns of U are √|w| a,
//!
//! ```text
//! A⁻¹ = A₀⁻¹ − Z S⁻¹ Zᵀ,   Z = A₀⁻¹U,   S = Σ + UᵀZ
//! ```
//! Woodbury 1950; Hager 1989, "Updating the inverse of a matrix". A is positive definite if and only if S has as many
//! negative eigenvalues as Σ. Removing a large part of A₀ loses digits; a step of iterative refinement restores them.

use crate::low_rank_update::LowRankUpdate;
use crate::sparse_rows::Rows;
use crate::vector::{check_input, norm, resize};
use nalgebra::DMatrix;
use pd_core::{Csr, GlobalSolver, LinearError, Pattern, Real, SolveReport};
use std::sync::Arc;

/// Relative residual below which no refinement is needed.
const SMALL: Real = 1e-13;

/// Columns A₀⁻¹u found in one solve.
const BLOCK: usize = 8;

/// Any solver, with low-rank updates of its matrix.
///
/// ```
/// use pd_linear::{LowRankUpdate, Cholesky, Csr, GlobalSolver, LowRank};
/// let mut solver = LowRank::new(Cholesky::default());
/// solver.factor(&Csr::from_triplets(2, &[(0, 0, 1.0), (1, 1, 1.0)])?)?;
/// solver.apply(&[LowRankUpdate::spring(0, 1, 1.0)])?; // now [2 -1; -1 2]
/// let mut x = [0.0; 2];
/// solver.solve(&[1.0, 1.0], &mut x, 1)?;
/// assert!((x[0] - 1.0).abs() < 1e-14);
/// # Ok::<(), pd_linear::LinearError>(())
/// ```
pub struct LowRank<S> {
    /// Maximum number of iterative refinement steps in `solve`, taken while the relative residual is above 10⁻¹³. Default 2.
    pub refinements: usize,
    inner: S,
    base: Csr,
    changes: Vec<LowRankUpdate>,
    /// A₀⁻¹u of each change.
    z: Vec<Vec<Real>>,
    /// S⁻¹, by rows.
    inverse: Vec<Real>,
    small: [Vec<Real>; 2],
    r: Vec<Real>,
    correction: Vec<Real>,
}

impl<S: GlobalSolver> LowRank<S> {
    /// Wraps a solver; call `factor` next.
    pub fn new(inner: S) -> Self {
        let empty = Vec::new;
        Self {
            refinements: 2,
            inner,
            base: Csr::default(),
            changes: vec![],
            z: vec![],
            inverse: empty(),
            small: [empty(), empty()],
            r: empty(),
            correction: empty(),
        }
    }

    /// Active updates, oldest first. Their number is the rank.
    pub fn changes(&self) -> &[LowRankUpdate] {
        &self.changes
    }

    /// Adds changes. On an error (an index out of range, a matrix no longer positive definite) nothing is changed.
    pub fn apply(&mut self, changes: &[LowRankUpdate]) -> Result<(), LinearError> {
        let n = self.base.rows();
        if n == 0 {
            return Err(LinearError::NotFactored { solver: self.name().to_owned() });
        }
        for change in changes {
            change.check(n)?;
        }
        let before = self.changes.len();
        let result = self.extend(changes);
        if result.is_err() {
            self.changes.truncate(before);
            self.z.truncate(before);
        }
        result
    }

    /// Removes the update at this index of [`changes`](Self::changes).
    pub fn remove(&mut self, index: usize) -> Result<(), LinearError> {
        if index >= self.changes.len() {
            let expected = self.changes.len();
            return Err(LinearError::Dimension { what: "index of a change", expected, got: index });
        }
        let (change, z) = (self.changes.remove(index), self.z.remove(index));
        let inverse = self.capacitance();
        if inverse.is_err() {
            self.changes.insert(index, change);
            self.z.insert(index, z);
        }
        self.inverse = inverse?;
        self.reserve(self.base.rows() * 3, 3);
        Ok(())
    }

    /// Takes back all changes.
    pub fn clear(&mut self) {
        self.changes.clear();
        self.z.clear();
        self.inverse.clear();
    }

    /// A with all changes, for a new factorisation.
    pub fn matrix(&self) -> Result<Csr, LinearError> {
        let a = &self.base;
        let mut triplets = Vec::with_capacity(a.pattern().entries());
        for i in 0..a.rows() {
            triplets.extend(a.row(i).map(|(j, v)| (i as u32, j as u32, v)));
        }
        for LowRankUpdate { weight, row } in &self.changes {
            for &(i, ai) in row {
                triplets.extend(row.iter().map(|&(j, aj)| (i, j, weight * ai * aj)));
            }
        }
        Csr::from_triplets(a.rows(), &triplets)
    }

    /// Refactors the changed matrix and clears the list of changes; faster once the rank is large.
    pub fn refactor(&mut self) -> Result<(), LinearError> {
        let a = self.matrix()?;
        self.factor(&a)
    }

    fn extend(&mut self, changes: &[LowRankUpdate]) -> Result<(), LinearError> {
        let n = self.base.rows();
        for block in changes.chunks(BLOCK) {
            let columns = block.len();
            let (mut u, mut z) = (vec![0.0; n * columns], vec![0.0; n * columns]);
            for (c, change) in block.iter().enumerate() {
                let scale = change.weight.abs().sqrt();
                change.row.iter().for_each(|&(i, a)| u[i as usize * columns + c] += scale * a);
            }
            self.inner.solve(&u, &mut z, columns)?;
            self.changes.extend_from_slice(block);
            self.z.extend((0..columns).map(|c| z.iter().skip(c).step_by(columns).copied().collect()));
        }
        self.inverse = self.capacitance()?;
        self.reserve(n * 3, 3);
        Ok(())
    }

    /// S⁻¹, or an error if it does not exist.
    fn capacitance(&self) -> Result<Vec<Real>, LinearError> {
        let rank = self.changes.len();
        if rank == 0 {
            return Ok(vec![]);
        }
        let entry = |i: usize, j: usize| {
            let coupling = self.changes[i].scaled_dot(|k| self.z[j][k]);
            coupling + if i == j { self.changes[i].weight.signum() } else { 0.0 }
        };
        let mut s = DMatrix::from_fn(rank, rank, entry);
        s = (&s + s.transpose()) * 0.5;
        let eigenvalues = s.symmetric_eigenvalues();
        let negative = eigenvalues.iter().filter(|e| **e < 0.0).count();
        let expected = self.changes.iter().filter(|change| change.weight < 0.0).count();
        let smallest = eigenvalues.iter().map(|e| e.abs()).fold(Real::INFINITY, Real::min);
        let largest = eigenvalues.iter().map(|e| e.abs()).fold(0.0, Real::max);
        let first_row = |change: &LowRankUpdate| change.row.first().map_or(0, |entry| entry.0 as usize);
        let culprit = self.changes.iter().rev().find(|change| change.weight < 0.0).map_or(0, first_row);
        let indefinite = LinearError::NotPositiveDefinite { row: culprit, pivot: -smallest };
        if negative != expected || smallest <= 1e-13 * largest.max(1.0) || !largest.is_finite() {
            return Err(indefinite);
        }
        let inverse = s.try_inverse().ok_or(indefinite)?;
        Ok(inverse.iter().copied().collect()) // symmetric: by rows or by columns is the same
    }

    fn reserve(&mut self, length: usize, columns: usize) {
        resize(&mut self.r, length);
        resize(&mut self.correction, length);
        self.small.iter_mut().for_each(|small| resize(small, self.changes.len() * columns));
    }

    /// x = A⁻¹b by the formula.
    fn woodbury(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        let report = self.inner.solve(b, x, columns)?;
        let rank = self.changes.len();
        let [y, t] = &mut self.small;
        for (k, change) in self.changes.iter().enumerate() {
            (0..columns).for_each(|c| y[k * columns + c] = change.scaled_dot(|i| x[i * columns + c]));
        }
        for k in 0..rank {
            for c in 0..columns {
                t[k * columns + c] = (0..rank).map(|j| self.inverse[k * rank + j] * y[j * columns + c]).sum();
            }
        }
        for (k, z) in self.z.iter().enumerate() {
            for (x, z) in x.chunks_exact_mut(columns).zip(z) {
                (0..columns).for_each(|c| x[c] -= z * t[k * columns + c]);
            }
        }
        Ok(report)
    }
}

impl<S: GlobalSolver> LowRank<S> {
    /// Corrects x by A⁻¹(b − A x) while that reduces the residual; returns the relative residual.
    fn refine(
        &mut self,
        b: &[Real],
        x: &mut [Real],
        columns: usize,
        r: &mut [Real],
        correction: &mut [Real],
    ) -> Result<Real, LinearError> {
        let scale = norm(b).max(Real::MIN_POSITIVE);
        for step in 0.. {
            Rows::from(&self.base).residual(b, x, r, columns);
            for change in &self.changes {
                for c in 0..columns {
                    let stretch: Real =
                        change.row.iter().map(|&(i, a)| a * x[i as usize * columns + c]).sum();
                    let force = change.weight * stretch;
                    change.row.iter().for_each(|&(i, a)| r[i as usize * columns + c] -= a * force);
                }
            }
            let relative = norm(r) / scale;
            if relative <= SMALL || step == self.refinements {
                return Ok(relative);
            }
            correction.fill(0.0);
            self.woodbury(r, correction, columns)?;
            x.iter_mut().zip(&*correction).for_each(|(x, correction)| *x += correction);
        }
        Ok(0.0)
    }
}

impl<S: GlobalSolver> GlobalSolver for LowRank<S> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn analyse(&mut self, pattern: &Arc<Pattern>) -> Result<(), LinearError> {
        self.inner.analyse(pattern)
    }

    /// Factors; clears previous updates.
    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        self.base = Csr::default();
        self.clear();
        self.inner.factor(a)?;
        self.base = a.clone();
        Ok(())
    }

    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        if self.changes.is_empty() {
            return self.inner.solve(b, x, columns);
        }
        check_input(self.base.rows(), b, x, columns)?;
        self.reserve(x.len(), columns);
        let report = self.woodbury(b, x, columns)?;
        let (mut r, mut correction) = (std::mem::take(&mut self.r), std::mem::take(&mut self.correction));
        let result = self.refine(b, x, columns, &mut r, &mut correction);
        (self.r, self.correction) = (r, correction);
        Ok(SolveReport { residual: Some(result?), ..report })
    }

    fn bytes(&self) -> usize {
        let vectors =
            self.z.len() * self.base.rows() + self.inverse.len() + self.r.len() + self.correction.len();
        self.inner.bytes() + 12 * self.base.pattern().entries() + 8 * vectors
    }
}
