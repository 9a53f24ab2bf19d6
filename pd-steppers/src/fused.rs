//! Projective dynamics with one Jacobi sweep per local step and Chebyshev acceleration across the iterations.
//!
//! ```text
//! repeat: b  = −∇objective(x)              local step
//!         x̂  = x + γ D⁻¹ b                 one damped sweep on A = M/h² + DᵀWD
//!         x⁺ = ω (x̂ − x⁻) + x⁻             ω = 1 for the first S iterations
//! ```
//! Wang 2015, "A Chebyshev semi-iterative approach for accelerating projective and position-based dynamics". No linear
//! system is solved: an iteration costs one projection and one pass over the vertices, and converges to the same
//! minimum as exact global steps. The Hessian of the objective is at most A, so the γ that is safe for A is safe here.

use crate::implicit::{Implicit, reduction, resize};
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{
    LinearError, LocalStep, Real, SolveReport, StepContext, StepError, StepReport, Stepper, Vec3, View,
};
use pd_linear::{Chebyshev, Spectrum};
use std::time::Instant;

/// Name of the stepper.
const NAME: &str = "fused-jacobi";

/// Growth of the force imbalance over its first value at which the acceleration starts anew.
const RESTART: Real = 10.0;
/// Growth that is called divergence.
const DIVERGED: Real = 1e8;

/// The stepper of the title. Give [`StepParams::iterations`](pd_core::StepParams::iterations) some tens to hundreds:
/// each is a sweep, not a solve.
pub struct FusedJacobi {
    /// Damping γ; `None` takes 2/(λmin + λmax) of D⁻¹A.
    pub gamma: Option<Real>,
    /// Contraction ρ assumed by the acceleration, in [0, 1); `None` takes that of the linear sweep. 0 switches the
    /// acceleration off.
    pub rho: Option<Real>,
    /// Iterations before the acceleration starts (S). Default 10: the first ones change which projections are active.
    pub delay: usize,
    problem: Implicit,
    /// γ/a_ii.
    relax: Vec<Real>,
    contraction: Real,
    spectrum: Option<Spectrum>,
    older: Vec<Vec3>,
}

impl Default for FusedJacobi {
    fn default() -> Self {
        Self::with_problem(Implicit::default())
    }
}

impl FusedJacobi {
    /// With another local step.
    pub fn with_local(local: Box<dyn LocalStep>) -> Self {
        Self::with_problem(Implicit::with_local(local))
    }

    fn with_problem(problem: Implicit) -> Self {
        let (relax, older) = (vec![], vec![]);
        Self { gamma: None, rho: None, delay: 10, problem, relax, contraction: 0.0, spectrum: None, older }
    }

    /// The spectrum found in `prepare`.
    pub fn spectrum(&self) -> Option<Spectrum> {
        self.spectrum
    }

    /// The sweep and its acceleration.
    fn sweep(&mut self, omega: Real) {
        let (x, b, relax) = (&self.problem.x, &self.problem.b, &self.relax);
        exec::for_each_chunk(&mut self.older, VERTEX_CHUNK, |first, older| {
            for (older, i) in older.iter_mut().zip(first..) {
                let swept = x[i] + b[i] * relax[i];
                *older = if omega == 1.0 { swept } else { (swept - *older) * omega + *older };
            }
        });
        std::mem::swap(&mut self.problem.x, &mut self.older);
    }

    fn iterate(&mut self, context: &StepContext<'_>, report: &mut StepReport) -> Result<(), StepError> {
        let params = context.params;
        let rho = self.contraction;
        let fresh = if rho > 0.0 { Chebyshev::new(rho, self.delay.max(1)) } else { Chebyshev::none() };
        let mut chebyshev = fresh;
        let (mut first_norm, mut since) = (0.0, 0);
        for iteration in 0..params.iterations {
            let norm = self.problem.evaluate(context, report)?;
            if iteration == 0 {
                first_norm = norm;
            }
            report.reduction = reduction(norm, first_norm);
            if !norm.is_finite() || norm > DIVERGED * first_norm {
                return Err(LinearError::Diverged { iteration, residual: report.reduction }.into());
            }
            if report.reduction > RESTART && since > 0 {
                (chebyshev, since) = (fresh, 0);
                self.older.copy_from_slice(&self.problem.x);
            }
            let started = Instant::now();
            self.sweep(chebyshev.next(since));
            since += 1;
            report.stages.global += started.elapsed();
            report.iterations += 1;
            if params.tolerance > 0.0 && report.reduction <= params.tolerance {
                break;
            }
        }
        report.linear_iterations = report.iterations;
        let condition = self.spectrum.map(|spectrum| spectrum.condition());
        report.linear = SolveReport { iterations: 1, residual: None, condition, converged: true };
        Ok(())
    }
}

impl Stepper for FusedJacobi {
    fn name(&self) -> &str {
        NAME
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        let wrong = |name, value, expected| Err(StepError::Parameter { name, value, expected });
        if let Some(gamma) = self.gamma.filter(|gamma| !(gamma.is_finite() && *gamma > 0.0)) {
            return wrong("gamma", gamma, "it must be positive");
        }
        if let Some(rho) = self.rho.filter(|rho| !(0.0..1.0).contains(rho)) {
            return wrong("rho", rho, "it must be at least 0 and below 1");
        }
        self.problem.prepare(NAME, &context)?;
        let a = context.model.system_matrix(context.params.dt);
        let spectrum = Spectrum::estimate(&a)?;
        let gamma = self.gamma.unwrap_or_else(|| spectrum.gamma());
        self.contraction = self.rho.unwrap_or_else(|| spectrum.contraction(gamma).min(0.999_999));
        self.relax = a.diagonal().iter().map(|d| gamma / d).collect();
        self.spectrum = Some(spectrum);
        resize(&mut self.older, context.model.vertices());
        Ok(())
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        let mut report = self.problem.begin(NAME, &context, state)?;
        self.older.copy_from_slice(&self.problem.x);
        self.iterate(&context, &mut report)?;
        self.problem.end(&context, state, &mut report)?;
        Ok(report)
    }
}
