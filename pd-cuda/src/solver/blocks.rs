//! A direct solve without triangular solves, which would leave a device idle.
//!
//! With the vertices cut into parts i that touch only through separators s (`dissection.rs`),
//!
//! ```text
//! y_i = A_ii⁻¹ b_i,   x_s = S⁻¹ (b_s − A_si y_i),   x_i = A_ii⁻¹ (b_i − A_is x_s),   S = A_ss − A_si A_ii⁻¹ A_is
//! ```
//! The inverses are dense and computed once on the host: A_ii⁻¹ part by part, and S⁻¹ = (A⁻¹)_ss by solves with a factor
//! of A. A solve is five products, each of which fills the device and reads its numbers in order. Memory grows with the
//! square of the separators, so this is for meshes up to about ten thousand vertices.

use super::DeviceSolver;
use super::dissection::Dissection;
use crate::queue::{Argument, Buffer, Queue, int};
use crate::sliced_ell::{Rows, SlicedEll};
use crate::{CudaError, DeviceReal};
use pd_core::{Csr, GlobalSolver, LinearError, Real};
use pd_linear::{PanelCholesky, Precision};

/// Vertices of a part at most: a compromise between the inverses of parts and that of the separators, which together
/// are what a solve reads.
const PART: usize = 256;

pub(super) struct Blocks<T> {
    rows: usize,
    inner: usize,
    /// Vertex of each place, and place of each vertex.
    order: Buffer<i32>,
    place: Buffer<i32>,
    parts: Dense<T>,
    separators: Dense<T>,
    /// A_si and A_is.
    to_separators: SlicedEll<T>,
    from_separators: SlicedEll<T>,
    b: Buffer<T>,
    y: Buffer<T>,
    t: Buffer<T>,
    x: Buffer<T>,
}

impl<T: DeviceReal> Blocks<T> {
    pub(super) fn new(queue: &Queue<T>, a: &Csr, memory: u64) -> Result<Self, LinearError> {
        let n = a.rows();
        let cut = Dissection::new(a, PART);
        let inner = cut.parts.last().copied().unwrap_or(0);
        let sizes = || cut.parts.windows(2).map(|range| range[1] - range[0]).chain([n - inner]);
        let entries: u64 = sizes().map(|size| (size as u64).pow(2)).sum();
        let bytes = entries * size_of::<T>() as u64;
        if bytes > memory {
            return Err(LinearError::TooLarge { solver: "cuda-cholesky".to_owned(), bytes, limit: memory });
        }
        let mut place = vec![0i32; n];
        for (at, &vertex) in cut.order.iter().enumerate() {
            place[vertex as usize] = at as i32;
        }
        let at = |column: usize| place[column] as usize;
        let (mut to, mut from) = (Rows::new(), Rows::new());
        for (row, &vertex) in cut.order.iter().enumerate() {
            let coupled = a.row(vertex as usize).map(|(j, v)| (at(j), v));
            if row < inner {
                from.push_row(coupled.filter(|e| e.0 >= inner).map(|(j, v)| (j - inner, v)));
            } else {
                to.push_row(coupled.filter(|e| e.0 < inner));
            }
        }
        let mut parts = DenseRows::default();
        for range in cut.parts.windows(2) {
            let vertices = &cut.order[range[0]..range[1]];
            parts.push(range[0], &invert_part(a, vertices, &place, range[0])?);
        }
        let mut separators = DenseRows::default();
        separators.push(0, &inverse_of_separators(a, &cut.order[inner..])?);
        let order: Vec<i32> = cut.order.iter().map(|&v| v as i32).collect();
        let vector = || queue.zeros(3 * n);
        Ok(Self {
            rows: n,
            inner,
            order: queue.upload(&order)?,
            place: queue.upload(&place)?,
            parts: parts.upload(queue)?,
            separators: separators.upload(queue)?,
            to_separators: SlicedEll::new(queue, &to)?,
            from_separators: SlicedEll::new(queue, &from)?,
            b: vector()?,
            y: vector()?,
            t: vector()?,
            x: vector()?,
        })
    }
}

impl<T: DeviceReal> DeviceSolver<T> for Blocks<T> {
    fn guess(&mut self) -> [Option<&mut Buffer<T>>; 2] {
        [None, None] // a direct solve has no use for one
    }

    fn begin(&mut self, _queue: &Queue<T>, _b: &Buffer<T>) -> Result<(), CudaError> {
        Ok(())
    }

    fn sweep(&mut self, queue: &Queue<T>, b: &Buffer<T>, from: usize, to: usize) -> Result<(), CudaError> {
        if from > 0 || to == 0 {
            return Ok(());
        }
        let (n, inner, outer) = (self.rows, self.inner, self.rows - self.inner);
        let count = |count| int("rows", count).map(Argument::Int);
        let whole = |v| queue.buffer(v, 3 * n);
        let inside = |v| queue.buffer(v, 3 * inner);
        let outside = |v| queue.part(v, 3 * inner, 3 * outer);
        queue.launch("permute", n, &[queue.buffer(&self.order, n), whole(b), whole(&self.b), count(n)?])?;
        self.parts.multiply(queue, inside(&self.b), inside(&self.y))?;
        let [slices, places, values] = self.to_separators.arguments(queue);
        let arguments =
            [slices, places, values, outside(&self.b), inside(&self.y), outside(&self.t), count(outer)?];
        queue.launch("residual", outer, &arguments)?;
        self.separators.multiply(queue, outside(&self.t), outside(&self.y))?;
        let [slices, places, values] = self.from_separators.arguments(queue);
        let arguments =
            [slices, places, values, inside(&self.b), outside(&self.y), inside(&self.t), count(inner)?];
        queue.launch("residual", inner, &arguments)?;
        self.parts.multiply(queue, inside(&self.t), inside(&self.y))?;
        queue.launch("permute", n, &[queue.buffer(&self.place, n), whole(&self.y), whole(&self.x), count(n)?])
    }

    fn solution(&self) -> &Buffer<T> {
        &self.x
    }

    fn bytes(&self) -> usize {
        let dense = self.parts.matrix.len() + self.separators.matrix.len();
        size_of::<T>() * (dense + 12 * self.rows) + self.to_separators.bytes() + self.from_separators.bytes()
    }
}

/// Rows of dense blocks on the device: where the numbers of a row are, where its block begins and how wide it is.
struct Dense<T> {
    rows: usize,
    matrix: Buffer<T>,
    start: Buffer<i64>,
    first: Buffer<i32>,
    width: Buffer<i32>,
}

impl<T: DeviceReal> Dense<T> {
    fn multiply(&self, queue: &Queue<T>, x: Argument<T>, y: Argument<T>) -> Result<(), CudaError> {
        let arguments = [
            queue.buffer(&self.matrix, self.matrix.len()),
            queue.buffer(&self.start, self.rows),
            queue.buffer(&self.first, self.rows),
            queue.buffer(&self.width, self.rows),
            x,
            y,
            Argument::Int(int("rows", self.rows)?),
        ];
        queue.launch("block_multiply", 32 * self.rows, &arguments)
    }
}

#[derive(Default)]
struct DenseRows {
    matrix: Vec<Real>,
    start: Vec<i64>,
    first: Vec<i32>,
    width: Vec<i32>,
}

impl DenseRows {
    /// Appends a square block whose columns begin at `first`.
    fn push(&mut self, first: usize, block: &[Real]) {
        let size = block.len().isqrt();
        for row in block.chunks_exact(size.max(1)) {
            self.start.push(self.matrix.len() as i64);
            self.first.push(first as i32);
            self.width.push(size as i32);
            self.matrix.extend_from_slice(row);
        }
    }

    fn upload<T: DeviceReal>(&self, queue: &Queue<T>) -> Result<Dense<T>, CudaError> {
        Ok(Dense {
            rows: self.start.len(),
            matrix: queue.upload_reals(&self.matrix)?,
            start: queue.upload(&self.start)?,
            first: queue.upload(&self.first)?,
            width: queue.upload(&self.width)?,
        })
    }
}

/// A_ii⁻¹, row after row, by Cholesky.
fn invert_part(a: &Csr, vertices: &[u32], place: &[i32], first: usize) -> Result<Vec<Real>, LinearError> {
    let m = vertices.len();
    let mut l = vec![0.0; m * m];
    for (i, &vertex) in vertices.iter().enumerate() {
        for (j, value) in a.row(vertex as usize) {
            let j = (place[j] as usize).wrapping_sub(first);
            if j < m {
                l[i * m + j] = value;
            }
        }
    }
    for j in 0..m {
        for i in j..m {
            let sum: Real = (0..j).map(|k| l[i * m + k] * l[j * m + k]).sum();
            let value = l[i * m + j] - sum;
            if i > j {
                l[i * m + j] = value / l[j * m + j];
            } else if value > 0.0 {
                l[j * m + j] = value.sqrt();
            } else {
                return Err(LinearError::NotPositiveDefinite { row: vertices[j] as usize, pivot: value });
            }
        }
    }
    let mut inverse = vec![0.0; m * m];
    for column in 0..m {
        let mut x = vec![0.0; m];
        for i in column..m {
            let sum: Real = (column..i).map(|k| l[i * m + k] * x[k]).sum();
            x[i] = (Real::from(i == column) - sum) / l[i * m + i];
        }
        for i in (0..m).rev() {
            let sum: Real = (i + 1..m).map(|k| l[k * m + i] * x[k]).sum();
            x[i] = (x[i] - sum) / l[i * m + i];
            inverse[i * m + column] = x[i];
        }
    }
    Ok(inverse)
}

/// (A⁻¹)_ss, by solves for three unit vectors at a time.
fn inverse_of_separators(a: &Csr, separators: &[u32]) -> Result<Vec<Real>, LinearError> {
    let m = separators.len();
    let mut inverse = vec![0.0; m * m];
    if m == 0 {
        return Ok(inverse);
    }
    let mut factor = PanelCholesky::new(Precision::Double);
    factor.factor(a)?;
    let (mut b, mut x) = (vec![0.0; 3 * a.rows()], vec![0.0; 3 * a.rows()]);
    for (group, columns) in separators.chunks(3).enumerate() {
        for (c, &vertex) in columns.iter().enumerate() {
            b[3 * vertex as usize + c] = 1.0;
        }
        factor.solve(&b, &mut x, 3)?;
        for (c, &vertex) in columns.iter().enumerate() {
            b[3 * vertex as usize + c] = 0.0;
            for (row, &other) in separators.iter().enumerate() {
                inverse[row * m + 3 * group + c] = x[3 * other as usize + c];
            }
        }
    }
    Ok(inverse)
}
