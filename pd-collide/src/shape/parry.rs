//! Shapes of the parry library as obstacles.
//!
//! With the projection s of p onto the boundary, φ(p) = ±‖p − s‖, negative inside. On the boundary itself, where p − s
//! has no direction, the normal is the difference between two projections from a little off.

use crate::CollideError;
use crate::batch::sample_each;
use crate::error::not_negative;
use crate::rounding::{direction, slack};
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::shape::Shape;
use pd_core::{Aabb, Collider, Real, Surface, Vec3};
use std::sync::Arc;

/// Any shape of parry; put it on a path with [`Moving`](crate::Moving) or into a pose with [`Posed`](crate::Posed).
///
/// Whether inside is known depends on the shape: parry's triangle meshes have an inside only if they were built with
/// their topology. Shapes behind parry's own features (meshes, compounds) need those features of `parry3d-f64`.
///
/// ```
/// use parry3d_f64::shape::Cone;
/// use pd_collide::ParryShape;
/// use pd_core::{Collider, Vec3};
/// let cone = ParryShape::new(Cone::new(1.0, 1.0))?; // from y = −1 to 1
/// assert!((cone.surface_at(&Vec3::new(0.0, 3.0, 0.0), 0.0).distance - 2.0).abs() < 1e-12);
/// assert!(cone.surface_at(&Vec3::new(0.0, -0.5, 0.0), 0.0).distance < 0.0);
/// # Ok::<(), pd_collide::CollideError>(())
/// ```
#[derive(Clone)]
pub struct ParryShape {
    shape: Arc<dyn Shape>,
    margin: Real,
}

impl ParryShape {
    /// A shape in its own frame, without margin.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if its bounding box is not a number.
    pub fn new(shape: impl Shape) -> Result<Self, CollideError> {
        let bounds = shape.compute_aabb(&Pose::IDENTITY);
        for (name, value) in [("least coordinate", bounds.mins), ("greatest coordinate", bounds.maxs)] {
            let value = value.x + value.y + value.z;
            if value.is_nan() {
                let expected = "it must be a number";
                return Err(CollideError::Parameter { shape: "parry shape", name, value, expected });
            }
        }
        Ok(Self { shape: Arc::new(shape), margin: 0.0 })
    }

    /// The same shape with another margin, m.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if the margin is negative or not finite.
    pub fn with_margin(self, margin: Real) -> Result<Self, CollideError> {
        Ok(Self { margin: not_negative("parry shape", "margin", margin)?, ..self })
    }

    /// The shape.
    pub fn shape(&self) -> &dyn Shape {
        &*self.shape
    }

    /// Vector from the nearest boundary point, turned outwards, and whether the point is inside.
    fn away(&self, p: &Vec3) -> (Vec3, bool) {
        let projection = self.shape.project_local_point(Vector::new(p.x, p.y, p.z), false);
        let s = projection.point;
        let away = p - Vec3::new(s.x, s.y, s.z);
        if projection.is_inside { (-away, true) } else { (away, false) }
    }

    fn surface(&self, p: &Vec3) -> Surface {
        if !p.iter().all(|x| x.is_finite()) {
            return Surface { distance: Real::NAN, ..Surface::default() };
        }
        let (away, inside) = self.away(p);
        let scale = p.amax() + away.amax();
        let found = direction(&away).filter(|(_, length)| *length > slack(scale));
        let normal = found.map(|(normal, _)| normal).unwrap_or_else(|| self.normal_at(p));
        let distance = if inside { -away.norm() } else { away.norm() };
        Surface { distance: distance - self.margin, normal, velocity: Vec3::zeros() }
    }

    /// The normal at a boundary point: signed distances a little to all sides.
    fn normal_at(&self, p: &Vec3) -> Vec3 {
        let step = 1e-6 * p.amax().max(1.0);
        let signed = |q: &Vec3| match self.away(q) {
            (away, true) => -away.norm(),
            (away, false) => away.norm(),
        };
        let slope = |a: usize| signed(&(p + Vec3::ith(a, step))) - signed(&(p - Vec3::ith(a, step)));
        direction(&Vec3::from_fn(|a, _| slope(a))).map_or(Vec3::y(), |(normal, _)| normal)
    }
}

impl Collider for ParryShape {
    fn kind(&self) -> &'static str {
        "parry shape"
    }

    fn sample(&self, points: &[Vec3], _time: Real, out: &mut [Surface]) {
        sample_each(points, out, |p| self.surface(p));
    }

    fn bounds(&self, _time: Real) -> Aabb {
        let b = self.shape.compute_aabb(&Pose::IDENTITY);
        let (min, max) = (Vec3::new(b.mins.x, b.mins.y, b.mins.z), Vec3::new(b.maxs.x, b.maxs.y, b.maxs.z));
        Aabb { min, max }.grown(self.margin + slack(min.amax().max(max.amax()).min(Real::MAX)))
    }

    fn is_convex(&self) -> bool {
        self.shape.is_convex()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Capsule, Sphere};
    use parry3d_f64::shape::{Ball, Cuboid};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_same_as_ours(p in prop::array::uniform3(-2.0..2.0), margin in 0.0..0.3) {
            let p = Vec3::from(p);
            let ball = ParryShape::new(Ball::new(0.7)).unwrap().with_margin(margin).unwrap();
            let bone = ParryShape::new(parry3d_f64::shape::Capsule::new_y(0.5, 0.3)).unwrap().with_margin(margin).unwrap();
            let our_ball = Sphere::new(Vec3::zeros(), 0.7).unwrap().with_margin(margin).unwrap();
            let our_bone = Capsule::new(Vec3::y() * -0.5, Vec3::y() * 0.5, 0.3).unwrap().with_margin(margin).unwrap();
            let pairs: [(&dyn Collider, &dyn Collider); 2] = [(&ball, &our_ball), (&bone, &our_bone)];
            for (theirs, ours) in pairs {
                let (theirs, ours) = (theirs.surface_at(&p, 0.0), ours.surface_at(&p, 0.0));
                prop_assert!((theirs.distance - ours.distance).abs() < 1e-12);
                prop_assert!((theirs.normal - ours.normal).norm() < 1e-6);
            }
        }
    }

    #[test]
    fn on_the_boundary_there_is_a_normal() {
        let block = ParryShape::new(Cuboid::new(Vector::new(1.0, 2.0, 3.0))).unwrap();
        let surface = block.surface_at(&Vec3::new(0.25, -2.0, 1.0), 0.0);
        assert_eq!(surface.distance, 0.0);
        assert!(block.is_convex());
        assert!((surface.normal + Vec3::y()).norm() < 1e-6);
        assert_eq!(block.resolve(&Vec3::new(Real::NAN, 0.0, 0.0), 0.0), None);
    }
}
