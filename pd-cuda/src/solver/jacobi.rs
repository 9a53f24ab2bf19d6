//! Jacobi sweeps, and A-Jacobi of order l with R^l precomputed (Lan et al. 2022), both fused with Chebyshev
//! acceleration: one kernel a sweep. The formulas are those of `pd-linear`.

use super::{Damping, DeviceSolver, chebyshev, inverse_diagonal, rows_of};
use crate::queue::{Argument, Buffer, Queue, int};
use crate::sliced_ell::{Rows, SlicedEll};
use crate::{CudaError, DeviceReal};
use pd_core::{Csr, LinearError, Real};
use pd_linear::JacobiOptions;

/// Longest table of ω; later sweeps use the last one, to which the sequence has long converged.
const MAX_OMEGAS: usize = 4096;

/// Two iterates that change roles after each sweep.
struct Iterates<T> {
    buffers: [Buffer<T>; 2],
    newest: usize,
}

impl<T: DeviceReal> Iterates<T> {
    fn new(queue: &Queue<T>, rows: usize) -> Result<Self, CudaError> {
        Ok(Self { buffers: [queue.zeros(3 * rows)?, queue.zeros(3 * rows)?], newest: 0 })
    }

    fn newest(&self) -> &Buffer<T> {
        &self.buffers[self.newest]
    }

    fn older(&self) -> &Buffer<T> {
        &self.buffers[1 - self.newest]
    }

    fn guess(&mut self) -> [Option<&mut Buffer<T>>; 2] {
        let [a, b] = &mut self.buffers;
        [Some(a), Some(b)]
    }
}

fn omegas<T: DeviceReal>(
    queue: &Queue<T>,
    rho: Real,
    options: &JacobiOptions,
) -> Result<Buffer<T>, CudaError> {
    let count = options.stopping.iterations.clamp(1, MAX_OMEGAS).max(options.delay.min(1 << 20) + 2);
    queue.upload_reals(&chebyshev(rho, options.delay, count))
}

/// x ← x + γ D⁻¹(b − A x).
pub(super) struct Jacobi<T> {
    a: SlicedEll<T>,
    inverse_diagonal: Buffer<T>,
    omega: Buffer<T>,
    gamma: T,
    x: Iterates<T>,
}

impl<T: DeviceReal> Jacobi<T> {
    pub(super) fn new(
        queue: &Queue<T>,
        a: &Csr,
        gamma: Real,
        rho: Real,
        options: &JacobiOptions,
    ) -> Result<Self, CudaError> {
        Ok(Self {
            a: SlicedEll::new(queue, &rows_of(a))?,
            inverse_diagonal: queue.upload_reals(&inverse_diagonal(a))?,
            omega: omegas(queue, rho, options)?,
            gamma: T::from_real(gamma),
            x: Iterates::new(queue, a.rows())?,
        })
    }
}

impl<T: DeviceReal> DeviceSolver<T> for Jacobi<T> {
    fn guess(&mut self) -> [Option<&mut Buffer<T>>; 2] {
        self.x.guess()
    }

    fn begin(&mut self, _queue: &Queue<T>, _b: &Buffer<T>) -> Result<(), CudaError> {
        self.x.newest = 0;
        Ok(())
    }

    fn sweep(&mut self, queue: &Queue<T>, b: &Buffer<T>, from: usize, to: usize) -> Result<(), CudaError> {
        let n = self.a.rows();
        let [slices, places, values] = self.a.arguments(queue);
        for k in from..to {
            let k = k.min(self.omega.len() - 1);
            queue.launch(
                "jacobi_sweep",
                n,
                &[
                    slices,
                    places,
                    values,
                    queue.buffer(&self.inverse_diagonal, n),
                    queue.buffer(b, 3 * n),
                    queue.buffer(self.x.newest(), 3 * n),
                    queue.buffer(self.x.older(), 3 * n),
                    queue.buffer(&self.omega, k + 1),
                    Argument::Int(int("sweeps", k)?),
                    Argument::Real(self.gamma),
                    Argument::Int(int("rows", n)?),
                ],
            )?;
            self.x.newest = 1 - self.x.newest;
        }
        Ok(())
    }

    fn solution(&self) -> &Buffer<T> {
        self.x.newest()
    }

    fn bytes(&self) -> usize {
        self.a.bytes() + size_of::<T>() * (7 * self.a.rows() + self.omega.len())
    }
}

/// x ← β + R^l x, R = I − γ D⁻¹A, β = Σ_{j<l} R^j γ D⁻¹b.
pub(super) struct AJacobi<T> {
    order: usize,
    /// R, for β; `None` for order 1.
    first: Option<SlicedEll<T>>,
    power: SlicedEll<T>,
    inverse_diagonal: Buffer<T>,
    omega: Buffer<T>,
    gamma: T,
    x: Iterates<T>,
    beta: Iterates<T>,
}

impl<T: DeviceReal> AJacobi<T> {
    pub(super) fn new(
        queue: &Queue<T>,
        a: &Csr,
        order: usize,
        damping: Damping,
        options: &JacobiOptions,
    ) -> Result<Self, LinearError> {
        let solver = || super::Method::AJacobi { order }.name().to_owned();
        if !(1..=3).contains(&order) {
            let what = format!("order is {order}; it must be 1, 2 or 3");
            return Err(LinearError::Parameter { solver: solver(), what });
        }
        let (inverse, gamma) = (inverse_diagonal(a), damping.gamma);
        let mut first = Rows::new();
        for i in 0..a.rows() {
            let entry = |(j, v): (usize, Real)| (j, Real::from(i == j) - gamma * inverse[i] * v);
            first.push_row(a.row(i).map(entry).filter(|&(_, value)| value != 0.0));
        }
        let entry_bytes = 4 + size_of::<T>() as u64;
        let most = options.memory / entry_bytes;
        let mut power = first.clone();
        for _ in 1..order {
            power = power.product(&first, most as usize).ok_or_else(|| LinearError::TooLarge {
                solver: solver(),
                bytes: options.memory.saturating_add(entry_bytes),
                limit: options.memory,
            })?;
        }
        Ok(Self {
            order,
            first: (order > 1).then(|| SlicedEll::new(queue, &first)).transpose()?,
            power: SlicedEll::new(queue, &power)?,
            inverse_diagonal: queue.upload_reals(&inverse)?,
            omega: omegas(queue, damping.rho.powi(order as i32), options)?,
            gamma: T::from_real(gamma),
            x: Iterates::new(queue, a.rows())?,
            beta: Iterates::new(queue, a.rows())?,
        })
    }
}

impl<T: DeviceReal> DeviceSolver<T> for AJacobi<T> {
    fn guess(&mut self) -> [Option<&mut Buffer<T>>; 2] {
        self.x.guess()
    }

    fn begin(&mut self, queue: &Queue<T>, b: &Buffer<T>) -> Result<(), CudaError> {
        (self.x.newest, self.beta.newest) = (0, 0);
        let n = self.power.rows();
        let (rows, gamma) = (Argument::Int(int("rows", n)?), Argument::Real(self.gamma));
        let (inverse, b) = (queue.buffer(&self.inverse_diagonal, n), queue.buffer(b, 3 * n));
        let beta = queue.buffer(self.beta.newest(), 3 * n);
        queue.launch("a_jacobi_begin", n, &[inverse, b, beta, gamma, rows])?;
        for _ in 1..self.order {
            let Some(first) = &self.first else { break };
            let [slices, places, values] = first.arguments(queue);
            let [from, to] = [self.beta.newest(), self.beta.older()].map(|beta| queue.buffer(beta, 3 * n));
            let arguments = [slices, places, values, inverse, b, from, to, gamma, rows];
            queue.launch("a_jacobi_beta", n, &arguments)?;
            self.beta.newest = 1 - self.beta.newest;
        }
        Ok(())
    }

    fn sweep(&mut self, queue: &Queue<T>, _b: &Buffer<T>, from: usize, to: usize) -> Result<(), CudaError> {
        let n = self.power.rows();
        let [slices, places, values] = self.power.arguments(queue);
        let beta = queue.buffer(self.beta.newest(), 3 * n);
        for k in from..to {
            let k = k.min(self.omega.len() - 1);
            let [x, older] = [self.x.newest(), self.x.older()].map(|x| queue.buffer(x, 3 * n));
            let omega = queue.buffer(&self.omega, k + 1);
            let (k, rows) = (Argument::Int(int("sweeps", k)?), Argument::Int(int("rows", n)?));
            queue.launch("a_jacobi_sweep", n, &[slices, places, values, beta, x, older, omega, k, rows])?;
            self.x.newest = 1 - self.x.newest;
        }
        Ok(())
    }

    fn solution(&self) -> &Buffer<T> {
        self.x.newest()
    }

    fn bytes(&self) -> usize {
        let tables = self.power.bytes() + self.first.as_ref().map_or(0, SlicedEll::bytes);
        tables + size_of::<T>() * (13 * self.power.rows() + self.omega.len())
    }
}
