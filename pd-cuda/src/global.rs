//! A global solver on the device, for any stepper of the host.

use crate::kernels::REDUCE;
use crate::model::reduce;
use crate::queue::{Argument, Buffer, Queue, int};
use crate::sliced_ell::{Rows, SlicedEll};
use crate::solver::{Method, Prepared, prepare};
use crate::{CudaError, Device, DeviceReal};
use pd_core::{Csr, GlobalSolver, LinearError, Real, SolveReport, check_lengths};
use pd_linear::JacobiOptions;

/// Sweeps between evaluations of the true residual, which costs a product and a synchronisation.
const LOOK: usize = 16;
/// Evaluations without progress after which rounding is assumed to be the limit.
const PATIENCE: usize = 8;
/// Growth of the residual that is treated as divergence.
const GROWTH: Real = 1e8;

/// A linear solver on a device: right-hand sides and solutions are copied in every solve.
///
/// In single precision the residual stalls at rounding level, about 1e-6; the solve then ends with `converged: false` if
/// less was requested. Steppers in increment form lose no accuracy by that.
pub struct CudaGlobal<T> {
    device: Device,
    method: Method,
    /// When to stop, damping and memory; read by `factor`.
    pub options: JacobiOptions,
    state: Option<State<T>>,
}

/// A-Jacobi on the device is created by [`CudaGlobal::a_jacobi`].
pub type CudaAJacobi<T> = CudaGlobal<T>;

struct State<T> {
    queue: Queue<T>,
    prepared: Prepared<T>,
    a: SlicedEll<T>,
    b: Buffer<T>,
    r: Buffer<T>,
    partials: Buffer<T>,
    scalars: Buffer<T>,
    staging: Vec<T>,
}

impl<T: DeviceReal> CudaGlobal<T> {
    /// A solver by method; A is given by `factor`.
    pub fn new(device: &Device, method: Method, options: JacobiOptions) -> Self {
        Self { device: device.clone(), method, options, state: None }
    }

    /// A-Jacobi of order 1, 2 or 3 with Chebyshev acceleration; another order is reported by `factor`.
    pub fn a_jacobi(device: &Device, order: usize, options: JacobiOptions) -> Self {
        Self::new(device, Method::AJacobi { order }, options)
    }

    fn set_up(&self, a: &Csr) -> Result<State<T>, LinearError> {
        let queue = Queue::new(&self.device)?;
        let mut rows = Rows::new();
        (0..a.rows()).for_each(|i| rows.push_row(a.row(i)));
        Ok(State {
            prepared: prepare(&queue, a, self.method, &self.options)?,
            a: SlicedEll::new(&queue, &rows)?,
            b: queue.zeros(3 * a.rows())?,
            r: queue.zeros(3 * a.rows())?,
            partials: queue.zeros(a.rows().div_ceil(REDUCE as usize))?,
            scalars: queue.zeros(1)?,
            staging: vec![T::from_real(0.0); 3 * a.rows()],
            queue,
        })
    }
}

impl<T: DeviceReal> State<T> {
    /// Up to three columns from `first` on, filled up with zeros.
    fn gather_columns(&mut self, from: &[Real], first: usize, columns: usize) {
        for (i, out) in self.staging.chunks_exact_mut(3).enumerate() {
            for (c, out) in out.iter_mut().enumerate() {
                let there = first + c < columns;
                *out = T::from_real(if there { from[i * columns + first + c] } else { 0.0 });
            }
        }
    }

    fn square(&self, v: &Buffer<T>) -> Result<Real, CudaError> {
        let n = self.a.rows();
        let input = self.queue.buffer(v, 3 * n);
        reduce(&self.queue, "square_partials", &[input], n, "reduce_sum", &self.partials, &self.scalars, 0)?;
        let mut square = [T::from_real(0.0)];
        self.queue.read(&self.scalars, &mut square)?;
        Ok(square[0].to_real())
    }

    /// ‖b − A x‖ of the present solution.
    fn residual(&self) -> Result<Real, CudaError> {
        let n = self.a.rows();
        let [slices, places, values] = self.a.arguments(&self.queue);
        let solution = self.prepared.solver.solution();
        let [b, x, r] = [&self.b, solution, &self.r].map(|v| self.queue.buffer(v, 3 * n));
        let arguments = [slices, places, values, b, x, r, Argument::Int(int("rows", n)?)];
        self.queue.launch("residual", n, &arguments)?;
        Ok(self.square(&self.r)?.sqrt())
    }

    /// Solves for the columns that are in `b` and the guess; returns sweeps, ‖b‖ and ‖b − A x‖.
    fn solve(&mut self, options: &JacobiOptions) -> Result<(usize, Real, Real), LinearError> {
        let scale = self.square(&self.b)?.sqrt();
        let most = if self.prepared.sweeps == 1 { 1 } else { options.stopping.iterations };
        self.prepared.solver.begin(&self.queue, &self.b)?;
        let start = self.residual()?;
        let (mut k, mut size, mut best, mut stalled) = (0, start, start, 0);
        while scale > 0.0
            && k < most
            && (k == 0 || size > options.stopping.tolerance * scale)
            && stalled < PATIENCE
        {
            let until = most.min(k + LOOK);
            self.prepared.solver.sweep(&self.queue, &self.b, k, until)?;
            k = until;
            size = self.residual()?;
            if !size.is_finite() || size > GROWTH * start.max(scale) {
                return Err(LinearError::Diverged { iteration: k, residual: size / scale });
            }
            stalled = if size < 0.99 * best { 0 } else { stalled + 1 };
            best = best.min(size);
        }
        Ok((k, scale, size))
    }
}

impl<T: DeviceReal> GlobalSolver for CudaGlobal<T> {
    fn name(&self) -> &str {
        self.method.name()
    }

    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        self.state = None;
        self.state = Some(self.set_up(a)?);
        Ok(())
    }

    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        let (name, options) = (self.method.name(), self.options);
        let Some(state) = &mut self.state else {
            return Err(LinearError::NotFactored { solver: name.to_owned() });
        };
        check_lengths(state.a.rows(), b, x, columns)?;
        if let Some(at) = b.iter().position(|value| !value.is_finite()) {
            let (row, column, value) = (at / columns, at % columns, b[at]);
            return Err(LinearError::NotFinite { row, column, value });
        }
        let (mut sweeps, mut scale, mut size) = (0, 0.0, 0.0);
        for first in (0..columns).step_by(3) {
            state.gather_columns(b, first, columns);
            state.queue.write(&state.staging, &mut state.b)?;
            state.queue.synchronize()?; // the staging buffer is used again
            state.gather_columns(x, first, columns);
            for guess in state.prepared.solver.guess().into_iter().flatten() {
                state.queue.write(&state.staging, guess)?;
            }
            let found = state.solve(&options)?;
            sweeps = sweeps.max(found.0);
            (scale, size) = (Real::hypot(scale, found.1), Real::hypot(size, found.2));
            state.queue.read(state.prepared.solver.solution(), &mut state.staging)?;
            for (i, values) in state.staging.chunks_exact(3).enumerate() {
                for c in 0..3.min(columns - first) {
                    x[i * columns + first + c] = if found.1 > 0.0 { values[c].to_real() } else { 0.0 };
                }
            }
        }
        let residual = if scale > 0.0 { size / scale } else { 0.0 };
        let direct = self.method == Method::Cholesky;
        Ok(SolveReport {
            iterations: sweeps,
            residual: Some(residual),
            condition: state.prepared.condition,
            converged: direct || residual <= options.stopping.tolerance,
        })
    }

    fn bytes(&self) -> usize {
        let of = |state: &State<T>| {
            state.prepared.solver.bytes() + state.a.bytes() + size_of::<T>() * (state.b.len() + state.r.len())
        };
        self.state.as_ref().map_or(0, of)
    }
}
