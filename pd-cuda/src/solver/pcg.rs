//! Conjugate gradients with the diagonal as preconditioner; all scalars stay on the device.

use super::{DeviceSolver, inverse_diagonal, rows_of};
use crate::kernels::REDUCE;
use crate::queue::{Argument, Buffer, Queue, int};
use crate::sliced_ell::SlicedEll;
use crate::{CudaError, DeviceReal};
use pd_core::Csr;

pub(super) struct Pcg<T> {
    a: SlicedEll<T>,
    inverse_diagonal: Buffer<T>,
    x: Buffer<T>,
    r: Buffer<T>,
    p: Buffer<T>,
    q: Buffer<T>,
    /// (r, z), α and β of the three columns.
    scalars: Buffer<T>,
    partials: Buffer<T>,
}

impl<T: DeviceReal> Pcg<T> {
    pub(super) fn new(queue: &Queue<T>, a: &Csr) -> Result<Self, CudaError> {
        let n = a.rows();
        let vector = || queue.zeros(3 * n);
        Ok(Self {
            a: SlicedEll::new(queue, &rows_of(a))?,
            inverse_diagonal: queue.upload_reals(&inverse_diagonal(a))?,
            x: vector()?,
            r: vector()?,
            p: vector()?,
            q: vector()?,
            scalars: queue.zeros(9)?,
            partials: queue.zeros(3 * n.div_ceil(REDUCE as usize))?,
        })
    }
}

impl<T: DeviceReal> DeviceSolver<T> for Pcg<T> {
    fn guess(&mut self) -> [Option<&mut Buffer<T>>; 2] {
        [Some(&mut self.x), None]
    }

    fn begin(&mut self, queue: &Queue<T>, b: &Buffer<T>) -> Result<(), CudaError> {
        let n = self.a.rows();
        let blocks = n.div_ceil(REDUCE as usize);
        let count = |count| int("rows", count).map(Argument::Int);
        let [slices, places, values] = self.a.arguments(queue);
        let [b, x, r, p] = [b, &self.x, &self.r, &self.p].map(|v| queue.buffer(v, 3 * n));
        let (inverse, partials) =
            (queue.buffer(&self.inverse_diagonal, n), queue.buffer(&self.partials, 3 * blocks));
        let scalars = queue.buffer(&self.scalars, 9);
        queue.launch("residual", n, &[slices, places, values, b, x, r, count(n)?])?;
        queue.launch("pcg_begin", n, &[inverse, r, p, partials, count(n)?])?;
        queue.launch("pcg_first", 1, &[partials, scalars, count(blocks)?])
    }

    fn sweep(&mut self, queue: &Queue<T>, _b: &Buffer<T>, from: usize, to: usize) -> Result<(), CudaError> {
        let n = self.a.rows();
        let blocks = n.div_ceil(REDUCE as usize);
        let (rows, parts) = (Argument::Int(int("rows", n)?), Argument::Int(int("blocks", blocks)?));
        let [slices, places, values] = self.a.arguments(queue);
        let [x, r, p, q] = [&self.x, &self.r, &self.p, &self.q].map(|v| queue.buffer(v, 3 * n));
        let (inverse, partials) =
            (queue.buffer(&self.inverse_diagonal, n), queue.buffer(&self.partials, 3 * blocks));
        let scalars = queue.buffer(&self.scalars, 9);
        for _ in from..to {
            queue.launch("pcg_product", n, &[slices, places, values, p, q, partials, rows])?;
            queue.launch("pcg_alpha", 1, &[partials, scalars, parts])?;
            queue.launch("pcg_update", n, &[scalars, inverse, p, q, x, r, partials, rows])?;
            queue.launch("pcg_beta", 1, &[partials, scalars, parts])?;
            queue.launch("pcg_direction", n, &[scalars, inverse, r, p, rows])?;
        }
        Ok(())
    }

    fn solution(&self) -> &Buffer<T> {
        &self.x
    }

    fn bytes(&self) -> usize {
        self.a.bytes() + size_of::<T>() * (13 * self.a.rows() + self.partials.len())
    }
}
