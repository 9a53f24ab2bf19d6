//! Descriptions from plain parameters, as a scene file or a script gives them.
//!
//! ```
//! use pd_core::Vec3;
//! use pd_rigid::{RigidModel, describe::*};
//! let mut builder = RigidModel::builder();
//! let door = builder.body(box_body(Vec3::new(0.4, 1.0, 0.02), 600.0)?.at(Vec3::new(0.4, 1.0, 0.0)))?;
//! builder.joint(hinge(None, Some(door), Vec3::zeros(), Vec3::y()))?;
//! assert_eq!(builder.build().0.bodies(), 1);
//! # Ok::<(), pd_rigid::RigidError>(())
//! ```

use crate::{Axis, BodyDesc, JointDesc, JointKind, RigidError, Shape};
use pd_core::{Real, Vec3};

/// A ball, radius in m, density in kg/m³.
///
/// # Errors
/// As all bodies here: a length or density out of range.
pub fn sphere_body(radius: Real, density: Real) -> Result<BodyDesc, RigidError> {
    Ok(BodyDesc::new(Shape::sphere(radius)?, density))
}

/// A capsule along y: half the length of its core and its radius in m, density in kg/m³.
///
/// # Errors
/// A length out of range.
pub fn capsule_body(half: Real, radius: Real, density: Real) -> Result<BodyDesc, RigidError> {
    Ok(BodyDesc::new(Shape::capsule(half, radius)?, density))
}

/// A cylinder along y: half its height and its radius in m, density in kg/m³.
///
/// # Errors
/// A length out of range.
pub fn cylinder_body(half: Real, radius: Real, density: Real) -> Result<BodyDesc, RigidError> {
    Ok(BodyDesc::new(Shape::cylinder(half, radius)?, density))
}

/// A box: half extents in m, density in kg/m³.
///
/// # Errors
/// A length out of range.
pub fn box_body(half: Vec3, density: Real) -> Result<BodyDesc, RigidError> {
    Ok(BodyDesc::new(Shape::cuboid(half)?, density))
}

/// The convex hull of points in m, density in kg/m³.
///
/// # Errors
/// Those of [`Polyhedron::hull`](crate::Polyhedron::hull).
pub fn hull_body(points: &[Vec3], density: Real) -> Result<BodyDesc, RigidError> {
    Ok(BodyDesc::new(Shape::hull(points)?, density))
}

/// Holds the anchors together; all rotations are free. Anchors and axes here are in the world at time zero; `None` is the
/// world.
pub fn ball_joint(a: Option<usize>, b: Option<usize>, anchor: Vec3) -> JointDesc {
    JointDesc::new(JointKind::Ball, a, b, anchor)
}

/// Leaves rotation about an axis through the anchor.
pub fn hinge(a: Option<usize>, b: Option<usize>, anchor: Vec3, axis: Vec3) -> JointDesc {
    JointDesc::new(JointKind::Hinge, a, b, anchor).along(axis)
}

/// Leaves translation along an axis.
pub fn slider(a: Option<usize>, b: Option<usize>, anchor: Vec3, axis: Vec3) -> JointDesc {
    JointDesc::new(JointKind::Slider, a, b, anchor).along(axis)
}

/// Leaves translation along an axis and rotation about it.
pub fn cylindrical(a: Option<usize>, b: Option<usize>, anchor: Vec3, axis: Vec3) -> JointDesc {
    JointDesc::new(JointKind::Cylindrical, a, b, anchor).along(axis)
}

/// Leaves rotation about an axis fixed in `a` and one across it fixed in `b`.
pub fn universal(a: Option<usize>, b: Option<usize>, anchor: Vec3, axis: Vec3) -> JointDesc {
    JointDesc::new(JointKind::Universal, a, b, anchor).along(axis)
}

/// Turns `b` by `ratio` times the angle of `a` about an axis that is fixed in the world; both bodies need their own hinges.
pub fn gear(a: usize, b: usize, axis: Vec3, ratio: Real) -> JointDesc {
    JointDesc::new(JointKind::Gear { ratio }, Some(a), Some(b), Vec3::zeros()).along(axis)
}

/// Leaves nothing.
pub fn fixed_joint(a: Option<usize>, b: Option<usize>, anchor: Vec3) -> JointDesc {
    JointDesc::new(JointKind::Fixed, a, b, anchor)
}

/// Keeps two points at the distance they have.
pub fn rod(a: Option<usize>, b: Option<usize>, on_a: Vec3, on_b: Vec3) -> JointDesc {
    let kind = JointKind::Distance { length: (on_a - on_b).norm() };
    JointDesc { anchor_b: on_b, ..JointDesc::new(kind, a, b, on_a) }
}

/// Keeps two points no farther apart than `length`, m.
pub fn rope(a: Option<usize>, b: Option<usize>, on_a: Vec3, on_b: Vec3, length: Real) -> JointDesc {
    let joint = JointDesc::new(JointKind::Distance { length }, a, b, on_a);
    JointDesc { anchor_b: on_b, ..joint }.limit(Axis::Linear, 0.0, length)
}
