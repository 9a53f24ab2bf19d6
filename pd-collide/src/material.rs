//! An obstacle with another contact material.

use crate::CollideError;
use nalgebra::Isometry3;
use pd_core::{Aabb, Collider, ColliderData, ContactMaterial, Real, Surface, SurfaceMesh, Vec3};

/// An obstacle whose surface has this friction and restitution.
///
/// ```
/// use pd_collide::{Floor, WithMaterial};
/// use pd_core::{Collider, ContactMaterial};
/// let ice = WithMaterial::new(Floor::new(0.0)?, ContactMaterial::with_friction(0.05))?;
/// assert_eq!(ice.material().static_friction, 0.05);
/// # Ok::<(), pd_collide::CollideError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WithMaterial<C: Collider> {
    shape: C,
    material: ContactMaterial,
}

impl<C: Collider> WithMaterial<C> {
    /// Gives `shape` a material.
    ///
    /// # Errors
    /// [`CollideError::Material`] if a coefficient is out of its range.
    pub fn new(shape: C, material: ContactMaterial) -> Result<Self, CollideError> {
        material.check().map_err(|error| CollideError::Material { what: error.to_string() })?;
        Ok(Self { shape, material })
    }
}

impl<C: Collider> Collider for WithMaterial<C> {
    fn kind(&self) -> &'static str {
        self.shape.kind()
    }
    fn sample(&self, points: &[Vec3], time: Real, out: &mut [Surface]) {
        self.shape.sample(points, time, out);
    }
    fn bounds(&self, time: Real) -> Aabb {
        self.shape.bounds(time)
    }
    fn push_out(&self, points: &mut [Vec3], time: Real, moved: &mut [bool]) {
        self.shape.push_out(points, time, moved);
    }
    fn pose(&self, time: Real) -> Isometry3<Real> {
        self.shape.pose(time)
    }
    fn is_convex(&self) -> bool {
        self.shape.is_convex()
    }

    fn material(&self) -> ContactMaterial {
        self.material
    }
    fn mesh(&self) -> Option<SurfaceMesh> {
        self.shape.mesh()
    }
    fn export(&self, time: Real) -> Option<ColliderData> {
        self.shape.export(time)
    }
}
