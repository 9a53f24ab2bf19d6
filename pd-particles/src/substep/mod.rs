//! The stepper `unified-substep`: many short substeps, one sweep of Gauss–Seidel in each.
//!
//! A frame of n substeps of h = dt/n; in each
//! 1. d = h v + h² a for every grain and body,
//! 2. if needed, neighbours anew (`search.rs`),
//! 3. rows of obstacles (`touch.rs`) and bodies (`rows.rs`) from positions at the start of the substep,
//! 4. sweeps: pairs of grains in two colours (`grains.rs`), rows of bodies, goals of deformable bodies,
//! 5. x += d, poses advance (`body.rs`), v = d/h.
//!
//! Short substeps converge faster than many iterations of a long one (Macklin et al. 2019, "Small steps"), and without the
//! averaging of a Jacobi iteration every row is met in full when it is visited. All impulses are pairs of opposite ones, so
//! momentum is kept to rounding.

mod body;
mod grains;
mod manifold;
mod memory;
mod rows;
mod scratch;
mod search;
mod touch;

use crate::model::NO_BODY;
use crate::{BodyKind, ParticleModel};
use grains::{Grain, Sweep};
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Owner, Real, State, StepContext, StepError, StepReport, Stepper, Vec3, as_vectors, stepper};
use rows::{Contact, End, Movers, Source, is_rigid, normal_and_gap, see};
use scratch::Scratch;
use search::Frame;
use std::sync::Arc;
use std::time::Instant;

/// Column of spins, rad/s; three numbers a particle, only where a set has rolling friction.
const SPIN: &str = "grain.spin";

/// Settings of [`UnifiedSubstep`]; they may change between steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SubstepSettings {
    /// Substeps of a frame, at least; fast particles get more, so that none moves by more than half the smallest radius
    /// in one. Default 12.
    pub substeps: usize,
    /// Most substeps. Default 128.
    pub most_substeps: usize,
    /// Sweeps over the rows of bodies in a substep; grains have one. Default 4.
    pub body_sweeps: usize,
    /// Fastest that an overlap is pushed apart, m/s. Default 3.
    pub push_speed: Real,
}

impl Default for SubstepSettings {
    fn default() -> Self {
        Self { substeps: 12, most_substeps: 128, body_sweeps: 4, push_speed: 3.0 }
    }
}

/// The stepper; see the module's documentation.
pub struct UnifiedSubstep {
    model: Arc<ParticleModel>,
    /// May be changed between steps.
    pub settings: SubstepSettings,
    scratch: Option<Scratch>,
}

impl UnifiedSubstep {
    /// Its name.
    pub const NAME: &'static str = "unified-substep";

    /// For the particles of a model.
    pub fn new(model: Arc<ParticleModel>, settings: SubstepSettings) -> Self {
        Self { model, settings, scratch: None }
    }

    /// The particles.
    pub fn particles(&self) -> &Arc<ParticleModel> {
        &self.model
    }

    fn check(&self) -> Result<(), StepError> {
        let SubstepSettings { substeps, most_substeps, body_sweeps, push_speed } = self.settings;
        for (name, value) in [("substeps", substeps), ("body_sweeps", body_sweeps)] {
            if !(1..=10_000).contains(&value) {
                return Err(StepError::Parameter {
                    name,
                    value: value as Real,
                    expected: "it must be from 1 to 10000",
                });
            }
        }
        if most_substeps < substeps {
            let value = most_substeps as Real;
            return Err(StepError::Parameter {
                name: "most_substeps",
                value,
                expected: "it must not be below substeps",
            });
        }
        if push_speed.is_nan() || push_speed <= 0.0 {
            let expected = "it must be positive, in m/s";
            return Err(StepError::Parameter { name: "push_speed", value: push_speed, expected });
        }
        Ok(())
    }
}

impl Stepper for UnifiedSubstep {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        self.check()?;
        if context.model.vertices() != self.model.len() {
            return Err(StepError::Size { model: context.model.vertices(), state: self.model.len() });
        }
        self.scratch = Some(Scratch::new(&self.model, context.colliders.len()));
        Ok(())
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError> {
        stepper::validate(&context, state)?;
        self.check()?;
        let ready =
            |s: &&mut Scratch| s.touches.len() == context.colliders.len() && s.x.len() == state.vertices();
        let Some(scratch) = self.scratch.as_mut().filter(ready) else {
            return Err(StepError::NotPrepared { stepper: Self::NAME.into() });
        };
        let (model, settings) = (&*self.model, &self.settings);
        exec::keep_workers_spinning(|| frame(model, settings, scratch, context, state))
    }
}

/// One frame, all of it in scratch until the end.
fn frame(
    model: &ParticleModel,
    settings: &SubstepSettings,
    scratch: &mut Scratch,
    context: StepContext<'_>,
    state: &mut State,
) -> Result<StepReport, StepError> {
    let (dt, started) = (context.params.dt, Instant::now());
    let mut report = StepReport::default();
    let n = substeps(model, settings, context, state);
    let h = dt / n as Real;
    load(model, scratch, context, state, h);
    let mut stale = true;
    for k in 0..n {
        let at = state.time + dt * k as Real / n as Real;
        let frame = Frame {
            model,
            colliders: context.colliders,
            gravity: context.params.gravity,
            time: at,
            rest: (n - k) as Real * h,
            h,
        };
        scratch.predict(&frame, k == 0 && stale);
        if stale || scratch.stale() {
            let searched = Instant::now();
            if k > 0 {
                scratch.unsort(model);
                scratch.remember(h);
                scratch.memory.index(model.len());
            }
            scratch.search(&frame);
            report.stages.collide += searched.elapsed();
        }
        stale = false;
        scratch.turn_deformable(model);
        scratch.obstacles(&frame);
        scratch.body_rows(&frame);
        let push = settings.push_speed * h;
        scratch.solve(model, settings, push);
        scratch.match_shapes(model);
        report.iterations += 1;
        report.collisions = scratch.rows.len();
        scratch.advance(model);
        scratch.relax();
    }
    report.stages.local = started.elapsed().saturating_sub(report.stages.collide);
    accept(model, scratch, context, state, h)?;
    Ok(report)
}

/// Enough substeps that no particle moves by more than half the smallest radius in one.
fn substeps(
    model: &ParticleModel,
    settings: &SubstepSettings,
    context: StepContext<'_>,
    state: &State,
) -> usize {
    let dt = context.params.dt;
    let leaf =
        |range: std::ops::Range<usize>| state.v[range].iter().map(|v| v.norm_squared()).fold(0.0, Real::max);
    let speed = exec::reduce(0..state.v.len(), VERTEX_CHUNK, &leaf, &Real::max).sqrt();
    let needed = 2.0 * (speed + context.params.gravity.norm() * dt) * dt / model.radius_range()[1];
    (needed.ceil() as usize).clamp(settings.substeps, settings.most_substeps)
}

/// State to scratch; the particles' columns `x`, `d`, `turn` and `acceleration`, and the bodies.
fn load(model: &ParticleModel, scratch: &mut Scratch, context: StepContext<'_>, state: &State, h: Real) {
    scratch.memory.load(&state.columns, model.len());
    body::load(model, &scratch.inertia, state, h, &mut scratch.bodies);
    scratch.x.copy_from_slice(&state.x);
    exec::for_each_chunk(&mut scratch.d, VERTEX_CHUNK, |first, d| {
        for (d, (i, v)) in d.iter_mut().zip((first..).zip(&state.v[first..])) {
            *d = if model.fixed(i) { Vec3::zeros() } else { v * h };
        }
    });
    let spins = as_vectors(state.columns.real(SPIN));
    for (i, turn) in scratch.turn.iter_mut().enumerate() {
        *turn = spins.get(i).map_or_else(Vec3::zeros, |spin| spin * h);
    }
    let gravity = context.params.gravity;
    let end = state.time + context.params.dt;
    exec::for_each_chunk(&mut scratch.acceleration, VERTEX_CHUNK, |first, a| {
        a.fill(Vec3::zeros());
        let range = first..first + a.len();
        context.forces.iter().for_each(|force| force.add(state, end, range.clone(), a));
        for (a, i) in a.iter_mut().zip(range) {
            *a = *a / model.mass[i] + gravity;
        }
    });
}

impl Scratch {
    fn some_deformable(&self) -> bool {
        self.bodies.len() != self.rigid_bodies
    }

    /// d += h² a. Before the first search of a frame the particles are still in their own order.
    fn predict(&mut self, frame: &Frame<'_>, unsorted: bool) {
        let (h2, model, acceleration) = (frame.h * frame.h, frame.model, &self.acceleration);
        if unsorted {
            exec::for_each_chunk(&mut self.d, VERTEX_CHUNK, |first, d| {
                for (d, i) in d.iter_mut().zip(first..) {
                    *d += acceleration[i] * (if model.fixed(i) { 0.0 } else { h2 });
                }
            });
        } else {
            let order = &self.order;
            exec::for_each_chunk(&mut self.grains, VERTEX_CHUNK, |first, grains| {
                for (grain, &i) in grains.iter_mut().zip(&order[first..]) {
                    grain.d += acceleration[i as usize] * (if grain.w > 0.0 { h2 } else { 0.0 });
                }
            });
        }
        for body in &mut self.bodies {
            let range = model.bodies[body.index as usize].range.clone();
            if model.bodies[body.index as usize].kind != BodyKind::Rigid {
                continue;
            }
            let mean = acceleration[range.clone()].iter().sum::<Vec3>() / range.len() as Real;
            let arms = model.rest[range.clone()].iter().map(|q| body.turn * q);
            let torque: Vec3 =
                arms.zip(&acceleration[range.clone()]).map(|(r, a)| r.cross(&(a - mean))).sum();
            body.d += mean * h2;
            body.theta += body.inverse * torque * (model.mass[range.start] * h2);
        }
    }

    /// Rows of obstacles for a substep.
    fn obstacles(&mut self, frame: &Frame<'_>) {
        let (model, end) = (frame.model, frame.time + frame.h);
        let Self { touches, grains, bodies, order, .. } = self;
        let (grains, bodies, order) = (&*grains, &*bodies, &*order);
        for (touches, collider) in touches.iter_mut().zip(frame.colliders) {
            let place = |k: usize| see(model, bodies, &grains[k], order[k] as usize).x;
            touches.rows(collider.as_ref(), (end, frame.h), place, |k| grains[k].r);
        }
    }

    /// Rows of bodies for a substep.
    fn body_rows(&mut self, frame: &Frame<'_>) {
        self.rows.clear();
        if !self.some_bodies {
            return;
        }
        let model = frame.model;
        let mut rows = std::mem::take(&mut self.rows);
        let mut bodies = std::mem::take(&mut self.bodies);
        let mut grains = std::mem::take(&mut self.grains);
        let movers = Movers { grains: &mut grains, bodies: &mut bodies };
        for layer in 0..self.body_pairs.layers() {
            for (&[a, b], slot) in self.body_pairs.layer(layer).iter().zip(self.body_pairs.room(layer)) {
                let (a, b) = (a as usize, b as usize);
                let (i, j) = (self.order[a] as usize, self.order[b] as usize);
                let sa = see(model, movers.bodies, &movers.grains[a], i);
                let sb = see(model, movers.bodies, &movers.grains[b], j);
                let (n, gap) = normal_and_gap(&sa, &sb);
                let at = (sa.x * sb.r + sb.x * sa.r) / (sa.r + sb.r);
                let last = std::mem::take(&mut self.body_last[slot]);
                let end = |i: usize, k: usize| end(model, movers.bodies, i, k, &at);
                let (a, b, rub, size) = (end(i, a), end(j, b), self.rub(model, i, j), sa.r + sb.r);
                let source = Source::Pair(slot);
                rows.extend(movers.row(Contact {
                    a,
                    b,
                    n,
                    gap,
                    rub,
                    size,
                    last,
                    at,
                    source,
                    number: rows.len(),
                }));
            }
        }
        for (collider, touches) in self.touches.iter_mut().enumerate() {
            for number in 0..touches.all().len() {
                let touch = touches.all()[number];
                let k = touch.point as usize;
                let i = self.order[k] as usize;
                if model.body[i] == NO_BODY {
                    continue; // the sweep over grains has it
                }
                let seen = see(model, movers.bodies, &movers.grains[k], i);
                let at = seen.x - touch.normal * seen.r;
                let (a, b) = (end(model, movers.bodies, i, k, &at), End::Obstacle(touch.slide));
                let (n, gap, rub, size) =
                    (touch.normal, touch.gap, touches.rub[model.set[i] as usize], seen.r);
                let source = Source::Touch(collider as u32, number as u32);
                let last = std::mem::take(&mut touches.last[number]);
                rows.extend(movers.row(Contact {
                    a,
                    b,
                    n,
                    gap,
                    rub,
                    size,
                    last,
                    at,
                    source,
                    number: rows.len(),
                }));
            }
        }
        manifold::reduce(&mut rows);
        (self.rows, self.bodies, self.grains) = (rows, bodies, grains);
    }

    /// Brings every row to its bounds, those of bodies forwards and backwards in turn.
    fn solve(&mut self, model: &ParticleModel, settings: &SubstepSettings, push: Real) {
        let sets = model.sets.len();
        if self.some_free {
            let sweep = Sweep { pairs: &self.grain_pairs, set: &self.set, rub: &self.rub, sets, push };
            sweep.run(&mut self.grains, &mut self.spins);
            for (touches, touch) in
                self.touches.iter().flat_map(|touches| touches.all().iter().map(move |t| (touches, t)))
            {
                let k = touch.point as usize;
                if model.body[self.order[k] as usize] == NO_BODY {
                    let rub = &touches.rub[self.set[k] as usize];
                    touch.solve(&mut self.grains[k], self.spins.get_mut(k), rub, push);
                }
            }
        }
        let mut movers = Movers { grains: &mut self.grains, bodies: &mut self.bodies };
        self.rows.iter().for_each(|row| movers.warm(row));
        for sweep in 0..settings.body_sweeps {
            if sweep % 2 == 0 {
                self.rows.iter_mut().for_each(|row| movers.solve(row, push));
            } else {
                self.rows.iter_mut().rev().for_each(|row| movers.solve(row, push));
            }
        }
    }

    /// Takes back the velocity that pushing bodies apart has left, and notes the forces.
    fn relax(&mut self) {
        let mut movers = Movers { grains: &mut self.grains, bodies: &mut self.bodies };
        self.rows.iter_mut().for_each(|row| movers.relax(row));
        for row in &self.rows {
            match row.source {
                Source::Pair(slot) => self.body_last[slot] = row.last(),
                Source::Touch(collider, number) => {
                    self.touches[collider as usize].last[number as usize] = row.last()
                }
            }
        }
    }

    /// Moves the particles of deformable bodies to their goals.
    fn match_shapes(&mut self, model: &ParticleModel) {
        for (k, body) in model.bodies.iter().enumerate().filter(|(_, body)| body.kind != BodyKind::Rigid) {
            let (places, rest) = (&self.rank[body.range.clone()], &model.rest[body.range.clone()]);
            let grains = &self.grains;
            let x = places.iter().map(|&k| grains[k as usize].x + grains[k as usize].d);
            let fit = self.matching[k].fit(rest, x);
            for (&place, q) in places.iter().zip(rest) {
                let grain: &mut Grain = &mut self.grains[place as usize];
                grain.d = self.matching[k].goal(&fit, q) - grain.x;
            }
        }
    }

    /// x += d and the poses.
    fn advance(&mut self, model: &ParticleModel) {
        let movers = Movers { grains: &mut self.grains, bodies: &mut self.bodies };
        self.rows.iter_mut().for_each(|row| movers.follow(row));
        exec::for_each_chunk(&mut self.grains, VERTEX_CHUNK, |_, grains| {
            grains.iter_mut().for_each(|grain| grain.x += grain.d);
        });
        for body in &mut self.bodies {
            let parts = &model.bodies[body.index as usize];
            if parts.kind == BodyKind::Rigid {
                body.moved += body.d.norm() + body.theta.norm() * parts.reach;
                body.advance(&self.inertia[body.index as usize]);
            }
        }
    }
}

/// The side of a row that a particle is on.
fn end(model: &ParticleModel, bodies: &[body::Body], i: usize, place: usize, at: &Vec3) -> End {
    let b = model.body[i];
    if is_rigid(model, b) { End::Body(b, at - bodies[b as usize].p) } else { End::Point(place as u32) }
}

/// Scratch to state, unless something is not finite.
fn accept(
    model: &ParticleModel,
    scratch: &mut Scratch,
    context: StepContext<'_>,
    state: &mut State,
    h: Real,
) -> Result<(), StepError> {
    scratch.unsort(model);
    let finite = |v: &Vec3| v.iter().all(|c| c.is_finite());
    let bad = scratch.x.iter().zip(&scratch.d).position(|(x, d)| !finite(x) || !finite(d));
    if let Some(vertex) = bad {
        return Err(StepError::NotFinite { vertex });
    }
    let dt = context.params.dt;
    let scale = 1.0 / (h * (1.0 + dt * context.params.damping));
    state.x.copy_from_slice(&scratch.x);
    state.v.iter_mut().zip(&scratch.d).for_each(|(v, d)| *v = d * scale);
    scratch.remember(h);
    scratch.memory.store(&mut state.columns);
    body::store(model, &scratch.bodies, scale, &mut state.columns);
    if scratch.some_spin {
        let column = state.columns.real_mut(SPIN, Owner::Global, 3);
        column.clear();
        column.extend(scratch.turn.iter().flat_map(|turn| [turn.x, turn.y, turn.z].map(|c| c * scale)));
    }
    state.time += dt;
    Ok(())
}
