//! Shapes of bodies.

mod decompose;
mod display;
mod hull;
mod mass;
mod triangle;

pub use decompose::{ConvexParts, convex_parts};
pub use hull::{Face, Polyhedron};
pub use mass::MassProperties;
pub use triangle::MeshTriangle;

use crate::RigidError;
use crate::error::positive;
use nalgebra::Isometry3;
use pd_core::{Aabb, Real, Vec3};
use std::sync::Arc;

/// A shape in its own frame. Capsules and cylinders stand along y.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// A ball about the origin.
    Sphere {
        /// Radius, m.
        radius: Real,
    },
    /// All points within `radius` of the segment from −`half` to `half` on the y axis.
    Capsule {
        /// Half the length of the segment, m.
        half: Real,
        /// Radius, m.
        radius: Real,
    },
    /// A cylinder from −`half` to `half` on the y axis.
    Cylinder {
        /// Half the height, m.
        half: Real,
        /// Radius, m.
        radius: Real,
        /// A prism of [`Shape::SIDES`] sides in its place.
        prism: Arc<Polyhedron>,
    },
    /// A box about the origin.
    Cuboid {
        /// Half extents, m.
        half: Vec3,
        /// The same as a polyhedron.
        solid: Arc<Polyhedron>,
    },
    /// A convex polyhedron.
    Hull(Arc<Polyhedron>),
    /// Everything below y = 0; for static and kinematic bodies.
    HalfSpace,
    /// A triangle of a mesh, seen from its front; for static and kinematic bodies.
    Triangle(Arc<MeshTriangle>),
}

impl Shape {
    /// Sides of the prism that stands for a cylinder where it touches other bodies.
    pub const SIDES: usize = 24;

    /// A ball.
    ///
    /// # Errors
    /// As all constructors here: [`RigidError::Parameter`] names the length that is not positive and finite.
    pub fn sphere(radius: Real) -> Result<Self, RigidError> {
        Ok(Self::Sphere { radius: positive("sphere", "radius", radius)? })
    }

    /// A capsule along y; the whole is 2 (`half` + `radius`) long.
    ///
    /// # Errors
    /// [`RigidError::Parameter`].
    pub fn capsule(half: Real, radius: Real) -> Result<Self, RigidError> {
        Ok(Self::Capsule {
            half: positive("capsule", "half length", half)?,
            radius: positive("capsule", "radius", radius)?,
        })
    }

    /// A cylinder along y.
    ///
    /// # Errors
    /// [`RigidError::Parameter`].
    pub fn cylinder(half: Real, radius: Real) -> Result<Self, RigidError> {
        positive("cylinder", "half height", half)?;
        positive("cylinder", "radius", radius)?;
        // As wide as the circle in the mean of corners and sides.
        let turn = std::f64::consts::TAU / Self::SIDES as Real;
        let r = 2.0 * radius / (1.0 + (0.5 * turn).cos());
        let corner =
            |k: usize, y: Real| Vec3::new(r * (turn * k as Real).cos(), y, r * (turn * k as Real).sin());
        let points: Vec<Vec3> = (0..Self::SIDES).flat_map(|k| [corner(k, -half), corner(k, half)]).collect();
        Ok(Self::Cylinder { half, radius, prism: Arc::new(Polyhedron::hull(&points)?) })
    }

    /// A box.
    ///
    /// # Errors
    /// [`RigidError::Parameter`].
    pub fn cuboid(half: Vec3) -> Result<Self, RigidError> {
        Ok(Self::Cuboid { half, solid: Arc::new(Polyhedron::cuboid(half)?) })
    }

    /// The convex hull of points.
    ///
    /// # Errors
    /// Those of [`Polyhedron::hull`].
    pub fn hull(points: &[Vec3]) -> Result<Self, RigidError> {
        Ok(Self::Hull(Arc::new(Polyhedron::hull(points)?)))
    }

    /// Name of the kind of shape.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "sphere",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
            Self::Cuboid { .. } => "box",
            Self::Hull(_) => "hull",
            Self::HalfSpace => "half-space",
            Self::Triangle(_) => "triangle",
        }
    }

    /// Radius of a round shape about its core of a point or segment, m; zero for the others.
    pub(crate) fn radius(&self) -> Real {
        match self {
            Self::Sphere { radius } | Self::Capsule { radius, .. } => *radius,
            _ => 0.0,
        }
    }

    /// How far a point of contact on the surface is from the core about which the shape turns under it, along the unit normal `n` into
    /// the shape, m: zero where the point turns with the shape. A cylinder rolls about its axis, which is r/cos α along n from its
    /// lowest points if it lies at an angle α to the plane across n.
    pub(crate) fn rolls(&self, pose: &Isometry3<Real>, n: &Vec3, point: &Vec3) -> Real {
        let Self::Cylinder { radius, .. } = self else { return self.radius() };
        let axis = pose.rotation * Vec3::y();
        let along = n.dot(&axis);
        let cosine = (1.0 - along * along).max(0.0).sqrt();
        if cosine < 0.5 {
            return 0.0; // it stands
        }
        let far = radius / cosine;
        let off = point + n * far - pose.translation.vector;
        let across = off - axis * off.dot(&axis);
        if across.norm() < 0.02 * radius { far } else { 0.0 }
    }

    /// Centre and radius of a ball inside a shape that is not one itself, own frame, m.
    pub(crate) fn inner_ball(&self) -> Option<(Vec3, Real)> {
        match self {
            Self::Cuboid { half, .. } => Some((Vec3::zeros(), half.min())),
            Self::Capsule { radius, .. } => Some((Vec3::zeros(), *radius)),
            Self::Cylinder { half, radius, .. } => Some((Vec3::zeros(), half.min(*radius))),
            Self::Hull(solid) => {
                let centre = solid.vertices().iter().sum::<Vec3>() / solid.vertices().len() as Real;
                let depth = |face: &Face| face.offset - face.normal.dot(&centre);
                Some((centre, solid.faces().iter().map(depth).fold(Real::INFINITY, Real::min)))
            }
            _ => None,
        }
    }

    /// A point well inside the shape, own frame, m.
    pub(crate) fn centre(&self) -> Vec3 {
        self.inner_ball().map_or_else(Vec3::zeros, |(centre, _)| centre)
    }

    /// The polyhedron that stands for a shape with edges in contacts with other bodies.
    pub(crate) fn solid(&self) -> Option<&Polyhedron> {
        match self {
            Self::Cylinder { prism, .. } => Some(prism),
            Self::Triangle(triangle) => Some(&triangle.prism),
            _ => self.polyhedron(),
        }
    }

    /// The polyhedron of a box or hull.
    pub fn polyhedron(&self) -> Option<&Polyhedron> {
        match self {
            Self::Cuboid { solid, .. } | Self::Hull(solid) => Some(solid),
            _ => None,
        }
    }

    /// The point of the shape farthest along a direction (not zero), own frame, m; infinite for a half-space unless the
    /// direction is up.
    pub fn support(&self, direction: &Vec3) -> Vec3 {
        let unit = |d: &Vec3| d.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        match self {
            Self::Sphere { radius } => unit(direction) * *radius,
            Self::Capsule { half, radius } => {
                Vec3::y() * half.copysign(direction.y) + unit(direction) * *radius
            }
            Self::Cylinder { half, radius, .. } => {
                let flat = unit(&Vec3::new(direction.x, 0.0, direction.z)) * *radius;
                Vec3::new(flat.x, half.copysign(direction.y), flat.z)
            }
            Self::Cuboid { half, .. } => half.zip_map(direction, Real::copysign),
            Self::Hull(solid) => solid.vertices()[solid.support(direction)],
            Self::HalfSpace => Vec3::repeat(Real::INFINITY),
            Self::Triangle(t) => t.prism.vertices()[t.prism.support(direction)],
        }
    }

    /// The smallest box with axes of the world around the shape at a pose, m.
    pub fn bounds(&self, pose: &Isometry3<Real>) -> Aabb {
        if let Self::HalfSpace = self {
            return half_space_bounds(pose);
        }
        let turn = pose.rotation.to_rotation_matrix();
        let centre = pose.translation.vector;
        let reach = |axis: usize| turn.matrix().row(axis).transpose();
        let (mut min, mut max) = (centre, centre);
        for axis in 0..3 {
            let direction = reach(axis);
            max[axis] += direction.dot(&self.support(&direction));
            min[axis] += direction.dot(&self.support(&-direction));
        }
        Aabb { min, max }
    }

    /// Distance from the origin of the frame to the farthest point, m.
    pub fn reach(&self) -> Real {
        match self {
            Self::Sphere { radius } => *radius,
            Self::Capsule { half, radius } => half + radius,
            Self::Cylinder { half, radius, .. } => half.hypot(*radius),
            Self::Cuboid { half, .. } => half.norm(),
            Self::Hull(solid) => solid.vertices().iter().map(|p| p.norm()).fold(0.0, Real::max),
            Self::HalfSpace => Real::INFINITY,
            Self::Triangle(t) => t.prism.vertices().iter().map(|p| p.norm()).fold(0.0, Real::max),
        }
    }
}

/// A half-space that lies level has a finite top; any other one reaches everywhere.
fn half_space_bounds(pose: &Isometry3<Real>) -> Aabb {
    let mut bounds = Aabb::everything();
    let up = pose.rotation * Vec3::y();
    if up.y > 1.0 - 1e-15 {
        bounds.max.y = pose.translation.vector.y;
    }
    bounds
}
