//! A capsule: all points within a radius of a segment.
//!
//! With the nearest point s of the segment from a to b, φ(p) = ‖p − s‖ − (r + ε), n = (p − s)/‖p − s‖. On the segment
//! every direction across it is equally near; the one nearest to +y is taken (+x if the segment is vertical).

use crate::CollideError;
use crate::batch::{push_each, sample_each};
use crate::error::{finite_point, not_negative, positive};
use crate::rounding::{direction, settle, slack};
use crate::shape::lathe;
use pd_core::{Aabb, Collider, Real, Surface, SurfaceMesh, Vec3};
use std::f64::consts::PI;

/// A capsule.
///
/// ```
/// use pd_collide::Capsule;
/// use pd_core::{Collider, Vec3};
/// let bone = Capsule::new(Vec3::zeros(), Vec3::x() * 2.0, 0.5)?;
/// assert_eq!(bone.surface_at(&Vec3::new(1.0, 3.0, 0.0), 0.0).distance, 2.5);
/// assert_eq!(bone.surface_at(&Vec3::new(4.0, 0.0, 0.0), 0.0).distance, 1.5); // the round end
/// assert_eq!(bone.resolve(&Vec3::new(1.0, 0.25, 0.0), 0.0), Some(Vec3::new(1.0, 0.5, 0.0)));
/// # Ok::<(), pd_collide::CollideError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    ends: [Vec3; 2],
    radius: Real,
    margin: Real,
}

impl Capsule {
    /// A capsule around the segment between two points, m, without margin.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if an end is not finite, the ends coincide, or the radius is not positive and finite.
    pub fn new(a: Vec3, b: Vec3, radius: Real) -> Result<Self, CollideError> {
        finite_point("capsule", ["first end x", "first end y", "first end z"], a)?;
        finite_point("capsule", ["second end x", "second end y", "second end z"], b)?;
        positive("capsule", "length", (b - a).norm())?;
        Ok(Self { ends: [a, b], radius: positive("capsule", "radius", radius)?, margin: 0.0 })
    }

    /// The same capsule with another margin, m.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if the margin is negative, or not finite, or too large to add to the radius.
    pub fn with_margin(self, margin: Real) -> Result<Self, CollideError> {
        let capsule = Self { margin: not_negative("capsule", "margin", margin)?, ..self };
        positive("capsule", "radius + margin", capsule.inflated())?;
        Ok(capsule)
    }

    /// Ends of the segment, m.
    pub fn ends(&self) -> [Vec3; 2] {
        self.ends
    }

    /// Radius without margin, m.
    pub fn radius(&self) -> Real {
        self.radius
    }

    /// Distance kept to the capsule, m.
    pub fn margin(&self) -> Real {
        self.margin
    }

    fn inflated(&self) -> Real {
        self.radius + self.margin
    }

    /// Size of the coordinates met here, for rounding.
    fn scale(&self) -> Real {
        self.ends[0].amax().max(self.ends[1].amax()) + self.inflated()
    }

    /// The nearest point of the segment, the normal and the distance.
    fn measure(&self, p: &Vec3) -> (Vec3, Vec3, Real) {
        let [a, b] = self.ends;
        let along = b - a;
        let t = ((p - a).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
        // From the nearer end, so that the ends are met exactly.
        let nearest = if t < 0.5 { a + along * t } else { b - along * (1.0 - t) };
        let (normal, length) = match direction(&(p - nearest)) {
            Some((_, length)) if length <= slack(self.scale()) => (across(&along), 0.0),
            Some(found) => found,
            None => (across(&along), 0.0),
        };
        (nearest, normal, length - self.inflated())
    }

    fn outside(&self, p: &Vec3) -> Option<Vec3> {
        let (nearest, normal, distance) = self.measure(p);
        (distance < 0.0)
            .then(|| settle(nearest + normal * self.inflated(), &normal, self.scale(), |q| self.measure(q).2))
    }
}

/// The unit vector across a direction that is nearest to +y, or +x for a vertical one.
fn across(along: &Vec3) -> Vec3 {
    let up = along.norm_squared() * Vec3::y() - along.y * along;
    if up.norm() > 1e-9 * along.norm_squared() { up.normalize() } else { Vec3::x() }
}

impl Collider for Capsule {
    fn kind(&self) -> &'static str {
        "capsule"
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn sample(&self, points: &[Vec3], _time: Real, out: &mut [Surface]) {
        sample_each(points, out, |p| {
            let (_, normal, distance) = self.measure(p);
            Surface { distance, normal, velocity: Vec3::zeros() }
        });
    }

    fn bounds(&self, _time: Real) -> Aabb {
        Aabb::of_points(&self.ends).grown(self.inflated() + slack(self.scale()))
    }

    fn push_out(&self, points: &mut [Vec3], _time: Real, moved: &mut [bool]) {
        push_each(points, moved, |p| self.outside(p));
    }

    fn mesh(&self) -> Option<SurfaceMesh> {
        const ARC: usize = 8;
        let [a, b] = self.ends;
        let (r, length) = (self.radius, (b - a).norm());
        let quarter = |k: usize| (0.5 * PI * k as Real / ARC as Real).sin_cos();
        let low = (0..=ARC).map(|k| (r * quarter(k).0, -r * quarter(k).1));
        let high = (0..=ARC).rev().map(|k| (r * quarter(k).0, length + r * quarter(k).1));
        Some(lathe::turn(&a, &((b - a) / length), &low.chain(high).collect::<Vec<_>>(), lathe::SECTORS))
    }
}
