//! Motions of a set of points, in place: x ← x + t, x ← s x, x ← R x, and the rescale done on import.

use crate::Vec3;
use nalgebra::{Unit, UnitQuaternion};

/// Moves every point by `offset`, in metres.
pub fn translate(positions: &mut [Vec3], offset: Vec3) {
    for x in positions {
        *x += offset;
    }
}

/// Multiplies every point by `factor`, about the origin.
pub fn scale(positions: &mut [Vec3], factor: f64) {
    for x in positions {
        *x *= factor;
    }
}

/// Multiplies x, y and z by the three factors, about the origin.
pub fn scale_axes(positions: &mut [Vec3], factors: Vec3) {
    for x in positions {
        x.component_mul_assign(&factors);
    }
}

/// Turns every point by `angle` radians about `axis` through the origin (any length; zero changes nothing).
///
/// ```
/// use pd_mesh::{Vec3, transform};
/// let mut points = [Vec3::x()];
/// transform::rotate(&mut points, Vec3::z() * 2.0, std::f64::consts::FRAC_PI_2);
/// assert!((points[0] - Vec3::y()).norm() < 1e-15);
/// ```
pub fn rotate(positions: &mut [Vec3], axis: Vec3, angle: f64) {
    if let Some(axis) = Unit::try_new(axis, 0.0) {
        rotate_by(positions, &UnitQuaternion::from_axis_angle(&axis, angle));
    }
}

/// Turns every point about the origin by a unit quaternion.
pub fn rotate_by(positions: &mut [Vec3], rotation: &UnitQuaternion<f64>) {
    for x in positions {
        *x = rotation * *x;
    }
}

/// Least and greatest corner of the axis-aligned box around the points; `None` for no points.
#[must_use]
pub fn bounding_box(positions: &[Vec3]) -> Option<(Vec3, Vec3)> {
    let first = *positions.first()?;
    Some(positions.iter().fold((first, first), |(low, high), x| (low.inf(x), high.sup(x))))
}

/// Mean of the points, in metres; zero for no points.
#[must_use]
pub fn mean(positions: &[Vec3]) -> Vec3 {
    let sum = positions.iter().fold(Vec3::zeros(), |sum, x| sum + x);
    sum / positions.len().max(1) as f64
}

/// The import rescale: subtracts the mean of the vertices, then divides by (greatest − least) over *all* coordinates
/// together, so that the longest extent is about 1.
///
/// For a body whose box is centred at its mean the longest extent becomes 1 exactly; otherwise the three axes do not
/// share their ends and it is somewhat less. Points that all coincide are only centred.
///
/// ```
/// use pd_mesh::{generate, transform};
/// let mut tube = generate::cylinder(20, 16, 0.5, 3.0)?;
/// tube.normalize_extent();
/// let (low, high) = transform::bounding_box(&tube.positions).unwrap();
/// assert!((high.y - low.y - 1.0).abs() < 1e-12);
/// # Ok::<(), pd_mesh::MeshError>(())
/// ```
pub fn normalize_extent(positions: &mut [Vec3]) {
    translate(positions, -mean(positions));
    let (least, greatest) = positions
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x.min()), b.max(x.max())));
    let extent = greatest - least;
    if extent > 0.0 && extent.is_finite() {
        for x in positions {
            *x /= extent;
        }
    }
}
