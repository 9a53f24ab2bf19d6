//! Projective dynamics: Algorithm 2 of the thesis, in increment form.
//!
//! ```text
//! s  = x + h v + h² M⁻¹ f          inertial target
//! s  = resolve_collisions(s)       pass 1; pinned vertices stay where they are
//! x* = s                           or, accelerated, a better guess
//! repeat: b  = −∇objective(x*)     local step
//!         A Δx = b, x* += Δx       global step, A = M/h² + DᵀWD
//! x* = resolve_collisions(x*)      pass 2
//! v  = (x* − x)/h, x = x*
//! ```
//! Bouaziz et al. 2014, "Projective Dynamics: Fusing Constraint Projections for Fast Simulation". The loop itself, plain
//! or accelerated, is in `descent.rs`.

use crate::descent::Descent;
use crate::exec::{self, VERTEX_CHUNK};
use crate::missing::{self, Contraction};
use crate::stepper;
use crate::{
    Acceleration, CpuLocal, GlobalSolver, LocalStep, Measures, PreparedFor, Real, StepContext, StepError,
    StepReport, Stepper, View,
};

/// The projective dynamics stepper: a local step and a global solver, each replaceable.
pub struct ProjectiveDynamics {
    descent: Descent,
    /// Which model and time step the factor belongs to.
    prepared: Option<PreparedFor>,
    /// Objective before each iteration of the last measured step, and at its end.
    objectives: Vec<Real>,
}

impl ProjectiveDynamics {
    /// Projective dynamics with this global solver and the local step on the CPU.
    pub fn new(global: impl GlobalSolver + 'static) -> Self {
        Self::with_local(Box::new(CpuLocal::default()), Box::new(global))
    }

    /// Without acceleration, with this local step and this global solver.
    pub fn with_local(local: Box<dyn LocalStep>, global: Box<dyn GlobalSolver>) -> Self {
        Self::with_parts(local, global, Acceleration::None)
    }

    /// With all parts given.
    pub fn with_parts(
        local: Box<dyn LocalStep>,
        global: Box<dyn GlobalSolver>,
        acceleration: Acceleration,
    ) -> Self {
        Self { descent: Descent::new(local, global, acceleration), prepared: None, objectives: vec![] }
    }

    /// The incremental potential at the first iterate and after each iteration of the last step that was measured, J.
    /// Without acceleration it never increases when the linear solves are exact (Bouaziz et al. 2014, section 3).
    pub fn objectives(&self) -> &[Real] {
        &self.objectives
    }

    /// Iterates until the tolerance or the number of iterations is met.
    fn minimise(
        &mut self,
        context: &StepContext<'_>,
        now: &View<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let params = context.params;
        self.descent.contraction = Contraction::default();
        let mut first_norm = self.descent.initial_guess(context, now, report)?;
        for _ in 0..params.iterations {
            let norm = exec::keep_workers_spinning(|| {
                if params.measure {
                    self.objectives.push(self.descent.measure(context, report)?);
                }
                self.descent.iterate(context, report)
            })?;
            let first_norm = *first_norm.get_or_insert(norm);
            report.reduction = if first_norm > 0.0 { norm / first_norm } else { 0.0 };
            if report.reduction <= params.tolerance && params.tolerance > 0.0 {
                break;
            }
            if params.accuracy > 0.0
                && self.missing(context, now).is_some_and(|missing| missing <= params.accuracy)
            {
                break;
            }
        }
        self.descent.finish(context, report)
    }

    /// The estimated part of the motion that is missing.
    fn missing(&self, context: &StepContext<'_>, now: &View<'_>) -> Option<Real> {
        let Descent { contraction, s, x, .. } = &self.descent;
        missing::missing(context.model, contraction, (now.x, s, x))
    }

    /// Objective and largest force imbalance at the last iterate, with one more local step.
    fn measure_minimum(&mut self, context: &StepContext<'_>) -> Result<Measures, StepError> {
        // Its time is not that of the step.
        let objective = self.descent.measure(context, &mut StepReport::default())?;
        let b = &self.descent.b;
        let leaf = |range: std::ops::Range<usize>| b[range].iter().map(|b| b.norm()).fold(0.0, Real::max);
        let residual = exec::reduce(0..b.len(), VERTEX_CHUNK, &leaf, &Real::max);
        Ok(Measures { objective, residual, ..Measures::default() })
    }
}

impl Stepper for ProjectiveDynamics {
    fn name(&self) -> &str {
        self.descent.acceleration.name()
    }

    fn global_name(&self) -> Option<&str> {
        Some(self.descent.global.name())
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        context.params.check()?;
        stepper::require_elastic(self.name(), context.model)?;
        if context.params.accuracy > 0.0 && self.descent.acceleration != Acceleration::None {
            let (name, value) = ("accuracy", context.params.accuracy);
            let expected = "it must be 0 for accelerated iterations: what they leave out is not known";
            return Err(StepError::Parameter { name, value, expected });
        }
        self.prepared = None;
        self.descent.prepare(&context)?;
        self.objectives.clear();
        self.objectives.reserve(context.params.iterations + 1);
        self.prepared = Some(PreparedFor::new(&context));
        Ok(())
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        stepper::validate(&context, state)?;
        if !self.prepared.as_ref().is_some_and(|prepared| prepared.matches(&context)) {
            return Err(StepError::NotPrepared { stepper: self.name().to_owned() });
        }
        let mut report = StepReport::default();
        stepper::begin_step(context, state, &mut self.descent.s, &mut report);
        self.objectives.clear();
        self.minimise(&context, state, &mut report)?;
        report.missing = self.missing(&context, state);
        let mut measures = None;
        if context.params.measure {
            let found = self.measure_minimum(&context)?;
            self.objectives.push(found.objective);
            measures = Some(found);
        }
        stepper::end_step(context, state, &mut self.descent.x, measures, &mut report)?;
        Ok(report)
    }
}
