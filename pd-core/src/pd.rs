//! Projective dynamics: Algorithm 2 of the thesis, in increment form.
//!
//! ```text
//! s  = x + h v + h² M⁻¹ f          inertial target
//! s  = resolve_collisions(s)       pass 1; pinned vertices stay where they are
//! x* = s
//! repeat: b  = −∇objective(x*)     local step
//!         A Δx = b, x* += Δx       global step, A = M/h² + DᵀWD
//! x* = resolve_collisions(x*)      pass 2
//! v  = (x* − x)/h, x = x*
//! ```
//! Bouaziz et al. 2014, "Projective Dynamics: Fusing Constraint Projections for Fast Simulation".

use crate::exec::{self, VERTEX_CHUNK};
use crate::stepper::{finish, predict, weighted_square_distance};
use crate::{
    CpuLocal, GlobalSolver, LocalInput, LocalStep, Measures, Pattern, Real, State, StepContext, StepError,
    StepReport, Stepper, Vec3, as_flat, as_flat_mut, resolve_collisions,
};
use std::sync::Arc;
use std::time::Instant;

/// The stepper of the title: a local step and a global solver, each replaceable.
pub struct ProjectiveDynamics {
    local: Box<dyn LocalStep>,
    global: Box<dyn GlobalSolver>,
    /// Which model (by its pattern) and time step the factor belongs to.
    prepared: Option<(Arc<Pattern>, Real)>,
    s: Vec<Vec3>,
    x: Vec<Vec3>,
    b: Vec<Vec3>,
    increment: Vec<Vec3>,
    /// Objective after each iteration of the last measured step.
    objectives: Vec<Real>,
}

impl ProjectiveDynamics {
    /// Projective dynamics with this global solver and the local step on the CPU.
    pub fn new(global: impl GlobalSolver + 'static) -> Self {
        Self::with_local(Box::new(CpuLocal::default()), Box::new(global))
    }

    /// Both parts chosen.
    pub fn with_local(local: Box<dyn LocalStep>, global: Box<dyn GlobalSolver>) -> Self {
        let empty = Vec::new;
        Self {
            local,
            global,
            prepared: None,
            s: empty(),
            x: empty(),
            b: empty(),
            increment: empty(),
            objectives: vec![],
        }
    }

    /// The incremental potential at the predictor and after each iteration of the last step that was measured, J.
    /// It never increases when the linear solves are exact (Bouaziz et al. 2014, section 3).
    pub fn objectives(&self) -> &[Real] {
        &self.objectives
    }

    fn is_prepared(&self, context: &StepContext<'_>) -> bool {
        let same = |(pattern, dt): &(Arc<Pattern>, Real)| {
            Arc::ptr_eq(pattern, context.model.pattern()) && *dt == context.params.dt
        };
        self.prepared.as_ref().is_some_and(same)
    }

    fn objective(&self, context: &StepContext<'_>) -> Real {
        let (model, dt) = (context.model, context.params.dt);
        let masses = model.masses();
        weighted_square_distance(|i| masses[i] / (dt * dt), &self.x, &self.s) + model.elastic_energy(&self.x)
    }

    /// One local and one global step; returns ‖b‖ before the solve.
    fn iterate(&mut self, context: &StepContext<'_>, report: &mut StepReport) -> Result<Real, StepError> {
        let started = Instant::now();
        let input = LocalInput { model: context.model, dt: context.params.dt, s: &self.s, x: &self.x };
        self.local.run(input, &mut self.b)?;
        let norm = norm(&self.b);
        report.stages.local += started.elapsed();

        let started = Instant::now();
        self.increment.fill(Vec3::zeros()); // first guess: stay, which is a warm start at x
        report.linear = self.global.solve(as_flat(&self.b), as_flat_mut(&mut self.increment), 3)?;
        report.linear_iterations += report.linear.iterations;
        for (x, increment) in self.x.iter_mut().zip(&self.increment) {
            *x += increment;
        }
        report.stages.global += started.elapsed();
        report.iterations += 1;
        Ok(norm)
    }

    /// Objective and largest force imbalance at the last iterate, with one more local step.
    fn measure_minimum(&mut self, context: &StepContext<'_>) -> Result<Measures, StepError> {
        let input = LocalInput { model: context.model, dt: context.params.dt, s: &self.s, x: &self.x };
        self.local.run(input, &mut self.b)?;
        let leaf =
            |range: std::ops::Range<usize>| self.b[range].iter().map(|b| b.norm()).fold(0.0, Real::max);
        let residual = exec::reduce(0..self.b.len(), VERTEX_CHUNK, &leaf, &Real::max);
        Ok(Measures { objective: self.objective(context), residual, ..Measures::default() })
    }
}

/// Adds what belongs to the accepted state.
fn measure_state(context: &StepContext<'_>, state: &State, measures: &mut Measures) {
    let (model, gravity) = (context.model, context.params.gravity);
    let masses = model.masses();
    let leaf = |range: std::ops::Range<usize>| {
        let mut sums = (0.0, 0.0);
        for i in range {
            sums.0 += 0.5 * masses[i] * state.v[i].norm_squared();
            sums.1 -= masses[i] * gravity.dot(&state.x[i]);
        }
        sums
    };
    let add = |a: (Real, Real), b: (Real, Real)| (a.0 + b.0, a.1 + b.1);
    (measures.kinetic, measures.potential) = exec::reduce(0..state.vertices(), VERTEX_CHUNK, &leaf, &add);
    measures.elastic = model.elastic_energy(&state.x);
    measures.strain = model.strain(&state.x);
}

fn norm(vectors: &[Vec3]) -> Real {
    let leaf = |range: std::ops::Range<usize>| vectors[range].iter().map(|v| v.norm_squared()).sum::<Real>();
    exec::reduce(0..vectors.len(), VERTEX_CHUNK, &leaf, &|a, b| a + b).sqrt()
}

impl Stepper for ProjectiveDynamics {
    fn name(&self) -> &str {
        "pd"
    }

    fn global_name(&self) -> Option<&str> {
        Some(self.global.name())
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        context.params.check()?;
        self.prepared = None;
        let (model, dt) = (context.model, context.params.dt);
        self.local.prepare(model)?;
        self.global.analyse(model.pattern())?;
        self.global.factor(&model.system_matrix(dt))?;
        for scratch in [&mut self.s, &mut self.x, &mut self.b, &mut self.increment] {
            scratch.clear();
            scratch.resize(model.vertices(), Vec3::zeros());
        }
        self.objectives.clear();
        self.objectives.reserve(context.params.iterations + 1);
        self.prepared = Some((model.pattern().clone(), dt));
        Ok(())
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError> {
        let StepContext { model, params, colliders, .. } = context;
        params.check()?;
        if state.vertices() != model.vertices() || state.v.len() != model.vertices() {
            return Err(StepError::Size { model: model.vertices(), state: state.vertices() });
        }
        if !self.is_prepared(&context) {
            return Err(StepError::NotPrepared { stepper: self.name().to_owned() });
        }
        let mut report = StepReport::default();
        let end = state.time + params.dt;

        let started = Instant::now();
        predict(context, state, &mut self.s);
        report.stages.predict = started.elapsed();

        let started = Instant::now();
        resolve_collisions(colliders, end, &mut self.s);
        report.stages.collide = started.elapsed();
        if params.hold_pinned {
            for &vertex in model.pinned() {
                self.s[vertex as usize] = state.x[vertex as usize];
            }
        }
        self.x.copy_from_slice(&self.s);

        self.objectives.clear();
        let mut first_norm = 0.0;
        for iteration in 0..params.iterations {
            if params.measure {
                let objective = self.objective(&context);
                self.objectives.push(objective);
            }
            let norm = self.iterate(&context, &mut report)?;
            if iteration == 0 {
                first_norm = norm;
            }
            report.reduction = if first_norm > 0.0 { norm / first_norm } else { 0.0 };
            if report.reduction <= params.tolerance && params.tolerance > 0.0 {
                break;
            }
        }
        let mut measures = if params.measure {
            let measures = self.measure_minimum(&context)?;
            self.objectives.push(measures.objective);
            Some(measures)
        } else {
            None
        };

        let started = Instant::now();
        report.collisions = resolve_collisions(colliders, end, &mut self.x);
        report.stages.collide += started.elapsed();
        let started = Instant::now();
        finish(params, state, &self.x)?;
        report.stages.predict += started.elapsed();
        if let Some(measures) = &mut measures {
            measure_state(&context, state, measures);
        }
        report.measures = measures;
        Ok(report)
    }
}
