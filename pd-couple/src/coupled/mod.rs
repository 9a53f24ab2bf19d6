//! The stepper `coupled`: every kind of matter moves by itself, then they meet.
//!
//! 0. Both ends of every contact of the last step are given its force.
//! 1. Each domain moves over the step h: x*, v*. Grains in water then exchange buoyancy and drag with it (`immersion`).
//! 2. Contacts between kinds, from x₀ to x*.
//! 3. Rows n·u ≥ n·u* − (γ − min(γ₀, 0))/h with the gap γ at x* and γ₀ at x₀, solved for velocities by Gauss–Seidel,
//!    with the attachments ([`attach`](crate::attach)).
//! 4. x = x* + h (v − v*). What overlaps still is parted by displacements along the normals that are opposite in the same way,
//!    at a bounded speed where it overlapped at the start; they leave velocities alone.
//! 5. Attached vertices are brought to their bodies once more, where 4 moved them.
//! 6. Points that were pressed through the walls of a grid are put on them. Vertices that 3 to 5 moved too far for contact among the deformable bodies themselves are held back where no surfaces
//!    intersect; then the guard: no point crosses a triangle.
//! 7. Bodies that felt any of this do not fall asleep.
//!
//! An overlap at the start does not become speed, and a contact is inelastic.

mod exchange;
mod foresee;
mod hold;
mod masses;
mod remember;
mod settings;

pub use settings::{CoupledReport, CoupledSettings};

use crate::attach::Attached;
use crate::domain::keep_awake;
use crate::find::{Finder, Motion};
use crate::guard::{Guarded, guard};
use crate::immersion::{Dip, Immersion};
use crate::memory::Memory;
use crate::{Attachment, CoupleError, Domain, Endpoint, Layout, Row, Scheme};
use pd_core::stepper::PreparedFor;
use pd_core::{Bodies, Mat3, Real, State, StepContext, StepError, StepReport, Stepper, Vec3, View};
use std::sync::Arc;
use std::time::Instant;

/// Advances several kinds of matter in one state.
pub struct Coupled {
    layout: Arc<Layout>,
    domains: Vec<Box<dyn Domain>>,
    settings: CoupledSettings,
    finder: Finder,
    immersion: Immersion,
    foresight: foresee::Foresight,
    pinch: remember::Pinch,
    prepared: Option<PreparedFor>,
    work: State,
    before: Bodies,
    rows: Vec<Row>,
    memory: Memory,
    /// 1/m of points and bodies; of points with the stiffness of elastic vertices in it, 1/(m + h² k), and with these held.
    inverse: Vec<Real>,
    stiff: Vec<Real>,
    held: Vec<Real>,
    body_inverse: Vec<Real>,
    zeros: Vec<Real>,
    inertia: Vec<Mat3>,
    no_inertia: Vec<Mat3>,
    parting: Vec<Row>,
    idle: Vec<u64>,
    attached: Attached,
    free: [Vec<Vec3>; 3],
    shift: [Vec<Vec3>; 3],
    crossed: Vec<(u32, u32)>,
    report: CoupledReport,
}

impl Coupled {
    /// Its name.
    pub const NAME: &'static str = "coupled";

    /// Domains are advanced in their order; matter on a grid comes before rigid bodies, so that these take its push along.
    ///
    /// # Errors
    /// [`CoupleError::Parameter`] for settings out of range, [`CoupleError::Light`] for a sheet too light for `staggered`; of
    /// matter whose mass on a cell is `pushed`, kg/m² (0 for none).
    pub fn new(
        layout: Layout,
        domains: Vec<Box<dyn Domain>>,
        settings: CoupledSettings,
        pushed: Real,
    ) -> Result<Self, CoupleError> {
        settings.check(&layout, pushed)?;
        let finder = Finder::new(&layout);
        Ok(Self {
            layout: Arc::new(layout),
            domains,
            settings,
            finder,
            immersion: Immersion::default(),
            foresight: foresee::Foresight::default(),
            pinch: remember::Pinch::default(),
            prepared: None,
            work: State::default(),
            before: Bodies::default(),
            rows: vec![],
            memory: Memory::default(),
            inverse: vec![],
            stiff: vec![],
            held: vec![],
            body_inverse: vec![],
            zeros: vec![],
            inertia: vec![],
            no_inertia: vec![],
            parting: vec![],
            idle: vec![],
            attached: Attached::default(),
            free: Default::default(),
            shift: Default::default(),
            crossed: vec![],
            report: CoupledReport::default(),
        })
    }

    /// Who can meet whom.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// What the last step did.
    pub fn report(&self) -> &CoupledReport {
        &self.report
    }

    /// Contacts of the last step, with their impulses.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Attachments that hold, with the force on the vertex in a last step of `h` s, N.
    pub fn attached(&self, h: Real) -> impl Iterator<Item = (Attachment, Vec3)> + '_ {
        self.attached.forces(h)
    }

    fn check(&self, context: &StepContext<'_>, state: &State) -> Result<(), StepError> {
        let points = self.layout.points();
        if state.x.len() != points || state.v.len() != points {
            return Err(StepError::Size { model: points, state: state.x.len() });
        }
        if context.model.vertices() != self.layout.elastic {
            return Err(StepError::Size { model: self.layout.elastic, state: context.model.vertices() });
        }
        if state.bodies.len() != self.layout.bodies() {
            let (has, wants) = (state.bodies.len(), self.layout.bodies());
            let what = format!("{has} bodies in the state where the layout has {wants}");
            return Err(StepError::Unsupported { stepper: Self::NAME.into(), what });
        }
        if !self.prepared.as_ref().is_some_and(|prepared| prepared.matches(context)) {
            return Err(StepError::NotPrepared { stepper: Self::NAME.into() });
        }
        Ok(())
    }

    fn run(&mut self, context: StepContext<'_>, state: &State) -> Result<StepReport, StepError> {
        self.work.clone_from(state);
        self.before.clone_from(&state.bodies);
        self.begin(context.params.dt);
        self.immersion.begin(&self.layout, &self.work.v);
        let mut total = StepReport::default();
        for domain in &mut self.domains {
            let report = domain.advance(context, &mut self.work)?;
            total = total.beside(&report);
        }
        let started = Instant::now();
        self.idle.clear();
        self.idle.extend_from_slice(self.work.columns.keys("mpm.idle"));
        self.before.clone_from(&self.work.bodies);
        let dip = Dip {
            x: &self.work.x,
            gravity: context.params.gravity,
            h: context.params.dt,
            idle: &self.idle,
            react: self.settings.scheme != Scheme::OneWay,
        };
        self.immersion.exchange(&self.layout, dip, &mut self.work.v);
        let motion = Motion {
            start: &state.x,
            end: &self.work.x,
            bodies_start: &state.bodies,
            bodies_end: &self.before,
            idle: &self.idle,
        };
        let h = context.params.dt;
        self.finder.glue(&self.attached);
        let split = self.finder.find(&self.layout, motion, &self.memory, h, &mut self.rows);
        self.turn_inertia();
        let foresees = self.settings.scheme == Scheme::Rows;
        if foresees {
            self.foresight.begin(&self.work.x);
        }
        self.impulses(context.params.dt, split);
        if foresees {
            self.foresight.look(context.model, &self.work.x, &self.rows, h);
        }
        self.part(context.params.dt, split);
        let gap = self.hold(context.params.dt);
        self.domains.iter().for_each(|domain| domain.confine(&mut self.work));
        let held_back = self.domains.iter().map(|domain| domain.keep_apart(&mut self.work)).sum();
        let motion = Motion {
            start: &state.x,
            end: &[],
            bodies_start: &state.bodies,
            bodies_end: &self.before,
            idle: &self.idle,
        };
        let Guarded { put_back, stalled } =
            guard(&mut self.finder, motion, &mut self.work.x, &mut self.crossed);
        if self.settings.scheme == Scheme::Rows {
            self.remember(h);
        }
        let count = self.layout.attachments.len();
        self.attached.store(count, &self.work.bodies, h, &mut self.work.columns);
        self.keep_awake();
        let active = self.rows.iter().filter(|row| row.lambda > 0.0);
        let (count, impulse) = active.fold((0, 0.0), |(n, sum), row| (n + 1, sum + row.lambda));
        self.report = CoupledReport {
            rows: self.rows.len(),
            active: count,
            impulse,
            put_back,
            stalled,
            held_back,
            gap,
            ..self.report
        };
        total.collisions += count;
        total.stages.collide += started.elapsed();
        if let Some(vertex) = self.work.first_not_finite() {
            return Err(StepError::NotFinite { vertex });
        }
        self.work.time = state.time + context.params.dt;
        Ok(total)
    }

    /// Bodies that contacts or attached vertices push do not fall asleep.
    fn keep_awake(&mut self) {
        if self.settings.scheme == Scheme::OneWay {
            return;
        }
        for row in self.rows.iter().filter(|row| row.lambda > 0.0) {
            if let Endpoint::Body { body, .. } = row.b {
                keep_awake(&mut self.work.columns, body as usize);
            }
        }
        for body in self.attached.carriers() {
            keep_awake(&mut self.work.columns, body);
        }
    }
}

impl Stepper for Coupled {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn keeps_surfaces_apart(&self) -> bool {
        self.domains.iter().any(|domain| domain.keeps_surfaces_apart())
    }

    fn as_any(&self) -> Option<&dyn std::any::Any> {
        Some(self)
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        context.params.check()?;
        for domain in &mut self.domains {
            domain.prepare(context)?;
        }
        self.weigh(context)?;
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
