//! Position-based dynamics (Müller et al. 2007): constraints are projected one after another, and velocities follow from positions.
//!
//! ```text
//! x = s                                              inertial target
//! repeat: for every constraint: x_i −= k' w_i C ∇_iC / Σ_j w_j |∇_jC|²     w = 1/m
//! v = (x − x₀)/h
//! ```
//! C is the distance to the admissible set, √(2U/ω) for any law, so every batch will do. The energy's weight does not count: stiffness is
//! k ∈ (0, 1] with k' = 1 − (1 − k)^{1/n} over n iterations, and yet the result depends on the number of iterations, the time step and the mesh:
//! that is the method's nature, and why [`Xpbd`](crate::Xpbd) exists. Gauss–Seidel runs by colours; Jacobi adds up the
//! corrections of all constraints of a vertex, divides by their number and multiplies by an over-relaxation factor.

use crate::elements::{self, Elements, Incidence};
use crate::implicit::Implicit;
use crate::sweep::{self, At, Residuals, Sweep};
use pd_core::exec::{self, ELEMENT_CHUNK, VERTEX_CHUNK};
use pd_core::{Model, Real, StepContext, StepError, StepReport, Stepper, Vec3, View};
use std::time::Instant;

/// Name of the stepper.
const NAME: &str = "pbd";

/// The order in which constraints are projected.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Projection {
    /// One after another, by colours.
    #[default]
    GaussSeidel,
    /// All at once, averaged over the constraints of each vertex and multiplied by `over_relaxation`, from 1 to 2.
    Jacobi {
        /// Factor of the averaged corrections.
        over_relaxation: Real,
    },
}

/// Position-based dynamics; [`StepParams::iterations`](pd_core::StepParams::iterations) are sweeps.
pub struct Pbd {
    /// Stiffness k of all constraints, above 0 and at most 1. Default 1.
    pub stiffness: Real,
    /// Order of projection. Default Gauss–Seidel.
    pub projection: Projection,
    problem: Implicit,
    inverse: Vec<Real>,
    sweep: Sweep,
    jacobi: Jacobi,
}

impl Default for Pbd {
    fn default() -> Self {
        let (problem, sweep, jacobi) = (Implicit::default(), Sweep::default(), Jacobi::default());
        Self { stiffness: 1.0, projection: Projection::GaussSeidel, problem, inverse: vec![], sweep, jacobi }
    }
}

impl Pbd {
    /// With averaged Jacobi projection.
    pub fn jacobi(over_relaxation: Real) -> Self {
        Self { projection: Projection::Jacobi { over_relaxation }, ..Self::default() }
    }
}

/// −k' w_i C ∇_iC / Σ w |∇C|².
pub(crate) fn correct(at: At<'_>, inverse: &[Real], stiffness: Real, moves: &mut [Vec3]) -> bool {
    let Some((c, sum)) = sweep::scalar_constraint(at, inverse, moves).filter(|(_, sum)| *sum > 0.0) else {
        return false;
    };
    for (step, &vertex) in moves.iter_mut().zip(at.vertices) {
        *step *= -stiffness * inverse[vertex as usize] * c / sum;
    }
    true
}

/// Tables and scratch of averaged Jacobi projection.
#[derive(Default)]
struct Jacobi {
    elements: Vec<Elements>,
    incidence: Incidence,
    /// Where the corrections of each batch begin, a stride of the widest element each.
    first: Vec<usize>,
    moves: Vec<Vec3>,
    next: Vec<Vec3>,
}

impl Jacobi {
    fn new(model: &Model) -> Self {
        let elements = elements::of_model(model);
        let incidence = Incidence::new(model.vertices(), &elements);
        let mut first = vec![0];
        for elements in &elements {
            first.push(first[first.len() - 1] + elements.len() * elements.widest());
        }
        let moves = vec![Vec3::zeros(); first[first.len() - 1]];
        Self { elements, incidence, first, moves, next: vec![Vec3::zeros(); model.vertices()] }
    }

    fn run(&mut self, model: &Model, inverse: &[Real], stiffness: Real, factor: Real, x: &mut [Vec3]) {
        for (number, (batch, elements)) in model.batches().iter().zip(&self.elements).enumerate() {
            let stride = elements.widest().max(1);
            let moves = &mut self.moves[self.first[number]..self.first[number + 1]];
            let positions = &*x;
            exec::for_each_chunk(moves, ELEMENT_CHUNK * stride, |first, moves| {
                let (first, rows) = (first / stride, elements.rows());
                let range = first..first + moves.len() / stride;
                let mut residuals = Residuals::new();
                let mut slots = moves.chunks_exact_mut(stride);
                for piece in sweep::pieces(range) {
                    residuals.find(batch.as_ref(), piece.clone(), positions);
                    let start = piece.start;
                    for (element, slot) in piece.zip(&mut slots) {
                        let (r, energy) = residuals.of(element - start, rows);
                        let (vertices, coefficients) =
                            (elements.vertices(element), elements.coefficients(element));
                        let (weight, memory) = (batch.stencil().weight(element), &[][..]);
                        let at = At { number, element, weight, vertices, coefficients, r, energy, memory };
                        if !correct(at, inverse, stiffness, &mut slot[..vertices.len()]) {
                            slot.fill(Vec3::zeros());
                        }
                    }
                }
            });
        }
        let (incidence, elements, first, moves) = (&self.incidence, &self.elements, &self.first, &self.moves);
        let positions = &*x;
        exec::for_each_chunk(&mut self.next, VERTEX_CHUNK, |start, next| {
            for (next, vertex) in next.iter_mut().zip(start..) {
                let incident = incidence.at(vertex);
                let sum = incident.iter().fold(Vec3::zeros(), |sum, at| {
                    let batch = at.batch as usize;
                    let slot = at.element as usize * elements[batch].widest() + at.local as usize;
                    sum + moves[first[batch] + slot]
                });
                *next = positions[vertex] + sum * (factor / incident.len().max(1) as Real);
            }
        });
        x.copy_from_slice(&self.next);
    }
}

impl Stepper for Pbd {
    fn name(&self) -> &str {
        NAME
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        let wrong = |name, value, expected| Err(StepError::Parameter { name, value, expected });
        if !(self.stiffness > 0.0 && self.stiffness <= 1.0) {
            return wrong("stiffness", self.stiffness, "it must be above 0 and at most 1");
        }
        if let Projection::Jacobi { over_relaxation } = self.projection
            && !(1.0..=2.0).contains(&over_relaxation)
        {
            return wrong("over_relaxation", over_relaxation, "it must be from 1 to 2");
        }
        self.problem.prepare(NAME, &context)?;
        sweep::check_rows(NAME, context.model)?;
        self.inverse = sweep::inverse_masses(context.model);
        (self.sweep, self.jacobi) = (Sweep::default(), Jacobi::default());
        match self.projection {
            Projection::GaussSeidel => {
                self.sweep = Sweep::new(context.model.batches(), context.model.vertices(), |_| 0);
            }
            Projection::Jacobi { .. } => self.jacobi = Jacobi::new(context.model),
        }
        Ok(())
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        let mut report = self.problem.begin(NAME, &context, state)?;
        let (model, iterations) = (context.model, context.params.iterations);
        let stiffness = 1.0 - (1.0 - self.stiffness).powf(1.0 / iterations as Real);
        let started = Instant::now();
        for _ in 0..iterations {
            let (inverse, x) = (&self.inverse, &mut self.problem.x);
            match self.projection {
                Projection::GaussSeidel => self
                    .sweep
                    .run(model.batches(), x, |at, _, _, moves| correct(at, inverse, stiffness, moves)),
                Projection::Jacobi { over_relaxation } => {
                    self.jacobi.run(model, inverse, stiffness, over_relaxation, x);
                }
            }
            report.iterations += 1;
        }
        report.local_steps = report.iterations;
        report.stages.local += started.elapsed();
        self.problem.end(&context, state, &mut report)?;
        Ok(report)
    }
}
