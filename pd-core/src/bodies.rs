//! Poses and velocities of rigid bodies, structure of arrays.

use crate::{Real, Vec3};
use nalgebra::UnitQuaternion;

/// State of all rigid bodies; empty in a simulation that has none.
///
/// ```
/// use pd_core::{Bodies, Vec3};
/// let mut bodies = Bodies::default();
/// bodies.push(Vec3::y(), nalgebra::UnitQuaternion::identity());
/// assert_eq!((bodies.len(), bodies.v[0]), (1, Vec3::zeros()));
/// ```
#[derive(Debug, Default, PartialEq)]
pub struct Bodies {
    /// Centre of mass, world frame, m.
    pub p: Vec<Vec3>,
    /// Rotation from the principal axes of inertia to the world frame.
    pub q: Vec<UnitQuaternion<Real>>,
    /// Velocity of the centre of mass, m/s.
    pub v: Vec<Vec3>,
    /// Angular velocity, world frame, rad/s.
    pub w: Vec<Vec3>,
}

impl Clone for Bodies {
    fn clone(&self) -> Self {
        Self { p: self.p.clone(), q: self.q.clone(), v: self.v.clone(), w: self.w.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        let Self { p, q, v, w } = source;
        self.p.clone_from(p);
        self.q.clone_from(q);
        self.v.clone_from(v);
        self.w.clone_from(w);
    }
}

impl Bodies {
    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.p.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.p.is_empty()
    }

    /// Adds a body at rest.
    pub fn push(&mut self, p: Vec3, q: UnitQuaternion<Real>) {
        self.p.push(p);
        self.q.push(q);
        self.v.push(Vec3::zeros());
        self.w.push(Vec3::zeros());
    }

    /// World position of a point given in the frame of body `body`.
    pub fn world(&self, body: usize, local: &Vec3) -> Vec3 {
        self.p[body] + self.q[body] * local
    }

    /// Velocity of the material point of body `body` that is at the world position `point`, m/s.
    pub fn velocity_at(&self, body: usize, point: &Vec3) -> Vec3 {
        self.v[body] + self.w[body].cross(&(point - self.p[body]))
    }

    /// Every number in a fixed order: p, q (i, j, k, w), v, ω of each body in turn.
    pub(crate) fn values(&self) -> impl Iterator<Item = Real> + '_ {
        (0..self.len()).flat_map(|b| {
            let (p, q, v, w) = (self.p[b], self.q[b].coords, self.v[b], self.w[b]);
            [p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z]
        })
    }
}
