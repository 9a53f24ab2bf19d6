//! An obstacle carried along a path.
//!
//! Translation alone: φ(p, t) = φ₀(p − o(t), t), n = n₀, and the surface moves with v₀ + ȯ(t).

use crate::Path;
use crate::rounding::{settle, slack};
use nalgebra::{Isometry3, Translation3};
use pd_core::{Aabb, Collider, ColliderData, ContactMaterial, Real, Surface, SurfaceMesh, Vec3};

/// Points moved to the frame of the shape at a time: they fit the stack.
const BLOCK: usize = 64;

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
/// let surface = lift.surface_at(&Vec3::new(0.0, 3.0, 0.0), 1.0);
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

    fn sample(&self, points: &[Vec3], time: Real, out: &mut [Surface]) {
        let (offset, velocity) = (self.path.offset(time), self.path.velocity(time));
        let mut local = [Vec3::zeros(); BLOCK];
        for (points, out) in points.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            let local = &mut local[..points.len()];
            sample_offset(&self.shape, points, &offset, time, local, out);
            for surface in out {
                surface.velocity += velocity;
            }
        }
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

    fn push_out(&self, points: &mut [Vec3], time: Real, moved: &mut [bool]) {
        let offset = self.path.offset(time);
        let mut local = [Vec3::zeros(); BLOCK];
        for (points, moved) in points.chunks_mut(BLOCK).zip(moved.chunks_mut(BLOCK)) {
            let (local, mut inside) = (&mut local[..points.len()], [false; BLOCK]);
            for (local, p) in local.iter_mut().zip(&*points) {
                *local = p - offset;
            }
            self.shape.push_out(local, time, &mut inside[..local.len()]);
            for (k, p) in points.iter_mut().enumerate().filter(|(k, _)| inside[*k]) {
                let normal = self.shape.surface_at(&local[k], time).normal;
                let scale = local[k].amax() + offset.amax();
                let distance = |q: &Vec3| self.shape.surface_at(&(q - offset), time).distance;
                *p = settle(local[k] + offset, &normal, scale, distance);
                moved[k] = true;
            }
        }
    }

    fn pose(&self, time: Real) -> Isometry3<Real> {
        Translation3::from(self.path.offset(time)) * self.shape.pose(time)
    }

    fn is_convex(&self) -> bool {
        self.shape.is_convex()
    }

    fn material(&self) -> ContactMaterial {
        self.shape.material()
    }

    fn mesh(&self) -> Option<SurfaceMesh> {
        self.shape.mesh()
    }

    fn export(&self, time: Real) -> Option<ColliderData> {
        let data = self.shape.export(time)?;
        Some(ColliderData { offset: data.offset + self.path.offset(time), ..data })
    }
}

/// Samples `shape` at points − offset; `local` is scratch.
fn sample_offset(
    shape: &impl Collider,
    points: &[Vec3],
    offset: &Vec3,
    time: Real,
    local: &mut [Vec3],
    out: &mut [Surface],
) {
    for (local, p) in local.iter_mut().zip(points) {
        *local = p - offset;
    }
    shape.sample(local, time, out);
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
        let surface = twice.surface_at(&Vec3::new(0.5, 3.0, 1.0), 0.5);
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
