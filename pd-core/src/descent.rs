//! The inner minimisation of a projective dynamics step: local step, global step, next iterate.

use crate::acceleration::Memory;
use crate::anderson::dot;
use crate::stepper::weighted_square_distance;
use crate::{
    Acceleration, GlobalSolver, LocalInput, LocalStep, Real, StepContext, StepError, StepReport, Vec3,
    as_flat, as_flat_mut,
};
use std::time::Instant;

/// Sufficient decrease asked of an L-BFGS step, as a fraction of the slope (Armijo).
const DECREASE: Real = 1e-4;
/// Halvings of an L-BFGS step before it is given up.
const HALVINGS: usize = 8;
/// Fraction of the first slope that must be left at the end of a full step for a longer one to be tried: a local step is
/// the price.
const WORTH_GOING_ON: Real = 0.2;
/// Change of the first iterate, as a part of the way to it, that is worth a local step.
const WORTH_A_LOOK: Real = 0.15;
/// Longest step, in full steps.
const LONGEST: Real = 5.0;

/// Scratch and parts of the minimisation. `s` is the inertial target, `x` the iterate, `b` minus the gradient.
pub(crate) struct Descent {
    pub(crate) local: Box<dyn LocalStep>,
    pub(crate) global: Box<dyn GlobalSolver>,
    pub(crate) acceleration: Acceleration,
    memory: Memory,
    pub(crate) s: Vec<Vec3>,
    pub(crate) x: Vec<Vec3>,
    pub(crate) b: Vec<Vec3>,
    direction: Vec<Vec3>,
    /// Minus the gradient at the other of two first iterates.
    spare: Vec<Vec3>,
    /// Objective at the last accepted iterate; accelerated steps only.
    objective: Real,
    /// Whether `b` and `objective` belong to `x`.
    evaluated: bool,
}

impl Descent {
    pub(crate) fn new(
        local: Box<dyn LocalStep>,
        global: Box<dyn GlobalSolver>,
        acceleration: Acceleration,
    ) -> Self {
        let [s, x, b, direction, spare] = [const { Vec::new() }; 5];
        let (objective, evaluated) = (Real::NAN, false);
        let memory = Memory::None;
        Self { local, global, acceleration, memory, s, x, b, direction, spare, objective, evaluated }
    }

    pub(crate) fn prepare(&mut self, context: &StepContext<'_>) -> Result<(), StepError> {
        let model = context.model;
        self.local.prepare(model)?;
        self.global.analyse(model.pattern())?;
        self.global.factor(&model.system_matrix(context.params.dt))?;
        for scratch in [&mut self.s, &mut self.x, &mut self.b, &mut self.direction, &mut self.spare] {
            scratch.clear();
            scratch.resize(model.vertices(), Vec3::zeros());
        }
        self.memory = Memory::new(self.acceleration, model.vertices());
        Ok(())
    }

    /// Chooses the first iterate. Plain steps start at the inertial target s and know nothing of it: `None`. Accelerated
    /// ones look along the way from s to where the forces at the present positions xₙ would take the vertices,
    ///
    /// xₙ − h² M⁻¹ ∇objective(xₙ) = s − h² M⁻¹ ∇E(xₙ).
    ///
    /// In smooth motion elastic forces change little in a step, so this is much nearer to the minimiser than s, which
    /// leaves them out; where they change suddenly (an impact) or the body is stiff, it is too far, and the secant of
    /// the slopes at both ends says how far to go. The least objective of these wins. All follows from the state alone,
    /// so a step does not depend on how the state was reached. Returns ‖∇objective(s)‖, what the tolerance is relative to.
    pub(crate) fn start(
        &mut self,
        context: &StepContext<'_>,
        now: &[Vec3],
        report: &mut StepReport,
    ) -> Result<Option<Real>, StepError> {
        self.evaluated = false;
        match &mut self.memory {
            Memory::None => {
                self.x.copy_from_slice(&self.s);
                return Ok(None);
            }
            Memory::Anderson(memory) => memory.reset(),
            Memory::Lbfgs(memory) => memory.reset(),
        }
        let (masses, dt) = (context.model.masses(), context.params.dt);
        self.x.copy_from_slice(now);
        self.evaluate(context, report)?;
        for (i, way) in self.direction.iter_mut().enumerate() {
            *way = now[i] + self.b[i] * (dt * dt / masses[i]) - self.s[i];
        }
        let at_target = self.try_start(context, report, 0.0)?;
        let imbalance = dot(&self.b, &self.b).sqrt();
        let first_slope = dot(&self.b, &self.direction);
        std::mem::swap(&mut self.b, &mut self.spare);
        let at_guess = self.try_start(context, report, 1.0)?;
        let last_slope = dot(&self.b, &self.direction);
        // Comparisons are false for what is not a number, and then the target stays.
        let guessed = at_guess < at_target;
        let mut length = if guessed { 1.0 } else { 0.0 };
        self.objective = if guessed { at_guess } else { at_target };
        if !guessed {
            std::mem::swap(&mut self.b, &mut self.spare);
        }
        let secant = (first_slope / (first_slope - last_slope)).min(LONGEST);
        if first_slope > 0.0 && first_slope > last_slope && (secant - 1.0).abs() > WORTH_A_LOOK {
            std::mem::swap(&mut self.b, &mut self.spare);
            let objective = self.try_start(context, report, secant)?;
            if objective < self.objective {
                (length, self.objective) = (secant, objective);
            } else {
                std::mem::swap(&mut self.b, &mut self.spare);
            }
        }
        self.place(length);
        self.evaluated = true;
        Ok(Some(imbalance))
    }

    /// x = s + length · direction, evaluated; returns the objective there.
    fn try_start(
        &mut self,
        context: &StepContext<'_>,
        report: &mut StepReport,
        length: Real,
    ) -> Result<Real, StepError> {
        self.place(length);
        self.evaluate(context, report)?;
        self.objective_here(context)
    }

    /// x = s + length · direction.
    fn place(&mut self, length: Real) {
        for ((x, s), way) in self.x.iter_mut().zip(&self.s).zip(&self.direction) {
            *x = s + way * length;
        }
    }

    /// One iteration; returns ‖∇objective‖ at the iterate it started from.
    pub(crate) fn iterate(
        &mut self,
        context: &StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<Real, StepError> {
        // Taken out so that it can be used beside the rest of `self`, and put back whatever happens.
        let mut memory = std::mem::replace(&mut self.memory, Memory::None);
        let norm = self.iterate_with(&mut memory, context, report);
        self.memory = memory;
        report.iterations += 1;
        norm
    }

    fn iterate_with(
        &mut self,
        memory: &mut Memory,
        context: &StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<Real, StepError> {
        match memory {
            Memory::None => {
                self.evaluate(context, report)?;
                let norm = dot(&self.b, &self.b).sqrt();
                self.solve(report)?;
                for (x, d) in self.x.iter_mut().zip(&self.direction) {
                    *x += d;
                }
                Ok(norm)
            }
            Memory::Anderson(memory) => {
                if !self.evaluated {
                    self.evaluate(context, report)?;
                    let mut objective = self.objective_here(context)?;
                    if objective > self.objective {
                        // The mixed iterate was worse than the one before: take the plain one, which never is.
                        self.x.copy_from_slice(memory.plain());
                        self.evaluate(context, report)?;
                        objective = self.objective_here(context)?;
                    }
                    self.objective = objective;
                }
                self.evaluated = false;
                let norm = dot(&self.b, &self.b).sqrt();
                self.solve(report)?;
                memory.advance(&mut self.x, &self.direction);
                Ok(norm)
            }
            Memory::Lbfgs(memory) => {
                let norm = dot(&self.b, &self.b).sqrt();
                memory.x.copy_from_slice(&self.x);
                memory.b.copy_from_slice(&self.b);
                self.solve(report)?;
                memory.direct(&mut self.b, &mut self.direction);
                self.search(context, report, &memory.x, dot(&memory.b, &self.direction))?;
                memory.remember(&self.x, &self.b);
                Ok(norm)
            }
        }
    }

    /// An accelerated run may end on an iterate whose objective was never looked at: if it is worse than the one
    /// before, the plain iterate takes its place.
    pub(crate) fn finish(
        &mut self,
        context: &StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        if !matches!(self.memory, Memory::Anderson(_)) {
            return Ok(());
        }
        self.evaluate(context, report)?;
        if self.objective_here(context)? > self.objective
            && let Memory::Anderson(memory) = &self.memory
        {
            self.x.copy_from_slice(memory.plain());
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
        report.local_steps += 1;
        report.stages.local += started.elapsed();
        Ok(())
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
        self.direction.fill(Vec3::zeros()); // first guess: stay, which is a warm start at x
        report.linear = self.global.solve(as_flat(&self.b), as_flat_mut(&mut self.direction), 3)?;
        report.linear_iterations += report.linear.iterations;
        report.stages.global += started.elapsed();
        Ok(())
    }

    /// Line search from `from` along the direction; leaves x and b evaluated at the step taken. `descent` is −slope at
    /// its start. A bounds the curvature of the energy from above, so the full step is mostly too short: where the
    /// slope at its end still points on, the secant of the two slopes says how far to go.
    fn search(
        &mut self,
        context: &StepContext<'_>,
        report: &mut StepReport,
        from: &[Vec3],
        descent: Real,
    ) -> Result<(), StepError> {
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let objective = self.try_length(context, report, from, length)?;
            if objective <= self.objective - DECREASE * length * descent.max(0.0) {
                let rest = dot(&self.b, &self.direction);
                self.objective = objective;
                if length == 1.0 && rest > WORTH_GOING_ON * descent {
                    let longer = (descent / (descent - rest)).clamp(1.0, LONGEST);
                    let objective = self.try_length(context, report, from, longer)?;
                    if objective > self.objective {
                        self.try_length(context, report, from, 1.0)?;
                    } else {
                        self.objective = objective;
                    }
                }
                return Ok(());
            }
            length *= 0.5;
        }
        // Rounding level, or a direction that does not descend: stay.
        self.x.copy_from_slice(from);
        self.evaluate(context, report)
    }

    /// x = from + length · direction, evaluated; returns the objective there.
    fn try_length(
        &mut self,
        context: &StepContext<'_>,
        report: &mut StepReport,
        from: &[Vec3],
        length: Real,
    ) -> Result<Real, StepError> {
        for ((x, from), d) in self.x.iter_mut().zip(from).zip(&self.direction) {
            *x = from + d * length;
        }
        self.evaluate(context, report)?;
        self.objective_here(context)
    }
}
