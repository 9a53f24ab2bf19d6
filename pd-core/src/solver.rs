//! The global solver: A X = B for a constant sparse symmetric positive definite A and few right-hand sides.

use crate::{Csr, LinearError, Pattern, Real};
use std::sync::Arc;

/// Report of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Iterations of an iterative solver; 1 for a direct one.
    pub iterations: usize,
    /// True relative residual ‖b − A x‖/‖b‖ where the solver knows it.
    pub residual: Option<Real>,
    /// Estimate of the condition number of the (preconditioned) matrix where the solver has one.
    pub condition: Option<Real>,
    /// Whether the solver's own tolerance was met; always `true` for direct solvers.
    pub converged: bool,
}

impl SolveReport {
    /// The report of a direct solver.
    pub fn direct() -> Self {
        Self { iterations: 1, residual: None, condition: None, converged: true }
    }
}

/// Solves A X = B. Three steps: [`analyse`](Self::analyse) once per pattern, [`factor`](Self::factor) once per
/// matrix, [`solve`](Self::solve) often.
///
/// # Writing one
/// Return a name, store what is needed of the matrix in `factor`, and improve `x` in `solve`. Divergence and a lack of
/// memory are values: return [`LinearError::Diverged`] or [`LinearError::TooLarge`], never NaN. `solve` must not
/// allocate, and its result must be bitwise identical for any number of threads.
///
/// ```
/// use pd_core::{Csr, GlobalSolver, LinearError, Real, SolveReport};
///
/// /// Gauss–Seidel with a fixed number of sweeps.
/// struct GaussSeidel { sweeps: usize, a: Csr }
///
/// impl GlobalSolver for GaussSeidel {
///     fn name(&self) -> &str { "gauss-seidel" }
///     fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
///         a.check_symmetric()?;
///         self.a = a.clone();
///         Ok(())
///     }
///     fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
///         for _ in 0..self.sweeps { for i in 0..self.a.rows() { for c in 0..columns {
///             let (mut r, mut diagonal) = (b[i * columns + c], 1.0);
///             for (j, v) in self.a.row(i) { if j == i { diagonal = v } else { r -= v * x[j * columns + c] } }
///             x[i * columns + c] = r / diagonal;
///         } } }
///         Ok(SolveReport { iterations: self.sweeps, ..SolveReport::default() })
///     }
/// }
///
/// let a = Csr::from_triplets(2, &[(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0)])?;
/// let mut solver = GaussSeidel { sweeps: 60, a: Csr::default() };
/// solver.factor(&a)?;
/// let mut x = [0.0; 2];
/// solver.solve(&[1.0, 1.0], &mut x, 1)?;
/// assert!((x[0] - 1.0).abs() < 1e-12 && (x[1] - 1.0).abs() < 1e-12);
/// # Ok::<(), LinearError>(())
/// ```
pub trait GlobalSolver: Send + Sync {
    /// Name for reports and errors, as the registry of solvers has it.
    fn name(&self) -> &str;

    /// Work that depends only on the pattern: ordering, symbolic factor, colouring. Calling it is optional:
    /// `factor` must do it for a new pattern.
    fn analyse(&mut self, _pattern: &Arc<Pattern>) -> Result<(), LinearError> {
        Ok(())
    }

    /// Work that depends on the values. Stores what it needs of `a`.
    fn factor(&mut self, a: &Csr) -> Result<(), LinearError>;

    /// Solves for `columns` right-hand sides, row-major: entry (i, c) is `b[i * columns + c]`. On entry `x` is the
    /// initial guess, which direct solvers ignore; on success it is the solution. After an error `x` is unspecified.
    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError>;

    /// Bytes held after `factor`, as far as known.
    fn bytes(&self) -> usize {
        0
    }
}

/// A boxed solver is a solver, so that wrappers accept solvers from a registry.
impl GlobalSolver for Box<dyn GlobalSolver> {
    fn name(&self) -> &str {
        self.as_ref().name()
    }
    fn analyse(&mut self, pattern: &Arc<Pattern>) -> Result<(), LinearError> {
        self.as_mut().analyse(pattern)
    }
    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        self.as_mut().factor(a)
    }
    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        self.as_mut().solve(b, x, columns)
    }
    fn bytes(&self) -> usize {
        self.as_ref().bytes()
    }
}

/// Checks the lengths of a right-hand side and a solution against the matrix; solvers call it first in `solve`.
pub fn check_lengths(rows: usize, b: &[Real], x: &[Real], columns: usize) -> Result<(), LinearError> {
    let wrong = |what, got| LinearError::Dimension { what, expected: rows * columns, got };
    if columns == 0 {
        return Err(LinearError::Dimension { what: "columns of the right-hand side", expected: 1, got: 0 });
    }
    if b.len() != rows * columns {
        return Err(wrong("right-hand side", b.len()));
    }
    if x.len() != rows * columns {
        return Err(wrong("solution", x.len()));
    }
    Ok(())
}
