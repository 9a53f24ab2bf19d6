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

    /// How far rotation may carry a point of the shape from the centre of the body, m: a ball turns in its place.
    fn rim(&self) -> Real {
        let own = if matches!(self.shape, Shape::Sphere { .. }) { 0.0 } else { self.shape.reach() };
        own + self.part.translation.vector.norm()
    }
}

/// Most advances; bodies that need more are near each other and spin fast, and are treated as meeting where they are then.
const STEPS: usize = 64;

/// The time in 0..`end` (s) at which two shapes come nearer than `near` (m), and their distance then (m); `None` if they do not.
///
/// Over a time t rotation moves a point by no more than r min(ω t, 2), r being its distance from the centre.
pub(crate) fn meeting(a: &Moving<'_>, b: &Moving<'_>, end: Real, near: Real) -> Option<(Real, Real)> {
    let turning = a.w.norm() * a.rim() + b.w.norm() * b.rim();
    let turned = 2.0 * (a.rim() + b.rim());
    let (mut time, mut last) = (0.0, 0.0);
    for _ in 0..STEPS {
        let (pa, pb) = (a.at(time), b.at(time));
        let Some((distance, n)) = separation((a.shape, &pa), (b.shape, &pb)) else {
            return Some((time, 0.0));
        };
        if distance <= near {
            return Some((time, distance));
        }
        // Half of the threshold is left, so that the last advance ends below it.
        let (way, straight) = (distance - 0.5 * near, (b.v - a.v).dot(&n));
        let after = |way: Real, speed: Real| if speed > 0.0 { way / speed } else { Real::INFINITY };
        let slow = after(way, straight + turning);
        time += if way > turned { slow.max(after(way - turned, straight)) } else { slow };
        if time >= end {
            return None;
        }
        last = distance;
    }
    Some((time, last))
}
