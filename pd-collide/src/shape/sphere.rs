//! A ball.
//!
//! φ(p) = ‖p − c‖ − (r + ε), n = (p − c)/‖p − c‖: a point inside goes to c + (r + ε) n (thesis section 5).
//! At p = c every direction is equally near; +y is taken, so that a vertex leaves upwards, against gravity.

use crate::CollideError;
use crate::batch::{push_each, sample_each};
use crate::error::{CENTRE, finite_point, not_negative, positive};
use crate::rounding::{direction, settle};
use pd_core::{Aabb, Collider, ColliderData, Real, ShapeData, Surface, Vec3};

/// A ball.
///
/// ```
/// use pd_collide::Sphere;
/// use pd_core::{Collider, Vec3};
/// let ball = Sphere::new(Vec3::new(1.0, 0.0, 0.0), 0.5)?.with_margin(0.25)?;
/// assert_eq!(ball.surface_at(&Vec3::new(3.0, 0.0, 0.0), 0.0).distance, 1.25);
/// assert_eq!(ball.resolve(&Vec3::new(1.5, 0.0, 0.0), 0.0), Some(Vec3::new(1.75, 0.0, 0.0)));
/// assert_eq!(ball.resolve(&Vec3::new(1.0, 0.0, 0.0), 0.0), Some(Vec3::new(1.0, 0.75, 0.0))); // the centre
/// # Ok::<(), pd_collide::CollideError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    centre: Vec3,
    radius: Real,
    margin: Real,
}

impl Sphere {
    /// Margin of the thesis, m.
    pub const MARGIN: Real = 0.05;

    /// A ball with the margin of the thesis; centre and radius in m.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if the centre is not finite or the radius is not positive and finite.
    pub fn new(centre: Vec3, radius: Real) -> Result<Self, CollideError> {
        let centre = finite_point("sphere", CENTRE, centre)?;
        Ok(Self { centre, radius: positive("sphere", "radius", radius)?, margin: Self::MARGIN })
    }

    /// The ball of the thesis scenes: centre (0.2, 0.2, 0.2), radius 0.2 m.
    pub fn thesis() -> Self {
        Self { centre: Vec3::repeat(0.2), radius: 0.2, margin: Self::MARGIN }
    }

    /// The same ball with another margin, m.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if the margin is negative, or not finite, or too large to add to the radius.
    pub fn with_margin(self, margin: Real) -> Result<Self, CollideError> {
        let sphere = Self { margin: not_negative("sphere", "margin", margin)?, ..self };
        positive("sphere", "radius + margin", sphere.inflated())?;
        Ok(sphere)
    }

    /// Centre, m.
    pub fn centre(&self) -> Vec3 {
        self.centre
    }

    /// Radius without margin, m.
    pub fn radius(&self) -> Real {
        self.radius
    }

    /// Distance kept to the ball, m.
    pub fn margin(&self) -> Real {
        self.margin
    }

    /// Radius r + ε.
    fn inflated(&self) -> Real {
        self.radius + self.margin
    }

    /// Distance and normal.
    fn measure(&self, p: &Vec3) -> (Real, Vec3) {
        let (normal, length) = direction(&(p - self.centre)).unwrap_or((Vec3::y(), 0.0));
        (length - self.inflated(), normal)
    }

    /// The surface as seen from a point.
    fn surface(&self, p: &Vec3) -> Surface {
        let (distance, normal) = self.measure(p);
        Surface { distance, normal, velocity: Vec3::zeros() }
    }

    /// The nearest point outside, if `p` is inside.
    fn outside(&self, p: &Vec3) -> Option<Vec3> {
        let (distance, normal) = self.measure(p);
        (distance < 0.0).then(|| {
            // Straight from the centre: p − φ n would carry the rounding of φ along.
            let on_surface = self.centre + normal * self.inflated();
            let scale = self.centre.amax() + self.inflated();
            settle(on_surface, &normal, scale, |q| self.measure(q).0)
        })
    }
}

impl Collider for Sphere {
    fn kind(&self) -> &'static str {
        "sphere"
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn sample(&self, points: &[Vec3], _time: Real, out: &mut [Surface]) {
        sample_each(points, out, |p| self.surface(p));
    }

    fn bounds(&self, _time: Real) -> Aabb {
        let reach = Vec3::repeat(self.inflated());
        Aabb { min: self.centre - reach, max: self.centre + reach }
    }

    fn push_out(&self, points: &mut [Vec3], _time: Real, moved: &mut [bool]) {
        push_each(points, moved, |p| self.outside(p));
    }

    fn export(&self, _time: Real) -> Option<ColliderData> {
        Some(ShapeData::Sphere { centre: self.centre, radius: self.inflated() }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thesis_values() {
        assert_eq!(Sphere::thesis(), Sphere::new(Vec3::repeat(0.2), 0.2).unwrap());
        assert_eq!(Sphere::thesis().margin(), 0.05);
    }

    #[test]
    fn centre_leaves_upwards() {
        let ball = Sphere::thesis();
        let out = ball.resolve(&ball.centre(), 0.0).unwrap();
        assert!((out - Vec3::new(0.2, 0.45, 0.2)).norm() < 1e-15);
        assert_eq!(ball.surface_at(&ball.centre(), 0.0).normal, Vec3::y());
        assert_eq!(ball.surface_at(&ball.centre(), 0.0).distance, -0.25);
    }

    #[test]
    fn almost_the_centre_keeps_its_direction() {
        let ball = Sphere::new(Vec3::zeros(), 1.0).unwrap().with_margin(0.0).unwrap();
        assert_eq!(ball.resolve(&Vec3::new(0.0, 0.0, -1e-200), 0.0), Some(Vec3::new(0.0, 0.0, -1.0)));
    }

    #[test]
    fn bad_parameters() {
        for centre in [Vec3::new(Real::NAN, 0.0, 0.0), Vec3::new(0.0, Real::INFINITY, 0.0)] {
            assert!(
                matches!(Sphere::new(centre, 1.0), Err(CollideError::Parameter { name, .. }) if name != "radius")
            );
        }
        for radius in [0.0, -1.0, Real::NAN, Real::INFINITY] {
            assert!(matches!(
                Sphere::new(Vec3::zeros(), radius),
                Err(CollideError::Parameter { name: "radius", .. })
            ));
        }
        for margin in [-1e-9, Real::NAN, Real::INFINITY] {
            assert!(Sphere::thesis().with_margin(margin).is_err());
        }
        assert!(Sphere::new(Vec3::zeros(), Real::MAX).unwrap().with_margin(Real::MAX).is_err());
    }

    #[test]
    fn not_a_number_is_left_alone() {
        assert_eq!(Sphere::thesis().resolve(&Vec3::new(0.2, Real::NAN, 0.2), 0.0), None);
    }
}
