//! The stepper `unified`, as published: averaged Jacobi with over-relaxation (Macklin, Müller, Chentanez, Kim 2014).
//!
//! A step
//! 1. v += dt f, x* = x + dt v, masses scaled by exp(−k · height);
//! 2. neighbours from x*;
//! 3. stabilisation: contacts of the *old* positions x, moving x and x* alike, so that no velocity is created;
//! 4. iterations: contacts, links, shapes, each a group of its own: Δx_i = (ω/n_i) Σ Δx_i^(j);
//! 5. v = (x* − x)/dt, and x = x* unless |x* − x| < ε.
//!
//! What it keeps: cost that is known in advance, the same bits for any number of threads (each particle gathers its own
//! corrections). What it does not: momentum, where mass scaling or freezing are on or n_i differ between two partners; heights
//! of towers, which sink; and grains that creep below ε per frame stick for ever. Use `unified-substep` for those.

use crate::matching::Matching;
use crate::unified_links::Averages;
use crate::{Axes, Grid, ParticleModel, grid};
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Real, StepContext, StepError, StepReport, Stepper, Surface, Vec3, View, stepper};
use std::sync::Arc;
use std::time::Instant;

/// Live parameters of [`Unified`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnifiedSettings {
    /// Iterations over all groups. Default 8.
    pub iterations: usize,
    /// Iterations of stabilisation on the old positions. Default 2.
    pub stabilisation: usize,
    /// Over-relaxation ω of the averages, 1 to 2. Default 1.5.
    pub relaxation: Real,
    /// Mass scaling k, 1/m: m* = m exp(−k h). Default 0, which keeps Newton's third law.
    pub mass_scaling: Real,
    /// Displacement per step below which a particle stays where it is, m. Default 0.
    pub freeze: Real,
}

impl Default for UnifiedSettings {
    fn default() -> Self {
        Self { iterations: 8, stabilisation: 2, relaxation: 1.5, mass_scaling: 0.0, freeze: 0.0 }
    }
}

/// The stepper; see the module's documentation.
pub struct Unified {
    model: Arc<ParticleModel>,
    /// May be changed between steps.
    pub settings: UnifiedSettings,
    scratch: Option<Scratch>,
}

#[derive(Default)]
struct Scratch {
    grid: Grid,
    /// Position at the start, predicted position, correction of an iteration; by particle.
    old: Vec<Vec3>,
    new: Vec<Vec3>,
    change: Vec<Vec3>,
    /// 1/m*, 1/kg.
    inverse: Vec<Real>,
    surfaces: Vec<Vec<Surface>>,
    matching: Vec<Matching>,
    links: Averages,
}

impl Unified {
    /// Its name.
    pub const NAME: &'static str = "unified";

    /// For the particles of a model.
    pub fn new(model: Arc<ParticleModel>, settings: UnifiedSettings) -> Self {
        Self { model, settings, scratch: None }
    }
}

impl UnifiedSettings {
    /// Names the first setting that is out of range.
    ///
    /// # Errors
    /// [`StepError::Parameter`].
    pub fn check(&self) -> Result<(), StepError> {
        let UnifiedSettings { iterations, relaxation, mass_scaling, freeze, .. } = *self;
        let wrong = |name, value, expected| Err(StepError::Parameter { name, value, expected });
        if !(1..=10_000).contains(&iterations) {
            return wrong("iterations", iterations as Real, "it must be from 1 to 10000");
        }
        if !(1.0..=2.0).contains(&relaxation) {
            return wrong("relaxation", relaxation, "it must be from 1 to 2");
        }
        for (name, value) in [("mass_scaling", mass_scaling), ("freeze", freeze)] {
            if !(value >= 0.0 && value.is_finite()) {
                return wrong(name, value, "it must be zero or positive and finite");
            }
        }
        Ok(())
    }
}

impl Stepper for Unified {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        self.settings.check()?;
        let (model, n) = (&*self.model, self.model.len());
        if context.model.vertices() != n {
            return Err(StepError::Size { model: context.model.vertices(), state: n });
        }
        let zeros = vec![Vec3::zeros(); n];
        let matching = |body: &crate::ParticleBody| {
            Matching::new(body.kind, &model.rest[body.range.clone()], model.mass[body.range.start], true)
        };
        let mut scratch = Scratch {
            old: zeros.clone(),
            new: zeros.clone(),
            change: zeros,
            inverse: vec![0.0; n],
            surfaces: vec![vec![Surface::default(); n]; context.colliders.len()],
            matching: model.bodies.iter().map(matching).collect(),
            links: Averages::new(&model.links, n),
            ..Scratch::default()
        };
        scratch.grid.reserve(n);
        self.scratch = Some(scratch);
        Ok(())
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        stepper::validate(&context, state)?;
        self.settings.check()?;
        let ready =
            |s: &&mut Scratch| s.surfaces.len() == context.colliders.len() && s.old.len() == state.vertices();
        let Some(scratch) = self.scratch.as_mut().filter(ready) else {
            return Err(StepError::NotPrepared { stepper: Self::NAME.into() });
        };
        let (model, settings, started) = (&*self.model, &self.settings, Instant::now());
        exec::keep_workers_spinning(|| scratch.frame(model, settings, context, state));
        let mut report = StepReport { iterations: settings.iterations, ..StepReport::default() };
        report.stages.local = started.elapsed();
        scratch.accept(model, settings, context, state)?;
        report.measures = context.params.measure.then(|| model.measures(state, &context.params.gravity));
        Ok(report)
    }
}

impl Scratch {
    fn frame(
        &mut self,
        model: &ParticleModel,
        settings: &UnifiedSettings,
        context: StepContext<'_>,
        state: &View<'_>,
    ) {
        self.old.copy_from_slice(state.x);
        stepper::predict(context, state, &mut self.new);
        let gravity = context.params.gravity;
        let up = if gravity.norm() > 0.0 { -gravity.normalize() } else { Vec3::zeros() };
        for i in 0..model.len() {
            if model.fixed(i) {
                self.new[i] = self.old[i];
            }
            self.inverse[i] = model.inverse_mass(i) * (settings.mass_scaling * up.dot(&self.new[i])).exp();
        }
        let [most, least] = model.radius_range();
        let bounds = grid::bounds(&self.new);
        self.grid.build(&self.new, 2.0 * most + 0.5 * least, Axes::new(&gravity, &(bounds.max - bounds.min)));
        let end = state.time + context.params.dt;
        for _ in 0..settings.stabilisation {
            self.contacts(model, context, end, true);
            self.apply(settings.relaxation, true);
        }
        self.links.start();
        for _ in 0..settings.iterations {
            self.contacts(model, context, end, false);
            self.apply(settings.relaxation, false);
            let dt = context.params.dt;
            self.links.iterate(&model.links, &mut self.new, &self.inverse, settings.relaxation, dt);
            self.shapes(model);
        }
    }

    /// Averaged corrections of contacts at the old positions, or at the predicted ones with friction.
    fn contacts(&mut self, model: &ParticleModel, context: StepContext<'_>, end: Real, at_old: bool) {
        let Self { grid, old, new, change, inverse, surfaces, .. } = self;
        let x: &[Vec3] = if at_old { old } else { new };
        for (collider, surfaces) in context.colliders.iter().zip(surfaces.iter_mut()) {
            exec::for_each_chunk(surfaces, VERTEX_CHUNK, |first, out| {
                collider.sample(&x[first..first + out.len()], end, out);
            });
        }
        let gather = Gather {
            model,
            grid,
            x,
            moved: (!at_old).then_some(old),
            inverse,
            surfaces,
            dt: context.params.dt,
        };
        exec::for_each_chunk(change, VERTEX_CHUNK / 4, |first, change| {
            change.iter_mut().zip(first..).for_each(|(change, i)| *change = gather.particle(i));
        });
    }

    fn apply(&mut self, relaxation: Real, old_too: bool) {
        for (i, change) in self.change.iter().enumerate() {
            self.new[i] += change * relaxation;
            if old_too {
                self.old[i] += change * relaxation;
            }
        }
    }

    /// The group of shapes: every body's particles go to their goals.
    fn shapes(&mut self, model: &ParticleModel) {
        for (body, matching) in model.bodies.iter().zip(&self.matching) {
            let (rest, x) = (&model.rest[body.range.clone()], &mut self.new[body.range.clone()]);
            let fit = matching.fit(rest, x.iter().copied());
            x.iter_mut().zip(rest).for_each(|(x, q)| *x = matching.goal(&fit, q));
        }
    }

    fn accept(
        &mut self,
        model: &ParticleModel,
        settings: &UnifiedSettings,
        context: StepContext<'_>,
        state: &mut View<'_>,
    ) -> Result<(), StepError> {
        let finite = |x: &Vec3| x.iter().all(|c| c.is_finite());
        if let Some(vertex) = self.new.iter().zip(&self.old).position(|(a, b)| !finite(a) || !finite(b)) {
            return Err(StepError::NotFinite { vertex });
        }
        let dt = context.params.dt;
        let scale = 1.0 / (dt * (1.0 + dt * context.params.damping));
        for i in 0..model.len() {
            let moved = self.new[i] - self.old[i];
            state.v[i] = moved * scale;
            // Stabilisation moves a frozen particle too: it has no velocity.
            state.x[i] = if moved.norm() < settings.freeze { self.old[i] } else { self.new[i] };
        }
        state.time += dt;
        Ok(())
    }
}

/// What the corrections of a particle depend on.
struct Gather<'a> {
    model: &'a ParticleModel,
    grid: &'a Grid,
    x: &'a [Vec3],
    /// Positions before the step, for friction.
    moved: Option<&'a Vec<Vec3>>,
    inverse: &'a [Real],
    surfaces: &'a [Vec<Surface>],
    dt: Real,
}

impl Gather<'_> {
    /// Mean correction of a particle over its contacts.
    fn particle(&self, i: usize) -> Vec3 {
        let (model, x) = (self.model, self.x);
        let (mut sum, mut count) = (Vec3::zeros(), 0.0);
        if self.inverse[i] == 0.0 {
            return sum;
        }
        let own = |k: usize| self.moved.map(|old| x[k] - old[k]);
        self.grid.candidates(&x[i], |range| {
            for &j in &self.grid.order()[range] {
                let j = j as usize;
                let (e, reach) = (x[i] - x[j], model.radius[i] + model.radius[j]);
                if j == i || e.norm_squared() >= reach * reach || !model.may_touch(i, j) {
                    continue;
                }
                let length = e.norm();
                let n = if length > 0.0 { e / length } else { Vec3::y() * if i < j { 1.0 } else { -1.0 } };
                let share = self.inverse[i] / (self.inverse[i] + self.inverse[j]);
                let (a, b) = (model.friction_of(i), model.friction_of(j));
                let mu = [0.5 * (a.fixed + b.fixed), 0.5 * (a.sliding + b.sliding)];
                let rel = own(i).zip(own(j)).map(|(a, b)| a - b);
                sum += correction(&n, reach - length, rel, mu) * share;
                count += 1.0;
            }
        });
        for surfaces in self.surfaces {
            let surface = &surfaces[i];
            let depth = model.radius[i] - surface.distance;
            if depth > 0.0 {
                let friction = model.friction_of(i);
                let rel = own(i).map(|d| d - surface.velocity * self.dt);
                sum += correction(&surface.normal, depth, rel, [friction.fixed, friction.sliding]);
                count += 1.0;
            }
        }
        if count > 0.0 { sum / count } else { sum }
    }
}

/// Parting by `depth` along `n`, less friction against the relative displacement.
fn correction(n: &Vec3, depth: Real, rel: Option<Vec3>, [fixed, sliding]: [Real; 2]) -> Vec3 {
    let push = n * depth;
    let Some(rel) = rel else { return push };
    let tangent = rel - n * n.dot(&rel);
    let length = tangent.norm();
    let share = if length <= fixed * depth { 1.0 } else { (sliding * depth / length).min(1.0) };
    push - tangent * share
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Friction, scenes};

    fn top(scene: &scenes::Scene, settings: UnifiedSettings, frames: usize, threads: usize) -> (Real, u64) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut stepper = Unified::new(scene.particles.clone(), settings);
            stepper.prepare(scene.context()).unwrap();
            let mut state = scene.state();
            for _ in 0..frames {
                stepper.step(scene.context(), &mut state).unwrap();
            }
            (state.x.iter().map(|x| x.y).fold(Real::MIN, Real::max), state.hash())
        })
    }

    #[test]
    fn towers_sink_as_published_and_mass_scaling_holds_them_up() {
        let scene = scenes::sand(4, 20, Friction::new(0.5)).unwrap();
        let plain = top(&scene, UnifiedSettings::default(), 50, 1);
        let scaled = top(&scene, UnifiedSettings { mass_scaling: 3.0, ..UnifiedSettings::default() }, 50, 1);
        assert!(plain.0 > 0.5 && plain.0 < 1.95, "{plain:?}");
        assert!(scaled.0 > plain.0, "{scaled:?} {plain:?}");
        assert_eq!(top(&scene, UnifiedSettings::default(), 50, 3), plain, "any number of threads");
    }

    #[test]
    fn rigid_cubes_keep_their_shape() {
        let scene = scenes::cubes("cubes", 1.0, crate::BodyKind::Rigid).unwrap();
        let mut stepper = Unified::new(scene.particles.clone(), UnifiedSettings::default());
        stepper.prepare(scene.context()).unwrap();
        let mut state = scene.state();
        for _ in 0..60 {
            stepper.step(scene.context(), &mut state).unwrap();
        }
        let length = |x: &[Vec3]| (x[0] - x[705]).norm();
        assert!((length(&state.x) - length(&scene.state().x)).abs() < 1e-9);
        assert!(state.x.iter().all(|x| x.y > 0.0));
    }
}
