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
//! element is looked at once for each of its vertices; where a batch allows it ([`EnergyBatch::select`]) a copy of it lists them in that
//! order, so that one call handles many.

use crate::elements::{self, Elements, Incidence, Incident};
use crate::hessian;
use crate::implicit::{Implicit, reduction, resize};
use crate::sweep::{self, MOST_ROWS};
use pd_core::exec;
use pd_core::{EnergyBatch, Mat3, Model, Psd, Real, StepContext, StepError, StepReport, Stepper, Vec3, View};
use pd_linear::{Chebyshev, Colouring};
use std::time::Instant;

/// Vertices that one task handles.
const TASK: usize = 32;

/// Numbers of the largest Hessian of an element.
const LARGEST: usize = 9 * MOST_ROWS * MOST_ROWS;

/// Elements whose forces and Hessians are found in one call.
const PIECE: usize = 16;

/// The elements of a batch once for each of their vertices, by vertex in the order of a sweep.
struct Stars {
    /// The batch with elements in this order; `None` if it cannot be laid out so.
    sorted: Option<Box<dyn EnergyBatch>>,
    /// Number in the batch of each.
    numbers: Vec<u32>,
    /// Where the elements of each vertex begin, in the order of the sweep.
    first: Vec<usize>,
    /// The coefficients of the vertex in the rows of each.
    coefficients: Vec<Real>,
    rows: usize,
}

impl Stars {
    fn new(
        number: usize,
        batch: &dyn EnergyBatch,
        elements: &Elements,
        incidence: &Incidence,
        order: impl Iterator<Item = u32>,
    ) -> Self {
        let rows = elements.rows();
        let (mut numbers, mut first, mut coefficients) = (vec![], vec![0], vec![]);
        for vertex in order {
            for &Incident { element, local, .. } in
                incidence.at(vertex as usize).iter().filter(|incident| incident.batch as usize == number)
            {
                numbers.push(element);
                let own = &elements.coefficients(element as usize)[local as usize * rows..][..rows];
                coefficients.extend_from_slice(own);
            }
            first.push(numbers.len());
        }
        Self { sorted: batch.select(&numbers), numbers, first, coefficients, rows }
    }

    /// Adds forces on and curvatures of vertices side by side in the order of the sweep, from `start`.
    fn add(
        &self,
        batch: &dyn EnergyBatch,
        x: &[Vec3],
        start: usize,
        forces: &mut [Vec3],
        curvatures: &mut [Mat3],
    ) {
        let (rows, size) = (self.rows, 9 * self.rows * self.rows);
        let (mut r, mut h) = ([Vec3::zeros(); PIECE * MOST_ROWS], [0.0; PIECE * LARGEST]);
        let (mut vertex, end) = (0, self.first[start + forces.len()]);
        for from in (self.first[start]..end).step_by(PIECE) {
            let piece = from..end.min(from + PIECE);
            match &self.sorted {
                Some(sorted) => {
                    sorted.residual(piece.clone(), x, &mut r[..piece.len() * rows]);
                    sorted.hessian(piece.clone(), x, Psd::Project, &mut h[..piece.len() * size]);
                }
                None => {
                    let slots = r.chunks_exact_mut(rows.max(1)).zip(h.chunks_exact_mut(size.max(1)));
                    for ((r, h), &element) in slots.zip(&self.numbers[piece.clone()]) {
                        let range = element as usize..element as usize + 1;
                        batch.residual(range.clone(), x, r);
                        batch.hessian(range, x, Psd::Project, h);
                    }
                }
            }
            for at in piece {
                while self.first[start + vertex + 1] <= at {
                    vertex += 1;
                }
                let (r, h) = (&r[(at - from) * rows..][..rows], &h[(at - from) * size..][..size]);
                let own = &self.coefficients[at * rows..][..rows];
                let weight = batch.stencil().weight(self.numbers[at] as usize);
                for a in 0..rows {
                    forces[vertex] -= r[a] * (weight * own[a]);
                    for b in 0..rows {
                        curvatures[vertex] += hessian::block(h, rows, a, b) * (own[a] * own[b]);
                    }
                }
            }
        }
    }
}

/// Vertex block descent; [`StepParams::iterations`](pd_core::StepParams::iterations) are sweeps.
#[derive(Default)]
pub struct Vbd {
    /// Contraction ρ of a sweep that the acceleration assumes, in [0, 1); 0, the default, switches it off.
    pub rho: Real,
    problem: Implicit,
    /// Of each batch.
    stars: Vec<Stars>,
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

    /// −H_i⁻¹ ∂objective/∂x_i of vertices side by side in the order of the sweep, from `start`.
    fn displacements(&self, model: &Model, dt: Real, start: usize, vertices: &[u32], moves: &mut [Vec3]) {
        let x = &self.problem.x;
        let mut curvatures = [Mat3::zeros(); TASK];
        let curvatures = &mut curvatures[..vertices.len()];
        for ((force, curvature), &vertex) in moves.iter_mut().zip(curvatures.iter_mut()).zip(vertices) {
            let vertex = vertex as usize;
            let inertia = model.masses()[vertex] / (dt * dt);
            *force = (self.problem.s[vertex] - x[vertex]) * inertia;
            *curvature = Mat3::identity() * inertia;
        }
        for (batch, stars) in model.batches().iter().zip(&self.stars) {
            stars.add(batch.as_ref(), x, start, moves, curvatures);
        }
        for ((step, curvature), &vertex) in moves.iter_mut().zip(curvatures).zip(vertices) {
            *step = match curvature.try_inverse() {
                Some(inverse) if !model.is_kinematic(vertex as usize) => inverse * *step,
                _ => Vec3::zeros(),
            };
        }
    }

    fn sweep(&mut self, model: &Model, dt: Real) {
        let (colouring, mut moves) = (std::mem::take(&mut self.colouring), std::mem::take(&mut self.moves));
        let mut start = 0;
        for colour in colouring.colours() {
            let moves = &mut moves[..colour.len()];
            exec::for_each_chunk(moves, TASK, |first, moves| {
                let vertices = &colour[first..first + moves.len()];
                self.displacements(model, dt, start + first, vertices, moves);
            });
            for (&vertex, step) in colour.iter().zip(&*moves) {
                self.problem.x[vertex as usize] += step;
            }
            start += colour.len();
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
        let elements = elements::of_model(model);
        let incidence = Incidence::new(model.vertices(), &elements);
        let pattern = hessian::pattern(model.vertices(), &elements, &incidence)?;
        self.colouring = Colouring::new(&pattern);
        let order = || self.colouring.colours().flatten().copied();
        let batches = model.batches().iter().zip(&elements).enumerate();
        let stars =
            batches.map(|(number, (batch, of))| Stars::new(number, batch.as_ref(), of, &incidence, order()));
        self.stars = stars.collect();
        resize(&mut self.moves, self.colouring.largest());
        let older = if self.rho > 0.0 { model.vertices() } else { 0 };
        resize(&mut self.older, older);
        resize(&mut self.before, older);
        Ok(())
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
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
