//! The shape of a rigid body as an obstacle in its principal frame: the union of its parts.

use crate::CoupleError;
use nalgebra::{Isometry3, Point3, UnitQuaternion};
use pd_collide::{Block, Capsule, ConvexHull, Cylinder, Floor, Sphere};
use pd_core::{Aabb, Collider, Real, Surface, Vec3};
use pd_rigid::{RigidModel, Shape};
use std::sync::Arc;

/// Points sampled at a time.
const BLOCK: usize = 64;

/// See the module's documentation. Cloning shares the parts.
#[derive(Clone)]
pub struct RigidShape {
    parts: Vec<(Isometry3<Real>, Arc<dyn Collider>)>,
    bounds: Aabb,
    friction: Real,
}

impl std::fmt::Debug for RigidShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kinds: Vec<_> = self.parts.iter().map(|(_, part)| part.kind()).collect();
        f.debug_struct("RigidShape").field("parts", &kinds).field("bounds", &self.bounds).finish()
    }
}

impl RigidShape {
    /// The shape of a body of a model.
    ///
    /// # Errors
    /// [`CoupleError::Shape`] for a hull without volume.
    pub fn of(model: &RigidModel, body: usize) -> Result<Self, CoupleError> {
        let mut shape = Self { parts: vec![], bounds: Aabb::empty(), friction: 0.0 };
        for part in model.parts().iter().filter(|part| part.body as usize == body) {
            let collider = collider(&part.shape)
                .map_err(|error| CoupleError::Shape { body, what: error.to_string() })?;
            shape.bounds = shape.bounds.union(&part.shape.bounds(&part.pose));
            shape.friction = shape.friction.max(part.friction);
            shape.parts.push((part.pose, collider));
        }
        Ok(shape)
    }

    /// Largest friction coefficient of the parts.
    pub fn friction(&self) -> Real {
        self.friction
    }

    /// Whether the body has no shape.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Box around the body at a pose, m.
    pub fn bounds_at(&self, p: &Vec3, q: &UnitQuaternion<Real>) -> Aabb {
        let local = &self.bounds;
        if self.parts.is_empty() {
            return Aabb::empty();
        }
        if !(local.min.iter().chain(local.max.iter()).all(|c| c.is_finite())) {
            return Aabb::everything();
        }
        let corners: [Vec3; 8] = std::array::from_fn(|k| {
            let pick = |a: usize| if k >> a & 1 == 0 { local.min[a] } else { local.max[a] };
            p + q * Vec3::new(pick(0), pick(1), pick(2))
        });
        Aabb::of_points(&corners)
    }

    /// Distance and normal of the surface at a pose, world frame, as seen from world points.
    pub fn sample_at(&self, p: &Vec3, q: &UnitQuaternion<Real>, points: &[Vec3], out: &mut [Surface]) {
        let mut local = [Vec3::zeros(); BLOCK];
        for (points, out) in points.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            let local = &mut local[..points.len()];
            for (local, point) in local.iter_mut().zip(points) {
                *local = q.inverse_transform_vector(&(point - p));
            }
            self.sample(local, 0.0, out);
            for out in out {
                out.normal = q * out.normal;
            }
        }
    }
}

impl Collider for RigidShape {
    fn kind(&self) -> &'static str {
        "rigid body"
    }

    fn sample(&self, points: &[Vec3], _: Real, out: &mut [Surface]) {
        out.fill(Surface::default());
        let (mut local, mut found) = ([Vec3::zeros(); BLOCK], [Surface::default(); BLOCK]);
        for (pose, part) in &self.parts {
            for (points, out) in points.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
                let (local, found) = (&mut local[..points.len()], &mut found[..points.len()]);
                for (local, point) in local.iter_mut().zip(points) {
                    *local = pose.inverse_transform_point(&Point3::from(*point)).coords;
                }
                part.sample(local, 0.0, found);
                for (out, found) in out.iter_mut().zip(found) {
                    if found.distance < out.distance {
                        *out = Surface { normal: pose.rotation * found.normal, ..*found };
                    }
                }
            }
        }
    }

    fn bounds(&self, _: Real) -> Aabb {
        self.bounds
    }
}

/// A shape in its own frame, without margin.
fn collider(shape: &Shape) -> Result<Arc<dyn Collider>, pd_collide::CollideError> {
    let up = |half: Real| [Vec3::new(0.0, -half, 0.0), Vec3::new(0.0, half, 0.0)];
    Ok(match shape {
        Shape::Sphere { radius } => Arc::new(Sphere::new(Vec3::zeros(), *radius)?.with_margin(0.0)?),
        Shape::Capsule { half, radius } => {
            let [a, b] = up(*half);
            Arc::new(Capsule::new(a, b, *radius)?.with_margin(0.0)?)
        }
        Shape::Cylinder { half, radius, .. } => {
            let [a, b] = up(*half);
            Arc::new(Cylinder::new(a, b, *radius)?.with_margin(0.0)?)
        }
        Shape::Cuboid { half, .. } => Arc::new(Block::new(Vec3::zeros(), *half)?.with_margin(0.0)?),
        Shape::HalfSpace => Arc::new(Floor::new(0.0)?.with_margin(0.0)?),
        other => {
            let points = other.polyhedron().map_or(&[][..], |solid| solid.vertices());
            Arc::new(ConvexHull::new(points)?.with_margin(0.0)?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_rigid::{BodyDesc, PartDesc};

    #[test]
    fn a_compound_is_the_union_of_its_parts() {
        let mut ball = PartDesc::new(Shape::sphere(0.5).unwrap(), 1000.0);
        ball.pose.translation.vector = Vec3::new(1.0, 0.0, 0.0);
        let plank = PartDesc::new(Shape::cuboid(Vec3::new(0.2, 0.1, 0.1)).unwrap(), 1000.0);
        let mut builder = RigidModel::builder();
        builder.body(BodyDesc::compound(vec![ball, plank]).at(Vec3::new(0.0, 3.0, 0.0))).unwrap();
        let (model, bodies) = builder.build();
        let shape = RigidShape::of(&model, 0).unwrap();
        let points = [Vec3::new(1.0, 3.75, 0.0), Vec3::new(-0.3, 3.0, 0.0), Vec3::new(0.0, 3.05, 0.0)];
        let mut out = [Surface::default(); 3];
        shape.sample_at(&bodies.p[0], &bodies.q[0], &points, &mut out);
        for (out, (distance, normal)) in
            out.iter().zip([(0.25, Vec3::y()), (0.1, -Vec3::x()), (-0.05, Vec3::y())])
        {
            assert!((out.distance - distance).abs() < 1e-12, "{out:?}");
            assert!((out.normal - normal).norm() < 1e-12, "{out:?}");
        }
        assert!(shape.bounds_at(&bodies.p[0], &bodies.q[0]).contains(&Vec3::new(1.5, 3.0, 0.0)));
    }
}
