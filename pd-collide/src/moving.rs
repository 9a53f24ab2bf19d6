//! An obstacle carried along a path.
//!
//! Translation alone: φ(p, t) = φ₀(p − o(t), t), n = n₀, and the surface moves with v₀ + ȯ(t).

use crate::Path;
use crate::rounding::{settle, slack};
use pd_core::{Aabb, Collider, ColliderData, Real, Surface, Vec3};

/// An obstacle carried along a [`Path`], without rotation.
///
/// The shape may itself depend on time, even be another `Moving`; offsets and velocities add.
///
/// ```
/// use pd_collide::{Floor, Moving, Path};
/// use pd_core::{Collider, Vec3};
/// // A floor that rises by 1 m from 0 s to 2 s.
/// let path = Path::new(vec![(0.0, Vec3::zeros()), (2.0, Vec3::y())])?;
/// let lift = Moving::new(Floor::new(0.0)?.with_margin(0.0)?, path);
/// let surface = lift.sample(&Vec3::new(0.0, 3.0, 0.0), 1.0);
/// assert_eq!((surface.distance, surface.velocity), (2.5, Vec3::new(0.0, 0.5, 0.0)));
/// # Ok::<(), pd_collide::CollideError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Moving<C: Collider> {
    shape: C,
    path: Path,
}

impl<C: Collider> Moving<C> {
    /// Carries `shape` along `path`: the offsets are added to where the shape is.
    pub fn new(shape: C, path: Path) -> Self {
        Self { shape, path }
    }

    /// The shape at offset zero.
    pub fn shape(&self) -> &C {
        &self.shape
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl<C: Collider> Collider for Moving<C> {
    fn kind(&self) -> &'static str {
        self.shape.kind()
    }

    fn sample(&self, p: &Vec3, time: Real) -> Surface {
        let mut surface = self.shape.sample(&(p - self.path.offset(time)), time);
        surface.velocity += self.path.velocity(time);
        surface
    }

    fn bounds(&self, time: Real) -> Aabb {
        let offset = self.path.offset(time);
        let still = self.shape.bounds(time);
        // Translation to and fro is rounded; each face is moved outwards by more than that. Infinite faces stay.
        let face = |still: Real, offset: Real, side: Real| {
            if still.is_finite() { still + offset + side * slack(still.abs() + offset.abs()) } else { still }
        };
        Aabb {
            min: still.min.zip_map(&offset, |s, o| face(s, o, -1.0)),
            max: still.max.zip_map(&offset, |s, o| face(s, o, 1.0)),
        }
    }

    fn resolve(&self, p: &Vec3, time: Real) -> Option<Vec3> {
        let offset = self.path.offset(time);
        let still = self.shape.resolve(&(p - offset), time)?;
        let normal = self.shape.sample(&still, time).normal;
        let scale = still.amax() + offset.amax();
        Some(settle(still + offset, &normal, scale, |q| self.shape.sample(&(q - offset), time).distance))
    }

    fn export(&self, time: Real) -> Option<ColliderData> {
        let data = self.shape.export(time)?;
        Some(ColliderData { offset: data.offset + self.path.offset(time), ..data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CollideError, Floor, Sphere};

    #[test]
    fn offsets_and_velocities_add() -> Result<(), CollideError> {
        let along = |axis: Vec3| Path::new(vec![(0.0, Vec3::zeros()), (1.0, axis)]);
        let ball = Sphere::new(Vec3::zeros(), 1.0)?.with_margin(0.0)?;
        let twice = Moving::new(Moving::new(ball, along(Vec3::x())?), along(Vec3::z() * 2.0)?);
        let surface = twice.sample(&Vec3::new(0.5, 3.0, 1.0), 0.5);
        assert_eq!(surface.distance, 2.0);
        assert_eq!(surface.normal, Vec3::y());
        assert_eq!(surface.velocity, Vec3::new(1.0, 0.0, 2.0));
        assert_eq!(twice.kind(), "sphere");
        Ok(())
    }

    #[test]
    fn an_infinite_shape_keeps_infinite_bounds() -> Result<(), CollideError> {
        let lift = Moving::new(Floor::thesis(), Path::new(vec![(0.0, Vec3::new(1.0, 2.0, 3.0))])?);
        let bounds = lift.bounds(0.0);
        assert_eq!(bounds.min, Vec3::repeat(Real::NEG_INFINITY));
        assert_eq!((bounds.max.x, bounds.max.z), (Real::INFINITY, Real::INFINITY));
        // The floor at −0.99 lifted by 2, widened by the slack of 2.99 and no more than rounding beyond it.
        let widened = bounds.max.y - 1.01;
        assert!((widened - slack(2.99)).abs() <= 2.0 * Real::EPSILON, "{widened:e}");
        Ok(())
    }
}
