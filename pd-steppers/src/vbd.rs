//! Vertex block descent (Chen et al. 2024): Gauss–Seidel over vertices on the objective of implicit Euler.
//!
//! ```text
//! x = s
//! repeat: for every vertex i, by colours:
//!         H_i = m_i/h² I + Σ_e (DᵀH_eD)_ii,  x_i −= H_i⁻¹ ∂objective/∂x_i
//!         optionally x = ω (x − x⁻) + x⁻                                   Chebyshev, section 3.8 there
//! ```
//! Vertices of one colour share no element: they compute their displacements side by side from the same positions, and then
//! all move. Hessians are projected to positive semidefinite ones, so that H_i can always be inverted. As in every Gauss–Seidel method an
//! element is looked at on its own, once for each of its vertices.

use crate::elements::{self, Elements, Incidence};
use crate::hessian;
use crate::implicit::{Implicit, reduction, resize};
use crate::sweep::{self, MOST_ROWS};
use pd_core::exec;
use pd_core::{Mat3, Model, Psd, Real, State, StepContext, StepError, StepReport, Stepper, Vec3};
use pd_linear::{Chebyshev, Colouring};
use std::time::Instant;

/// Vertices that one task handles.
const TASK: usize = 32;

/// Numbers of the largest Hessian of an element.
const LARGEST: usize = 9 * MOST_ROWS * MOST_ROWS;

/// Vertex block descent; [`StepParams::iterations`](pd_core::StepParams::iterations) are sweeps.
#[derive(Default)]
pub struct Vbd {
    /// Contraction ρ of a sweep that the acceleration assumes, in [0, 1); 0, the default, switches it off.
    pub rho: Real,
    problem: Implicit,
    elements: Vec<Elements>,
    incidence: Incidence,
    colouring: Colouring,
    /// Displacements of one colour.
    moves: Vec<Vec3>,
    older: Vec<Vec3>,
    before: Vec<Vec3>,
}

impl Vbd {
    /// With Chebyshev acceleration for sweeps that contract by `rho`.
    pub fn accelerated(rho: Real) -> Self {
        Self { rho, ..Self::default() }
    }

    /// −H_i⁻¹ ∂objective/∂x_i.
    fn displacement(&self, model: &Model, dt: Real, vertex: usize) -> Vec3 {
        if model.is_kinematic(vertex) {
            return Vec3::zeros();
        }
        let (x, inertia) = (&self.problem.x, model.masses()[vertex] / (dt * dt));
        let mut force = (self.problem.s[vertex] - x[vertex]) * inertia;
        let mut curvature = Mat3::identity() * inertia;
        let (mut r, mut h) = ([Vec3::zeros(); MOST_ROWS], [0.0; LARGEST]);
        for incident in self.incidence.at(vertex) {
            let (batch, elements) =
                (&model.batches()[incident.batch as usize], &self.elements[incident.batch as usize]);
            let (rows, element) = (elements.rows(), incident.element as usize);
            let (r, h) = (&mut r[..rows], &mut h[..9 * rows * rows]);
            batch.residual(element..element + 1, x, r);
            batch.hessian(element..element + 1, x, Psd::Project, h);
            let own = &elements.coefficients(element)[incident.local as usize * rows..][..rows];
            let weight = batch.stencil().weight(element);
            for a in 0..rows {
                force -= r[a] * (weight * own[a]);
                for b in 0..rows {
                    curvature += hessian::block(h, rows, a, b) * (own[a] * own[b]);
                }
            }
        }
        curvature.try_inverse().map_or(Vec3::zeros(), |inverse| inverse * force)
    }

    fn sweep(&mut self, model: &Model, dt: Real) {
        let (colouring, mut moves) = (std::mem::take(&mut self.colouring), std::mem::take(&mut self.moves));
        for colour in colouring.colours() {
            let moves = &mut moves[..colour.len()];
            exec::for_each_chunk(moves, TASK, |first, moves| {
                for (step, &vertex) in moves.iter_mut().zip(&colour[first..]) {
                    *step = self.displacement(model, dt, vertex as usize);
                }
            });
            for (&vertex, step) in colour.iter().zip(&*moves) {
                self.problem.x[vertex as usize] += step;
            }
        }
        (self.colouring, self.moves) = (colouring, moves);
    }

    /// x = ω (x − x⁻) + x⁻ with x⁻ the iterate before the last.
    fn accelerate(&mut self, omega: Real) {
        if omega != 1.0 {
            for (x, older) in self.problem.x.iter_mut().zip(&self.older) {
                *x = (*x - older) * omega + older;
            }
        }
    }
}

impl Stepper for Vbd {
    fn name(&self) -> &str {
        if self.rho > 0.0 { "vbd-chebyshev" } else { "vbd" }
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        let (name, model) = (self.name().to_owned(), context.model);
        if !(0.0..1.0).contains(&self.rho) {
            let expected = "it must be at least 0 and below 1";
            return Err(StepError::Parameter { name: "rho", value: self.rho, expected });
        }
        self.problem.prepare(&name, &context)?;
        sweep::check_rows(&name, model)?;
        self.elements = elements::of_model(model);
        self.incidence = Incidence::new(model.vertices(), &self.elements);
        let pattern = hessian::pattern(model.vertices(), &self.elements, &self.incidence)?;
        self.colouring = Colouring::new(&pattern);
        resize(&mut self.moves, self.colouring.largest());
        let older = if self.rho > 0.0 { model.vertices() } else { 0 };
        resize(&mut self.older, older);
        resize(&mut self.before, older);
        Ok(())
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError> {
        let name = self.name().to_owned();
        let mut report = self.problem.begin(&name, &context, state)?;
        let (model, params) = (context.model, context.params);
        let (mut chebyshev, mut first) = (Chebyshev::new(self.rho, 1), None);
        for iteration in 0..params.iterations {
            if params.tolerance > 0.0 {
                let norm = self.problem.evaluate(&context, &mut report)?;
                report.reduction = reduction(norm, *first.get_or_insert(norm));
                if report.reduction <= params.tolerance {
                    break;
                }
            }
            let started = Instant::now();
            if self.rho > 0.0 {
                std::mem::swap(&mut self.older, &mut self.before);
                self.before.copy_from_slice(&self.problem.x);
            }
            self.sweep(model, params.dt);
            if self.rho > 0.0 {
                self.accelerate(chebyshev.next(iteration));
                model.place_kinematic(&mut self.problem.x);
            }
            report.iterations += 1;
            report.local_steps += 1;
            report.stages.local += started.elapsed();
        }
        self.problem.end(&context, state, &mut report)?;
        Ok(report)
    }
}
