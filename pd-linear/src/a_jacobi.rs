//! A-Jacobi of order l: l Jacobi sweeps in one, with the products over l-rings of neighbours precomputed.
//!
//! ```text
//! R = I − γ D⁻¹A,   β = Σ_{j<l} R^j γ D⁻¹b,   x ← β + R^l x
//! ```
//! Lan et al. 2022, "Penetration-free projective dynamics on the GPU". The damping γ is inside R: applied after l
//! undamped sweeps it has no effect, since R² of an undamped R with an eigenvalue −2.98 (a tetrahedral mesh) has the
//! eigenvalue +8.9. Chebyshev acceleration of R^l uses ρ^l. It is not the optimal polynomial of degree l k in R, so
//! order l > 1 needs more sweeps than order 1 and is faster only if a pass over memory or a launch costs more than the
//! arithmetic.

use crate::Spectrum;
use crate::relaxation::{Chebyshev, Iterates, JacobiOptions, Resolved, Variant, blend};
use crate::sparse_rows::{OwnedRows, Rows};
use crate::stopping::{Progress, Verdict, zero_solution};
use crate::thesis_variant::ThesisVariant;
use crate::vector::{check_input, for_each_row, norm, resize};
use pd_core::{Csr, GlobalSolver, LinearError, Real, SolveReport};

/// Outer iterations between evaluations of the true residual, which costs a product with A.
const LOOK: usize = 8;

/// A-Jacobi with Chebyshev acceleration. An iteration of the report is one application of R^l.
pub struct AJacobi {
    /// Parameters; read by `factor`.
    pub options: JacobiOptions,
    order: usize,
    accelerate: bool,
    a: Csr,
    inverse_diagonal: Vec<Real>,
    /// R, for β; empty for order 1.
    first: OwnedRows,
    /// R^l.
    power: OwnedRows,
    resolved: Option<Resolved>,
    older: Vec<Real>,
    beta: Vec<Real>,
    r: Vec<Real>,
}

impl AJacobi {
    /// Of order 1, 2 or 3; another order is reported by `factor`.
    pub fn new(order: usize, options: JacobiOptions) -> Self {
        let empty = Vec::new;
        Self {
            options,
            order,
            accelerate: true,
            a: Csr::default(),
            inverse_diagonal: empty(),
            first: OwnedRows::default(),
            power: OwnedRows::default(),
            resolved: None,
            older: empty(),
            beta: empty(),
            r: empty(),
        }
    }

    /// Without Chebyshev acceleration: the same iterates as l damped Jacobi sweeps each.
    pub fn without_acceleration(self) -> Self {
        Self { accelerate: false, ..self }
    }

    /// The spectrum found in `factor`; `None` before it, or if γ and ρ were both given.
    pub fn spectrum(&self) -> Option<Spectrum> {
        self.resolved.and_then(|resolved| resolved.spectrum)
    }

    /// R = I − γ D⁻¹A without its zeros, and R^l, after a count of what they need.
    fn build_tables(&mut self, a: &Csr, damping: Real) -> Result<(), LinearError> {
        let (n, inverse) = (a.rows(), &self.inverse_diagonal);
        let row = |i: usize| {
            let entry = move |(j, v): (usize, Real)| (j, Real::from(i == j) - damping * inverse[i] * v);
            a.row(i).map(entry).filter(|&(_, value)| value != 0.0)
        };
        let first = OwnedRows::from_rows(n, n, row);
        let mut power = first.clone();
        for _ in 1..self.order {
            let bytes = 12 * OwnedRows::product_entries(power.view(), first.view(), n);
            if bytes > self.options.memory {
                let limit = self.options.memory;
                return Err(LinearError::TooLarge { solver: self.name().to_owned(), bytes, limit });
            }
            power = OwnedRows::product(power.view(), first.view(), n);
        }
        self.first = if self.order > 1 { first } else { OwnedRows::default() };
        self.power = power;
        Ok(())
    }

    /// β by Horner's rule: β ← γ D⁻¹b + R β, l − 1 times.
    fn compute_beta(&mut self, b: &[Real], damping: Real, columns: usize) {
        let Self { beta, r, first, inverse_diagonal, order, .. } = self;
        let inverse = &*inverse_diagonal;
        let base = |at: usize| damping * inverse[at / columns] * b[at];
        for_each_row(beta, columns, |i, out| {
            for (c, out) in out.iter_mut().enumerate() {
                *out = base(i * columns + c);
            }
        });
        for _ in 1..*order {
            first.view().product(beta, r, columns, |at, sums, out| {
                for c in 0..sums.len() {
                    out[c] = base(at + c) + sums[c];
                }
            });
            std::mem::swap(beta, r);
        }
    }
}

impl GlobalSolver for AJacobi {
    fn name(&self) -> &str {
        let published = self.options.variant == Variant::AsPublished;
        match (self.order, published) {
            (1, false) => "a-jacobi-1",
            (2, false) => "a-jacobi-2",
            (3, false) => "a-jacobi-3",
            (1, true) => "a-jacobi-1-published",
            (2, true) => "a-jacobi-2-published",
            (3, true) => "a-jacobi-3-published",
            _ => "a-jacobi",
        }
    }

    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        self.resolved = None;
        if !(1..=3).contains(&self.order) {
            let what = format!("order is {}; it must be 1, 2 or 3", self.order);
            return Err(LinearError::Parameter { solver: self.name().to_owned(), what });
        }
        a.check_symmetric()?;
        let resolved = self.options.resolve(self.name(), a)?;
        self.inverse_diagonal = a.diagonal().iter().map(|d| 1.0 / d).collect();
        self.build_tables(a, self.damping(&resolved))?;
        self.a = a.clone();
        for scratch in [&mut self.older, &mut self.beta, &mut self.r] {
            resize(scratch, 3 * a.rows());
        }
        self.resolved = Some(resolved);
        Ok(())
    }

    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        let Some(resolved) = self.resolved else {
            return Err(LinearError::NotFactored { solver: self.name().to_owned() });
        };
        check_input(self.a.rows(), b, x, columns)?;
        for scratch in [&mut self.older, &mut self.beta, &mut self.r] {
            resize(scratch, x.len());
        }
        self.compute_beta(b, self.damping(&resolved), columns);
        if self.options.variant == Variant::AsPublished {
            return self.solve_published(b, x, columns, &resolved);
        }
        let report = self.solve_corrected(b, x, columns, &resolved)?;
        Ok(SolveReport { condition: resolved.spectrum.map(|s| s.condition()), ..report })
    }

    fn bytes(&self) -> usize {
        let tables = self.first.bytes() + self.power.bytes();
        let vectors = self.inverse_diagonal.len() + self.older.len() + self.beta.len() + self.r.len();
        tables + 12 * self.a.pattern().entries() + 8 * vectors
    }
}

impl AJacobi {
    /// The γ inside R: none as published.
    fn damping(&self, resolved: &Resolved) -> Real {
        if self.options.variant == Variant::AsPublished { 1.0 } else { resolved.gamma }
    }

    fn solve_corrected(
        &mut self,
        b: &[Real],
        x: &mut [Real],
        columns: usize,
        resolved: &Resolved,
    ) -> Result<SolveReport, LinearError> {
        let Self { options, a, power, older, beta, r, order, .. } = self;
        let (a, beta, stopping) = (Rows::from(&*a), &*beta, options.stopping);
        let scale = norm(b);
        if scale == 0.0 {
            return Ok(zero_solution(x));
        }
        let mut chebyshev = match self.accelerate {
            true => Chebyshev::new(resolved.rho.powi(*order as i32), options.delay),
            false => Chebyshev::none(),
        };
        let mut iterates = Iterates::new(x, older);
        let mut size = a.residual(b, iterates.current, r, columns);
        let progress = Progress::new(stopping, scale, size)?;
        let mut k = 0;
        while let Verdict::Continue = progress.judge(k, size)? {
            let until = stopping.iterations.min(k + LOOK);
            if k == until {
                break;
            }
            while k < until {
                let omega = chebyshev.next(k);
                power.view().product(iterates.current, iterates.older, columns, |at, sums, older| {
                    for c in 0..sums.len() {
                        older[c] = blend(omega, beta[at + c] + sums[c], older[c]);
                    }
                });
                iterates.rotate();
                k += 1;
            }
            size = a.residual(b, iterates.current, r, columns);
        }
        iterates.finish();
        Ok(progress.report(k, size))
    }

    fn solve_published(
        &mut self,
        b: &[Real],
        x: &mut [Real],
        columns: usize,
        resolved: &Resolved,
    ) -> Result<SolveReport, LinearError> {
        let Self { options, a, power, older, beta, r, order, .. } = self;
        let (a, beta) = (Rows::from(&*a), &*beta);
        let published = ThesisVariant {
            iterations: options.stopping.iterations,
            gamma: resolved.gamma,
            chebyshev: Some((resolved.rho, options.delay)),
            stale: true,
            columns,
        };
        let sweep = |x: &[Real], swept: &mut [Real]| {
            for _ in 0..*order {
                power.view().product(x, swept, columns, |at, sums, out| {
                    for c in 0..sums.len() {
                        out[c] = beta[at + c] + sums[c];
                    }
                });
            }
        };
        published.run(b, x, older, r, sweep, |x, r| a.residual(b, x, r, columns))
    }
}
