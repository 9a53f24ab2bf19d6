//! The stepper `admm-ipc`: solids and what touches them as one barrier problem, split by ADMM.
//!
//! After Algorithms 4 and 5 of the coupling thesis, corrected: multipliers are scaled throughout, the contact step has the barrier
//! and not its limit, its gradient has its true length, and the clamp is applied to the way that was tested.
//!
//! 1. Water and grains take their own step: x*, v*. Solids get their inertial targets.
//! 2. Pairs of points and triangles that may come near on the way.
//! 3. The [iteration](solve): elastic local step, contact local step, prefactored solve, clamp.
//! 4. v = (x − x₀)/h of vertices, v* + (x − x*)/h of points.
//!
//! Nothing crosses at any time; momentum is kept up to what the iteration leaves. There is no friction, and rigid bodies are refused.

mod contact;
mod solve;
#[cfg(test)]
mod tests;

pub use solve::Stalled;

use crate::find::{Finder, Motion};
use crate::guard::{Guarded, guard};
use crate::immersion::{Dip, Immersion};
use crate::{CoupleError, Domain, Layout};
use contact::Pair;
use pd_collide::barrier::LogBarrier;
use pd_collide::distance::point_triangle;
use pd_core::stepper::{self, PreparedFor};
use pd_core::{
    GlobalSolver, Real, Share, State, StepContext, StepError, StepReport, Stepper, Vec3, View, exec,
};
use solve::{Solver, Until};
use std::time::Instant;

/// Settings of [`AdmmIpc`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdmmSettings {
    /// Iterations of a step, at most. Default 300.
    pub iterations: usize,
    /// What may be left of the smallest contact distance when the iteration ends. Default 1e-5.
    pub tolerance: Real,
}

impl Default for AdmmSettings {
    fn default() -> Self {
        Self { iterations: 300, tolerance: 1e-5 }
    }
}

/// What a step did beside what every stepper reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct AdmmReport {
    /// Pairs of a point and a triangle.
    pub pairs: usize,
    /// Iterations taken.
    pub iterations: usize,
    /// Largest distance of a copy from its point, or last way of a point, m.
    pub left: Real,
    /// Smallest distance of a pair at the end, m; infinite without pairs.
    pub least_distance: Real,
    /// Where the way to the answer was not free, if it was not.
    pub stalled: Option<Stalled>,
    /// Points that the guard put back to their side: none as long as pairs are found in time.
    pub put_back: usize,
}

/// Advances solids with water and grains that touch them.
pub struct AdmmIpc {
    layout: Layout,
    domains: Vec<Box<dyn Domain>>,
    settings: AdmmSettings,
    finder: Finder,
    immersion: Immersion,
    solver: Solver,
    prepared: Option<PreparedFor>,
    work: State,
    target: Vec<Vec3>,
    pairs: Vec<Pair>,
    crossed: Vec<(u32, u32)>,
    idle: Vec<u64>,
    report: AdmmReport,
}

impl AdmmIpc {
    /// Its name.
    pub const NAME: &'static str = "admm-ipc";

    /// Solids of the context's model with the points that `domains` move; `global` solves with the constant matrix.
    ///
    /// # Errors
    /// [`CoupleError::Unsupported`] for rigid bodies, [`CoupleError::Parameter`] for settings out of range.
    pub fn new(
        layout: Layout,
        domains: Vec<Box<dyn Domain>>,
        global: Box<dyn GlobalSolver>,
        settings: AdmmSettings,
    ) -> Result<Self, CoupleError> {
        if layout.bodies() > 0 {
            return Err(CoupleError::Unsupported { scheme: Self::NAME, what: "rigid bodies" });
        }
        if settings.iterations == 0 {
            let expected = "it must be at least 1";
            return Err(CoupleError::Parameter { name: "iterations", value: 0.0, expected });
        }
        if settings.tolerance.is_nan() || settings.tolerance <= 0.0 {
            let (value, expected) = (settings.tolerance, "it must be positive");
            return Err(CoupleError::Parameter { name: "tolerance", value, expected });
        }
        let finder = Finder::new(&layout);
        Ok(Self {
            layout,
            domains,
            settings,
            finder,
            immersion: Immersion::default(),
            solver: Solver::new(global),
            prepared: None,
            work: State::default(),
            target: vec![],
            pairs: vec![],
            crossed: vec![],
            idle: vec![],
            report: AdmmReport::default(),
        })
    }

    /// What the last step did.
    pub fn report(&self) -> &AdmmReport {
        &self.report
    }

    fn check(&self, context: &StepContext<'_>, state: &State) -> Result<(), StepError> {
        let (points, elastic) = (self.layout.points(), self.layout.elastic);
        if state.x.len() != points || state.v.len() != points {
            return Err(StepError::Size { model: points, state: state.x.len() });
        }
        if context.model.vertices() != elastic {
            return Err(StepError::Size { model: elastic, state: context.model.vertices() });
        }
        stepper::validate_forces(context)?;
        if !self.prepared.as_ref().is_some_and(|prepared| prepared.matches(context)) {
            return Err(StepError::NotPrepared { stepper: Self::NAME.into() });
        }
        Ok(())
    }

    fn run(&mut self, context: StepContext<'_>, state: &State) -> Result<StepReport, StepError> {
        let (n, dt) = (self.layout.elastic, context.params.dt);
        self.work.clone_from(state);
        self.immersion.begin(&self.layout, &self.work.v);
        let mut total = StepReport::default();
        for domain in &mut self.domains {
            total = total.followed_by(&domain.advance(context, &mut self.work)?);
        }
        let started = Instant::now();
        self.idle.clear();
        self.idle.extend_from_slice(self.work.columns.keys("mpm.idle"));
        let State { x, v, .. } = &mut self.work;
        let dip = Dip { x, gravity: context.params.gravity, h: dt, idle: &self.idle, react: true };
        self.immersion.exchange(&self.layout, dip, v);
        self.target.clone_from(&self.work.x);
        // Elastic vertices are still where they were.
        let (elastic, target) = (self.work.share(&Share { points: 0..n, prefix: "" }), &mut self.target[..n]);
        stepper::predict(context, &elastic, target);
        stepper::push_out(context, &elastic, target);
        stepper::hold_pinned(context, &elastic, target);
        let least = self.find_pairs(state)?;
        self.work.x.copy_from_slice(&state.x);
        let Self { solver, work, pairs, target, settings, .. } = self;
        let until = Until { iterations: settings.iterations, left: settings.tolerance * least };
        let solved =
            exec::keep_workers_spinning(|| solver.solve(context.model, target, &mut work.x, pairs, until))?;
        let damped = 1.0 / (dt * (1.0 + dt * context.params.damping));
        for i in 0..n {
            work.v[i] = (work.x[i] - state.x[i]) * damped;
        }
        for i in n..work.x.len() {
            work.v[i] += (work.x[i] - target[i]) / dt;
        }
        self.domains.iter().for_each(|domain| domain.confine(work));
        let distance = |pair: &Pair| {
            let at = pair.points.map(|i| work.x[i as usize]);
            point_triangle(&at).separation(&at).norm()
        };
        let least_distance = pairs.iter().map(distance).fold(Real::INFINITY, Real::min);
        let (bodies, idle) = (&state.bodies, &self.idle[..]);
        let motion = Motion { start: &state.x, end: &[], bodies_start: bodies, bodies_end: bodies, idle };
        let Guarded { put_back, .. } = guard(&mut self.finder, motion, &mut work.x, &mut self.crossed);
        self.report = AdmmReport {
            pairs: pairs.len(),
            iterations: solved.iterations,
            left: solved.left,
            least_distance,
            stalled: solved.stalled,
            put_back,
        };
        if let Some(vertex) = work.first_not_finite() {
            return Err(StepError::NotFinite { vertex });
        }
        work.time = state.time + dt;
        total.iterations += solved.iterations;
        total.collisions += pairs.len();
        total.stages.collide += started.elapsed();
        Ok(total)
    }

    /// Pairs on the way from the state to the targets; returns the smallest contact distance.
    fn find_pairs(&mut self, state: &State) -> Result<Real, StepError> {
        let (bodies, idle) = (&state.bodies, &self.idle[..]);
        let motion =
            Motion { start: &state.x, end: &self.target, bodies_start: bodies, bodies_end: bodies, idle };
        self.finder.near_sheets(&motion, true);
        self.pairs.clear();
        let mut least = Real::INFINITY;
        for (ball, facet) in self.finder.sheet_pairs() {
            let (ball, facet) = (&self.finder.balls()[ball], &self.finder.facets()[facet]);
            let reach = ball.radius + facet.half_thickness;
            let barrier = LogBarrier::new(reach).map_err(|error| StepError::Unsupported {
                stepper: Self::NAME.into(),
                what: error.to_string(),
            })?;
            let [a, b, c] = facet.vertices;
            self.pairs.push(self.solver.pair([ball.point, a, b, c], barrier, &state.x));
            least = least.min(reach);
        }
        Ok(if least.is_finite() { least } else { 1.0 })
    }
}

impl Stepper for AdmmIpc {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn as_any(&self) -> Option<&dyn std::any::Any> {
        Some(self)
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        context.params.check()?;
        stepper::require_elastic(Self::NAME, context.model)?;
        for domain in &mut self.domains {
            domain.prepare(context)?;
        }
        let mut masses = context.model.masses()[..self.layout.elastic].to_vec();
        for set in [&self.layout.grains, &self.layout.material].into_iter().flatten() {
            masses.extend_from_slice(&set.mass);
        }
        self.solver.prepare(context.model, &masses, context.params.dt)?;
        self.prepared = Some(PreparedFor::new(&context));
        Ok(())
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError> {
        context.params.check()?;
        self.check(&context, state)?;
        let report = self.run(context, state)?;
        std::mem::swap(state, &mut self.work);
        Ok(report)
    }

    fn advance(&mut self, _: StepContext<'_>, _: &mut View<'_>) -> Result<StepReport, StepError> {
        let what = "a part of a state: it divides a whole one".to_owned();
        Err(StepError::Unsupported { stepper: Self::NAME.into(), what })
    }
}
