//! The step of rigid bodies: contacts found once, islands solved in parallel, everything that lasts written to the state.

mod accept;
mod open;
mod parallel;

use crate::contacts::{Contacts, Manifolds};
use crate::island::Islands;
use crate::solve::contact::Manifold;
use crate::solve::factor::Factor;
use crate::solve::group::Groups;
use crate::solve::system::System;
use crate::{Direct, RigidModel, RigidParams, RigidSolver};
use nalgebra::Isometry3;
use pd_core::{Collider, Real, State, StepContext, StepError, StepParams, StepReport, Stepper, Vec3, View};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Columns of the state that this stepper writes.
pub mod columns {
    /// Force (N) or torque (N·m) of every row of a joint in the last substep; six numbers a joint.
    pub const JOINT_LAMBDA: &str = "joint.lambda";
    /// Values of the limited or driven coordinates of a joint, full turns included, m or rad; two a joint.
    pub const JOINT_COORDINATE: &str = "joint.coordinate";
    /// 1 where a joint is broken.
    pub const JOINT_BROKEN: &str = "joint.broken";
    /// Parts (or part and obstacle) of a contact point, and the features that made it; two keys a point.
    pub const CONTACT_KEY: &str = "contact.key";
    /// Force of a contact point on the first body, world frame, N; three numbers a point.
    pub const CONTACT_LAMBDA: &str = "contact.lambda";
    /// Place of a contact point on the first body, principal frame, m; three numbers a point.
    pub const CONTACT_PLACE: &str = "contact.place";
    /// Time for which a body has been at rest, s.
    pub const BODY_IDLE: &str = "body.idle";
    /// Force (N) and torque (N·m) on a body, world frame, six numbers a body. Read, not written: whoever pulls at bodies
    /// sets it; absent means none.
    pub const BODY_FORCE: &str = "body.force";
}

/// What one step of rigid bodies did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RigidReport {
    /// Islands that moved.
    pub islands: usize,
    /// Dynamic bodies asleep.
    pub asleep: usize,
    /// Contact points.
    pub contacts: usize,
    /// Deepest overlap at the start of the step, m; zero or positive.
    pub overlap: Real,
    /// Largest distance between anchors that a joint holds together, at the end, m.
    pub joint_gap: Real,
    /// Joints broken so far.
    pub broken: usize,
    /// Substeps of islands with joints that `direct` did not take in second order: with contacts, soft joints, great tension or turns.
    pub fallbacks: usize,
    /// Time spent on finding contacts, laying out islands, solving them, and writing the state.
    pub times: [Duration; 4],
}

/// Advances [`State::bodies`](pd_core::State::bodies). See the crate's documentation for an example.
///
/// The stepper owns the constant [`RigidModel`]; a [`Model`](pd_core::Model) of vertices must be empty. Working memory grows
/// with the number of contacts and is kept, so that steps soon allocate nothing.
pub struct RigidStepper {
    model: Arc<RigidModel>,
    params: RigidParams,
    solver: Box<dyn RigidSolver>,
    systems: Vec<System>,
    /// Joints without which the systems were made.
    broken: Vec<u64>,
    islands: Islands,
    contacts: Contacts,
    found: Manifolds,
    manifolds: Vec<Manifold>,
    factors: Vec<Factor>,
    groups: Vec<Groups>,
    fallbacks: Vec<usize>,
    idle: Vec<Real>,
    awake: Vec<bool>,
    driven: Vec<(Isometry3<Real>, Vec3, Vec3)>,
    report: RigidReport,
}

impl RigidStepper {
    /// A stepper with the solver `direct`.
    pub fn new(model: Arc<RigidModel>, params: RigidParams) -> Self {
        Self::with_solver(model, params, Box::new(Direct))
    }

    /// A stepper with a solver of choice, see [`solver`](crate::solver).
    pub fn with_solver(model: Arc<RigidModel>, params: RigidParams, solver: Box<dyn RigidSolver>) -> Self {
        Self {
            systems: System::all(&model, |_| false),
            broken: vec![],
            contacts: Contacts::new(&model),
            model,
            params,
            solver,
            islands: Islands::default(),
            found: Manifolds::default(),
            manifolds: vec![],
            factors: vec![],
            groups: vec![],
            fallbacks: vec![],
            idle: vec![],
            awake: vec![],
            driven: vec![],
            report: RigidReport::default(),
        }
    }

    /// The model.
    pub fn model(&self) -> &Arc<RigidModel> {
        &self.model
    }

    /// The parameters.
    pub fn params(&self) -> &RigidParams {
        &self.params
    }

    /// What the last step did.
    pub fn report(&self) -> &RigidReport {
        &self.report
    }

    /// Points of contact of the last step for display: place and force on the first body, world frame, m and N.
    pub fn contact_forces(&self) -> impl Iterator<Item = (Vec3, Vec3)> + '_ {
        self.manifolds.iter().flat_map(move |m| m.points().iter().map(move |p| (p.place, m.force(p))))
    }

    /// Advances the bodies of a state by `params.dt` among obstacles, and its time with them.
    ///
    /// # Errors
    /// [`StepError::Parameter`] for parameters out of range, [`StepError::Unsupported`] if the state has another number of
    /// bodies, [`StepError::BodyNotFinite`] if a pose or velocity is not finite any more. The
    /// state is then what it was.
    pub fn advance(
        &mut self,
        params: &StepParams,
        colliders: &[Box<dyn Collider>],
        state: &mut State,
    ) -> Result<StepReport, StepError> {
        let mut view = state.view();
        let report = self.advance_view(params, colliders, &mut view)?;
        state.time = view.time;
        Ok(report)
    }

    /// As [`advance`](Self::advance), of what a view shows.
    ///
    /// # Errors
    /// Those of [`advance`](Self::advance).
    pub fn advance_view(
        &mut self,
        params: &StepParams,
        colliders: &[Box<dyn Collider>],
        state: &mut View<'_>,
    ) -> Result<StepReport, StepError> {
        params.check()?;
        self.params.check()?;
        let bodies = self.model.bodies();
        if state.bodies.len() != bodies {
            let what = format!("{} bodies in the state where the model has {bodies}", state.bodies.len());
            return Err(StepError::Unsupported { stepper: "rigid".into(), what });
        }
        let mut report = StepReport::default();
        let started = Instant::now();
        self.open(params, state);
        self.find_contacts(params, colliders, state);
        report.stages.collide = started.elapsed();
        let found = Instant::now();
        self.lay_out(params, state);
        let laid_out = Instant::now();
        self.solve(params);
        let solved = Instant::now();
        report.stages.global = found.elapsed();
        self.accept(params, state)?;
        self.report.times = [found - started, laid_out - found, solved - laid_out, solved.elapsed()];
        report.iterations = self.params.substeps;
        report.collisions = self.report.contacts;
        Ok(report)
    }
}

impl Stepper for RigidStepper {
    fn name(&self) -> &str {
        "rigid"
    }

    fn global_name(&self) -> Option<&str> {
        Some(self.solver.name())
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        context.params.check()?;
        self.params.check()?;
        if context.model.vertices() > 0 {
            let what = format!("a model with {} vertices", context.model.vertices());
            return Err(StepError::Unsupported { stepper: "rigid".into(), what });
        }
        Ok(())
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        self.advance_view(context.params, context.colliders, state)
    }
}
