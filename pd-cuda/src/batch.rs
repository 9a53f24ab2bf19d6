//! One batch of constraints on the device.

use crate::precision::round_into;
use crate::queue::{Buffer, Queue, int};
use crate::{CudaError, DeviceReal};
use cudarc::driver::CudaFunction;
use pd_core::{BatchData, EnergyBatch, Real, Stencil};

/// Stencil, columns and the kernel of a batch. Arrays are transposed, so that neighbouring threads read neighbouring
/// numbers: entry k of element e is at `k * elements + e`.
pub(crate) struct DeviceBatch<T> {
    kernel: String,
    function: CudaFunction,
    /// Position in the model, to find the batch again when its columns change.
    index: usize,
    elements: usize,
    rows_per_element: usize,
    first_row: usize,
    vertices: Buffer<i32>,
    coefficients: Buffer<T>,
    counts: Buffer<i32>,
    columns: Buffer<T>,
    uniforms: Buffer<T>,
    weights: Buffer<T>,
    changes: bool,
    /// Columns on their way to the device.
    staging: Vec<T>,
}

impl<T: DeviceReal> DeviceBatch<T> {
    pub(crate) fn new(
        queue: &Queue<T>,
        index: usize,
        first_row: usize,
        batch: &dyn EnergyBatch,
    ) -> Result<Self, CudaError> {
        let unsupported =
            |why| CudaError::Unsupported { what: format!("a batch of kind {:?}", batch.kind()), why };
        let data =
            batch.export().ok_or_else(|| unsupported("it does not export itself; run it on the CPU"))?;
        let Some((kernel, function)) = queue.energy_function(data.kind)? else {
            return Err(unsupported("there is no kernel of this kind; give one by Device::with_kernel"));
        };
        let stencil = data.stencil;
        let (elements, d) = (stencil.elements(), stencil.rows_per_element());
        check_shape(&data).map_err(unsupported)?;
        let flat = Transposed::new(stencil);
        int("stencil entries of a batch", flat.vertices.len())?;
        let staging = transpose_columns(&data);
        Ok(Self {
            kernel,
            function,
            index,
            elements,
            rows_per_element: d,
            first_row,
            vertices: queue.upload(&flat.vertices)?,
            coefficients: queue.upload_reals(&flat.coefficients)?,
            counts: queue.upload(&flat.counts)?,
            columns: queue.upload(&staging)?,
            uniforms: queue.upload_reals(&data.uniforms)?,
            weights: queue.upload_reals(stencil.weights())?,
            changes: data.changes,
            staging,
        })
    }

    /// Copies columns that may have changed since the last step.
    pub(crate) fn refresh(
        &mut self,
        queue: &Queue<T>,
        batches: &[Box<dyn EnergyBatch>],
    ) -> Result<(), CudaError> {
        if !self.changes {
            return Ok(());
        }
        if let Some(data) = batches.get(self.index).and_then(|batch| batch.export()) {
            fill_columns(&data, &mut self.staging);
            queue.write(&self.staging, &mut self.columns)?;
        }
        Ok(())
    }

    /// rows = D x − project(D x) of this batch, at their place among the rows of all batches.
    pub(crate) fn residual(
        &self,
        queue: &Queue<T>,
        x: &Buffer<T>,
        rows: &Buffer<T>,
    ) -> Result<(), CudaError> {
        let count = self.elements * self.rows_per_element;
        let arguments = [
            queue.buffer(x, x.len()),
            queue.buffer(&self.vertices, self.vertices.len()),
            queue.buffer(&self.coefficients, self.coefficients.len()),
            queue.buffer(&self.counts, self.counts.len()),
            queue.buffer(&self.columns, self.columns.len()),
            queue.buffer(&self.uniforms, self.uniforms.len()),
            queue.part(rows, 3 * self.first_row, 3 * count),
            crate::queue::Argument::Int(int("elements of a batch", self.elements)?),
        ];
        queue.launch_energy(&self.kernel, &self.function, self.elements, &arguments)
    }

    /// b −= DᵀW rows of this batch by atomic additions, in no fixed order.
    pub(crate) fn scatter(&self, queue: &Queue<T>, rows: &Buffer<T>, b: &Buffer<T>) -> Result<(), CudaError> {
        let arguments = [
            queue.buffer(&self.vertices, self.vertices.len()),
            queue.buffer(&self.coefficients, self.coefficients.len()),
            queue.buffer(&self.counts, self.elements * self.rows_per_element),
            queue.buffer(&self.weights, self.elements),
            queue.part(rows, 3 * self.first_row, 3 * self.elements * self.rows_per_element),
            queue.buffer(b, b.len()),
            crate::queue::Argument::Int(int("rows of an element", self.rows_per_element)?),
            crate::queue::Argument::Int(int("elements of a batch", self.elements)?),
        ];
        queue.launch("scatter_add", self.elements, &arguments)
    }

    pub(crate) fn bytes(&self) -> usize {
        let reals = self.coefficients.len() + self.columns.len() + self.weights.len();
        4 * (self.vertices.len() + self.counts.len()) + size_of::<T>() * reals
    }
}

/// Built-in kernels rely on the shapes that pd-constraints makes.
fn check_shape(data: &BatchData<'_>) -> Result<(), &'static str> {
    let (rows, entries, width) = match data.kind {
        "pin" => (1, Some(1), 3),
        "edge" => (1, Some(2), 4),
        "bending" => (1, None, 4),
        "tet-strain" | "volume" => (3, Some(4), 0),
        "triangle-strain" | "area" => (2, Some(3), 0),
        _ => (data.stencil.rows_per_element(), None, total_width(data)),
    };
    let wrong_row = |row| entries.is_some_and(|entries| data.stencil.row_slices(row).0.len() != entries);
    if data.stencil.rows_per_element() != rows || (0..data.stencil.rows()).any(wrong_row) {
        return Err("its rows are not those of the built-in law of this name");
    }
    let complete =
        |column: &pd_core::Column<'_>| column.values.len() == column.width * data.stencil.elements();
    if total_width(data) != width || !data.columns().iter().all(complete) {
        return Err("its columns do not have a number for every element");
    }
    Ok(())
}

fn total_width(data: &BatchData<'_>) -> usize {
    data.columns().iter().map(|column| column.width).sum()
}

fn transpose_columns<T: DeviceReal>(data: &BatchData<'_>) -> Vec<T> {
    let mut out = vec![T::from_real(0.0); total_width(data) * data.stencil.elements()];
    fill_columns(data, &mut out);
    out
}

/// Number c of all columns of element e to `c * elements + e`.
fn fill_columns<T: DeviceReal>(data: &BatchData<'_>, out: &mut [T]) {
    let elements = data.stencil.elements();
    let mut places = out.chunks_exact_mut(elements.max(1));
    for column in data.columns() {
        for c in 0..column.width {
            let Some(place) = places.next() else { return };
            let values = column.values.iter().skip(c).step_by(column.width);
            place.iter_mut().zip(values).for_each(|(place, value)| *place = T::from_real(*value));
        }
    }
}

/// The stencil with the element as the fast index; short elements are filled with vertex 0 and coefficient 0.
struct Transposed {
    vertices: Vec<i32>,
    coefficients: Vec<Real>,
    counts: Vec<i32>,
}

impl Transposed {
    fn new(stencil: &Stencil) -> Self {
        let (n, d) = (stencil.elements(), stencil.rows_per_element());
        let entries_of = |e: usize| (e * d..(e + 1) * d).map(|row| stencil.row_slices(row).0.len()).sum();
        let width: usize = (0..n).map(entries_of).max().unwrap_or(0);
        let mut flat =
            Self { vertices: vec![0; width * n], coefficients: vec![0.0; width * n], counts: vec![0; d * n] };
        for e in 0..n {
            let mut k = 0;
            for j in 0..d {
                let (vertices, coefficients) = stencil.row_slices(e * d + j);
                flat.counts[j * n + e] = vertices.len() as i32;
                for (&vertex, &coefficient) in vertices.iter().zip(coefficients) {
                    flat.vertices[k * n + e] = vertex as i32;
                    flat.coefficients[k * n + e] = coefficient;
                    k += 1;
                }
            }
        }
        flat
    }
}

/// Rounds into a buffer and copies it to the device.
pub(crate) fn write_reals<T: DeviceReal>(
    queue: &Queue<T>,
    values: &[Real],
    staging: &mut [T],
    buffer: &mut Buffer<T>,
) -> Result<(), CudaError> {
    let count = values.len().min(staging.len());
    round_into(values, &mut staging[..count]);
    queue.write(&staging[..count], buffer)
}
