//! Typed errors. Every variant carries the numbers that locate the fault.

use crate::mesh::MeshFault;
use pd_core::{Real, Vec3};

/// Why an obstacle or a path could not be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CollideError {
    /// A contact material out of its range.
    #[error("{what}")]
    Material {
        /// Which value, and what it must be.
        what: String,
    },
    /// A parameter of a shape is out of its range.
    #[error("{shape}: {name} is {value}; {expected}")]
    Parameter {
        /// The shape.
        shape: &'static str,
        /// Name of the parameter.
        name: &'static str,
        /// Its value.
        value: Real,
        /// What it must be.
        expected: &'static str,
    },
    /// The inflated tube of a torus closes the hole, where "push away from the tube centre" leads back inside.
    #[error(
        "torus: minor radius {minor} + margin {margin} exceeds the major radius {major}; the hole is closed"
    )]
    ClosedTorus {
        /// Radius of the tube centre circle, m.
        major: Real,
        /// Radius of the tube, m.
        minor: Real,
        /// Margin, m.
        margin: Real,
    },
    /// A mesh that cannot be an obstacle.
    #[error("mesh: {0}")]
    Mesh(#[from] MeshFault),
    /// A path without keyframes.
    #[error("the path has no keyframes")]
    EmptyPath,
    /// A keyframe that is not finite.
    #[error("keyframe {index} of the path is not finite: time {time}, offset ({}, {}, {})", offset.x, offset.y, offset.z)]
    KeyNotFinite {
        /// The keyframe.
        index: usize,
        /// Its time, s.
        time: Real,
        /// Its offset, m.
        offset: Vec3,
    },
    /// A keyframe that is not later than the one before it.
    #[error("keyframe {index} of the path is at time {time}, not after the previous one at {previous}")]
    KeyOrder {
        /// The keyframe.
        index: usize,
        /// Its time, s.
        time: Real,
        /// Time of the keyframe before it, s.
        previous: Real,
    },
    /// Two keyframes so near in time, or so far in time or space, that the speed between them overflows.
    #[error("the path between keyframes {} and {index} has no finite velocity", index - 1)]
    KeySpeed {
        /// The later keyframe.
        index: usize,
    },
}

/// Passes a finite value on.
pub(crate) fn finite(shape: &'static str, name: &'static str, value: Real) -> Result<Real, CollideError> {
    require(value.is_finite(), shape, name, value, "it must be finite")
}

/// Passes a positive finite value on.
pub(crate) fn positive(shape: &'static str, name: &'static str, value: Real) -> Result<Real, CollideError> {
    require(value.is_finite() && value > 0.0, shape, name, value, "it must be positive and finite")
}

/// Passes a finite value that is zero or more on.
pub(crate) fn not_negative(
    shape: &'static str,
    name: &'static str,
    value: Real,
) -> Result<Real, CollideError> {
    require(value.is_finite() && value >= 0.0, shape, name, value, "it must be finite and not negative")
}

/// Passes a finite point on.
pub(crate) fn finite_point(
    shape: &'static str,
    names: [&'static str; 3],
    p: Vec3,
) -> Result<Vec3, CollideError> {
    for axis in 0..3 {
        finite(shape, names[axis], p[axis])?;
    }
    Ok(p)
}

fn require(
    holds: bool,
    shape: &'static str,
    name: &'static str,
    value: Real,
    expected: &'static str,
) -> Result<Real, CollideError> {
    if holds { Ok(value) } else { Err(CollideError::Parameter { shape, name, value, expected }) }
}

/// Names of the coordinates of a centre, for errors.
pub(crate) const CENTRE: [&str; 3] = ["centre x", "centre y", "centre z"];
