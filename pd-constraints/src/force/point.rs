//! A constant force on chosen vertices for some time: a push, or the pull of a mouse.

use super::Interval;
use crate::{ConstraintError, check};
use pd_core::{Force, Real, Vec3, View};
use std::ops::Range;

/// The same force on each of a few vertices, acting for from ≤ t < to.
///
/// ```
/// use pd_constraints::PointForce;
/// use pd_core::{Force, State, Vec3};
/// let push = PointForce::new(&[1], Vec3::z() * 0.1 /* N */, 0.5, 1.0)?;
/// let mut force = [Vec3::zeros(); 2];
/// push.add(&State::at_rest(vec![Vec3::zeros(); 2]).view(), 0.7, 0..2, &mut force);
/// assert_eq!(force, [Vec3::zeros(), Vec3::z() * 0.1]);
/// # Ok::<(), pd_constraints::ConstraintError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PointForce {
    /// Ascending.
    vertices: Vec<u32>,
    force: Vec3,
    interval: Interval,
}

impl PointForce {
    /// `force` on each of `vertices`, N; a vertex named twice gets it twice. `to` may be infinite, s.
    pub fn new(vertices: &[u32], force: Vec3, from: Real, to: Real) -> Result<Self, ConstraintError> {
        check::finite("point force", &force)?;
        let interval = Interval::new(from, to)?;
        let mut vertices = vertices.to_vec();
        vertices.sort_unstable();
        Ok(Self { vertices, force, interval })
    }

    /// The vertices it acts on, ascending.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }
}

impl Force for PointForce {
    fn kind(&self) -> &'static str {
        "point-force"
    }

    fn min_vertices(&self) -> usize {
        self.vertices.last().map_or(0, |&last| last as usize + 1)
    }

    fn add(&self, _state: &View<'_>, time: Real, vertices: Range<usize>, force: &mut [Vec3]) {
        if !self.interval.contains(time) {
            return;
        }
        let first = self.vertices.partition_point(|&v| (v as usize) < vertices.start);
        for &vertex in self.vertices[first..].iter().take_while(|&&v| (v as usize) < vertices.end) {
            force[vertex as usize - vertices.start] += self.force;
        }
    }
}
