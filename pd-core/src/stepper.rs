//! Time steppers, and the parts of a step they share.
//!
//! A step is `predict → respond to contacts → minimise → accept`. Each part is a function here, so that a custom
//! stepper combines what it needs: [`validate`], [`predict`], [`push_out`], [`hold_pinned`], [`accept`], [`measure_state`].

use crate::exec::{self, VERTEX_CHUNK};
use crate::model::Revision;
use crate::{
    Collider, Force, Measures, Model, Real, State, StepError, StepParams, StepReport, Vec3, View,
    resolve_collisions,
};
use std::time::Instant;

/// Everything a stepper reads.
#[derive(Clone, Copy)]
#[non_exhaustive]
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

impl<'a> StepContext<'a> {
    /// A model with its parameters, forces and obstacles.
    pub fn new(
        model: &'a Model,
        params: &'a StepParams,
        forces: &'a [Box<dyn Force>],
        colliders: &'a [Box<dyn Collider>],
    ) -> Self {
        Self { model, params, forces, colliders }
    }

    /// A model with its parameters, without forces besides gravity and without obstacles.
    pub fn of(model: &'a Model, params: &'a StepParams) -> Self {
        Self::new(model, params, &[], &[])
    }
}

/// Which model and time step a stepper was prepared for.
#[derive(Clone, Debug)]
pub struct PreparedFor {
    revision: Revision,
    dt: Real,
}

impl PreparedFor {
    /// This model and time step.
    pub fn new(context: &StepContext<'_>) -> Self {
        Self { revision: context.model.revision().clone(), dt: context.params.dt }
    }

    /// Whether model and time step are still the same.
    pub fn matches(&self, context: &StepContext<'_>) -> bool {
        self.revision == *context.model.revision() && self.dt == context.params.dt
    }
}

/// Advances a state. Holds only scratch memory and factors: it can be dropped and rebuilt at any time.
///
/// `prepare` allocates and factors for a model and a time step; `step` then allocates nothing. After an error the
/// state is unchanged.
pub trait Stepper: Send + Sync {
    /// Name for reports, as in the registry of steppers.
    fn name(&self) -> &str;

    /// Name of the global solver inside, if there is one.
    fn global_name(&self) -> Option<&str> {
        None
    }

    /// Whether it prevents the collision [surface](Model::surface) of a model from intersecting. Other steppers reject a model with a surface.
    fn keeps_surfaces_apart(&self) -> bool {
        false
    }

    /// Moves vertices that something else has moved since the last step back to where no surfaces intersect, on the straight way
    /// from where the step left them; returns how many. `None` if the stepper cannot.
    fn keep_apart(&self, _x: &mut [Vec3]) -> Option<usize> {
        None
    }

    /// The stepper as `Any`, for queries of its concrete type, such as its contacts. `None` if it offers none.
    fn as_any(&self) -> Option<&dyn std::any::Any> {
        None
    }

    /// Factors and allocates scratch memory for this model and these parameters; to be repeated after either changes.
    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError>;

    /// Advances a state by one time step.
    fn step(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError> {
        let mut view = state.view();
        let report = self.advance(context, &mut view)?;
        state.time = view.time;
        Ok(report)
    }

    /// Advances what a view shows by one time step.
    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError>;
}

/// Validates parameters and sizes before a step.
pub fn validate(context: &StepContext<'_>, state: &View<'_>) -> Result<(), StepError> {
    context.params.check()?;
    let vertices = context.model.vertices();
    if state.vertices() != vertices || state.v.len() != vertices {
        return Err(StepError::Size { model: vertices, state: state.vertices() });
    }
    validate_forces(context)
}

/// Validates that the model has the vertices that forces act on.
pub fn validate_forces(context: &StepContext<'_>) -> Result<(), StepError> {
    let model = context.model.vertices();
    match context.forces.iter().find(|force| force.min_vertices() > model) {
        Some(force) => {
            Err(StepError::ForceSize { force: force.kind(), vertices: force.min_vertices(), model })
        }
        None => Ok(()),
    }
}

/// Check in `prepare` of a stepper for elastic bodies without contact between surfaces: [`require_elastic_apart`], and the model
/// has no collision surface.
pub fn require_elastic(stepper: &str, model: &Model) -> Result<(), StepError> {
    require_elastic_apart(stepper, model)?;
    if !model.surface().is_empty() {
        let what =
            "contact that keeps surfaces apart; use the stepper \"pd\", or contact \"project\" or \"off\"";
        return Err(StepError::Unsupported { stepper: stepper.to_owned(), what: what.to_owned() });
    }
    Ok(())
}

/// Check in `prepare` of a stepper for elastic bodies only: the model has vertices, and all of them are elastic.
pub fn require_elastic_apart(stepper: &str, model: &Model) -> Result<(), StepError> {
    let unsupported = |what: String| Err(StepError::Unsupported { stepper: stepper.to_owned(), what });
    if let Some(set) = model.sets().iter().find(|set| !set.kind.is_elastic()) {
        return unsupported(format!("particle set {:?} ({:?})", set.name, set.kind));
    }
    if model.vertices() == 0 {
        return unsupported("a model without vertices".to_owned());
    }
    Ok(())
}

/// The inertial target s = x + h v + h² (g + M⁻¹ f); kinematic vertices go to
/// their targets. `s` has one entry per vertex.
pub fn predict(context: StepContext<'_>, state: &View<'_>, s: &mut [Vec3]) {
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
    context.model.place_kinematic(s);
}

/// Moves positions out of the obstacles as they are at the end of the step, and kinematic vertices back to their targets:
/// the thesis' response to contact. Returns how many vertices were moved.
pub fn push_out(context: StepContext<'_>, state: &View<'_>, x: &mut [Vec3]) -> usize {
    let moved = resolve_collisions(context.colliders, state.time + context.params.dt, x);
    context.model.place_kinematic(x);
    moved
}

/// With [`StepParams::hold_pinned`], resets pinned vertices to their current positions.
pub fn hold_pinned(context: StepContext<'_>, state: &View<'_>, s: &mut [Vec3]) {
    if context.params.hold_pinned {
        for &vertex in context.model.pinned() {
            s[vertex as usize] = state.x[vertex as usize];
        }
        context.model.place_kinematic(s);
    }
}

/// Predicts, projects out of obstacles with [`push_out`] and holds pins; times go to the report. The first part of the thesis'
/// step, in one call.
pub fn begin_step(context: StepContext<'_>, state: &View<'_>, s: &mut [Vec3], report: &mut StepReport) {
    let started = Instant::now();
    predict(context, state, s);
    report.stages.predict = started.elapsed();
    let started = Instant::now();
    push_out(context, state, s);
    report.stages.collide = started.elapsed();
    hold_pinned(context, state, s);
}

/// Moves the new positions `x` out of obstacles, accepts them and, where `measures` of the minimum are given, adds those of
/// the accepted state. The last part of the thesis' step, in one call.
pub fn end_step(
    context: StepContext<'_>,
    state: &mut View<'_>,
    x: &mut [Vec3],
    measures: Option<Measures>,
    report: &mut StepReport,
) -> Result<(), StepError> {
    let started = Instant::now();
    report.collisions = push_out(context, state, x);
    report.stages.collide += started.elapsed();
    let started = Instant::now();
    accept(context.params, state, x)?;
    report.stages.predict += started.elapsed();
    report.measures = measures.map(|measures| measure_state(context, state, measures));
    Ok(())
}

/// Adds energies and strain of the accepted state to `measures`.
pub fn measure_state(context: StepContext<'_>, state: &View<'_>, measures: Measures) -> Measures {
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
    let (elastic, strain) = (model.elastic_energy(state.x), model.strain(state.x));
    Measures { kinetic, potential, elastic, strain, ..measures }
}

/// Accepts new positions: v = (x⁺ − x)/h, damped; x = x⁺; time advances. Rejects non-finite positions and then
/// leaves the state unchanged.
pub fn accept(params: &StepParams, state: &mut View<'_>, x: &[Vec3]) -> Result<(), StepError> {
    if let Some(vertex) = x.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        return Err(StepError::NotFinite { vertex });
    }
    let scale = 1.0 / (params.dt * (1.0 + params.dt * params.damping));
    for ((old, v), new) in state.x.iter_mut().zip(state.v.iter_mut()).zip(x) {
        *v = (new - *old) * scale;
        *old = *new;
    }
    state.time += params.dt;
    Ok(())
}

/// ½ Σ w_i |x_i − s_i|² over all vertices, in a fixed order.
pub fn weighted_square_distance(w: impl Fn(usize) -> Real + Sync, x: &[Vec3], s: &[Vec3]) -> Real {
    let leaf = |range: std::ops::Range<usize>| {
        range.map(|i| 0.5 * w(i) * (x[i] - s[i]).norm_squared()).sum::<Real>()
    };
    exec::reduce(0..x.len(), VERTEX_CHUNK, &leaf, &|a, b| a + b)
}
