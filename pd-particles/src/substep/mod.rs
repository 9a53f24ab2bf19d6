//! The stepper `unified-substep`: many short substeps, one sweep of Gauss–Seidel in each.
//!
//! A frame of n substeps of h = dt/n; in each
//! 1. d = h v + h² a for every grain and body,
//! 2. if needed, neighbours anew (`search.rs`),
//! 3. rows of obstacles (`touch.rs`) and bodies (`rows.rs`) from positions at the start of the substep,
//! 4. links of ropes and cloth (`links.rs`), then sweeps: pairs of grains in two colours (`grains.rs`), rows of bodies, goals of deformable bodies,
//! 5. x += d, poses advance (`body.rs`), v = d/h.
//!
//! Short substeps converge faster than many iterations of a long one (Macklin et al. 2019, "Small steps"), and without the
//! averaging of a Jacobi iteration every row is met in full when it is visited. All impulses are pairs of opposite ones, so
//! momentum is kept to rounding.

mod body;
mod grains;
mod links;
mod manifold;
mod memory;
mod passes;
mod rows;
mod scratch;
mod search;
mod touch;

use crate::ParticleModel;
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Owner, Real, StepContext, StepError, StepReport, Stepper, Vec3, View, as_vectors, stepper};
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
    /// Sweeps over the links of ropes, cloth and inflatables in a substep. Default 2.
    pub link_sweeps: usize,
    /// Sweeps over grains in a substep where some spin; without spin there is one. Default 4.
    pub spin_sweeps: usize,
    /// Fastest that an overlap is pushed apart, m/s. Default 3.
    pub push_speed: Real,
}

impl Default for SubstepSettings {
    fn default() -> Self {
        Self {
            substeps: 12,
            most_substeps: 128,
            body_sweeps: 4,
            link_sweeps: 2,
            spin_sweeps: 4,
            push_speed: 3.0,
        }
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
}

impl SubstepSettings {
    /// Names the first setting that is out of range.
    ///
    /// # Errors
    /// [`StepError::Parameter`].
    pub fn check(&self) -> Result<(), StepError> {
        let SubstepSettings { substeps, most_substeps, body_sweeps, link_sweeps, spin_sweeps, push_speed } =
            *self;
        for (name, value) in [
            ("substeps", substeps),
            ("body_sweeps", body_sweeps),
            ("link_sweeps", link_sweeps),
            ("spin_sweeps", spin_sweeps),
        ] {
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
        self.settings.check()?;
        if context.model.vertices() != self.model.len() {
            return Err(StepError::Size { model: context.model.vertices(), state: self.model.len() });
        }
        self.scratch = Some(Scratch::new(&self.model, context.colliders.len()));
        Ok(())
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        stepper::validate(&context, state)?;
        self.settings.check()?;
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
    state: &mut View<'_>,
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
        scratch.solve_links(model, settings.link_sweeps, h);
        scratch.solve(model, settings, push);
        scratch.match_shapes(model);
        report.iterations += 1;
        report.collisions = scratch.rows.len();
        scratch.advance(model);
        scratch.relax();
    }
    report.stages.local = started.elapsed().saturating_sub(report.stages.collide);
    accept(model, scratch, context, state, h)?;
    report.measures = context.params.measure.then(|| model.measures(state, &context.params.gravity));
    Ok(report)
}

/// Enough substeps that no particle moves by more than half the smallest radius in one.
fn substeps(
    model: &ParticleModel,
    settings: &SubstepSettings,
    context: StepContext<'_>,
    state: &View<'_>,
) -> usize {
    let dt = context.params.dt;
    let leaf =
        |range: std::ops::Range<usize>| state.v[range].iter().map(|v| v.norm_squared()).fold(0.0, Real::max);
    let speed = exec::reduce(0..state.v.len(), VERTEX_CHUNK, &leaf, &Real::max).sqrt();
    let needed = 2.0 * (speed + context.params.gravity.norm() * dt) * dt / model.radius_range()[1];
    (needed.ceil() as usize).clamp(settings.substeps, settings.most_substeps)
}

/// State to scratch; the particles' columns `x`, `d`, `turn` and `acceleration`, and the bodies.
fn load(model: &ParticleModel, scratch: &mut Scratch, context: StepContext<'_>, state: &View<'_>, h: Real) {
    scratch.memory.load(&state.columns, model.len());
    body::load(model, &scratch.inertia, state, h, &mut scratch.bodies);
    scratch.x.copy_from_slice(state.x);
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

/// Scratch to state, unless something is not finite.
fn accept(
    model: &ParticleModel,
    scratch: &mut Scratch,
    context: StepContext<'_>,
    state: &mut View<'_>,
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
