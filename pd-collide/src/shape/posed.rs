//! An obstacle turned and moved as a rigid body.
//!
//! With the pose (R, o) at a time, φ(p, t) = φ₀(Rᵀ(p − o), t), n = R n₀, and the surface moves with
//! R v₀ + ȯ + ω × (p − o). Between keyframes o is linear in time and R turns at constant ω about a fixed axis.

use crate::CollideError;
use crate::rounding::slack;
use nalgebra::{Isometry3, Point3};
use pd_core::{Aabb, Collider, ContactMaterial, Real, Surface, SurfaceMesh, Vec3};

/// Points moved to the frame of the shape at a time: they fit the stack.
const BLOCK: usize = 64;

/// An obstacle with a pose that may change over time.
///
/// ```
/// use nalgebra::Isometry3;
/// use pd_collide::{Block, Posed};
/// use pd_core::{Collider, Vec3};
/// // A paddle that makes a quarter turn about z in a second.
/// let paddle = Block::new(Vec3::zeros(), Vec3::new(2.0, 0.1, 1.0))?.with_margin(0.0)?;
/// let turn = |angle: f64| Isometry3::rotation(Vec3::z() * angle);
/// let paddle = Posed::moving(paddle, vec![(0.0, turn(0.0)), (1.0, turn(std::f64::consts::FRAC_PI_2))])?;
/// assert!((paddle.surface_at(&Vec3::new(0.0, 3.0, 0.0), 1.0).distance - 1.0).abs() < 1e-12);
/// # Ok::<(), pd_collide::CollideError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Posed<C: Collider> {
    shape: C,
    /// Times in s, ascending.
    keys: Vec<(Real, Isometry3<Real>)>,
    material: Option<ContactMaterial>,
}

impl<C: Collider> Posed<C> {
    /// A shape at rest in a pose.
    ///
    /// # Errors
    /// [`CollideError::KeyNotFinite`] if the pose is not finite.
    pub fn new(shape: C, pose: Isometry3<Real>) -> Result<Self, CollideError> {
        Self::moving(shape, vec![(0.0, pose)])
    }

    /// A shape that moves through poses: time in s, position in m. Before the first and after the last it rests.
    /// Rotations by half a turn or more between two keyframes take the shorter way.
    ///
    /// # Errors
    /// [`CollideError::EmptyPath`], [`CollideError::KeyNotFinite`] or [`CollideError::KeyOrder`].
    pub fn moving(shape: C, keys: Vec<(Real, Isometry3<Real>)>) -> Result<Self, CollideError> {
        if keys.is_empty() {
            return Err(CollideError::EmptyPath);
        }
        for (index, (time, pose)) in keys.iter().enumerate() {
            let offset = pose.translation.vector;
            let finite =
                time.is_finite() && offset.iter().chain(pose.rotation.coords.iter()).all(|x| x.is_finite());
            if !finite {
                return Err(CollideError::KeyNotFinite { index, time: *time, offset });
            }
            if index > 0 && *time <= keys[index - 1].0 {
                return Err(CollideError::KeyOrder { index, time: *time, previous: keys[index - 1].0 });
            }
        }
        Ok(Self { shape, keys, material: None })
    }

    /// The same obstacle with friction and restitution of its own.
    pub fn with_material(self, material: ContactMaterial) -> Self {
        Self { material: Some(material), ..self }
    }

    /// The shape in its own frame.
    pub fn shape(&self) -> &C {
        &self.shape
    }

    /// Pose at a time, its velocity in m/s and its angular velocity in rad/s.
    fn motion(&self, time: Real) -> (Isometry3<Real>, Vec3, Vec3) {
        let next = self.keys.partition_point(|key| key.0 <= time);
        if next == 0 || next == self.keys.len() {
            let at = self.keys[next.saturating_sub(1)].1;
            return (at, Vec3::zeros(), Vec3::zeros());
        }
        let ((t0, from), (t1, to)) = (&self.keys[next - 1], &self.keys[next]);
        let rate = 1.0 / (t1 - t0);
        let velocity = (to.translation.vector - from.translation.vector) * rate;
        let turn = (to.rotation * from.rotation.inverse()).scaled_axis();
        let angular = turn * rate;
        let rotation = nalgebra::UnitQuaternion::new(angular * (time - t0)) * from.rotation;
        let offset = from.translation.vector + velocity * (time - t0);
        (Isometry3::from_parts(offset.into(), rotation), velocity, angular)
    }
}

impl<C: Collider> Collider for Posed<C> {
    fn kind(&self) -> &'static str {
        self.shape.kind()
    }

    fn sample(&self, points: &[Vec3], time: Real, out: &mut [Surface]) {
        let (pose, velocity, angular) = self.motion(time);
        let mut local = [Vec3::zeros(); BLOCK];
        for (points, out) in points.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            let local = &mut local[..points.len()];
            for (local, p) in local.iter_mut().zip(points) {
                *local = pose.rotation.inverse_transform_vector(&(p - pose.translation.vector));
            }
            self.shape.sample(local, time, out);
            for (surface, p) in out.iter_mut().zip(points) {
                surface.normal = pose.rotation * surface.normal;
                // At the surface, not at the point: that is where it touches.
                let arm = p - surface.normal * surface.distance - pose.translation.vector;
                let carried = if angular == Vec3::zeros() { Vec3::zeros() } else { angular.cross(&arm) };
                surface.velocity = pose.rotation * surface.velocity + velocity + carried;
            }
        }
    }

    fn bounds(&self, time: Real) -> Aabb {
        let (pose, ..) = self.motion(time);
        let b = self.shape.bounds(time);
        if !b.min.iter().chain(&b.max).all(|x| x.is_finite()) {
            return Aabb::everything();
        }
        let corner = |k: usize| Vec3::from_fn(|a, _| if k >> a & 1 == 0 { b.min[a] } else { b.max[a] });
        let corners: [Vec3; 8] = std::array::from_fn(|k| (pose * Point3::from(corner(k))).coords);
        let scale = corners.iter().fold(pose.translation.vector.amax(), |scale, c| scale.max(c.amax()));
        Aabb::of_points(&corners).grown(slack(scale))
    }

    fn pose(&self, time: Real) -> Isometry3<Real> {
        self.motion(time).0 * self.shape.pose(time)
    }

    fn is_convex(&self) -> bool {
        self.shape.is_convex()
    }

    fn material(&self) -> ContactMaterial {
        self.material.unwrap_or(self.shape.material())
    }

    fn mesh(&self) -> Option<SurfaceMesh> {
        self.shape.mesh()
    }
}
