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

use crate::relaxation::Chebyshev;
use crate::{LinearError, Real, SolveReport, Spectrum};
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::stepper;
use pd_core::{
    CpuLocal, LocalInput, LocalStep, Measures, PreparedFor, State, StepContext, StepError, StepReport,
    Stepper, Vec3,
};
use std::time::Instant;

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
    local: Box<dyn LocalStep>,
    prepared: Option<Prepared>,
    s: Vec<Vec3>,
    x: Vec<Vec3>,
    older: Vec<Vec3>,
    b: Vec<Vec3>,
}

struct Prepared {
    what: PreparedFor,
    /// γ/a_ii.
    relax: Vec<Real>,
    rho: Real,
    spectrum: Spectrum,
}

impl Default for FusedJacobi {
    fn default() -> Self {
        Self::with_local(Box::new(CpuLocal::default()))
    }
}

impl FusedJacobi {
    /// With another local step.
    pub fn with_local(local: Box<dyn LocalStep>) -> Self {
        let empty = Vec::new;
        Self {
            gamma: None,
            rho: None,
            delay: 10,
            local,
            prepared: None,
            s: empty(),
            x: empty(),
            older: empty(),
            b: empty(),
        }
    }

    /// The spectrum found in `prepare`.
    pub fn spectrum(&self) -> Option<Spectrum> {
        self.prepared.as_ref().map(|prepared| prepared.spectrum)
    }

    /// b = −∇objective(x); returns its norm.
    fn force_imbalance(&mut self, context: &StepContext<'_>) -> Result<Real, StepError> {
        let input = LocalInput { model: context.model, dt: context.params.dt, s: &self.s, x: &self.x };
        self.local.run(input, &mut self.b)?;
        context.model.clear_kinematic(&mut self.b);
        let b = &self.b;
        let leaf = |range: std::ops::Range<usize>| b[range].iter().map(|b| b.norm_squared()).sum::<Real>();
        Ok(exec::reduce(0..b.len(), VERTEX_CHUNK, &leaf, &|a, b| a + b).sqrt())
    }

    /// The sweep and its acceleration.
    fn sweep(&mut self, omega: Real) {
        let Some(Prepared { relax, .. }) = &self.prepared else { return };
        let (x, b) = (&self.x, &self.b);
        exec::for_each_chunk(&mut self.older, VERTEX_CHUNK, |first, older| {
            for (k, older) in older.iter_mut().enumerate() {
                let i = first + k;
                let swept = x[i] + b[i] * relax[i];
                *older = if omega == 1.0 { swept } else { (swept - *older) * omega + *older };
            }
        });
        std::mem::swap(&mut self.x, &mut self.older);
    }

    fn iterate(&mut self, context: &StepContext<'_>, report: &mut StepReport) -> Result<(), StepError> {
        let params = context.params;
        let rho = self.prepared.as_ref().map_or(0.0, |prepared| prepared.rho);
        let fresh = || if rho > 0.0 { Chebyshev::new(rho, self.delay.max(1)) } else { Chebyshev::none() };
        let (mut chebyshev, fresh) = (fresh(), fresh());
        let (mut first_norm, mut since) = (0.0, 0);
        for iteration in 0..params.iterations {
            let started = Instant::now();
            let norm = self.force_imbalance(context)?;
            report.stages.local += started.elapsed();
            if iteration == 0 {
                first_norm = norm;
            }
            report.reduction = if first_norm > 0.0 { norm / first_norm } else { 0.0 };
            if !norm.is_finite() || norm > DIVERGED * first_norm {
                return Err(LinearError::Diverged { iteration, residual: report.reduction }.into());
            }
            if report.reduction > RESTART && since > 0 {
                (chebyshev, since) = (fresh, 0);
                self.older.copy_from_slice(&self.x);
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
        let condition = self.spectrum().map(|spectrum| spectrum.condition());
        report.linear = SolveReport { iterations: 1, residual: None, condition, converged: true };
        Ok(())
    }

    /// What belongs to the last iterate.
    fn measure_minimum(&mut self, context: &StepContext<'_>) -> Result<Measures, StepError> {
        self.force_imbalance(context)?;
        let (model, dt) = (context.model, context.params.dt);
        let (masses, x, s, b) = (model.masses(), &self.x, &self.s, &self.b);
        let leaf = |range: std::ops::Range<usize>| {
            let inertia = range.clone().map(|i| 0.5 * masses[i] / (dt * dt) * (x[i] - s[i]).norm_squared());
            (inertia.sum::<Real>(), range.map(|i| b[i].norm()).fold(0.0, Real::max))
        };
        let both = |a: (Real, Real), b: (Real, Real)| (a.0 + b.0, a.1.max(b.1));
        let (inertia, residual) = exec::reduce(0..x.len(), VERTEX_CHUNK, &leaf, &both);
        Ok(Measures { objective: inertia + model.elastic_energy(x), residual, ..Measures::default() })
    }
}

impl Stepper for FusedJacobi {
    fn name(&self) -> &str {
        "fused-jacobi"
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        context.params.check()?;
        stepper::require_elastic(self.name(), context.model)?;
        self.prepared = None;
        let wrong = |name, value, expected| Err(StepError::Parameter { name, value, expected });
        if let Some(gamma) = self.gamma.filter(|gamma| !(gamma.is_finite() && *gamma > 0.0)) {
            return wrong("gamma", gamma, "it must be positive");
        }
        if let Some(rho) = self.rho.filter(|rho| !(0.0..1.0).contains(rho)) {
            return wrong("rho", rho, "it must be at least 0 and below 1");
        }
        let (model, dt) = (context.model, context.params.dt);
        self.local.prepare(model)?;
        let a = model.system_matrix(dt);
        let spectrum = Spectrum::estimate(&a)?;
        let gamma = self.gamma.unwrap_or_else(|| spectrum.gamma());
        let rho = self.rho.unwrap_or_else(|| spectrum.contraction(gamma).min(0.999_999));
        for scratch in [&mut self.s, &mut self.x, &mut self.older, &mut self.b] {
            scratch.clear();
            scratch.resize(model.vertices(), Vec3::zeros());
        }
        let relax = a.diagonal().iter().map(|d| gamma / d).collect();
        self.prepared = Some(Prepared { what: PreparedFor::new(&context), relax, rho, spectrum });
        Ok(())
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError> {
        let params = context.params;
        stepper::validate(&context, state)?;
        if !self.prepared.as_ref().is_some_and(|prepared| prepared.what.matches(&context)) {
            return Err(StepError::NotPrepared { stepper: self.name().to_owned() });
        }
        let mut report = StepReport::default();
        stepper::begin_step(context, state, &mut self.s, &mut report);
        self.x.copy_from_slice(&self.s);
        self.older.copy_from_slice(&self.s);
        self.iterate(&context, &mut report)?;
        let measures = if params.measure { Some(self.measure_minimum(&context)?) } else { None };
        stepper::end_step(context, state, &mut self.x, measures, &mut report)?;
        Ok(report)
    }
}
