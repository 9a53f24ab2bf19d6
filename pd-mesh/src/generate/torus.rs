//! A ring about the y axis: x(φ, θ) = ((R + r cos θ) cos φ, r sin θ, (R + r cos θ) sin φ).

use super::{at_least, checked_count, positive};
use crate::{MeshError, TriMesh, Vec3};
use std::f64::consts::TAU;

/// Closed torus shell with outward normals: `major` segments around the axis, `minor` around the tube, distance
/// `major_radius` from the axis to the tube's centre and tube radius `minor_radius`, in metres.
///
/// Vertex number i·minor + j with φ = 2πi/major, θ = 2πj/minor.
///
/// # Errors
/// Fewer than 3 segments, a radius that is not positive, a tube wider than the hole (minor ≥ major radius), or too many
/// vertices.
pub fn torus(major: usize, minor: usize, major_radius: f64, minor_radius: f64) -> Result<TriMesh, MeshError> {
    at_least("major", major, 3)?;
    at_least("minor", minor, 3)?;
    positive("major_radius", major_radius)?;
    positive("minor_radius", minor_radius)?;
    if minor_radius >= major_radius {
        let expected = "less than major_radius";
        return Err(MeshError::BadLength { parameter: "minor_radius", value: minor_radius, expected });
    }
    let vertices = checked_count(&[major, minor])?;

    let mut positions = Vec::with_capacity(vertices);
    let mut triangles = Vec::with_capacity(2 * vertices);
    for i in 0..major {
        let (sin_phi, cos_phi) = (TAU * (i as f64 / major as f64)).sin_cos();
        for j in 0..minor {
            let (sin_theta, cos_theta) = (TAU * (j as f64 / minor as f64)).sin_cos();
            let rho = major_radius + minor_radius * cos_theta;
            positions.push(Vec3::new(rho * cos_phi, minor_radius * sin_theta, rho * sin_phi));

            let number = |i: usize, j: usize| ((i % major) * minor + j % minor) as u32;
            let (a, b, c, d) = (number(i, j), number(i + 1, j), number(i, j + 1), number(i + 1, j + 1));
            triangles.extend([[a, c, d], [a, d, b]]);
        }
    }
    Ok(TriMesh { positions, triangles })
}
