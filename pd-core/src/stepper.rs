//! Time steppers, and the parts of a step they share.

use crate::exec::{self, VERTEX_CHUNK};
use crate::{
    Collider, Force, Measures, Model, Real, State, StepError, StepParams, StepReport, Vec3,
    resolve_collisions,
};
use std::time::Instant;

/// Everything a stepper reads.
#[derive(Clone, Copy)]
pub struct StepContext<'a> {
    /// The constant model.
    pub model: &'a Model,
    /// Parameters.
    pub params: &'a StepParams,
    /// External forces besides gravity.
    pub forces: &'a [Box<dyn Force>],
    /// Obstacles.
    pub colliders: &'a [Box<dyn Collider>],
}

/// Advances a state. Holds scratch and factors, never the truth: it can be dropped and rebuilt at any time.
///
/// `prepare` allocates and factors for a model and a time step; `step` then allocates nothing. After an error the
/// state is what it was before the step.
pub trait Stepper: Send {
    /// Name for reports, as the registry of steppers has it.
    fn name(&self) -> &str;

    /// Name of the global solver inside, if there is one.
    fn global_name(&self) -> Option<&str> {
        None
    }

    /// "Baking": factors and scratch for this model and these parameters. Again after either changes.
    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError>;

    /// Advances the state by one time step.
    fn step(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError>;
}

/// s = x + h v + h² (g + M⁻¹ f): where inertia and external forces alone would take the vertices. `s` has one entry
/// per vertex.
pub fn predict(context: StepContext<'_>, state: &State, s: &mut [Vec3]) {
    let StepParams { dt, gravity, .. } = *context.params;
    let masses = context.model.masses();
    let end = state.time + dt;
    exec::for_each_chunk(s, VERTEX_CHUNK, |first, s| {
        let range = first..first + s.len();
        s.fill(Vec3::zeros());
        for force in context.forces {
            force.add(state, end, range.clone(), s);
        }
        for (s, i) in s.iter_mut().zip(range) {
            let acceleration = gravity + *s / masses[i];
            *s = state.x[i] + state.v[i] * dt + acceleration * (dt * dt);
        }
    });
}

/// Opens a step: s = the inertial target, moved out of obstacles; with
/// [`StepParams::hold_pinned`] pinned vertices stay where they are. Times go to the report.
pub fn open(context: StepContext<'_>, state: &State, s: &mut [Vec3], report: &mut StepReport) {
    let StepContext { model, params, colliders, .. } = context;
    let started = Instant::now();
    predict(context, state, s);
    report.stages.predict = started.elapsed();
    let started = Instant::now();
    resolve_collisions(colliders, state.time + params.dt, s);
    report.stages.collide = started.elapsed();
    if params.hold_pinned {
        for &vertex in model.pinned() {
            s[vertex as usize] = state.x[vertex as usize];
        }
    }
}

/// What every stepper checks before a step: parameters and sizes.
pub fn check(context: &StepContext<'_>, state: &State) -> Result<(), StepError> {
    context.params.check()?;
    let vertices = context.model.vertices();
    if state.vertices() != vertices || state.v.len() != vertices {
        return Err(StepError::Size { model: vertices, state: state.vertices() });
    }
    Ok(())
}

/// Closes a step: moves the new positions `x` out of obstacles, accepts them and, where `measures` of the minimum are
/// given, adds those of the accepted state.
pub fn close(
    context: StepContext<'_>,
    state: &mut State,
    x: &mut [Vec3],
    measures: Option<Measures>,
    report: &mut StepReport,
) -> Result<(), StepError> {
    let StepContext { params, colliders, .. } = context;
    let started = Instant::now();
    report.collisions = resolve_collisions(colliders, state.time + params.dt, x);
    report.stages.collide += started.elapsed();
    let started = Instant::now();
    finish(params, state, x)?;
    report.stages.predict += started.elapsed();
    report.measures = measures.map(|measures| measure_state(context, state, measures));
    Ok(())
}

/// Adds what belongs to the accepted state.
fn measure_state(context: StepContext<'_>, state: &State, measures: Measures) -> Measures {
    let (model, gravity) = (context.model, context.params.gravity);
    let masses = model.masses();
    let leaf = |range: std::ops::Range<usize>| {
        range.fold((0.0, 0.0), |(kinetic, potential), i| {
            let speed = state.v[i].norm_squared();
            (kinetic + 0.5 * masses[i] * speed, potential - masses[i] * gravity.dot(&state.x[i]))
        })
    };
    let add = |a: (Real, Real), b: (Real, Real)| (a.0 + b.0, a.1 + b.1);
    let (kinetic, potential) = exec::reduce(0..state.vertices(), VERTEX_CHUNK, &leaf, &add);
    let (elastic, strain) = (model.elastic_energy(&state.x), model.strain(&state.x));
    Measures { kinetic, potential, elastic, strain, ..measures }
}

/// Accepts new positions: v = (x⁺ − x)/h, damped; x = x⁺; time advances. Refuses positions that are not finite and
/// then leaves the state alone.
pub fn finish(params: &StepParams, state: &mut State, x: &[Vec3]) -> Result<(), StepError> {
    if let Some(vertex) = x.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        return Err(StepError::NotFinite { vertex });
    }
    let scale = 1.0 / (params.dt * (1.0 + params.dt * params.damping));
    for ((old, v), new) in state.x.iter_mut().zip(&mut state.v).zip(x) {
        *v = (new - *old) * scale;
        *old = *new;
    }
    state.time += params.dt;
    Ok(())
}

/// ½ Σ w_i |x_i − s_i|² over all vertices, in a fixed order.
pub(crate) fn weighted_square_distance(w: impl Fn(usize) -> Real + Sync, x: &[Vec3], s: &[Vec3]) -> Real {
    let leaf = |range: std::ops::Range<usize>| {
        range.map(|i| 0.5 * w(i) * (x[i] - s[i]).norm_squared()).sum::<Real>()
    };
    exec::reduce(0..x.len(), VERTEX_CHUNK, &leaf, &|a, b| a + b)
}
