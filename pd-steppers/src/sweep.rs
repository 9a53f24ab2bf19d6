//! Gauss–Seidel over elements, colour by colour.
//!
//! Elements of one colour share no vertex. They compute their corrections side by side from the same positions, and then all are
//! added: the result is that of the sequential sweep in the order of the colours, whatever the number of threads. Batches come in the order of
//! the model. Where a batch allows it ([`EnergyBatch::select`]) its elements are laid out by colour, so that one call finds the residuals
//! of many of them; otherwise a call is paid per element.

use crate::elements::{self, Elements};
use pd_core::exec;
use pd_core::{EnergyBatch, Model, Real, StepError, Vec3};
use pd_linear::Colouring;
use std::ops::Range;

/// Rows of an element that fit the stack of the kernels; the built-in laws have at most three.
pub(crate) const MOST_ROWS: usize = 4;

/// Elements whose residuals are found together, and that one task handles.
const TASK: usize = 128;

/// A batch, its elements and their colours.
struct Coloured {
    /// The batch with its elements by colour; `None` if the batch cannot be laid out so.
    sorted: Option<Box<dyn EnergyBatch>>,
    /// Elements in the order of the sweep.
    elements: Elements,
    weights: Vec<Real>,
    /// Where each colour begins.
    starts: Vec<usize>,
    /// The number in the batch of each element.
    numbers: Vec<u32>,
    /// What each element remembers from sweep to sweep: multipliers.
    memory: Vec<Vec3>,
    /// Vectors of memory per element.
    remembered: usize,
}

/// An element and what a sweep knows about it.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    /// Number of the batch.
    pub(crate) number: usize,
    /// Number of the element among those of the sweep.
    pub(crate) element: usize,
    /// ω.
    pub(crate) weight: Real,
    pub(crate) vertices: &'a [u32],
    /// By vertex: a coefficient for each row.
    pub(crate) coefficients: &'a [Real],
    /// D x − project(D x), and the energy.
    pub(crate) r: &'a [Vec3],
    pub(crate) energy: Real,
    /// What the element remembers.
    pub(crate) memory: &'a [Vec3],
}

/// Residuals and energies of up to [`TASK`] elements.
pub(crate) struct Residuals {
    r: [Vec3; TASK * MOST_ROWS],
    energies: [Real; TASK],
}

impl Residuals {
    pub(crate) fn new() -> Self {
        Self { r: [Vec3::zeros(); TASK * MOST_ROWS], energies: [0.0; TASK] }
    }

    /// Of elements side by side.
    pub(crate) fn find(&mut self, batch: &dyn EnergyBatch, range: Range<usize>, x: &[Vec3]) {
        let r = &mut self.r[..range.len() * batch.stencil().rows_per_element()];
        batch.residual(range.clone(), x, r);
        batch.energies_at(range, x, r, &mut self.energies);
    }

    /// Of elements by number.
    fn find_each(&mut self, batch: &dyn EnergyBatch, numbers: &[u32], x: &[Vec3]) {
        let rows = batch.stencil().rows_per_element();
        let slots = self.r.chunks_exact_mut(rows.max(1)).zip(self.energies.iter_mut());
        for ((r, energy), &element) in slots.zip(numbers) {
            let range = element as usize..element as usize + 1;
            batch.residual(range.clone(), x, r);
            *energy = batch.energy_at(range, x, r);
        }
    }

    /// Of the k-th of them.
    pub(crate) fn of(&self, k: usize, rows: usize) -> (&[Vec3], Real) {
        (&self.r[k * rows..(k + 1) * rows], self.energies[k])
    }
}

/// Colours of all batches, and room for the corrections of one colour.
#[derive(Default)]
pub(crate) struct Sweep {
    batches: Vec<Coloured>,
    buffer: Vec<Vec3>,
}

impl Coloured {
    fn new(batch: &dyn EnergyBatch, vertices: usize, remembered: impl Fn(usize) -> usize) -> Self {
        let elements = Elements::new(batch.stencil());
        let colouring = Colouring::of_sets(elements.len(), vertices, |e| elements.vertices(e));
        let starts = std::iter::once(0).chain(colouring.colours().scan(0, |end, colour| {
            *end += colour.len();
            Some(*end)
        }));
        let starts = starts.collect();
        let numbers = colouring.colours().flatten().copied().collect::<Vec<_>>();
        let sorted = batch.select(&numbers);
        let stencil = batch.stencil().select(&numbers);
        let (elements, weights) = (Elements::new(&stencil), stencil.weights().to_vec());
        let remembered = remembered(elements.rows());
        let memory = vec![Vec3::zeros(); remembered * elements.len()];
        Self { sorted, elements, weights, starts, numbers, memory, remembered }
    }

    /// Vectors of the correction of an element.
    fn stride(&self) -> usize {
        self.elements.widest() + self.remembered
    }

    /// Corrections of some elements of one colour.
    fn correct(
        &self,
        (number, batch): (usize, &dyn EnergyBatch),
        range: Range<usize>,
        x: &[Vec3],
        buffer: &mut [Vec3],
        correct: &impl Fn(At<'_>, &[Vec3], &mut [Vec3], &mut [Vec3]) -> bool,
    ) {
        let (elements, remembered, stride) = (&self.elements, self.remembered, self.stride());
        let rows = elements.rows();
        let mut residuals = Residuals::new();
        for (range, buffer) in pieces(range).zip(buffer.chunks_mut(TASK * stride)) {
            match &self.sorted {
                Some(sorted) => residuals.find(sorted.as_ref(), range.clone(), x),
                None => residuals.find_each(batch, &self.numbers[range.clone()], x),
            }
            let first = range.start;
            for (element, slot) in range.zip(buffer.chunks_exact_mut(stride)) {
                let (r, energy) = residuals.of(element - first, rows);
                let (vertices, coefficients) = (elements.vertices(element), elements.coefficients(element));
                let memory = &self.memory[element * remembered..][..remembered];
                let weight = self.weights[element];
                let at = At { number, element, weight, vertices, coefficients, r, energy, memory };
                let (change, moves) = slot.split_at_mut(remembered);
                if !correct(at, x, change, &mut moves[..vertices.len()]) {
                    slot.fill(Vec3::zeros());
                }
            }
        }
    }

    /// Adds the corrections of some elements of one colour.
    fn add(&mut self, range: Range<usize>, x: &mut [Vec3], buffer: &[Vec3]) {
        let (remembered, stride) = (self.remembered, self.stride());
        for (slot, element) in buffer.chunks_exact(stride).zip(range) {
            let (change, moves) = slot.split_at(remembered);
            for (&vertex, step) in self.elements.vertices(element).iter().zip(moves) {
                x[vertex as usize] += step;
            }
            let memory = &mut self.memory[element * remembered..];
            memory.iter_mut().zip(change).for_each(|(memory, change)| *memory += change);
        }
    }
}

/// A range in pieces of [`TASK`].
pub(crate) fn pieces(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    range.clone().step_by(TASK).map(move |start| start..range.end.min(start + TASK))
}

impl Sweep {
    /// Tables for these batches over so many vertices; `remembered(rows of an element)` vectors are kept for each element.
    pub(crate) fn new(
        batches: &[Box<dyn EnergyBatch>],
        vertices: usize,
        remembered: impl Fn(usize) -> usize + Copy,
    ) -> Self {
        let coloured = batches.iter().map(|batch| Coloured::new(batch.as_ref(), vertices, remembered));
        let batches: Vec<Coloured> = coloured.collect();
        let largest = |c: &Coloured| c.starts.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0);
        let room = batches.iter().map(|c| largest(c) * c.stride()).max();
        Self { batches, buffer: vec![Vec3::zeros(); room.unwrap_or(0)] }
    }

    /// The elements of a batch in the order of the sweep, and their numbers in the batch.
    pub(crate) fn elements(&self, batch: usize) -> (&Elements, &[u32]) {
        (&self.batches[batch].elements, &self.batches[batch].numbers)
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
        let alone = rayon::current_num_threads() == 1;
        for (number, (batch, coloured)) in batches.iter().zip(&mut self.batches).enumerate() {
            let (at, stride) = ((number, batch.as_ref()), coloured.stride());
            for colour in 0..coloured.starts.len().saturating_sub(1) {
                let range = coloured.starts[colour]..coloured.starts[colour + 1];
                if alone {
                    // Elements of a colour do not see one another, so they may move before the others have looked: the same bits.
                    for range in pieces(range) {
                        let buffer = &mut self.buffer[..range.len() * stride];
                        coloured.correct(at, range.clone(), x, buffer, &correct);
                        coloured.add(range, x, buffer);
                    }
                    continue;
                }
                let buffer = &mut self.buffer[..range.len() * stride];
                let (positions, known, first) = (&*x, &*coloured, range.start);
                exec::for_each_chunk(buffer, TASK * stride, |start, buffer| {
                    let start = first + start / stride;
                    known.correct(at, start..start + buffer.len() / stride, positions, buffer, &correct);
                });
                coloured.add(range, x, buffer);
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
pub(crate) fn scalar_constraint(at: At<'_>, inverse: &[Real], gradient: &mut [Vec3]) -> Option<(Real, Real)> {
    let c = (2.0 * at.energy / at.weight).sqrt();
    let size = at.r.iter().fold(0.0, |size: Real, r| size.max(r.amax()));
    // Below this the direction of r is rounding noise.
    if !(c.is_finite() && c > 1e-14 && size > 0.0) {
        return None;
    }
    let mut sum = 0.0;
    for ((gradient, own), &vertex) in
        gradient.iter_mut().zip(at.coefficients.chunks_exact(at.r.len())).zip(at.vertices)
    {
        *gradient = own.iter().zip(at.r).fold(Vec3::zeros(), |sum, (c, r)| sum + r * *c) / c;
        sum += inverse[vertex as usize] * gradient.norm_squared();
    }
    Some((c, sum))
}
