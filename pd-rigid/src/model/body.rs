//! What describes a body before it is part of a model.

use crate::{ConvexParts, MassProperties, MeshTriangle, RigidError, Shape, convex_parts};
use nalgebra::{Isometry3, UnitQuaternion};
use pd_collide::Path;
use pd_core::{Mat3, Real, Vec3};

/// What moves a body.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Drive {
    /// Forces, joints and contacts.
    #[default]
    Dynamic,
    /// Nothing: it stays where it is.
    Static,
    /// A function of time: the offset of a path and a constant spin (rad/s, world frame) about its origin.
    Kinematic {
        /// Offset from the pose at time zero.
        path: Path,
        /// Angular velocity, rad/s.
        spin: Vec3,
    },
}

/// Which bodies may touch: two bodies do if each one's `mask` has a bit of the other's `group`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Groups the body belongs to.
    pub group: u32,
    /// Groups it touches.
    pub mask: u32,
}

impl Default for Filter {
    fn default() -> Self {
        Self { group: 1, mask: u32::MAX }
    }
}

impl Filter {
    /// Touches nothing.
    pub const NONE: Self = Self { group: 0, mask: 0 };

    /// Whether bodies with these filters may touch.
    pub fn allows(&self, other: &Self) -> bool {
        self.mask & other.group != 0 && other.mask & self.group != 0
    }
}

/// A shape as part of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct PartDesc {
    /// The shape.
    pub shape: Shape,
    /// Where it is in the frame of the body.
    pub pose: Isometry3<Real>,
    /// Density, kg/m³.
    pub density: Real,
    /// Coefficient of Coulomb friction; a pair has the geometric mean of its two.
    pub friction: Real,
    /// Coefficient of restitution, 0 to 1; a pair has the larger of its two.
    pub restitution: Real,
}

impl PartDesc {
    /// A part at the origin of the body's frame, with friction 0.5 and no restitution.
    pub fn new(shape: Shape, density: Real) -> Self {
        Self { shape, pose: Isometry3::identity(), density, friction: 0.5, restitution: 0.0 }
    }
}

/// A body to add to a model. Everything but the parts has a default.
///
/// ```
/// use pd_core::Vec3;
/// use pd_rigid::{BodyDesc, Shape};
/// let crate_ = BodyDesc::new(Shape::cuboid(Vec3::repeat(0.5))?, 700.0).at(Vec3::new(0.0, 2.0, 0.0)).friction(0.6);
/// assert_eq!(crate_.position.y, 2.0);
/// # Ok::<(), pd_rigid::RigidError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BodyDesc {
    /// What moves it.
    pub drive: Drive,
    /// Origin of its frame at time zero, m.
    pub position: Vec3,
    /// Rotation of its frame at time zero.
    pub rotation: UnitQuaternion<Real>,
    /// Velocity of the centre of mass at time zero, m/s.
    pub velocity: Vec3,
    /// Angular velocity at time zero, rad/s, world frame.
    pub angular_velocity: Vec3,
    /// Shapes; several make a compound body, none a body without contacts.
    pub parts: Vec<PartDesc>,
    /// Mass, centre and inertia in the frame of the body; `None`: from parts and densities.
    pub mass: Option<MassProperties>,
    /// Rate of loss of velocity, 1/s.
    pub linear_damping: Real,
    /// Rate of loss of angular velocity, 1/s.
    pub angular_damping: Real,
    /// Which bodies it may touch.
    pub filter: Filter,
    /// Whether it may fall asleep.
    pub may_sleep: bool,
}

impl BodyDesc {
    /// A dynamic body at rest at the origin, of one shape of uniform density (kg/m³).
    pub fn new(shape: Shape, density: Real) -> Self {
        Self::compound(vec![PartDesc::new(shape, density)])
    }

    /// A dynamic body at rest at the origin, of several shapes.
    pub fn compound(parts: Vec<PartDesc>) -> Self {
        Self {
            drive: Drive::Dynamic,
            position: Vec3::zeros(),
            rotation: UnitQuaternion::identity(),
            velocity: Vec3::zeros(),
            angular_velocity: Vec3::zeros(),
            parts,
            mass: None,
            linear_damping: 0.0,
            angular_damping: 0.0,
            filter: Filter::default(),
            may_sleep: true,
        }
    }

    /// A static body of the triangles of a mesh, m, counter-clockwise seen from the side that others touch.
    ///
    /// # Errors
    /// [`RigidError::Mesh`].
    pub fn mesh(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, RigidError> {
        let parts = MeshTriangle::of_mesh(positions, triangles)?;
        let part = |t| PartDesc::new(Shape::Triangle(t), 0.0);
        Ok(Self::compound(parts.into_iter().map(part).collect()).fixed())
    }

    /// A dynamic body of convex parts of the volume that a closed mesh encloses, of uniform density (kg/m³).
    ///
    /// # Errors
    /// [`RigidError::Mesh`].
    pub fn convex_parts(
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        how: &ConvexParts,
        density: Real,
    ) -> Result<Self, RigidError> {
        let parts = convex_parts(positions, triangles, how)?;
        Ok(Self::compound(parts.into_iter().map(|shape| PartDesc::new(shape, density)).collect()))
    }

    /// A body without shape, of a mass (kg) and principal moments (kg·m²) about the axes of its frame.
    pub fn point(mass: Real, moments: Vec3) -> Self {
        let inertia = Mat3::from_diagonal(&moments);
        let mass = MassProperties { mass, centre: Vec3::zeros(), inertia };
        Self { mass: Some(mass), ..Self::compound(vec![]) }
    }

    /// The ground: everything below the height `y`, m, static.
    pub fn ground(y: Real) -> Self {
        Self::new(Shape::HalfSpace, 0.0).at(Vec3::new(0.0, y, 0.0)).fixed()
    }

    /// Moves the origin of the frame.
    pub fn at(mut self, position: Vec3) -> Self {
        self.position = position;
        self
    }

    /// Turns the frame.
    pub fn turned(mut self, rotation: UnitQuaternion<Real>) -> Self {
        self.rotation = rotation;
        self
    }

    /// Velocity (m/s) and angular velocity (rad/s) at time zero.
    pub fn moving(mut self, velocity: Vec3, angular_velocity: Vec3) -> Self {
        (self.velocity, self.angular_velocity) = (velocity, angular_velocity);
        self
    }

    /// Makes the body static.
    pub fn fixed(mut self) -> Self {
        self.drive = Drive::Static;
        self
    }

    /// Makes the body follow a path with a constant spin, rad/s.
    pub fn driven(mut self, path: Path, spin: Vec3) -> Self {
        self.drive = Drive::Kinematic { path, spin };
        self
    }

    /// Friction of all parts.
    pub fn friction(mut self, friction: Real) -> Self {
        self.parts.iter_mut().for_each(|part| part.friction = friction);
        self
    }

    /// Restitution of all parts.
    pub fn restitution(mut self, restitution: Real) -> Self {
        self.parts.iter_mut().for_each(|part| part.restitution = restitution);
        self
    }

    /// Damping of velocity and angular velocity, 1/s.
    pub fn damping(mut self, linear: Real, angular: Real) -> Self {
        (self.linear_damping, self.angular_damping) = (linear, angular);
        self
    }

    /// Which bodies it may touch.
    pub fn filtered(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// Mass, centre and inertia: as given, or of the parts together.
    pub fn mass_properties(&self) -> MassProperties {
        self.mass.unwrap_or_else(|| {
            let part = |p: &PartDesc| MassProperties::of(&p.shape, p.density).moved(&p.pose);
            self.parts.iter().map(part).fold(MassProperties::zero(), |sum, part| sum.joined(&part))
        })
    }

    /// Names the first number that is out of range; `body` is for the message.
    pub(crate) fn check(&self, body: usize) -> Result<(), RigidError> {
        use crate::error::not_negative;
        let finite = |what, values: &[Real]| {
            if values.iter().all(|v| v.is_finite()) {
                Ok(())
            } else {
                Err(RigidError::NotFinite { body, what })
            }
        };
        finite("position", self.position.as_slice())?;
        finite("rotation", self.rotation.coords.as_slice())?;
        finite("velocity", self.velocity.as_slice())?;
        finite("angular velocity", self.angular_velocity.as_slice())?;
        not_negative("body", "linear damping", self.linear_damping)?;
        not_negative("body", "angular damping", self.angular_damping)?;
        for part in &self.parts {
            not_negative("part", "density", part.density)?;
            not_negative("part", "friction", part.friction)?;
            not_negative("part", "restitution", part.restitution)?;
            finite("pose of a part", part.pose.translation.vector.as_slice())?;
            finite("pose of a part", part.pose.rotation.coords.as_slice())?;
            if part.restitution > 1.0 {
                let (name, value, expected) = ("restitution", part.restitution, "it must be from 0 to 1");
                return Err(RigidError::Parameter { what: "part", name, value, expected });
            }
            if part.shape == Shape::HalfSpace && self.drive == Drive::Dynamic {
                return Err(RigidError::Unbounded { body });
            }
            if matches!(part.shape, Shape::Triangle(_)) && self.drive == Drive::Dynamic {
                return Err(RigidError::DynamicMesh { body });
            }
        }
        if self.drive != Drive::Dynamic {
            return Ok(());
        }
        let properties = self.mass_properties();
        let mass = properties.mass;
        if !(mass > 0.0 && mass.is_finite() && (1.0 / mass).is_finite()) {
            return Err(RigidError::Mass { body, mass });
        }
        finite("centre of mass", properties.centre.as_slice())?;
        let (i, _) = properties.principal();
        let (a, b, c) = (i.x, i.y, i.z);
        let tolerance = 1.0 + 1e-9; // a plate of no thickness meets the bound exactly
        let possible = a > 0.0 && b > 0.0 && c > 0.0 && a.max(b).max(c) * 2.0 <= (a + b + c) * tolerance;
        if !(possible && (a + b + c).is_finite()) {
            return Err(RigidError::Inertia { body, a, b, c });
        }
        Ok(())
    }
}
