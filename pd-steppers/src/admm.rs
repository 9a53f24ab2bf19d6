//! ADMM (Overby et al. 2017, "ADMM ⊇ projective dynamics") and its consensus variant without a linear solve.
//!
//! Copies z of the reduced coordinates D x, and scaled multipliers u of D x = z:
//! ```text
//! repeat: z  = argmin U(z) + κω/2 |z − (D x + u)|²     local step: prox
//!         u += D x − z
//!         (M/h² + κ DᵀWD) Δx = M/h² (s − x) − κ DᵀW (D x − z + u),  x += Δx
//! ```
//! A law that is no distance must give its own `prox`, as all of `pd-constraints` do; with the default one this ends elsewhere, and is
//! therefore an error of the first step in which elements of such a batch are deformed.
//! Projective dynamics is the limit of no multipliers and exact projection. The global matrix is constant, as there; written as an
//! increment, a solver of low precision costs convergence, never accuracy. `admm-consensus` replaces the solve by one Jacobi sweep,
//! Δx = γ diag⁻¹ b: every vertex needs its neighbours' last positions only.

use crate::implicit::{Implicit, dot, reduction, resize};
use crate::rows::Rows;
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{
    GlobalSolver, Real, SolveReport, StepContext, StepError, StepReport, Stepper, Vec3, View, as_flat,
    as_flat_mut,
};
use pd_linear::Spectrum;
use std::time::Instant;

/// How the global step is done.
enum Global {
    Solve(Box<dyn GlobalSolver>),
    /// γ/a_ii.
    Sweep(Vec<Real>),
}

/// The alternating direction method of multipliers.
pub struct Admm {
    /// Weight of the coupling D x = z over that of the energy. Default 1.
    pub kappa: Real,
    global: Global,
    problem: Implicit,
    rows: Rows,
    dx: Vec<Vec3>,
    z: Vec<Vec3>,
    u: Vec<Vec3>,
    right: Vec<Vec3>,
    direction: Vec<Vec3>,
    /// Whether the prox of each batch has been seen to minimise its energy.
    trusted: Vec<bool>,
}

/// Part of the distance to the minimiser by which a prox may miss it, and part of the size of an element below which it is not deformed.
const INEXACT: Real = 1e-5;
const DEFORMED: Real = 1e-7;

impl Admm {
    /// With this solver of the global step.
    pub fn new(global: impl GlobalSolver + 'static) -> Self {
        Self::with_boxed(Box::new(global))
    }

    /// As [`new`](Self::new), with a solver that is boxed already.
    pub fn with_boxed(global: Box<dyn GlobalSolver>) -> Self {
        Self::with_global(Global::Solve(global))
    }

    /// With one Jacobi sweep as the global step.
    pub fn consensus() -> Self {
        Self::with_global(Global::Sweep(vec![]))
    }

    fn with_global(global: Global) -> Self {
        let [dx, z, u, right, direction] = [const { Vec::new() }; 5];
        let (problem, rows) = (Implicit::default(), Rows::default());
        Self { kappa: 1.0, global, problem, rows, dx, z, u, right, direction, trusted: vec![] }
    }

    /// Whether y = prox(D x) is stationary, ∇U(y)/ω + κ (y − D x) = 0 with ∇U/ω = y − project(y), of batches that have not been
    /// deformed before.
    fn check_prox(&mut self, context: &StepContext<'_>) -> Result<(), StepError> {
        if self.trusted.iter().all(|trusted| *trusted) {
            return Ok(());
        }
        let (model, kappa, x) = (context.model, self.kappa, &self.problem.x);
        self.rows.for_each(model, &mut self.dx, |batch, elements, rows| batch.gather(elements, x, rows));
        self.z.copy_from_slice(&self.dx);
        self.rows.for_each(model, &mut self.z, |batch, elements, rows| batch.prox(elements, kappa, rows));
        self.u.copy_from_slice(&self.z);
        self.rows.for_each(model, &mut self.u, |batch, elements, rows| batch.project(elements, rows));
        let mut end = 0;
        for (batch, trusted) in model.batches().iter().zip(&mut self.trusted) {
            let rows = end..end + batch.stencil().rows();
            end = rows.end;
            let (mut miss, mut moved, mut size) = (0.0, 0.0, 0.0);
            for i in rows {
                let (dx, y) = (self.dx[i], self.z[i]);
                let pull = (dx - y) * kappa;
                miss += (y - self.u[i] - pull).norm_squared();
                moved += pull.norm_squared();
                size += dx.norm_squared();
            }
            if *trusted || moved <= (DEFORMED * DEFORMED) * size {
                continue;
            }
            if miss > INEXACT * INEXACT * moved {
                let what = format!(
                    "batch {:?}, whose `prox` does not minimise its energy: a law that is not a squared distance must override EnergyBatch::prox",
                    batch.kind()
                );
                return Err(StepError::Unsupported { stepper: self.name().to_owned(), what });
            }
            *trusted = true;
        }
        Ok(())
    }

    /// z and u; the rows of dx become κ(D x − z + u) over κ.
    fn local(&mut self, context: &StepContext<'_>) {
        let (model, kappa, x) = (context.model, self.kappa, &self.problem.x);
        self.rows.for_each(model, &mut self.dx, |batch, elements, rows| batch.gather(elements, x, rows));
        let (dx, u) = (&self.dx, &self.u);
        exec::for_each_chunk(&mut self.z, VERTEX_CHUNK, |first, z| {
            for ((z, dx), u) in z.iter_mut().zip(&dx[first..]).zip(&u[first..]) {
                *z = dx + u;
            }
        });
        self.rows.for_each(model, &mut self.z, |batch, elements, rows| batch.prox(elements, kappa, rows));
        let z = &self.z;
        exec::for_each_chunk(&mut self.u, VERTEX_CHUNK, |first, u| {
            for ((u, dx), z) in u.iter_mut().zip(&dx[first..]).zip(&z[first..]) {
                *u += dx - z;
            }
        });
        let u = &self.u;
        exec::for_each_chunk(&mut self.dx, VERTEX_CHUNK, |first, dx| {
            for ((dx, z), u) in dx.iter_mut().zip(&z[first..]).zip(&u[first..]) {
                *dx += u - z;
            }
        });
    }

    /// x += Δx; returns ‖M/h² (s − x) − κDᵀW (D x − z + u)‖, the force imbalance of the split problem.
    fn global(&mut self, context: &StepContext<'_>, report: &mut StepReport) -> Result<Real, StepError> {
        let started = Instant::now();
        let (model, kappa) = (context.model, self.kappa);
        let (masses, s, x) = (model.masses(), &self.problem.s, &self.problem.x);
        // Everything over κ, since the factor is that of M/(κh²) + DᵀWD.
        let inertia = 1.0 / (kappa * context.params.dt * context.params.dt);
        model.gather_forces(&self.dx, |i| (s[i] - x[i]) * (masses[i] * inertia), &mut self.right);
        model.clear_kinematic(&mut self.right);
        report.stages.local += started.elapsed();
        let started = Instant::now();
        match &mut self.global {
            Global::Solve(global) => {
                self.direction.fill(Vec3::zeros());
                report.linear = global.solve(as_flat(&self.right), as_flat_mut(&mut self.direction), 3)?;
            }
            Global::Sweep(relax) => {
                let right = &self.right;
                exec::for_each_chunk(&mut self.direction, VERTEX_CHUNK, |first, direction| {
                    for (d, i) in direction.iter_mut().zip(first..) {
                        *d = right[i] * relax[i];
                    }
                });
                report.linear = SolveReport { iterations: 1, converged: true, ..SolveReport::default() };
            }
        }
        report.linear_iterations += report.linear.iterations;
        let direction = &self.direction;
        exec::for_each_chunk(&mut self.problem.x, VERTEX_CHUNK, |first, x| {
            x.iter_mut().zip(&direction[first..]).for_each(|(x, d)| *x += d);
        });
        report.stages.global += started.elapsed();
        Ok(kappa * dot(&self.right, &self.right).sqrt())
    }
}

impl Stepper for Admm {
    fn name(&self) -> &str {
        match self.global {
            Global::Solve(_) => "admm",
            Global::Sweep(_) => "admm-consensus",
        }
    }

    fn global_name(&self) -> Option<&str> {
        match &self.global {
            Global::Solve(global) => Some(global.name()),
            Global::Sweep(_) => None,
        }
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        if !(self.kappa > 0.0 && self.kappa.is_finite()) {
            let (name, value) = ("kappa", self.kappa);
            return Err(StepError::Parameter { name, value, expected: "it must be positive and finite" });
        }
        let name = self.name().to_owned();
        self.problem.prepare(&name, &context)?;
        let model = context.model;
        self.rows = Rows::new(model);
        for rows in [&mut self.dx, &mut self.z, &mut self.u] {
            resize(rows, model.rows());
        }
        resize(&mut self.right, model.vertices());
        resize(&mut self.direction, model.vertices());
        self.trusted.clear();
        self.trusted.resize(model.batches().len(), false);
        // M/h² + κDᵀWD = κ (M/(κh²) + DᵀWD): the matrix of projective dynamics with a longer step.
        let matrix = model.system_matrix(context.params.dt * self.kappa.sqrt());
        match &mut self.global {
            Global::Solve(global) => {
                global.analyse(matrix.pattern())?;
                global.factor(&matrix)?;
            }
            Global::Sweep(relax) => {
                let gamma = Spectrum::estimate(&matrix)?.gamma().min(1.0);
                *relax = matrix.diagonal().iter().map(|d| gamma / d).collect();
            }
        }
        Ok(())
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        let name = self.name().to_owned();
        let mut report = self.problem.begin(&name, &context, state)?;
        self.u.fill(Vec3::zeros());
        let mut first = None;
        for _ in 0..context.params.iterations {
            let started = Instant::now();
            self.local(&context);
            report.local_steps += 1;
            report.stages.local += started.elapsed();
            let norm = self.global(&context, &mut report)?;
            report.iterations += 1;
            report.reduction = reduction(norm, *first.get_or_insert(norm));
            if context.params.tolerance > 0.0 && report.reduction <= context.params.tolerance {
                break;
            }
        }
        self.check_prox(&context)?;
        self.problem.end(&context, state, &mut report)?;
        Ok(report)
    }
}
