//! Gauss–Seidel over elements, colour by colour.
//!
//! Elements of one colour share no vertex. They compute their corrections side by side from the same positions, and then all are
//! added: the result is that of the sequential sweep in the order of the colours, whatever the number of threads. Batches come in the order of
//! the model. Gauss–Seidel needs one element at a time, so here, unlike in the local step of projective dynamics, a virtual call is paid
//! per element.

use crate::elements::{self, Elements};
use pd_core::exec;
use pd_core::{EnergyBatch, Model, Real, StepError, Vec3};
use pd_linear::Colouring;

/// Rows of an element that fit the stack of the kernels; the built-in laws have at most three.
pub(crate) const MOST_ROWS: usize = 4;

/// Elements that one task handles.
const TASK: usize = 64;

/// A batch, its elements and their colours.
struct Coloured {
    elements: Elements,
    colouring: Colouring,
    /// What each element remembers from sweep to sweep: multipliers.
    memory: Vec<Vec3>,
    /// Vectors of memory per element.
    remembered: usize,
}

/// An element and what a sweep knows about it.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub(crate) batch: &'a dyn EnergyBatch,
    /// Number of the batch.
    pub(crate) number: usize,
    pub(crate) element: usize,
    pub(crate) vertices: &'a [u32],
    /// By vertex: a coefficient for each row.
    pub(crate) coefficients: &'a [Real],
    /// What the element remembers.
    pub(crate) memory: &'a [Vec3],
}

/// Colours of all batches, and room for the corrections of one colour.
#[derive(Default)]
pub(crate) struct Sweep {
    batches: Vec<Coloured>,
    buffer: Vec<Vec3>,
}

impl Sweep {
    /// Tables for these batches over so many vertices; `remembered(rows of an element)` vectors are kept for each element.
    pub(crate) fn new(
        batches: &[Box<dyn EnergyBatch>],
        vertices: usize,
        remembered: impl Fn(usize) -> usize,
    ) -> Self {
        let coloured = |batch: &dyn EnergyBatch| {
            let elements = Elements::new(batch.stencil());
            let colouring = Colouring::of_sets(elements.len(), vertices, |e| elements.vertices(e));
            let remembered = remembered(elements.rows());
            let memory = vec![Vec3::zeros(); remembered * elements.len()];
            Coloured { elements, colouring, memory, remembered }
        };
        let batches: Vec<Coloured> = batches.iter().map(|batch| coloured(batch.as_ref())).collect();
        let room = batches.iter().map(|c| c.colouring.largest() * (c.elements.widest() + c.remembered)).max();
        Self { batches, buffer: vec![Vec3::zeros(); room.unwrap_or(0)] }
    }

    /// The elements of a batch.
    pub(crate) fn elements(&self, batch: usize) -> &Elements {
        &self.batches[batch].elements
    }

    /// Forgets what elements remember.
    pub(crate) fn forget(&mut self) {
        self.batches.iter_mut().for_each(|batch| batch.memory.fill(Vec3::zeros()));
    }

    /// One sweep: `correct(at, x, change, moves)` writes the displacement of each vertex of an element and the change of its
    /// memory; both are added once all of its colour are done. False: nothing to do.
    pub(crate) fn run(
        &mut self,
        batches: &[Box<dyn EnergyBatch>],
        x: &mut [Vec3],
        correct: impl Fn(At<'_>, &[Vec3], &mut [Vec3], &mut [Vec3]) -> bool + Sync,
    ) {
        for (number, (batch, coloured)) in batches.iter().zip(&mut self.batches).enumerate() {
            let Coloured { elements, colouring, memory, remembered } = coloured;
            let remembered = *remembered;
            let stride = elements.widest() + remembered;
            for colour in colouring.colours() {
                let buffer = &mut self.buffer[..colour.len() * stride];
                let (positions, known) = (&*x, &*memory);
                exec::for_each_chunk(buffer, TASK * stride, |first, buffer| {
                    for (slot, k) in buffer.chunks_exact_mut(stride).zip(first / stride..) {
                        let element = colour[k] as usize;
                        let (vertices, coefficients) =
                            (elements.vertices(element), elements.coefficients(element));
                        let memory = &known[element * remembered..][..remembered];
                        let at =
                            At { batch: batch.as_ref(), number, element, vertices, coefficients, memory };
                        let (change, moves) = slot.split_at_mut(remembered);
                        if !correct(at, positions, change, &mut moves[..vertices.len()]) {
                            slot.fill(Vec3::zeros());
                        }
                    }
                });
                for (slot, &element) in buffer.chunks_exact(stride).zip(colour) {
                    let (change, moves) = slot.split_at(remembered);
                    for (&vertex, step) in elements.vertices(element as usize).iter().zip(moves) {
                        x[vertex as usize] += step;
                    }
                    let memory = &mut memory[element as usize * remembered..];
                    memory.iter_mut().zip(change).for_each(|(memory, change)| *memory += change);
                }
            }
        }
    }
}

/// Refuses elements of more rows than the kernels have room for.
pub(crate) fn check_rows(stepper: &str, model: &Model) -> Result<(), StepError> {
    match elements::wider_than(model, MOST_ROWS) {
        None => Ok(()),
        Some(batch) => {
            let rows = batch.stencil().rows_per_element();
            let what =
                format!("batch {:?}, whose elements have {rows} rows (at most {MOST_ROWS})", batch.kind());
            Err(StepError::Unsupported { stepper: stepper.to_owned(), what })
        }
    }
}

/// 1/m of every vertex; 0 for those with prescribed motion.
pub(crate) fn inverse_masses(model: &Model) -> Vec<Real> {
    let inverse =
        |(vertex, mass): (usize, &Real)| if model.is_kinematic(vertex) { 0.0 } else { mass.recip() };
    model.masses().iter().enumerate().map(inverse).collect()
}

/// The scalar constraint of an element, C = √(2U/ω) (the distance, for distance laws): writes ∇C of each vertex and returns C and
/// ∇C M⁻¹ ∇Cᵀ; `None` where C vanishes and has no gradient, or the law is not defined.
pub(crate) fn scalar_constraint(
    at: At<'_>,
    x: &[Vec3],
    inverse: &[Real],
    gradient: &mut [Vec3],
) -> Option<(Real, Real)> {
    let rows = at.batch.stencil().rows_per_element();
    let (mut r, range) = ([Vec3::zeros(); MOST_ROWS], at.element..at.element + 1);
    let r = &mut r[..rows];
    at.batch.residual(range.clone(), x, r);
    let energy = at.batch.energy_at(range, x, r);
    let c = (2.0 * energy / at.batch.stencil().weight(at.element)).sqrt();
    let size = r.iter().fold(0.0, |size: Real, r| size.max(r.amax()));
    // Below this the direction of r is rounding noise.
    if !(c.is_finite() && c > 1e-14 && size > 0.0) {
        return None;
    }
    let mut sum = 0.0;
    for ((gradient, own), &vertex) in
        gradient.iter_mut().zip(at.coefficients.chunks_exact(rows)).zip(at.vertices)
    {
        *gradient = own.iter().zip(&*r).fold(Vec3::zeros(), |sum, (c, r)| sum + r * *c) / c;
        sum += inverse[vertex as usize] * gradient.norm_squared();
    }
    Some((c, sum))
}
