//! What a step reports. Plain values: no allocation.

use crate::{Real, SolveReport, Strain};
use std::time::Duration;

/// Wall time of the stages of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stages {
    /// Forces, predictor and the update of velocities.
    pub predict: Duration,
    /// Projections and the gathered right-hand side.
    pub local: Duration,
    /// Linear solves.
    pub global: Duration,
    /// Both collision passes.
    pub collide: Duration,
}

impl Stages {
    /// All stages together; measuring on request is not counted.
    pub fn total(&self) -> Duration {
        self.predict + self.local + self.global + self.collide
    }

    /// Adds another step's stages.
    pub fn add(&mut self, other: &Self) {
        self.predict += other.predict;
        self.local += other.local;
        self.global += other.global;
        self.collide += other.collide;
    }
}

/// Quantities measured on request ([`StepParams::measure`](crate::StepParams::measure)).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// Incremental potential ½‖x − s‖²_{M/h²} + E(x) at the last iterate, before the second collision pass, J.
    pub objective: Real,
    /// Largest force imbalance of a vertex, max_i |∇objective(x)_i|, at the same point, N.
    pub residual: Real,
    /// Worst strain over all batches and number of inverted elements, at the new state.
    pub strain: Strain,
    /// ½ Σ m v² of the new state, J.
    pub kinetic: Real,
    /// Elastic energy of the new state, J.
    pub elastic: Real,
    /// −Σ m g·x of the new state, J.
    pub potential: Real,
}

/// What contact did in a step, of steppers that keep bodies apart.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ContactReport {
    /// Contacts that press.
    pub contacts: usize,
    /// Contacts that may act.
    pub rows: usize,
    /// Least gap of these, m; infinite if there are none.
    pub min_gap: Real,
    /// Vertices that were held back from crossing at the end of the step.
    pub clamped: usize,
    /// Times that the step was taken up again because vertices were held back, and one.
    pub rounds: usize,
    /// Lists of near pairs made.
    pub rebuilds: usize,
    /// Pairs between which no plane was found, so that their vertices did not move.
    pub uncertified: usize,
    /// Part of their way that vertices of prescribed motion went; less than 1 if they would have crushed something.
    pub obstacle_fraction: Real,
    /// Linear solves.
    pub solves: usize,
    /// Evaluations of all contacts.
    pub evaluations: usize,
    /// Wall time of making lists; part of [`Stages::collide`].
    pub listing: Duration,
}

impl StepReport {
    /// The report of two steps in a row: counts and times add up, the rest is of the later step.
    pub fn followed_by(&self, later: &Self) -> Self {
        let mut stages = self.stages;
        stages.add(&later.stages);
        Self {
            iterations: self.iterations + later.iterations,
            local_steps: self.local_steps + later.local_steps,
            linear_iterations: self.linear_iterations + later.linear_iterations,
            collisions: self.collisions + later.collisions,
            stages,
            ..*later
        }
    }
}

/// What one step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Local/global iterations done.
    pub iterations: usize,
    /// Local steps done: one an iteration, and one more for each step that a safeguard or a line search tried; accelerated
    /// steppers also spend three to five on their first iterate, `pd-lbfgs` at times one on the third.
    pub local_steps: usize,
    /// Force imbalance ‖∇objective‖ of the last iterate over that of the first; 0 if the first was 0. Known one
    /// iteration late, since the gradient is taken before each solve.
    pub reduction: Real,
    /// The last linear solve.
    pub linear: SolveReport,
    /// Iterations of all linear solves.
    pub linear_iterations: usize,
    /// Vertices moved by the second collision pass.
    pub collisions: usize,
    /// Of steppers that keep bodies apart.
    pub contact: Option<ContactReport>,
    /// Wall times.
    pub stages: Stages,
    /// Measured on request.
    pub measures: Option<Measures>,
}
