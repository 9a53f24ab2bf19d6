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
    /// Sum of all stages; optional measurements are not included.
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

impl Measures {
    /// Of two kinds of matter that were advanced side by side: energies and inverted elements add up, force and strain are the
    /// larger of the two.
    pub fn beside(&self, other: &Self) -> Self {
        Self {
            objective: self.objective + other.objective,
            residual: self.residual.max(other.residual),
            strain: self.strain.max(other.strain),
            kinetic: self.kinetic + other.kinetic,
            elastic: self.elastic + other.elastic,
            potential: self.potential + other.potential,
        }
    }
}

/// Contact statistics of a step, of steppers with intersection-free contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ContactReport {
    /// Active contacts.
    pub contacts: usize,
    /// Candidate contacts.
    pub rows: usize,
    /// Least gap of these, m; infinite if there are none.
    pub min_gap: Real,
    /// Vertices whose motion was clipped at the end of the step to prevent intersections.
    pub clamped: usize,
    /// These as a part of all that are free to move.
    pub clamped_share: Real,
    /// What was clipped, as a part of the step's motion in the norm √(Σ m |Δx|²); included in [`StepReport::missing`].
    pub held: Real,
    /// Attempts of the step: one, plus one for each repetition because vertices were clipped.
    pub rounds: usize,
    /// Number of times the candidate list was built.
    pub rebuilds: usize,
    /// Pairs between which no plane was found, so that their vertices did not move.
    pub uncertified: usize,
    /// Fraction of their prescribed motion that kinematic vertices made; less than 1 if they would have crushed something.
    pub obstacle_fraction: Real,
    /// Pairs of triangles that crossed at the start of the step and are being pushed apart.
    pub tangled: usize,
    /// Linear solves.
    pub solves: usize,
    /// Evaluations of all contacts.
    pub evaluations: usize,
    /// Wall time of building candidate lists; part of [`Stages::collide`].
    pub listing: Duration,
}

impl ContactReport {
    /// Of two kinds of matter that were advanced side by side: counts add up, the least gap and fraction of both.
    pub fn beside(&self, other: &Self) -> Self {
        Self {
            contacts: self.contacts + other.contacts,
            rows: self.rows + other.rows,
            tangled: self.tangled + other.tangled,
            rounds: self.rounds.max(other.rounds),
            ..self.followed_by(other)
        }
    }

    /// The report of two steps in a row: counts and times add up, the least gap and fraction and the larger shares of both, the rest of the
    /// later.
    pub fn followed_by(&self, later: &Self) -> Self {
        Self {
            min_gap: self.min_gap.min(later.min_gap),
            clamped: self.clamped + later.clamped,
            clamped_share: self.clamped_share.max(later.clamped_share),
            held: self.held.max(later.held),
            rounds: self.rounds + later.rounds,
            rebuilds: self.rebuilds + later.rebuilds,
            uncertified: self.uncertified + later.uncertified,
            obstacle_fraction: self.obstacle_fraction.min(later.obstacle_fraction),
            solves: self.solves + later.solves,
            evaluations: self.evaluations + later.evaluations,
            listing: self.listing + later.listing,
            ..*later
        }
    }
}

/// What both have to say, by `join`; where only one has, that.
fn either<T: Copy>(a: Option<T>, b: Option<T>, join: impl Fn(&T, &T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(join(&a, &b)),
        (a, b) => a.or(b),
    }
}

impl StepReport {
    /// The report of two kinds of matter that were advanced over the same step, one after the other: nothing of either is lost.
    pub fn beside(&self, other: &Self) -> Self {
        Self {
            reduction: self.reduction.max(other.reduction),
            linear: if other.linear == SolveReport::default() { self.linear } else { other.linear },
            contact: either(self.contact, other.contact, ContactReport::beside),
            measures: either(self.measures, other.measures, Measures::beside),
            ..self.followed_by(other)
        }
    }

    /// The report of two steps in a row: counts and times add up, the larger missing part of both, the rest is of the later step.
    pub fn followed_by(&self, later: &Self) -> Self {
        let mut stages = self.stages;
        stages.add(&later.stages);
        Self {
            iterations: self.iterations + later.iterations,
            local_steps: self.local_steps + later.local_steps,
            linear_iterations: self.linear_iterations + later.linear_iterations,
            collisions: self.collisions + later.collisions,
            contact: either(self.contact, later.contact, ContactReport::followed_by),
            stages,
            missing: either(self.missing, later.missing, |first, later| first.max(*later)),
            ..*later
        }
    }
}

/// Report of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Local/global iterations done.
    pub iterations: usize,
    /// Local steps done: one per iteration, and one more for each trial step of a safeguard or line search; accelerated
    /// steppers also use three to five for the initial guess, `pd-lbfgs` sometimes one in the third iteration.
    pub local_steps: usize,
    /// Force imbalance ‖∇objective‖ of the last iterate over that of the first; 0 if the first was 0. Known one
    /// iteration late, since the gradient is taken before each solve.
    pub reduction: Real,
    /// Estimate of the part of the step's motion that its iterations have left out, ‖x* − x‖/‖motion‖ with the minimiser x* of
    /// the step, from the contraction of the last iterations (see [`missing`](crate::missing)); 0.01 if 1 % is missing. `None` from
    /// steppers that do not iterate toward a minimiser or have done too few iterations to tell.
    pub missing: Option<Real>,
    /// The last linear solve.
    pub linear: SolveReport,
    /// Iterations of all linear solves.
    pub linear_iterations: usize,
    /// Vertices moved by the second collision pass.
    pub collisions: usize,
    /// Contact statistics, of steppers with intersection-free contact.
    pub contact: Option<ContactReport>,
    /// Wall times.
    pub stages: Stages,
    /// Measured on request.
    pub measures: Option<Measures>,
}
