//! External forces that depend on positions, velocities and time. Gravity is a parameter of the step.

use crate::{Real, Vec3, View};
use std::ops::Range;

/// A force on vertices. Forces are summed into the predictor of every step; they are never stored.
///
/// ```
/// use pd_core::{Force, Real, State, Vec3, View};
/// use std::ops::Range;
/// /// Pulls every vertex to the origin with 2 N/m.
/// struct Centre;
/// impl Force for Centre {
///     fn kind(&self) -> &'static str { "centre" }
///     fn add(&self, state: &View<'_>, _time: Real, vertices: Range<usize>, force: &mut [Vec3]) {
///         for (f, x) in force.iter_mut().zip(&state.x[vertices]) { *f -= x * 2.0; }
///     }
/// }
/// let mut force = [Vec3::zeros()];
/// Centre.add(&State::at_rest(vec![Vec3::x()]).view(), 0.0, 0..1, &mut force);
/// assert_eq!(force[0].x, -2.0);
/// ```
pub trait Force: Send + Sync {
    /// Name of the force, for reports.
    fn kind(&self) -> &'static str;

    /// Number of vertices that a model must have at least for this force to act on it.
    fn min_vertices(&self) -> usize {
        0
    }

    /// Adds the force (N) on each of `vertices` into `force`, whose first entry belongs to `vertices.start`.
    /// `state` is the state at the start of the step and `time` the time at its end, s. Called for disjoint ranges
    /// in parallel: gather what a vertex receives, do not scatter.
    fn add(&self, state: &View<'_>, time: Real, vertices: Range<usize>, force: &mut [Vec3]);
}
