//! Damping and Chebyshev acceleration, shared by the Jacobi family.
//!
//! With a sweep x̂(x) whose error matrix has its spectrum in [−ρ, ρ], the Chebyshev semi-iteration is
//!
//! ```text
//! x⁺ = ω (x̂(x) − x⁻) + x⁻,   ω = 1 (k < S),  2/(2 − ρ²) (k = S),  4/(4 − ρ² ω) (k > S)
//! ```
//! Golub and Varga 1961; Wang 2015, "A Chebyshev semi-iterative approach for accelerating projective and
//! position-based dynamics". S = 1 is the classical method; a later start suits nonlinear sweeps.

use crate::stopping::{Progress, Stopping, Verdict};
use crate::vector::{for_each_row, norm};
use crate::{Spectrum, stopping};
use pd_core::{Csr, LinearError, Real, SolveReport};

/// Which form of the Jacobi family to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    /// Warm start, damping inside the powers, true residual, spectrum from the matrix.
    #[default]
    Corrected,
    /// As the thesis published it: zero start; a fixed number of sweeps; γ applied outside the powers; ω from the
    /// total number of iterations, so that the delay has no effect; the buffer returned by A-Jacobi is as many sweeps
    /// old as the count is modulo 3; order l does its work l times; and the check only looks at |x| > 10¹⁰ (diverged)
    /// and at the last change > 10⁻³ (not converged). Diverges where λmax(D⁻¹A) ≥ 2. Two things differ: it
    /// runs in double precision, and it uses the true sparsity of the matrix (the published one dropped the bending
    /// terms beyond edges).
    AsPublished,
}

/// Parameters of the Jacobi family. What is `None` follows from the spectrum of D⁻¹A, estimated in `factor`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JacobiOptions {
    /// When to stop.
    pub stopping: Stopping,
    /// Corrected or as published.
    pub variant: Variant,
    /// Damping γ. Default 2/(λmin + λmax), which always converges.
    pub gamma: Option<Real>,
    /// Contraction ρ of one damped sweep that Chebyshev acceleration assumes, in [0, 1). Values that are too small or too
    /// large are slower; neither diverges while γ is valid.
    pub rho: Option<Real>,
    /// Sweeps before acceleration starts (S). Default 1.
    pub delay: usize,
    /// Memory limit for the solver's tables, bytes. Default 4 GiB.
    pub memory: u64,
}

impl Default for JacobiOptions {
    fn default() -> Self {
        Self {
            stopping: Stopping::default(),
            variant: Variant::Corrected,
            gamma: None,
            rho: None,
            delay: 1,
            memory: 4 << 30,
        }
    }
}

impl JacobiOptions {
    /// The published parameters: 500 sweeps, γ = 1, ρ = 0.9992, S = 11.
    pub fn as_published() -> Self {
        Self {
            stopping: Stopping { iterations: 500, ..Stopping::default() },
            variant: Variant::AsPublished,
            gamma: Some(1.0),
            rho: Some(0.9992),
            delay: 11,
            ..Self::default()
        }
    }

    /// Checks the parameters and fills in what follows from the spectrum.
    pub(crate) fn resolve(&self, solver: &str, a: &Csr) -> Result<Resolved, LinearError> {
        let wrong = |what| Err(LinearError::Parameter { solver: solver.to_owned(), what });
        self.stopping.check(solver)?;
        if let Some(gamma) = self.gamma.filter(|g| !(g.is_finite() && *g > 0.0)) {
            return wrong(format!("gamma is {gamma}; it must be positive"));
        }
        if let Some(rho) = self.rho.filter(|rho| !(0.0..1.0).contains(rho)) {
            return wrong(format!("rho is {rho}; it must be at least 0 and below 1"));
        }
        if let (Some(gamma), Some(rho)) = (self.gamma, self.rho) {
            return Ok(Resolved { gamma, rho, spectrum: None });
        }
        let spectrum = Spectrum::estimate(a)?;
        let gamma = self.gamma.unwrap_or_else(|| spectrum.gamma());
        // A γ given too large has a contraction above 1; the iteration then reports its divergence.
        let rho = self.rho.unwrap_or_else(|| spectrum.contraction(gamma).min(0.999_999));
        Ok(Resolved { gamma, rho, spectrum: Some(spectrum) })
    }
}

/// Parameters after `factor`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resolved {
    pub(crate) gamma: Real,
    pub(crate) rho: Real,
    pub(crate) spectrum: Option<Spectrum>,
}

/// The sequence of ω of a Chebyshev semi-iteration, for steppers that accelerate their own sweeps.
#[derive(Clone, Copy, Debug)]
pub struct Chebyshev {
    rho_squared: Real,
    delay: usize,
    omega: Real,
}

impl Chebyshev {
    /// For sweeps that contract by `rho`, in [0, 1), starting after `delay` sweeps (S).
    pub fn new(rho: Real, delay: usize) -> Self {
        Self { rho_squared: rho * rho, delay, omega: 1.0 }
    }

    /// No acceleration: ω = 1 always.
    pub fn none() -> Self {
        Self::new(0.0, usize::MAX)
    }

    /// ω of sweep `k`; call in ascending order.
    pub fn next(&mut self, k: usize) -> Real {
        self.omega = match k.cmp(&self.delay) {
            std::cmp::Ordering::Less => 1.0,
            std::cmp::Ordering::Equal => 2.0 / (2.0 - self.rho_squared),
            std::cmp::Ordering::Greater => 4.0 / (4.0 - self.rho_squared * self.omega),
        };
        self.omega
    }
}

/// ω (x̂ − x⁻) + x⁻, exactly x̂ for ω = 1.
pub(crate) fn blend(omega: Real, swept: Real, older: Real) -> Real {
    if omega == 1.0 { swept } else { omega * (swept - older) + older }
}

/// Two iterates that change roles after each sweep; the caller's slice holds the result at the end.
pub(crate) struct Iterates<'a> {
    pub(crate) current: &'a mut [Real],
    pub(crate) older: &'a mut [Real],
    /// Whether `current` is the caller's slice.
    home: bool,
}

impl<'a> Iterates<'a> {
    pub(crate) fn new(x: &'a mut [Real], scratch: &'a mut [Real]) -> Self {
        scratch.copy_from_slice(x);
        Self { current: x, older: scratch, home: true }
    }

    /// The sweep wrote into `older`: it becomes the current iterate.
    pub(crate) fn rotate(&mut self) {
        std::mem::swap(&mut self.current, &mut self.older);
        self.home = !self.home;
    }

    pub(crate) fn finish(self) {
        if !self.home {
            self.older.copy_from_slice(self.current);
        }
    }
}

/// Damped and accelerated sweeps in residual form, x̂ = x + γ D⁻¹ r, where `residual(x, r)` writes r = b − A x and
/// returns its norm. The true residual costs nothing extra.
pub(crate) struct ResidualForm<'a> {
    pub(crate) gamma: Real,
    pub(crate) chebyshev: Chebyshev,
    pub(crate) stopping: Stopping,
    pub(crate) inverse_diagonal: &'a [Real],
    pub(crate) columns: usize,
}

impl ResidualForm<'_> {
    pub(crate) fn run(
        mut self,
        b: &[Real],
        x: &mut [Real],
        older: &mut [Real],
        r: &mut [Real],
        mut residual: impl FnMut(&[Real], &mut [Real]) -> Real,
    ) -> Result<SolveReport, LinearError> {
        let scale = norm(b);
        if scale == 0.0 {
            return Ok(stopping::zero_solution(x));
        }
        let mut iterates = Iterates::new(x, older);
        let mut size = residual(iterates.current, r);
        let progress = Progress::new(self.stopping, scale, size)?;
        let mut k = 0;
        while let Verdict::Continue = progress.judge(k, size)? {
            if k == self.stopping.iterations {
                break;
            }
            let (omega, gamma, columns) = (self.chebyshev.next(k), self.gamma, self.columns);
            let (x, r_now, inverse) = (&*iterates.current, &*r, self.inverse_diagonal);
            for_each_row(iterates.older, columns, |i, older| {
                for (c, older) in older.iter_mut().enumerate() {
                    let at = i * columns + c;
                    *older = blend(omega, x[at] + gamma * inverse[i] * r_now[at], *older);
                }
            });
            iterates.rotate();
            k += 1;
            size = residual(iterates.current, r);
        }
        iterates.finish();
        Ok(progress.report(k, size))
    }
}
