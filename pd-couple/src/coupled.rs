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
//! 6. The guard: no point crosses a triangle.
//!
//! An overlap at the start does not become speed, and a contact is inelastic.

use crate::attach::Attached;
use crate::find::{Finder, Motion};
use crate::guard::{Guarded, guard};
use crate::immersion::{Dip, Immersion};
use crate::memory::Memory;
use crate::rows::solve_with;
use crate::warm::{Places, warm};
use crate::{Attachment, CoupleError, Domain, Layout, Movers, Row, Scheme, Velocities, solve_rows};
use nalgebra::UnitQuaternion;
use pd_core::stepper::PreparedFor;
use pd_core::{Bodies, Mat3, Real, State, StepContext, StepError, StepReport, Stepper, Vec3};
use std::sync::Arc;
use std::time::Instant;

/// Passes that bring attached vertices to their places after everything else, at most.
const HOLDS: usize = 3;

/// Settings of [`Coupled`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoupledSettings {
    /// How kinds act on each other.
    pub scheme: Scheme,
    /// Sweeps over the rows, at most. Default 16.
    pub sweeps: usize,
    /// Change of a relative velocity that is small enough to end the sweeps, m/s. Default 1e-6.
    pub enough: Real,
    /// Fastest that an overlap of the start is parted, m/s. Default 1.
    pub push_speed: Real,
}

impl Default for CoupledSettings {
    fn default() -> Self {
        Self { scheme: Scheme::default(), sweeps: 16, enough: 1e-6, push_speed: 1.0 }
    }
}

/// What a step did beside what every stepper reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CoupledReport {
    /// Contacts between kinds that were looked at.
    pub rows: usize,
    /// Of these, those with an impulse.
    pub active: usize,
    /// Largest change of a relative velocity in the last sweep, m/s.
    pub left: Real,
    /// Sum of the sizes of all impulses, kg·m/s.
    pub impulse: Real,
    /// Points that the guard put back to their side.
    pub put_back: usize,
    /// Points between surfaces that close.
    pub stalled: usize,
    /// Largest distance of an attached vertex from its place on the body, m.
    pub gap: Real,
}

/// Advances several kinds of matter in one state.
pub struct Coupled {
    layout: Arc<Layout>,
    domains: Vec<Box<dyn Domain>>,
    settings: CoupledSettings,
    finder: Finder,
    immersion: Immersion,
    prepared: Option<PreparedFor>,
    work: State,
    before: Bodies,
    rows: Vec<Row>,
    memory: Memory,
    /// 1/m of points and bodies, and with elastic matter held.
    inverse: Vec<Real>,
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
        let wrong = |name, value, expected| Err(CoupleError::Parameter { name, value, expected });
        if settings.sweeps == 0 {
            return wrong("sweeps", 0.0, "it must be at least 1");
        }
        if settings.scheme == Scheme::AdmmIpc {
            return Err(CoupleError::Unsupported {
                scheme: "admm-ipc",
                what: "rows; it has a stepper of its own",
            });
        }
        if settings.push_speed.is_nan() || settings.push_speed <= 0.0 {
            return wrong("push speed", settings.push_speed, "it must be positive");
        }
        if settings.scheme == Scheme::Staggered
            && let Some(light) = layout.sheets.iter().find(|sheet| sheet.mass_per_area < pushed)
        {
            let (name, own) = (light.name.clone(), light.mass_per_area);
            return Err(CoupleError::Light { name, own, pushed });
        }
        let finder = Finder::new(&layout);
        Ok(Self {
            layout: Arc::new(layout),
            domains,
            settings,
            finder,
            immersion: Immersion::default(),
            prepared: None,
            work: State::default(),
            before: Bodies::default(),
            rows: vec![],
            memory: Memory::default(),
            inverse: vec![],
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

    fn advance(&mut self, context: StepContext<'_>, state: &State) -> Result<StepReport, StepError> {
        self.work.clone_from(state);
        self.before.clone_from(&state.bodies);
        self.begin(context.params.dt);
        self.immersion.begin(&self.layout, &self.work.v);
        let mut total = StepReport::default();
        for domain in &mut self.domains {
            let report = domain.advance(context, &mut self.work)?;
            total = StepReport {
                contact: report.contact.or(total.contact),
                measures: report.measures.or(total.measures),
                ..total.followed_by(&report)
            };
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
        self.impulses(context.params.dt, split);
        self.part(context.params.dt, split);
        let gap = self.hold(context.params.dt);
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
            let forces = self.rows.iter().filter(|row| row.lambda > 0.0);
            let forces = forces.map(|row| (row.key, (row.normal * row.lambda + row.tangential) / h));
            Memory::store(forces, &mut self.work.columns);
        }
        let count = self.layout.attachments.len();
        self.attached.store(count, &self.work.bodies, h, &mut self.work.columns);
        let active = self.rows.iter().filter(|row| row.lambda > 0.0);
        let (count, impulse) = active.fold((0, 0.0), |(n, sum), row| (n + 1, sum + row.lambda));
        self.report = CoupledReport {
            rows: self.rows.len(),
            active: count,
            impulse,
            put_back,
            stalled,
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

    /// Gives the forces of the last step to both ends.
    fn begin(&mut self, h: Real) {
        self.memory.entries.clear();
        self.turn_inertia();
        let one_way = self.settings.scheme == Scheme::OneWay;
        let movers = Movers { points: &self.inverse, bodies: &self.body_inverse, inertia: &self.inertia };
        let still = Movers { points: &self.inverse, bodies: &self.zeros, inertia: &self.no_inertia };
        let Bodies { v, w, .. } = &mut self.work.bodies;
        let mut velocities = Velocities { points: &mut self.work.v, bodies: v, turns: w };
        let (x, columns) = (&self.work.x[..], &self.work.columns);
        let carrying = if one_way { &still } else { &movers };
        let attachments = &self.layout.attachments;
        self.attached.begin(attachments, columns, (x, &self.before), carrying, &mut velocities, h);
        if self.settings.scheme != Scheme::Rows {
            return;
        }
        self.memory.load(&self.work.columns);
        let places =
            Places { finder: &self.finder, layout: &self.layout, x: &self.work.x, bodies: &self.before };
        warm(&mut self.memory, &places, &movers, &mut velocities, h);
    }

    /// Inverse inertia of the bodies as they are turned now.
    fn turn_inertia(&mut self) {
        let Some(rigid) = &self.layout.rigid else { return };
        for (body, out) in self.inertia.iter_mut().enumerate() {
            *out = if rigid.is_dynamic(body) {
                let r = self.work.bodies.q[body].to_rotation_matrix();
                let inverse = rigid.inertia()[body].map(|i| 1.0 / i);
                r.matrix() * Mat3::from_diagonal(&inverse) * r.matrix().transpose()
            } else {
                Mat3::zeros()
            };
        }
    }

    /// Velocities after the rows, and the displacements that follow from their change.
    fn impulses(&mut self, h: Real, split: usize) {
        let bodies = &mut self.work.bodies;
        copy(&mut self.free[0], &self.work.v);
        copy(&mut self.free[1], &bodies.v);
        copy(&mut self.free[2], &bodies.w);
        let mut velocities =
            Velocities { points: &mut self.work.v, bodies: &mut bodies.v, turns: &mut bodies.w };
        for row in &mut self.rows {
            let relative = velocities.at(&row.a) - velocities.at(&row.b);
            row.bias = row.normal.dot(&relative) - (row.gap - row.gap_before.min(0.0)) / h;
        }
        let CoupledSettings { scheme, sweeps, enough, .. } = self.settings;
        let whole = Movers { points: &self.inverse, bodies: &self.body_inverse, inertia: &self.inertia };
        let still = Movers { points: &self.inverse, bodies: &self.zeros, inertia: &self.no_inertia };
        let attached = &mut self.attached;
        if let Some(rigid) = &self.layout.rigid {
            let at = (&self.work.x[..], &self.before);
            let carrying = if scheme == Scheme::OneWay { &still } else { &whole };
            attached.prepare(at, rigid, carrying, &velocities, h);
            attached.aim(at, &velocities, h);
        }
        self.report.left = match scheme {
            Scheme::Rows | Scheme::AdmmIpc => {
                solve_with(&mut self.rows, attached, &whole, &mut velocities, sweeps, enough)
            }
            Scheme::Staggered => solve_with(&mut self.rows, attached, &whole, &mut velocities, 1, enough),
            Scheme::OneWay => {
                let (loose, sheets) = self.rows.split_at_mut(split);
                let (bodies, inertia) = (&self.zeros[..], &self.no_inertia[..]);
                let lighter = Movers { points: &self.held, bodies, inertia };
                let left = solve_rows(loose, &lighter, &mut velocities, sweeps, enough);
                left.max(solve_with(sheets, attached, &still, &mut velocities, sweeps, enough))
            }
        };
        let moved = |now: &Vec3, before: &Vec3| (now - before) * h;
        for ((x, v), free) in self.work.x.iter_mut().zip(&self.work.v).zip(&self.free[0]) {
            *x += moved(v, free);
        }
        for b in 0..bodies.len() {
            bodies.p[b] += moved(&bodies.v[b], &self.free[1][b]);
            turn(&mut bodies.q[b], &moved(&bodies.w[b], &self.free[2][b]));
        }
    }

    /// Parts what overlaps still, without changing velocities.
    fn part(&mut self, h: Real, split: usize) {
        let bodies = &mut self.work.bodies;
        for (shift, count) in self.shift.iter_mut().zip([self.work.x.len(), bodies.len(), bodies.len()]) {
            shift.clear();
            shift.resize(count, Vec3::zeros());
        }
        let speeds = Velocities { points: &mut self.work.v, bodies: &mut bodies.v, turns: &mut bodies.w };
        let [free_points, free_bodies, free_turns] = &mut self.free;
        let free = Velocities { points: free_points, bodies: free_bodies, turns: free_turns };
        // Rows with their impulses stay for the report: displacements are solved on copies.
        self.parting.clear();
        for row in &self.rows {
            let change = (speeds.at(&row.a) - speeds.at(&row.b)) - (free.at(&row.a) - free.at(&row.b));
            let gap = row.gap + h * row.normal.dot(&change);
            let most = if row.gap_before < 0.0 { self.settings.push_speed * h } else { Real::INFINITY };
            self.parting
                .push(Row { bias: (-gap).min(most), ..Row::new(row.a, row.b, row.normal, gap, gap, 0.0) });
        }
        if !self.parting.iter().any(|row| row.bias > 0.0) {
            return;
        }
        let [points, body_shift, turns] = &mut self.shift;
        let mut shifts = Velocities { points, bodies: body_shift, turns };
        let (sweeps, enough) = (self.settings.sweeps, self.settings.enough * h);
        if self.settings.scheme == Scheme::OneWay {
            let (loose, sheets) = self.parting.split_at_mut(split);
            let (bodies, inertia) = (&self.zeros[..], &self.no_inertia[..]);
            solve_rows(loose, &Movers { points: &self.held, bodies, inertia }, &mut shifts, sweeps, enough);
            solve_rows(
                sheets,
                &Movers { points: &self.inverse, bodies, inertia },
                &mut shifts,
                sweeps,
                enough,
            );
        } else {
            let whole = Movers { points: &self.inverse, bodies: &self.body_inverse, inertia: &self.inertia };
            solve_rows(&mut self.parting, &whole, &mut shifts, sweeps, enough);
        }
        for (x, shift) in self.work.x.iter_mut().zip(&self.shift[0]) {
            *x += shift;
        }
        for b in 0..bodies.len() {
            bodies.p[b] += self.shift[1][b];
            turn(&mut bodies.q[b], &self.shift[2][b]);
        }
    }
}

impl Coupled {
    /// Brings attached vertices to their places once more, where displacements and the turn of the bodies left them off; then gives
    /// the bodies the angular velocity that has their angular momentum as they are turned now. Returns the largest gap, m.
    fn hold(&mut self, h: Real) -> Real {
        let Some(rigid) = self.layout.rigid.as_ref().filter(|_| !self.attached.is_empty()) else {
            return 0.0;
        };
        let one_way = self.settings.scheme == Scheme::OneWay;
        let movers = if one_way {
            Movers { points: &self.inverse, bodies: &self.zeros, inertia: &self.no_inertia }
        } else {
            Movers { points: &self.inverse, bodies: &self.body_inverse, inertia: &self.inertia }
        };
        let mut largest = 0.0;
        for pass in 0..=HOLDS {
            self.shift.iter_mut().for_each(|shift| shift.fill(Vec3::zeros()));
            let [points, bodies, turns] = &mut self.shift;
            let mut change = Velocities { points, bodies, turns };
            largest = self.attached.aim((&self.work.x, &self.work.bodies), &change, h);
            if pass == HOLDS || largest <= self.settings.enough * h {
                break;
            }
            self.attached.visit(&movers, &mut change);
            let work = &mut self.work;
            for ((x, v), change) in work.x.iter_mut().zip(&mut work.v).zip(&self.shift[0]) {
                *v += change;
                *x += change * h;
            }
            for b in self.attached.carriers() {
                let (change, spin) = (self.shift[1][b], self.shift[2][b]);
                work.bodies.v[b] += change;
                work.bodies.p[b] += change * h;
                work.bodies.w[b] += spin;
                turn(&mut work.bodies.q[b], &(spin * h));
            }
        }
        for b in self.attached.carriers().filter(|&b| rigid.is_dynamic(b) && !one_way) {
            let moments = &rigid.inertia()[b];
            let (was, now) = (&self.before.q[b], self.work.bodies.q[b]);
            let spin = was * was.inverse_transform_vector(&self.work.bodies.w[b]).component_mul(moments);
            self.work.bodies.w[b] = now * now.inverse_transform_vector(&spin).component_div(moments);
        }
        largest
    }
}

fn copy(to: &mut Vec<Vec3>, from: &[Vec3]) {
    to.clear();
    to.extend_from_slice(from);
}

fn turn(q: &mut UnitQuaternion<Real>, by: &Vec3) {
    if *by != Vec3::zeros() {
        *q = UnitQuaternion::new_normalize((UnitQuaternion::from_scaled_axis(*by) * *q).into_inner());
    }
}

impl Stepper for Coupled {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        context.params.check()?;
        for domain in &mut self.domains {
            domain.prepare(context)?;
        }
        let layout = &self.layout;
        self.inverse.clear();
        self.inverse.resize(layout.points(), 0.0);
        if let Some(held) = layout.attachments.iter().find(|a| context.model.is_kinematic(a.vertex as usize))
        {
            let what = format!("vertex {} attached to a body while its motion is prescribed", held.vertex);
            return Err(StepError::Unsupported { stepper: Self::NAME.into(), what });
        }
        for (i, mass) in context.model.masses().iter().enumerate().take(layout.elastic) {
            self.inverse[i] = if context.model.is_kinematic(i) { 0.0 } else { 1.0 / mass };
        }
        for set in [&layout.grains, &layout.material].into_iter().flatten() {
            for (i, mass) in set.points.clone().zip(&set.mass) {
                self.inverse[i] = 1.0 / mass;
            }
        }
        self.held.clear();
        self.held.extend_from_slice(&self.inverse);
        self.held[..layout.elastic].fill(0.0);
        let bodies = layout.bodies();
        self.body_inverse.clear();
        if let Some(rigid) = &layout.rigid {
            let inverse = |body: usize| if rigid.is_dynamic(body) { 1.0 / rigid.masses()[body] } else { 0.0 };
            self.body_inverse.extend((0..bodies).map(inverse));
        }
        self.zeros.clear();
        self.zeros.resize(bodies, 0.0);
        self.inertia.clear();
        self.inertia.resize(bodies, Mat3::zeros());
        self.no_inertia.clone_from(&self.inertia);
        self.prepared = Some(PreparedFor::new(&context));
        Ok(())
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError> {
        context.params.check()?;
        self.check(&context, state)?;
        let report = self.advance(context, state)?;
        std::mem::swap(state, &mut self.work);
        Ok(report)
    }
}
