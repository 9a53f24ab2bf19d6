//! A model on the device: its batches, DᵀW by vertex, and the local step over them.

use crate::batch::DeviceBatch;
use crate::queue::{Argument, Buffer, Queue, int};
use crate::sliced_ell::{Rows, SlicedEll};
use crate::{CudaError, DeviceReal};
use pd_core::{Model, Real};

/// How the force on a vertex is summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Summation {
    /// Each vertex gathers its rows in a fixed order: bitwise reproducible.
    #[default]
    Gather,
    /// Each element adds to its vertices atomically, as the thesis' device code does: the order, and so the last bits,
    /// change from run to run.
    Scatter,
}

/// The constant data, and the rows of the last local step.
pub(crate) struct DeviceModel<T> {
    pub(crate) vertices: usize,
    rows: usize,
    batches: Vec<DeviceBatch<T>>,
    /// DᵀW by vertex.
    transpose: SlicedEll<T>,
    row_weights: Buffer<T>,
    residuals: Buffer<T>,
    /// M/h².
    inertia: Buffer<T>,
    partials: Buffer<T>,
    summation: Summation,
}

impl<T: DeviceReal> DeviceModel<T> {
    pub(crate) fn new(queue: &Queue<T>, model: &Model, summation: Summation) -> Result<Self, CudaError> {
        let vertices = model.vertices();
        int("three times the vertices", 3 * vertices)?;
        int("three times the rows", 3 * model.rows())?;
        let (mut batches, mut first_row, mut row_weights) = (vec![], 0, vec![]);
        for (index, batch) in model.batches().iter().enumerate() {
            let stencil = batch.stencil();
            if stencil.rows() > 0 {
                batches.push(DeviceBatch::new(queue, index, first_row, batch.as_ref())?);
            }
            for &weight in stencil.weights() {
                row_weights.extend(std::iter::repeat_n(weight, stencil.rows_per_element()));
            }
            first_row += stencil.rows();
        }
        let most = vertices.max(first_row).div_ceil(crate::kernels::REDUCE as usize);
        Ok(Self {
            vertices,
            rows: first_row,
            batches,
            transpose: SlicedEll::new(queue, &transpose(model))?,
            row_weights: queue.upload_reals(&row_weights)?,
            residuals: queue.zeros(3 * first_row)?,
            inertia: queue.zeros(vertices)?,
            partials: queue.zeros(most)?,
            summation,
        })
    }

    /// Sets M/h².
    pub(crate) fn set_dt(&mut self, queue: &Queue<T>, model: &Model, dt: Real) -> Result<(), CudaError> {
        let inertia: Vec<Real> = model.masses().iter().map(|mass| mass / (dt * dt)).collect();
        self.inertia = queue.upload_reals(&inertia)?;
        Ok(())
    }

    /// Copies data that may have changed since the last step: targets of pins.
    pub(crate) fn refresh(&mut self, queue: &Queue<T>, model: &Model) -> Result<(), CudaError> {
        self.batches.iter_mut().try_for_each(|batch| batch.refresh(queue, model.batches()))
    }

    /// Residual rows of all batches at x.
    pub(crate) fn residual(&self, queue: &Queue<T>, x: &Buffer<T>) -> Result<(), CudaError> {
        self.batches.iter().try_for_each(|batch| batch.residual(queue, x, &self.residuals))
    }

    /// b = M/h² (s − x) − DᵀW r, from the rows of the last [`residual`](Self::residual) at the same x.
    pub(crate) fn forces(
        &self,
        queue: &Queue<T>,
        s: &Buffer<T>,
        x: &Buffer<T>,
        b: &Buffer<T>,
    ) -> Result<(), CudaError> {
        let (n, count) = (Argument::Int(int("vertices", self.vertices)?), 3 * self.vertices);
        let inertia = queue.buffer(&self.inertia, self.vertices);
        let [s, x, out] = [s, x, b].map(|buffer| queue.buffer(buffer, count));
        match self.summation {
            Summation::Gather => {
                let [slices, places, values] = self.transpose.arguments(queue);
                let rows = queue.buffer(&self.residuals, 3 * self.rows);
                let arguments = [slices, places, values, rows, inertia, s, x, out, n];
                queue.launch("gather", self.vertices, &arguments)
            }
            Summation::Scatter => {
                queue.launch("scatter_begin", self.vertices, &[inertia, s, x, out, n])?;
                self.batches.iter().try_for_each(|batch| batch.scatter(queue, &self.residuals, b))
            }
        }
    }

    /// out[slot] = elastic energy of the rows of the last [`residual`](Self::residual).
    pub(crate) fn energy(&self, queue: &Queue<T>, out: &Buffer<T>, slot: usize) -> Result<(), CudaError> {
        let rows = queue.buffer(&self.residuals, 3 * self.rows);
        let weights = queue.buffer(&self.row_weights, self.rows);
        self.reduce(queue, "energy_partials", &[rows, weights], self.rows, "reduce_sum", out, slot)
    }

    /// out[slot] = Σ ½ M/h² |x − s|².
    pub(crate) fn inertia_energy(
        &self,
        queue: &Queue<T>,
        x: &Buffer<T>,
        s: &Buffer<T>,
        out: &Buffer<T>,
        slot: usize,
    ) -> Result<(), CudaError> {
        let [x, s] = [x, s].map(|buffer| queue.buffer(buffer, 3 * self.vertices));
        let arguments = [x, s, queue.buffer(&self.inertia, self.vertices)];
        self.reduce(queue, "inertia_partials", &arguments, self.vertices, "reduce_sum", out, slot)
    }

    /// out[slot] = Σ |a|² over vertices.
    pub(crate) fn square(
        &self,
        queue: &Queue<T>,
        a: &Buffer<T>,
        out: &Buffer<T>,
        slot: usize,
    ) -> Result<(), CudaError> {
        let a = queue.buffer(a, 3 * self.vertices);
        self.reduce(queue, "square_partials", &[a], self.vertices, "reduce_sum", out, slot)
    }

    /// out[slot] = largest |a| over vertices.
    pub(crate) fn largest(
        &self,
        queue: &Queue<T>,
        a: &Buffer<T>,
        out: &Buffer<T>,
        slot: usize,
    ) -> Result<(), CudaError> {
        let a = queue.buffer(a, 3 * self.vertices);
        self.reduce(queue, "largest_partials", &[a], self.vertices, "reduce_max", out, slot)
    }

    #[allow(clippy::too_many_arguments, reason = "the two stages of one reduction")]
    fn reduce(
        &self,
        queue: &Queue<T>,
        first: &'static str,
        inputs: &[Argument<T>],
        count: usize,
        second: &'static str,
        out: &Buffer<T>,
        slot: usize,
    ) -> Result<(), CudaError> {
        reduce(queue, first, inputs, count, second, &self.partials, out, slot)
    }

    /// The rows of the last [`residual`](Self::residual).
    #[cfg(feature = "validate")]
    pub(crate) fn read_rows(&self, queue: &Queue<T>) -> Result<Vec<pd_core::Vec3>, CudaError> {
        let mut rows = vec![T::from_real(0.0); 3 * self.rows];
        queue.read(&self.residuals, &mut rows)?;
        Ok(rows
            .chunks_exact(3)
            .map(|r| pd_core::Vec3::new(r[0].to_real(), r[1].to_real(), r[2].to_real()))
            .collect())
    }

    pub(crate) fn bytes(&self) -> usize {
        let reals = self.row_weights.len() + self.residuals.len() + self.inertia.len();
        let batches: usize = self.batches.iter().map(DeviceBatch::bytes).sum();
        batches + self.transpose.bytes() + size_of::<T>() * reals
    }
}

/// Two stages: a number per block of [`REDUCE`](crate::kernels::REDUCE) items, then one.
#[allow(clippy::too_many_arguments, reason = "the two stages of one reduction")]
pub(crate) fn reduce<T: DeviceReal>(
    queue: &Queue<T>,
    first: &'static str,
    inputs: &[Argument<T>],
    count: usize,
    second: &'static str,
    partials: &Buffer<T>,
    out: &Buffer<T>,
    slot: usize,
) -> Result<(), CudaError> {
    let blocks = count.div_ceil(crate::kernels::REDUCE as usize);
    let n = |count| int("items of a reduction", count).map(Argument::Int);
    let mut arguments = [Argument::Int(0); 5];
    let used = inputs.len();
    arguments[..used].copy_from_slice(inputs);
    (arguments[used], arguments[used + 1]) = (queue.buffer(partials, blocks), n(count)?);
    queue.launch(first, count, &arguments[..used + 2])?;
    let to = queue.buffer(out, slot + 1);
    queue.launch(second, 1, &[queue.buffer(partials, blocks), to, n(slot)?, n(blocks)?])
}

/// DᵀW by vertex, rows of D ascending.
fn transpose(model: &Model) -> Rows {
    let n = model.vertices();
    let mut by_vertex: Vec<Vec<(usize, Real)>> = vec![vec![]; n];
    let mut first = 0;
    for batch in model.batches() {
        let (stencil, d) = (batch.stencil(), batch.stencil().rows_per_element().max(1));
        for row in 0..stencil.rows() {
            for (vertex, coefficient) in stencil.row(row) {
                by_vertex[vertex].push((first + row, stencil.weight(row / d) * coefficient));
            }
        }
        first += stencil.rows();
    }
    let mut rows = Rows::new();
    by_vertex.iter().for_each(|entries| rows.push_row(entries.iter().copied()));
    rows
}
