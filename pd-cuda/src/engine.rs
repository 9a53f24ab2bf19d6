//! One step on the device, as launches in order: what [`CudaPd`](crate::CudaPd) captures as a graph.
//!
//! The formulas are those of `pd_core::ProjectiveDynamics`. Numbers that change from step to step (gravity, obstacles,
//! targets, external forces) are in buffers, so that one captured graph serves all steps.

use crate::batch::write_reals;
use crate::colliders::{self, NUMBERS};
use crate::model::DeviceModel;
use crate::queue::{Argument, Buffer, Queue, int};
use crate::sliced_ell::{Rows, SlicedEll};
use crate::solver::{Method, Prepared, prepare};
use crate::{CudaError, Device, DeviceReal, Summation};
use pd_core::{Real, StepContext, StepError, StepParams, View, as_flat, as_flat_mut};
use pd_linear::JacobiOptions;

/// Places of the scalars a step reports.
pub(crate) const FIRST_SQUARE: usize = 0;
pub(crate) const LAST_SQUARE: usize = 1;
pub(crate) const LINEAR_SQUARE: usize = 2;
pub(crate) const INERTIA: usize = 3;
pub(crate) const ELASTIC: usize = 4;
pub(crate) const LARGEST_FORCE: usize = 5;
const SCALARS: usize = 6;

/// Places of the integers a step reports.
pub(crate) const NOT_FINITE: usize = 0;
pub(crate) const SECOND_PASS: usize = 2;
const STATUS: usize = 3;

/// Obstacles there is room for at least, so that a few can be added without a new graph.
const MIN_CAPACITY: usize = 8;

/// Device memory of a step.
pub(crate) struct Engine<T> {
    pub(crate) queue: Queue<T>,
    model: DeviceModel<T>,
    pub(crate) solver: Prepared<T>,
    matrix: SlicedEll<T>,
    pub(crate) sweeps: usize,
    /// Obstacles there is room for, and on the device how many there are.
    capacity: usize,
    obstacles: Buffer<i32>,
    inverse_mass: Buffer<T>,
    held: Buffer<i32>,
    colliders: Buffer<T>,
    params: Buffer<T>,
    force: Buffer<T>,
    x: Buffer<T>,
    v: Buffer<T>,
    s: Buffer<T>,
    iterate: Buffer<T>,
    b: Buffer<T>,
    r: Buffer<T>,
    scalars: Buffer<T>,
    status: Buffer<i32>,
    /// Numbers on their way.
    staging: Vec<T>,
    collider_numbers: Vec<Real>,
    pub(crate) force_sums: Vec<pd_core::Vec3>,
    /// Whether `force` on the device is not zero.
    forced: bool,
}

impl<T: DeviceReal> Engine<T> {
    pub(crate) fn new(
        device: &Device,
        context: &StepContext<'_>,
        method: Method,
        options: &JacobiOptions,
        sweeps: Option<usize>,
        summation: Summation,
    ) -> Result<Self, StepError> {
        let queue = Queue::new(device)?;
        let (model, n) = (context.model, context.model.vertices());
        let a = model.system_matrix(context.params.dt);
        let mut rows = Rows::new();
        (0..a.rows()).for_each(|i| rows.push_row(a.row(i)));
        let mut device_model = DeviceModel::new(&queue, model, summation)?;
        device_model.set_dt(&queue, model, context.params.dt)?;
        let solver = prepare(&queue, &a, method, options)?;
        let inverse_mass: Vec<Real> = model.masses().iter().map(|mass| 1.0 / mass).collect();
        let mut held = vec![0i32; n];
        if context.params.hold_pinned {
            model.pinned().iter().for_each(|&vertex| held[vertex as usize] = 1);
        }
        let capacity = context.colliders.len().next_power_of_two().max(MIN_CAPACITY);
        let vector = || queue.zeros(3 * n);
        let mut engine = Self {
            model: device_model,
            sweeps: sweeps.unwrap_or(solver.sweeps).max(1),
            solver,
            matrix: SlicedEll::new(&queue, &rows)?,
            capacity,
            obstacles: queue.zeros(1)?,
            inverse_mass: queue.upload_reals(&inverse_mass)?,
            held: queue.upload(&held)?,
            colliders: queue.zeros(NUMBERS * capacity)?,
            params: queue.zeros(5)?,
            force: vector()?,
            x: vector()?,
            v: vector()?,
            s: vector()?,
            iterate: vector()?,
            b: vector()?,
            r: vector()?,
            scalars: queue.zeros(SCALARS)?,
            status: queue.zeros(STATUS)?,
            staging: vec![T::from_real(0.0); (3 * n).max(NUMBERS * capacity).max(5)],
            collider_numbers: vec![0.0; NUMBERS * capacity],
            force_sums: vec![pd_core::Vec3::zeros(); n],
            forced: false,
            queue,
        };
        // Unsupported obstacles are detected now, not in the middle of a run.
        engine.write_inputs(context, 0.0)?;
        Ok(engine)
    }

    /// Obstacles that fit without another preparation.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Positions and velocities to the device.
    pub(crate) fn upload(&mut self, state: &View<'_>) -> Result<(), CudaError> {
        write_reals(&self.queue, as_flat(state.x), &mut self.staging, &mut self.x)?;
        self.queue.synchronize()?;
        write_reals(&self.queue, as_flat(state.v), &mut self.staging, &mut self.v)?;
        self.queue.synchronize()
    }

    /// Positions and velocities from the device.
    pub(crate) fn download(&mut self, state: &mut View<'_>) -> Result<(), CudaError> {
        let count = 3 * self.model.vertices;
        for (buffer, out) in [(&self.x, &mut state.x), (&self.v, &mut state.v)] {
            self.queue.read(buffer, &mut self.staging[..count])?;
            for (out, value) in as_flat_mut(out).iter_mut().zip(&self.staging) {
                *out = value.to_real();
            }
        }
        Ok(())
    }

    /// Inputs of a step besides the state, at the time of its end.
    pub(crate) fn write_inputs(&mut self, context: &StepContext<'_>, end: Real) -> Result<(), CudaError> {
        let StepParams { dt, gravity, damping, .. } = *context.params;
        let numbers = [dt, gravity.x, gravity.y, gravity.z, 1.0 / (dt * (1.0 + dt * damping))];
        write_reals(&self.queue, &numbers, &mut self.staging, &mut self.params)?;
        self.queue.synchronize()?;
        let used = NUMBERS * context.colliders.len();
        colliders::export(context.colliders, end, &mut self.collider_numbers[..used])?;
        write_reals(&self.queue, &self.collider_numbers, &mut self.staging, &mut self.colliders)?;
        let count = [int("obstacles", context.colliders.len())?];
        self.queue.write(&count, &mut self.obstacles)?;
        self.queue.synchronize()?;
        self.model.refresh(&self.queue, context.model)
    }

    /// External forces, which the host computes from the state at the start of the step.
    pub(crate) fn write_forces(
        &mut self,
        context: &StepContext<'_>,
        state: &View<'_>,
    ) -> Result<(), CudaError> {
        if context.forces.is_empty() && !self.forced {
            return Ok(());
        }
        let end = state.time + context.params.dt;
        self.force_sums.fill(pd_core::Vec3::zeros());
        for force in context.forces {
            force.add(state, end, 0..state.vertices(), &mut self.force_sums);
        }
        self.forced = !context.forces.is_empty();
        write_reals(&self.queue, as_flat(&self.force_sums), &mut self.staging, &mut self.force)?;
        self.queue.synchronize()
    }

    fn vector(&self, buffer: &Buffer<T>) -> Argument<T> {
        self.queue.buffer(buffer, 3 * self.model.vertices)
    }

    fn count(&self) -> Result<Argument<T>, CudaError> {
        int("vertices", self.model.vertices).map(Argument::Int)
    }

    /// Predictor, first collision pass, and the iterate at its start.
    pub(crate) fn begin(&self) -> Result<(), CudaError> {
        let (queue, n, count) = (&self.queue, self.model.vertices, self.count()?);
        let [x, v, s] = [&self.x, &self.v, &self.s].map(|buffer| self.vector(buffer));
        queue.launch(
            "reset_status",
            STATUS,
            &[queue.buffer(&self.status, STATUS), Argument::Int(STATUS as i32)],
        )?;
        let (mass, params) = (queue.buffer(&self.inverse_mass, n), queue.buffer(&self.params, 5));
        queue.launch("predict", n, &[x, v, self.vector(&self.force), mass, params, s, count])?;
        self.collide(&self.s, 1)?;
        let held = queue.buffer(&self.held, n);
        queue.launch("begin_iterate", n, &[held, x, s, self.vector(&self.iterate), count])
    }

    fn collide(&self, points: &Buffer<T>, slot: usize) -> Result<(), CudaError> {
        let colliders = self.queue.buffer(&self.colliders, NUMBERS * self.capacity);
        let obstacles = self.queue.buffer(&self.obstacles, 1);
        let (status, slot) = (self.queue.buffer(&self.status, STATUS), Argument::Int(slot as i32));
        let arguments = [colliders, obstacles, self.vector(points), status, slot, self.count()?];
        self.queue.launch("collide", self.model.vertices, &arguments)
    }

    /// b = −∇objective at the iterate.
    pub(crate) fn local(&self) -> Result<(), CudaError> {
        self.model.residual(&self.queue, &self.iterate)?;
        self.model.forces(&self.queue, &self.s, &self.iterate, &self.b)
    }

    /// scalars[slot] = ‖b‖².
    pub(crate) fn force_square(&self, slot: usize) -> Result<(), CudaError> {
        self.model.square(&self.queue, &self.b, &self.scalars, slot)
    }

    /// iterate += A⁻¹ b, by a fixed number of sweeps from zero.
    pub(crate) fn global(&mut self) -> Result<(), CudaError> {
        let (queue, n) = (&self.queue, self.model.vertices);
        let length = Argument::Int(int("three times the vertices", 3 * n)?);
        for guess in self.solver.solver.guess().into_iter().flatten() {
            queue.launch("fill_zero", 3 * n, &[queue.buffer(guess, 3 * n), length])?;
        }
        self.solver.solver.begin(queue, &self.b)?;
        self.solver.solver.sweep(queue, &self.b, 0, self.sweeps)?;
        let [d, iterate] =
            [self.solver.solver.solution(), &self.iterate].map(|buffer| queue.buffer(buffer, 3 * n));
        queue.launch("advance", n, &[d, iterate, int("vertices", n).map(Argument::Int)?])
    }

    /// scalars = ‖b − A d‖² of the last solve.
    pub(crate) fn linear_residual(&self) -> Result<(), CudaError> {
        let [slices, places, values] = self.matrix.arguments(&self.queue);
        let solution = self.solver.solver.solution();
        let [b, d, r] = [&self.b, solution, &self.r].map(|buffer| self.vector(buffer));
        let arguments = [slices, places, values, b, d, r, self.count()?];
        self.queue.launch("residual", self.model.vertices, &arguments)?;
        self.model.square(&self.queue, &self.r, &self.scalars, LINEAR_SQUARE)
    }

    /// Objective and largest force imbalance at the iterate, with one more local step.
    pub(crate) fn measure(&self) -> Result<(), CudaError> {
        self.local()?;
        self.model.energy(&self.queue, &self.scalars, ELASTIC)?;
        self.model.inertia_energy(&self.queue, &self.iterate, &self.s, &self.scalars, INERTIA)?;
        self.model.largest(&self.queue, &self.b, &self.scalars, LARGEST_FORCE)
    }

    /// Second collision pass, velocities, acceptance.
    pub(crate) fn end(&self) -> Result<(), CudaError> {
        self.collide(&self.iterate, SECOND_PASS)?;
        let (queue, n, count) = (&self.queue, self.model.vertices, self.count()?);
        let [iterate, x, v] = [&self.iterate, &self.x, &self.v].map(|buffer| self.vector(buffer));
        let (status, params) = (queue.buffer(&self.status, STATUS), queue.buffer(&self.params, 5));
        queue.launch("find_not_finite", n, &[iterate, status, count])?;
        queue.launch("finish", n, &[iterate, params, status, x, v, count])
    }

    /// Waits, and reads the report of the step.
    pub(crate) fn outcome(&self) -> Result<([Real; SCALARS], [i32; STATUS]), CudaError> {
        let (mut scalars, mut status) = ([T::from_real(0.0); SCALARS], [0; STATUS]);
        self.queue.read(&self.scalars, &mut scalars)?;
        self.queue.read(&self.status, &mut status)?;
        Ok((scalars.map(T::to_real), status))
    }

    pub(crate) fn bytes(&self) -> usize {
        let vectors = 7 * 3 * self.model.vertices;
        self.model.bytes() + self.solver.solver.bytes() + self.matrix.bytes() + size_of::<T>() * vectors
    }
}
