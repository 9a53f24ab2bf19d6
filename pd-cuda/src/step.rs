//! Projective dynamics with the whole step on the device.

use crate::engine::{
    ELASTIC, Engine, FIRST_SQUARE, INERTIA, LARGEST_FORCE, LAST_SQUARE, LINEAR_SQUARE, NOT_FINITE,
    SECOND_PASS,
};
use crate::{CudaError, Device, DeviceReal, Method, Summation};
use cudarc::driver::{CudaGraph, sys};
use pd_core::{
    LinearError, Measures, PreparedFor, Real, SolveReport, StepContext, StepError, StepReport, Stepper, View,
    as_flat, stepper,
};
use pd_linear::JacobiOptions;
use std::time::Instant;

/// Growth of the linear residual over its right-hand side that is treated as divergence.
const DIVERGED: Real = 1e8;

/// The projective dynamics stepper on a device: prediction, projections, global solves, collisions and velocities stay on the device, and
/// one step is one launch of a captured graph.
///
/// As a [`Stepper`] it treats the host [`State`](pd_core::State) as authoritative: it copies positions and velocities to the device if they
/// differ from those on the device, and back after every step. To avoid these copies use [`upload`](Self::upload),
/// [`advance`](Self::advance) any number of times, and [`download`](Self::download).
///
/// A global solve is a fixed number of sweeps: as many as the tolerance of the options needs by the bound of the method,
/// or [`with_sweeps`](Self::with_sweeps). External [forces](pd_core::Force) are computed on the host, which needs the
/// state there: with forces `advance` is refused and `step` copies. With
/// [`tolerance`](pd_core::StepParams::tolerance) or [`measure`](pd_core::StepParams::measure) the kernels of a step are
/// launched one by one instead of as a graph.
///
/// Times: the stages of a graph cannot be timed separately, so all of a step is reported as `global`, except copies
/// and forces, which are `predict`.
pub struct CudaPd<T> {
    device: Device,
    method: Method,
    options: JacobiOptions,
    sweeps: Option<usize>,
    summation: Summation,
    prepared: Option<Prepared<T>>,
}

/// What belongs to one model and its parameters.
struct Prepared<T> {
    engine: Engine<T>,
    graph: Option<Graph>,
    what: PreparedFor,
    iterations: usize,
    hold_pinned: bool,
    /// The state on the device, as the host last saw it; empty if the device holds nothing the host knows.
    shadow: Vec<T>,
    on_device: bool,
}

/// A captured step.
struct Graph(CudaGraph);

// SAFETY: the graph is used through `&mut` of its owner only, so by one thread at a time, as the driver demands.
unsafe impl Send for Graph {}
// SAFETY: nothing is done with it through a shared reference.
unsafe impl Sync for Graph {}

impl<T: DeviceReal> CudaPd<T> {
    /// Name of the stepper in reports and registries.
    pub const NAME: &'static str = "cuda-pd";

    /// On this device, with this method for the global step.
    pub fn new(device: &Device, method: Method, options: JacobiOptions) -> Self {
        let (device, summation) = (device.clone(), Summation::Gather);
        Self { device, method, options, sweeps: None, summation, prepared: None }
    }

    /// With this many sweeps in each global solve, for any tolerance.
    pub fn with_sweeps(self, sweeps: usize) -> Self {
        Self { sweeps: Some(sweeps), ..self }
    }

    /// With another summation of forces.
    pub fn with_summation(self, summation: Summation) -> Self {
        Self { summation, ..self }
    }

    /// Sweeps of a global solve; 0 before `prepare`.
    pub fn sweeps(&self) -> usize {
        self.prepared.as_ref().map_or(0, |prepared| prepared.engine.sweeps)
    }

    /// Bytes on the device, as far as known; 0 before `prepare`.
    pub fn bytes(&self) -> usize {
        self.prepared.as_ref().map_or(0, |prepared| prepared.engine.bytes())
    }

    /// Copies a state to the device.
    pub fn upload(&mut self, context: StepContext<'_>, state: &View<'_>) -> Result<(), StepError> {
        check_size(&context, state)?;
        let prepared = self.prepared(&context)?;
        prepared.on_device = false;
        prepared.engine.upload(state)?;
        prepared.remember(state);
        Ok(())
    }

    /// Advances the state on the device by one step that ends at `end`, s. Only a few scalars are copied back.
    pub fn advance(&mut self, context: StepContext<'_>, end: Real) -> Result<StepReport, StepError> {
        if !context.forces.is_empty() {
            let what = "external forces without a state on the host; use Stepper::step".to_owned();
            return Err(StepError::Unsupported { stepper: Self::NAME.to_owned(), what });
        }
        let prepared = self.prepared(&context)?;
        if !prepared.on_device {
            let what = "a step before upload: the device holds no state".to_owned();
            return Err(StepError::Unsupported { stepper: Self::NAME.to_owned(), what });
        }
        prepared.shadow.clear(); // the host no longer knows what is there
        self.run(&context, end)
    }

    /// Copies positions and velocities from the device; the time is the caller's.
    pub fn download(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<(), StepError> {
        check_size(&context, state)?;
        let prepared = self.prepared(&context)?;
        prepared.engine.download(state)?;
        prepared.remember(state);
        Ok(())
    }

    fn prepared(&mut self, context: &StepContext<'_>) -> Result<&mut Prepared<T>, StepError> {
        let fits = |prepared: &&mut Prepared<T>| {
            prepared.what.matches(context)
                && prepared.iterations == context.params.iterations
                && prepared.hold_pinned == context.params.hold_pinned
                && context.colliders.len() <= prepared.engine.capacity()
        };
        let not_prepared = || StepError::NotPrepared { stepper: Self::NAME.to_owned() };
        self.prepared.as_mut().filter(fits).ok_or_else(not_prepared)
    }

    /// One step of the state on the device.
    fn run(&mut self, context: &StepContext<'_>, end: Real) -> Result<StepReport, StepError> {
        let (method, stopping) = (self.method, self.options.stopping);
        let prepared = self.prepared(context)?;
        let outcome = prepared.run(context, end, method, stopping.tolerance);
        if outcome.is_err() {
            prepared.on_device = false;
            prepared.shadow.clear();
        }
        outcome
    }
}

impl<T: DeviceReal> Prepared<T> {
    /// Records the state that the device holds.
    fn remember(&mut self, state: &View<'_>) {
        self.shadow.clear();
        self.shadow.extend(as_flat(state.x).iter().chain(as_flat(state.v)).map(|&value| T::from_real(value)));
        self.on_device = true;
    }

    /// Whether the device holds this state, to its precision.
    fn holds(&self, state: &View<'_>) -> bool {
        let values = || as_flat(state.x).iter().chain(as_flat(state.v));
        self.on_device
            && self.shadow.len() == values().count()
            && self.shadow.iter().zip(values()).all(|(known, &value)| *known == T::from_real(value))
    }

    fn capture(&mut self) -> Result<(), StepError> {
        let stream = self.engine.queue.stream().clone();
        let wrap = || CudaError::driver("capturing a step");
        self.engine.queue.synchronize()?;
        stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).map_err(wrap())?;
        let enqueued = self.enqueue();
        // The capture must end even if an error occurred within it.
        let graph = stream.end_capture(sys::CUgraphInstantiate_flags(0)).map_err(wrap());
        enqueued?;
        self.graph = graph?.map(Graph);
        Ok(())
    }

    /// All launches of a step.
    fn enqueue(&mut self) -> Result<(), CudaError> {
        self.engine.begin()?;
        for iteration in 0..self.iterations {
            self.engine.local()?;
            if iteration == 0 {
                self.engine.force_square(FIRST_SQUARE)?;
            }
            if iteration + 1 == self.iterations {
                self.engine.force_square(LAST_SQUARE)?;
            }
            self.engine.global()?;
        }
        self.engine.linear_residual()?;
        self.engine.end()
    }

    /// The same kernels launched one by one, with checks in between; returns the number of iterations.
    fn run_ungraphed(&mut self, context: &StepContext<'_>) -> Result<usize, CudaError> {
        self.engine.begin()?;
        let mut done = 0;
        while done < self.iterations {
            self.engine.local()?;
            self.engine.force_square(if done == 0 { FIRST_SQUARE } else { LAST_SQUARE })?;
            if done == 0 {
                self.engine.force_square(LAST_SQUARE)?;
            }
            self.engine.global()?;
            done += 1;
            let tolerance = context.params.tolerance;
            if tolerance > 0.0 {
                let (scalars, _) = self.engine.outcome()?;
                if scalars[LAST_SQUARE] <= tolerance * tolerance * scalars[FIRST_SQUARE] {
                    break;
                }
            }
        }
        self.engine.linear_residual()?;
        if context.params.measure {
            self.engine.measure()?;
        }
        self.engine.end()?;
        Ok(done)
    }

    fn run(
        &mut self,
        context: &StepContext<'_>,
        end: Real,
        method: Method,
        tolerance: Real,
    ) -> Result<StepReport, StepError> {
        let started = Instant::now();
        self.engine.write_inputs(context, end)?;
        let mut report = StepReport { iterations: self.iterations, ..StepReport::default() };
        report.stages.predict = started.elapsed();
        let started = Instant::now();
        match &self.graph {
            Some(graph) if context.params.tolerance == 0.0 && !context.params.measure => {
                graph.0.launch().map_err(CudaError::driver("launching a captured step"))?;
            }
            _ => report.iterations = self.run_ungraphed(context)?,
        }
        let (scalars, status) = self.engine.outcome()?;
        report.stages.global = started.elapsed();
        report.local_steps = report.iterations;
        report.collisions = status[SECOND_PASS].max(0) as usize;
        let first = scalars[FIRST_SQUARE].sqrt();
        report.reduction = if first > 0.0 { scalars[LAST_SQUARE].sqrt() / first } else { 0.0 };
        let last = scalars[LAST_SQUARE].sqrt();
        let residual = if last > 0.0 { scalars[LINEAR_SQUARE].sqrt() / last } else { 0.0 };
        let direct = method == Method::Cholesky;
        report.linear = SolveReport {
            iterations: self.engine.sweeps,
            residual: Some(residual),
            condition: self.engine.solver.condition,
            converged: direct || residual <= tolerance,
        };
        report.linear_iterations = report.iterations * self.engine.sweeps;
        if (status[NOT_FINITE] as usize) < context.model.vertices() {
            return Err(StepError::NotFinite { vertex: status[NOT_FINITE] as usize });
        }
        if !residual.is_finite() || residual > DIVERGED {
            return Err(LinearError::Diverged { iteration: self.engine.sweeps, residual }.into());
        }
        if context.params.measure {
            let (objective, residual) = (scalars[INERTIA] + scalars[ELASTIC], scalars[LARGEST_FORCE]);
            report.measures = Some(Measures { objective, residual, ..Measures::default() });
        }
        Ok(report)
    }
}

fn check_size(context: &StepContext<'_>, state: &View<'_>) -> Result<(), StepError> {
    let model = context.model.vertices();
    if state.vertices() != model || state.v.len() != model {
        return Err(StepError::Size { model, state: state.vertices() });
    }
    Ok(())
}

/// Adds what belongs to the accepted state, computed on the host.
fn measure_state(context: &StepContext<'_>, state: &View<'_>, measures: &mut Measures) {
    let (model, gravity) = (context.model, context.params.gravity);
    for (i, mass) in model.masses().iter().enumerate() {
        measures.kinetic += 0.5 * mass * state.v[i].norm_squared();
        measures.potential -= mass * gravity.dot(&state.x[i]);
    }
    measures.elastic = model.elastic_energy(state.x);
    measures.strain = model.strain(state.x);
}

impl<T: DeviceReal> Stepper for CudaPd<T> {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn global_name(&self) -> Option<&str> {
        Some(self.method.name())
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        context.params.check()?;
        stepper::require_elastic(Self::NAME, context.model)?;
        if !context.model.kinematic().is_empty() {
            let what = "kinematic vertices".to_owned();
            return Err(StepError::Unsupported { stepper: Self::NAME.to_owned(), what });
        }
        self.prepared = None;
        let engine =
            Engine::new(&self.device, &context, self.method, &self.options, self.sweeps, self.summation)?;
        let mut prepared = Prepared {
            engine,
            graph: None,
            what: PreparedFor::new(&context),
            iterations: context.params.iterations,
            hold_pinned: context.params.hold_pinned,
            shadow: Vec::with_capacity(6 * context.model.vertices()),
            on_device: false,
        };
        prepared.capture()?;
        self.prepared = Some(prepared);
        Ok(())
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        context.params.check()?;
        check_size(&context, state)?;
        let started = Instant::now();
        let prepared = self.prepared(&context)?;
        if !prepared.holds(state) {
            prepared.on_device = false;
            prepared.engine.upload(state)?;
            prepared.remember(state);
        }
        prepared.engine.write_forces(&context, state)?;
        let copied = started.elapsed();
        let mut report = self.run(&context, state.time + context.params.dt)?;
        let started = Instant::now();
        let prepared = self.prepared(&context)?;
        prepared.engine.download(state)?;
        prepared.remember(state);
        state.time += context.params.dt;
        report.stages.predict += copied + started.elapsed();
        if let Some(measures) = &mut report.measures {
            measure_state(&context, state, measures);
        }
        Ok(report)
    }
}
