//! What the methods share that minimise the objective of implicit Euler,
//!
//! ½ ‖x − s‖²_{M/h²} + E(x) + α/(2h) ‖x − x₀‖²_M + η/(2h) ‖D (x − x₀)‖²_W,
//!
//! with s the inertial target and x₀ the positions at the start of the step. The last two terms are [`Damping`].

use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::stepper::{self, PreparedFor, weighted_square_distance};
use pd_core::{
    CpuLocal, Csr, LocalInput, LocalStep, Measures, Real, StepContext, StepError, StepReport, Vec3, View,
    as_flat, as_flat_mut,
};
use std::ops::Range;
use std::time::Instant;

/// Damping beside the velocity damping of [`StepParams::damping`](pd_core::StepParams::damping): Rayleigh's, with the constant
/// stiffness matrix DᵀWD of projective dynamics.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// Drag proportional to mass and velocity, α, 1/s: slows every motion, falling included.
    pub mass: Real,
    /// Force proportional to the rate of change of D x, η, s: slows changes of shape (and, since D x turns with the body,
    /// rotations), never translations; momentum is conserved.
    pub strain_rate: Real,
}

impl Damping {
    fn check(&self) -> Result<(), StepError> {
        for (name, value) in [("mass damping", self.mass), ("strain-rate damping", self.strain_rate)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(StepError::Parameter {
                    name,
                    value,
                    expected: "it must be zero or positive and finite",
                });
            }
        }
        Ok(())
    }
}

/// Scratch and evaluation of the objective.
pub(crate) struct Implicit {
    pub(crate) damping: Damping,
    pub(crate) s: Vec<Vec3>,
    pub(crate) x: Vec<Vec3>,
    /// −∇objective(x) after [`evaluate`](Self::evaluate).
    pub(crate) b: Vec<Vec3>,
    /// Positions at the start of the step, with damping only.
    start: Vec<Vec3>,
    moved: Vec<Vec3>,
    product: Vec<Vec3>,
    /// A = M/h² + DᵀWD, with damping only.
    matrix: Csr,
    local: Box<dyn LocalStep>,
    prepared: Option<PreparedFor>,
}

impl Default for Implicit {
    fn default() -> Self {
        Self::with_local(Box::new(CpuLocal::default()))
    }
}

impl Implicit {
    /// With another local step.
    pub(crate) fn with_local(local: Box<dyn LocalStep>) -> Self {
        let [s, x, b, start, moved, product] = [const { Vec::new() }; 6];
        let (damping, matrix) = (Damping::default(), Csr::default());
        Self { damping, s, x, b, start, moved, product, matrix, local, prepared: None }
    }

    pub(crate) fn prepare(&mut self, name: &str, context: &StepContext<'_>) -> Result<(), StepError> {
        self.prepared = None;
        context.params.check()?;
        self.damping.check()?;
        stepper::require_elastic(name, context.model)?;
        let model = context.model;
        self.local.prepare(model)?;
        for scratch in [&mut self.s, &mut self.x, &mut self.b] {
            resize(scratch, model.vertices());
        }
        let damped = self.damping != Damping::default();
        for scratch in [&mut self.start, &mut self.moved, &mut self.product] {
            resize(scratch, if damped { model.vertices() } else { 0 });
        }
        self.matrix = if damped { model.system_matrix(context.params.dt) } else { Csr::default() };
        self.prepared = Some(PreparedFor::new(context));
        Ok(())
    }

    /// Begins a step: checks, the inertial target, x = s.
    pub(crate) fn begin(
        &mut self,
        name: &str,
        context: &StepContext<'_>,
        state: &View<'_>,
    ) -> Result<StepReport, StepError> {
        stepper::validate(context, state)?;
        if !self.prepared.as_ref().is_some_and(|prepared| prepared.matches(context)) {
            return Err(StepError::NotPrepared { stepper: name.to_owned() });
        }
        let mut report = StepReport::default();
        stepper::begin_step(*context, state, &mut self.s, &mut report);
        self.x.copy_from_slice(&self.s);
        if !self.start.is_empty() {
            self.start.copy_from_slice(state.x);
        }
        Ok(report)
    }

    /// Starts from the present positions instead where the energy of the inertial target is not finite (inverted elements of
    /// a law that does not allow them). Returns the norm of the force imbalance at the start.
    pub(crate) fn start_where_defined(
        &mut self,
        context: &StepContext<'_>,
        state: &View<'_>,
        report: &mut StepReport,
    ) -> Result<Real, StepError> {
        let norm = self.evaluate(context, report)?;
        if self.objective(context)?.is_finite() {
            return Ok(norm);
        }
        self.x.copy_from_slice(state.x);
        context.model.place_kinematic(&mut self.x);
        self.evaluate(context, report)
    }

    /// b = −∇objective(x); returns its norm.
    pub(crate) fn evaluate(
        &mut self,
        context: &StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<Real, StepError> {
        let started = Instant::now();
        let (model, dt) = (context.model, context.params.dt);
        self.local.run(LocalInput { model, dt, s: &self.s, x: &self.x }, &mut self.b)?;
        self.add_damping(context);
        model.clear_kinematic(&mut self.b);
        report.local_steps += 1;
        report.stages.local += started.elapsed();
        Ok(dot(&self.b, &self.b).sqrt())
    }

    /// Subtracts the gradient of the damping terms from b and keeps what the objective needs of them.
    fn add_damping(&mut self, context: &StepContext<'_>) {
        if self.start.is_empty() {
            return;
        }
        let (masses, dt) = (context.model.masses(), context.params.dt);
        let Damping { mass, strain_rate } = self.damping;
        for ((moved, x), start) in self.moved.iter_mut().zip(&self.x).zip(&self.start) {
            *moved = x - start;
        }
        self.matrix.multiply(as_flat(&self.moved), as_flat_mut(&mut self.product), 3);
        for i in 0..self.b.len() {
            // DᵀWD = A − M/h².
            let stiff = self.product[i] - self.moved[i] * (masses[i] / (dt * dt));
            self.product[i] = (stiff * strain_rate + self.moved[i] * (mass * masses[i])) / dt;
            self.b[i] -= self.product[i];
        }
    }

    /// The objective at the positions last evaluated, J.
    pub(crate) fn objective(&mut self, context: &StepContext<'_>) -> Result<Real, StepError> {
        let (model, dt) = (context.model, context.params.dt);
        let masses = model.masses();
        let inertia = weighted_square_distance(|i| masses[i] / (dt * dt), &self.x, &self.s);
        let elastic = self.local.elastic_energy(LocalInput { model, dt, s: &self.s, x: &self.x })?;
        let damping = if self.start.is_empty() { 0.0 } else { 0.5 * dot(&self.moved, &self.product) };
        Ok(inertia + elastic + damping)
    }

    /// Ends a step: measures on request, accepts x.
    pub(crate) fn end(
        &mut self,
        context: &StepContext<'_>,
        state: &mut View<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let mut measures = None;
        if context.params.measure {
            self.evaluate(context, &mut StepReport::default())?; // its time is not that of the step
            let objective = self.objective(context)?;
            let b = &self.b;
            let leaf = |range: Range<usize>| b[range].iter().map(|b| b.norm()).fold(0.0, Real::max);
            let residual = exec::reduce(0..b.len(), VERTEX_CHUNK, &leaf, &Real::max);
            measures = Some(Measures { objective, residual, ..Measures::default() });
        }
        stepper::end_step(*context, state, &mut self.x, measures, report)
    }
}

/// Room for so many vectors, all zero.
pub(crate) fn resize(scratch: &mut Vec<Vec3>, count: usize) {
    scratch.clear();
    scratch.resize(count, Vec3::zeros());
}

/// Σ a_i · b_i in a fixed order.
pub(crate) fn dot(a: &[Vec3], b: &[Vec3]) -> Real {
    let leaf =
        |range: Range<usize>| a[range.clone()].iter().zip(&b[range]).map(|(a, b)| a.dot(b)).sum::<Real>();
    exec::reduce(0..a.len().min(b.len()), VERTEX_CHUNK, &leaf, &|a, b| a + b)
}

/// The part of the first force imbalance that is left.
pub(crate) fn reduction(norm: Real, first: Real) -> Real {
    if first > 0.0 { norm / first } else { 0.0 }
}
