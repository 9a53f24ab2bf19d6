//! When two moving shapes first touch, by conservative advancement (Mirtich 2000): as long as they are d apart they cannot
//! meet before d over the largest speed at which their points can approach each other.

use super::gjk::separation;
use crate::Shape;
use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use pd_core::{Real, Vec3};

/// A shape on its way: pose of the body, pose in the body, velocity (m/s) and angular velocity (rad/s) of the body.
#[derive(Clone, Copy)]
pub(crate) struct Moving<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) body: &'a Isometry3<Real>,
    pub(crate) part: &'a Isometry3<Real>,
    pub(crate) v: Vec3,
    pub(crate) w: Vec3,
}

impl Moving<'_> {
    /// Pose of the body after a time, s.
    pub(crate) fn body_at(&self, time: Real) -> Isometry3<Real> {
        let place = self.body.translation.vector + self.v * time;
        let turn = UnitQuaternion::from_scaled_axis(self.w * time) * self.body.rotation;
        Isometry3::from_parts(Translation3::from(place), turn)
    }

    fn at(&self, time: Real) -> Isometry3<Real> {
        self.body_at(time) * self.part
    }

    /// How fast a point of the shape may move by rotation, m/s.
    fn rim_speed(&self) -> Real {
        self.w.norm() * (self.shape.reach() + self.part.translation.vector.norm())
    }
}

/// Most advances; bodies that need more pass each other closely and are treated as touching.
const STEPS: usize = 64;

/// The time in 0..`end` (s) at which two shapes come nearer than `near` (m); `None` if they do not.
pub(crate) fn meeting(a: &Moving<'_>, b: &Moving<'_>, end: Real, near: Real) -> Option<Real> {
    let turning = a.rim_speed() + b.rim_speed();
    let mut time = 0.0;
    for _ in 0..STEPS {
        let (pa, pb) = (a.at(time), b.at(time));
        let Some((distance, n)) = separation((a.shape, &pa), (b.shape, &pb)) else { return Some(time) };
        if distance <= near {
            return Some(time);
        }
        let approach = (b.v - a.v).dot(&n) + turning;
        if approach <= 0.0 {
            return None;
        }
        // Half of the threshold is left, so that the last advance ends below it.
        time += (distance - 0.5 * near) / approach;
        if time >= end {
            return None;
        }
    }
    Some(time)
}
