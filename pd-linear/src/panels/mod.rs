//! Supernodal block Cholesky, optimised for many solves with three right-hand sides.
//!
//! Nested dissection orders the unknowns, supernodes are merged by a model of the solve's time, and every supernode
//! keeps W = F S⁻¹ and S⁻¹ of the block factor L D Lᵀ, so that a solve is two sweeps of small dense products over
//! memory read in order (`kernel`). The factor is computed in f64; panels are stored in f64, f32, three bytes or half
//! precision.
//! Reduced precision suffices if the right-hand side is a residual: rounding then slows convergence but does not affect accuracy.

mod factored;
mod front;
mod kernel;
mod order;
mod pages;
mod storage;
mod stream;
mod supernodes;
mod symbolic;
#[cfg(test)]
mod tests;
mod tree;

pub use order::Ordering;

use factored::Factored;
use kernel::{Kernel, Kernels};
use pd_core::{Csr, GlobalSolver, LinearError, Pattern, Real, SolveReport, check_lengths};
use std::sync::Arc;
use storage::{Half, ThreeBytes};
use supernodes::CostModel;
use symbolic::{Symbolic, analyse};

/// How panels are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// 8 bytes, arithmetic in f64: exact to rounding.
    Double,
    /// 4 bytes, arithmetic in f32: relative error about 1e-6 times what the matrix amplifies.
    #[default]
    Single,
    /// 3 bytes in units of each panel's largest value, arithmetic in f32: relative error about 2e-6 times what the matrix
    /// amplifies, and a quarter less to read.
    ThreeBytes,
    /// 2 bytes, arithmetic in f32: relative error about 1e-3 times what the matrix amplifies. Pays where f32 panels
    /// outgrow the last cache.
    Half,
}

/// The factor in the chosen precision.
trait Numbers: Send + Sync {
    /// Instruction set in use.
    fn instructions(&self) -> &'static str;
    /// Bytes held.
    fn bytes(&self) -> usize;
    /// Solves for all columns.
    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<(), LinearError>;
}

/// Block Cholesky with panels that stream: every byte of the factor is read in order, once forward and once back.
///
/// The analysis is kept while the pattern stays the same (same `Arc` or equal), so a new time step or weight costs
/// the numeric factor only.
///
/// ```
/// use pd_linear::{Csr, GlobalSolver, PanelCholesky, Precision};
/// let a = Csr::from_triplets(2, &[(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0)])?;
/// let mut solver = PanelCholesky::new(Precision::Double);
/// solver.factor(&a)?;
/// let mut x = [0.0; 2];
/// solver.solve(&[1.0, 1.0], &mut x, 1)?;
/// assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 1.0).abs() < 1e-15);
/// # Ok::<(), pd_linear::LinearError>(())
/// ```
pub struct PanelCholesky {
    precision: Precision,
    ordering: Ordering,
    parts: usize,
    portable: bool,
    analysis: Option<(Arc<Pattern>, Symbolic)>,
    analyses: usize,
    numbers: Option<Box<dyn Numbers>>,
}

impl Default for PanelCholesky {
    fn default() -> Self {
        Self::new(Precision::default())
    }
}

/// Panels with fewer values than this are not worth a second thread.
const SERIAL_VALUES: usize = 50_000;

impl PanelCholesky {
    /// With panels of this precision, the default ordering, and a split for two threads.
    pub fn new(precision: Precision) -> Self {
        Self {
            precision,
            ordering: Ordering::default(),
            parts: 2,
            portable: false,
            analysis: None,
            analyses: 0,
            numbers: None,
        }
    }

    /// With another ordering.
    pub fn with_ordering(mut self, ordering: Ordering) -> Self {
        self.ordering = ordering;
        self.analysis = None;
        self.numbers = None;
        self
    }

    /// Splits the work into this many independent parts, at least one. The last bits of a solution depend on this
    /// number, never on the number of threads that run the parts.
    pub fn with_parts(mut self, parts: usize) -> Self {
        self.parts = parts.max(1);
        self.analysis = None;
        self.numbers = None;
        self
    }

    /// Uses plain Rust instead of the processor's vector instructions: for comparisons.
    pub fn portable(mut self) -> Self {
        self.portable = true;
        self.analysis = None;
        self.numbers = None;
        self
    }

    /// How many symbolic analyses were made so far: one per pattern.
    pub fn analyses(&self) -> usize {
        self.analyses
    }

    /// Entries of L for this pattern and ordering, without zeros added by merging; 0 before `analyse`.
    pub fn factor_entries(&self) -> usize {
        self.analysis.as_ref().map_or(0, |(_, symbolic)| symbolic.fill)
    }

    /// Values of all panels, S⁻¹ counted in full; 0 before `analyse`.
    pub fn panel_entries(&self) -> usize {
        self.analysis.as_ref().map_or(0, |(_, symbolic)| symbolic.stored())
    }

    /// Number of panels; 0 before `analyse`.
    pub fn panels(&self) -> usize {
        self.analysis.as_ref().map_or(0, |(_, symbolic)| symbolic.nodes.len())
    }

    /// The rows of the matrix in the order of their elimination; empty before `analyse`.
    pub fn order(&self) -> &[u32] {
        self.analysis.as_ref().map_or(&[], |(_, symbolic)| &symbolic.order)
    }

    /// Instruction set the sweeps use; empty before `factor`.
    pub fn instructions(&self) -> &'static str {
        self.numbers.as_ref().map_or("", |numbers| numbers.instructions())
    }

    fn kernel<S: Kernels>(&self) -> Kernel<S> {
        let all = S::kernels();
        let chosen = if self.portable { all.last() } else { all.first() };
        chosen.copied().unwrap_or_else(|| Kernel::portable::<8>(4))
    }

    fn model(&self) -> CostModel {
        fn of<S: Kernels>(solver: &PanelCholesky) -> CostModel {
            CostModel::new(solver.kernel::<S>().shape.lanes, size_of::<S>())
        }
        match self.precision {
            Precision::Double => of::<f64>(self),
            Precision::Single => of::<f32>(self),
            Precision::ThreeBytes => of::<ThreeBytes>(self),
            Precision::Half => of::<Half>(self),
        }
    }

    fn numbers<S: Kernels>(&self, symbolic: &Symbolic, a: &Csr) -> Result<Box<dyn Numbers>, LinearError> {
        Ok(Box::new(Factored::<S>::new(symbolic, a, self.kernel())?))
    }
}

impl GlobalSolver for PanelCholesky {
    fn name(&self) -> &str {
        match self.precision {
            Precision::Double => "panels-f64",
            Precision::Single => "panels",
            Precision::ThreeBytes => "panels-f24",
            Precision::Half => "panels-f16",
        }
    }

    fn analyse(&mut self, pattern: &Arc<Pattern>) -> Result<(), LinearError> {
        let same = |known: &Arc<Pattern>| Arc::ptr_eq(known, pattern) || known == pattern;
        if self.analysis.as_ref().is_some_and(|(known, _)| same(known)) {
            return Ok(());
        }
        (self.analysis, self.numbers) = (None, None);
        let model = self.model();
        let mut symbolic = analyse(pattern, self.ordering, &model, self.parts)?;
        if self.parts > 1 && symbolic.stored() < SERIAL_VALUES {
            symbolic = analyse(pattern, self.ordering, &model, 1)?;
        }
        self.analysis = Some((pattern.clone(), symbolic));
        self.analyses += 1;
        Ok(())
    }

    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        self.numbers = None;
        a.check_symmetric()?;
        self.analyse(a.pattern())?;
        let Some((_, symbolic)) = &self.analysis else { return Err(LinearError::Empty) };
        self.numbers = Some(match self.precision {
            Precision::Double => self.numbers::<f64>(symbolic, a)?,
            Precision::Single => self.numbers::<f32>(symbolic, a)?,
            Precision::ThreeBytes => self.numbers::<ThreeBytes>(symbolic, a)?,
            Precision::Half => self.numbers::<Half>(symbolic, a)?,
        });
        Ok(())
    }

    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        let rows = self.analysis.as_ref().map_or(0, |(pattern, _)| pattern.rows());
        let Some(numbers) = &mut self.numbers else {
            return Err(LinearError::NotFactored { solver: self.name().to_owned() });
        };
        check_lengths(rows, b, x, columns)?;
        numbers.solve(b, x, columns)?;
        Ok(SolveReport::direct())
    }

    fn bytes(&self) -> usize {
        let numbers = self.numbers.as_ref().map_or(0, |numbers| numbers.bytes());
        numbers + self.analysis.as_ref().map_or(0, |(_, symbolic)| symbolic.bytes())
    }
}
