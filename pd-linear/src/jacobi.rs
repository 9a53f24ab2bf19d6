//! Damped Jacobi iteration on the sparse matrix, x ← x + γ D⁻¹(b − A x), optionally with Chebyshev acceleration.

use crate::Spectrum;
use crate::relaxation::{Chebyshev, JacobiOptions, ResidualForm, Resolved, Variant};
use crate::sparse_rows::Rows;
use crate::thesis_variant::ThesisVariant;
use crate::vector::{check_input, resize};
use pd_core::{Csr, GlobalSolver, LinearError, Real, SolveReport};

/// Sparse Jacobi, plain or accelerated.
///
/// ```
/// use pd_linear::{Csr, GlobalSolver, Jacobi};
/// let a = Csr::from_triplets(2, &[(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0)])?;
/// let mut solver = Jacobi::chebyshev();
/// solver.factor(&a)?;
/// let mut x = [0.0; 2];
/// let report = solver.solve(&[1.0, 1.0], &mut x, 1)?;
/// assert!(report.converged && (x[0] - 1.0).abs() < 1e-7);
/// # Ok::<(), pd_linear::LinearError>(())
/// ```
pub struct Jacobi {
    /// Parameters; read by `factor`.
    pub options: JacobiOptions,
    accelerate: bool,
    a: Csr,
    inverse_diagonal: Vec<Real>,
    resolved: Option<Resolved>,
    older: Vec<Real>,
    r: Vec<Real>,
}

impl Jacobi {
    /// Damped Jacobi.
    pub fn new(options: JacobiOptions) -> Self {
        let empty = Vec::new;
        Self {
            options,
            accelerate: false,
            a: Csr::default(),
            inverse_diagonal: empty(),
            resolved: None,
            older: empty(),
            r: empty(),
        }
    }

    /// Damped Jacobi with Chebyshev acceleration and default parameters.
    pub fn chebyshev() -> Self {
        Self::accelerated(JacobiOptions::default())
    }

    /// Damped Jacobi with Chebyshev acceleration.
    pub fn accelerated(options: JacobiOptions) -> Self {
        Self { accelerate: true, ..Self::new(options) }
    }

    /// The spectrum found in `factor`; `None` before it, or if γ and ρ were both given.
    pub fn spectrum(&self) -> Option<Spectrum> {
        self.resolved.and_then(|resolved| resolved.spectrum)
    }
}

impl Default for Jacobi {
    fn default() -> Self {
        Self::new(JacobiOptions::default())
    }
}

impl GlobalSolver for Jacobi {
    fn name(&self) -> &str {
        match (self.accelerate, self.options.variant) {
            (false, Variant::Corrected) => "jacobi",
            (true, Variant::Corrected) => "chebyshev",
            (false, Variant::AsPublished) => "jacobi-published",
            (true, Variant::AsPublished) => "chebyshev-published",
        }
    }

    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        self.resolved = None;
        a.check_symmetric()?;
        let resolved = self.options.resolve(self.name(), a)?;
        self.inverse_diagonal = a.diagonal().iter().map(|d| 1.0 / d).collect();
        self.a = a.clone();
        resize(&mut self.older, 3 * a.rows());
        resize(&mut self.r, 3 * a.rows());
        self.resolved = Some(resolved);
        Ok(())
    }

    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        let Some(Resolved { gamma, rho, spectrum }) = self.resolved else {
            return Err(LinearError::NotFactored { solver: self.name().to_owned() });
        };
        check_input(self.a.rows(), b, x, columns)?;
        resize(&mut self.older, x.len());
        resize(&mut self.r, x.len());
        let Self { options, accelerate, a, inverse_diagonal, older, r, .. } = self;
        let (a, inverse) = (Rows::from(&*a), &*inverse_diagonal);
        let delay = options.delay;
        if options.variant == Variant::AsPublished {
            let chebyshev = accelerate.then_some((rho, delay));
            let iterations = options.stopping.iterations;
            let published = ThesisVariant { iterations, gamma, chebyshev, stale: false, columns };
            let sweep = |x: &[Real], swept: &mut [Real]| {
                a.product(x, swept, columns, |at, sums, out| {
                    for c in 0..sums.len() {
                        out[c] = x[at + c] + inverse[at / columns] * (b[at + c] - sums[c]);
                    }
                });
            };
            return published.run(b, x, older, r, sweep, |x, r| a.residual(b, x, r, columns));
        }
        let chebyshev = if *accelerate { Chebyshev::new(rho, delay) } else { Chebyshev::none() };
        let form =
            ResidualForm { gamma, chebyshev, stopping: options.stopping, inverse_diagonal: inverse, columns };
        let report = form.run(b, x, older, r, |x, r| a.residual(b, x, r, columns))?;
        Ok(SolveReport { condition: spectrum.map(|s| s.condition()), ..report })
    }

    fn bytes(&self) -> usize {
        12 * self.a.pattern().entries() + 8 * (2 * self.a.rows() + self.older.len() + self.r.len())
    }
}
