//! Time steppers, and the parts of a step they share.

use crate::exec::{self, VERTEX_CHUNK};
use crate::{Collider, Force, Model, Real, State, StepError, StepParams, StepReport, Vec3};

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
