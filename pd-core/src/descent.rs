//! The inner minimisation of a projective dynamics step: local step, global step, next iterate.

use crate::acceleration::AccelerationState;
use crate::anderson::dot;
use crate::exec::{self, VERTEX_CHUNK};
use crate::missing::{self, Contraction};
use crate::stepper::weighted_square_distance;
use crate::{
    Acceleration, Csr, GlobalSolver, LocalInput, LocalStep, Real, StepContext, StepError, StepReport, Vec3,
    as_flat, as_flat_mut,
};
use std::time::Instant;

/// Sufficient decrease required of an L-BFGS step, as a fraction of the slope (Armijo).
const DECREASE: Real = 1e-4;
/// Relative rounding error of the objective.
const ROUNDING: Real = 4.0 * Real::EPSILON;
/// Step lengths tried by the line search of L-BFGS.
const LENGTHS: usize = 8;
/// Smallest and largest factor by which the line search shortens a step.
const SHORTER: (Real, Real) = (0.1, 0.5);

/// Iterations before the one that starts with a diagonal step, if the budget allows another local step: by then the stiff forces are removed.
const SETTLED: usize = 3;

/// Scratch and parts of the minimisation. `s` is the inertial target, `x` the iterate, `b` minus the gradient.
pub(crate) struct Descent {
    pub(crate) local: Box<dyn LocalStep>,
    pub(crate) global: Box<dyn GlobalSolver>,
    pub(crate) acceleration: Acceleration,
    pub(crate) memory: AccelerationState,
    pub(crate) s: Vec<Vec3>,
    pub(crate) x: Vec<Vec3>,
    pub(crate) b: Vec<Vec3>,
    pub(crate) direction: Vec<Vec3>,
    /// Another iterate and minus the gradient there: the start of the current step, or the other of two initial guesses.
    /// This and the following fields are used by accelerated steps only.
    pub(crate) trial_x: Vec<Vec3>,
    pub(crate) trial_b: Vec<Vec3>,
    /// A, and the inverse of its diagonal.
    pub(crate) matrix: Csr,
    pub(crate) inverse_diagonal: Vec<Real>,
    /// Whether the choice of the initial guess left one local step of the budget.
    pub(crate) spare: bool,
    /// Objective at the last accepted iterate.
    pub(crate) objective: Real,
    /// Whether `b` (and `objective`, in accelerated steps) is up to date with `x`.
    pub(crate) evaluated: bool,
    /// Lengths of the last steps.
    pub(crate) contraction: Contraction,
}

impl Descent {
    pub(crate) fn new(
        local: Box<dyn LocalStep>,
        global: Box<dyn GlobalSolver>,
        acceleration: Acceleration,
    ) -> Self {
        let [s, x, b, direction, trial_x, trial_b] = [const { Vec::new() }; 6];
        let (memory, matrix, inverse_diagonal) = (AccelerationState::None, Csr::default(), vec![]);
        let (objective, evaluated, spare) = (Real::NAN, false, false);
        let contraction = Contraction::default();
        Self {
            local,
            global,
            acceleration,
            memory,
            s,
            x,
            b,
            direction,
            trial_x,
            trial_b,
            matrix,
            inverse_diagonal,
            spare,
            objective,
            evaluated,
            contraction,
        }
    }

    pub(crate) fn prepare(&mut self, context: &StepContext<'_>) -> Result<(), StepError> {
        let model = context.model;
        self.local.prepare(model)?;
        self.global.analyse(model.pattern())?;
        let matrix = model.system_matrix(context.params.dt);
        self.global.factor(&matrix)?;
        for scratch in [&mut self.s, &mut self.x, &mut self.b, &mut self.direction] {
            scratch.clear();
            scratch.resize(model.vertices(), Vec3::zeros());
        }
        let accelerated = self.acceleration != Acceleration::None;
        for scratch in [&mut self.trial_x, &mut self.trial_b] {
            scratch.clear();
            scratch.resize(if accelerated { model.vertices() } else { 0 }, Vec3::zeros());
        }
        self.inverse_diagonal.clear();
        if accelerated {
            self.inverse_diagonal.extend(matrix.diagonal().iter().map(|d| d.recip()));
        }
        self.matrix = if accelerated { matrix } else { Csr::default() };
        self.memory = AccelerationState::new(self.acceleration, model.vertices());
        Ok(())
    }

    /// One iteration; returns ‖∇objective‖ at the iterate it started from.
    pub(crate) fn iterate(
        &mut self,
        context: &StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<Real, StepError> {
        // Moved out so that the rest of `self` can be borrowed; always put back.
        let mut memory = std::mem::replace(&mut self.memory, AccelerationState::None);
        let norm = self.iterate_with(&mut memory, context, report);
        self.memory = memory;
        report.iterations += 1;
        norm
    }

    fn iterate_with(
        &mut self,
        memory: &mut AccelerationState,
        context: &StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<Real, StepError> {
        match memory {
            AccelerationState::None => {
                if !std::mem::take(&mut self.evaluated) {
                    self.evaluate(context, report)?;
                }
                let norm = dot(&self.b, &self.b).sqrt();
                self.solve(report)?;
                self.note(context, report);
                let direction = &self.direction;
                exec::for_each_chunk(&mut self.x, VERTEX_CHUNK, |first, x| {
                    for (x, d) in x.iter_mut().zip(&direction[first..]) {
                        *x += d;
                    }
                });
                Ok(norm)
            }
            AccelerationState::Anderson(memory) => {
                if !self.evaluated {
                    self.evaluate(context, report)?;
                    let mut objective = self.objective_here(context)?;
                    if objective > self.objective {
                        // The mixed iterate increased the objective: use the plain one, which never does.
                        self.x.copy_from_slice(memory.plain_iterate());
                        self.evaluate(context, report)?;
                        objective = self.objective_here(context)?;
                    }
                    self.objective = objective;
                }
                self.evaluated = false;
                let norm = dot(&self.b, &self.b).sqrt();
                self.solve(report)?;
                memory.advance(&mut self.x, &self.direction, &self.b);
                Ok(norm)
            }
            AccelerationState::Lbfgs(memory) => {
                let norm = dot(&self.b, &self.b).sqrt();
                if self.spare && report.iterations == SETTLED {
                    self.diagonal_step(memory, context, report)?;
                }
                self.trial_x.copy_from_slice(&self.x);
                self.trial_b.copy_from_slice(&self.b);
                memory.reduce(&mut self.b);
                self.solve(report)?;
                memory.direct(&mut self.direction, memory.scale());
                let descent = dot(&self.trial_b, &self.direction);
                match self.search(context, report, descent)? {
                    Some((length, rest)) => {
                        memory.rescale(length, descent, rest);
                        memory.remember((&self.trial_x, &self.trial_b), (&self.x, &self.b));
                    }
                    // The stored pairs are misleading: the next step is a plain one.
                    None => memory.reset(),
                }
                Ok(norm)
            }
        }
    }

    /// Notes the length of the direction, a plain step, if it is among the last that the parameters allow.
    fn note(&mut self, context: &StepContext<'_>, report: &StepReport) {
        let params = context.params;
        if params.tolerance > 0.0
            || params.accuracy > 0.0
            || report.iterations + missing::WINDOW >= params.iterations
        {
            self.contraction.note(missing::length(context.model, &self.direction));
        }
    }

    /// The last iterate of an accelerated step may not have been evaluated: if its objective is larger than the previous
    /// one, the plain iterate replaces it.
    pub(crate) fn finish(
        &mut self,
        context: &StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        if !matches!(self.memory, AccelerationState::Anderson(_)) {
            return Ok(());
        }
        self.evaluate(context, report)?;
        if self.objective_here(context)? > self.objective
            && let AccelerationState::Anderson(memory) = &self.memory
        {
            self.x.copy_from_slice(memory.plain_iterate());
        }
        Ok(())
    }

    /// b = −∇objective(x).
    pub(crate) fn evaluate(
        &mut self,
        context: &StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let started = Instant::now();
        let input = LocalInput { model: context.model, dt: context.params.dt, s: &self.s, x: &self.x };
        self.local.run(input, &mut self.b)?;
        context.model.clear_kinematic(&mut self.b);
        report.local_steps += 1;
        report.stages.local += started.elapsed();
        Ok(())
    }

    /// The objective at the current iterate, for reports. The evaluation is reused by the next plain iteration.
    pub(crate) fn measure(
        &mut self,
        context: &StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<Real, StepError> {
        if !matches!(self.memory, AccelerationState::None) {
            // For accelerated steps the objective is evaluated again; this local step is not counted in the report.
            self.evaluate(context, &mut StepReport::default())?;
        } else if !self.evaluated {
            self.evaluate(context, report)?;
            self.evaluated = true;
        }
        self.objective_here(context)
    }

    /// The objective at the iterate last evaluated.
    pub(crate) fn objective_here(&mut self, context: &StepContext<'_>) -> Result<Real, StepError> {
        let (model, dt) = (context.model, context.params.dt);
        let masses = model.masses();
        let inertia = weighted_square_distance(|i| masses[i] / (dt * dt), &self.x, &self.s);
        let input = LocalInput { model, dt, s: &self.s, x: &self.x };
        Ok(inertia + self.local.elastic_energy(input)?)
    }

    /// direction = A⁻¹ b.
    fn solve(&mut self, report: &mut StepReport) -> Result<(), StepError> {
        let started = Instant::now();
        self.direction.fill(Vec3::zeros()); // initial guess zero: a warm start at x
        report.linear = self.global.solve(as_flat(&self.b), as_flat_mut(&mut self.direction), 3)?;
        report.linear_iterations += report.linear.iterations;
        report.stages.global += started.elapsed();
        Ok(())
    }

    /// Line search from the other iterate along the direction; leaves x and b evaluated at the step taken, and returns its
    /// length and −slope there. `descent` is −slope at its start. Usually the full step is accepted; if it does not
    /// descend enough, the secant of the slopes at its ends gives the next length. `None`: no step descends, x is unchanged.
    fn search(
        &mut self,
        context: &StepContext<'_>,
        report: &mut StepReport,
        descent: Real,
    ) -> Result<Option<(Real, Real)>, StepError> {
        let mut length = 1.0;
        for _ in 0..LENGTHS {
            for ((x, from), d) in self.x.iter_mut().zip(&self.trial_x).zip(&self.direction) {
                *x = from + d * length;
            }
            self.evaluate(context, report)?;
            let objective = self.objective_here(context)?;
            let rest = dot(&self.b, &self.direction);
            // Where the decrease is below the rounding of the objective, compare its slopes at both ends (Hager, Zhang 2005).
            let level = objective <= self.objective + ROUNDING * self.objective.abs() && rest.abs() < descent;
            if objective <= self.objective - DECREASE * length * descent.max(0.0) || level {
                self.objective = objective.min(self.objective);
                return Ok(Some((length, rest)));
            }
            let secant = descent / (descent - rest);
            // NaN slopes, or slopes that do not change sign, give no estimate.
            length *= if secant > 0.0 { secant.clamp(SHORTER.0, SHORTER.1) } else { SHORTER.1 };
        }
        // Rounding level, or a direction that does not descend.
        self.x.copy_from_slice(&self.trial_x);
        self.b.copy_from_slice(&self.trial_b);
        Ok(None)
    }
}
