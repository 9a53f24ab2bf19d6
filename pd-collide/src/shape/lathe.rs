//! Surfaces of revolution as triangles.

use crate::rounding::direction;
use pd_core::{Real, SurfaceMesh, Vec3};
use std::f64::consts::TAU;

/// Sectors around the axis where the surface is drawn.
pub(crate) const SECTORS: usize = 32;

/// Turns a profile of (distance from the axis, height), from the lower to the upper end, around an axis through
/// `base`, in so many sectors. Both ends must be on the axis; the surface is closed and faces outwards.
pub(crate) fn turn(base: &Vec3, axis: &Vec3, profile: &[(Real, Real)], sectors: usize) -> SurfaceMesh {
    let (u, v) = across(axis);
    let rings = &profile[1..profile.len() - 1];
    let mut positions: Vec<Vec3> =
        [profile[0], profile[profile.len() - 1]].map(|(_, height)| base + axis * height).to_vec();
    for &(radius, height) in rings {
        positions.extend((0..sectors).map(|k| {
            let (sin, cos) = (TAU * k as Real / sectors as Real).sin_cos();
            base + axis * height + (u * cos + v * sin) * radius
        }));
    }
    let at = |ring: usize, k: usize| (2 + ring * sectors + k % sectors) as u32;
    let last = rings.len() - 1;
    let mut triangles = Vec::new();
    for k in 0..sectors {
        triangles.push([0, at(0, k + 1), at(0, k)]);
        triangles.push([1, at(last, k), at(last, k + 1)]);
        for ring in 0..last {
            triangles.push([at(ring, k), at(ring, k + 1), at(ring + 1, k)]);
            triangles.push([at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k)]);
        }
    }
    SurfaceMesh { positions, triangles }
}

/// Two unit vectors with u × v = axis.
fn across(axis: &Vec3) -> (Vec3, Vec3) {
    let least = axis.iamin();
    let u = direction(&Vec3::ith(least, 1.0).cross(axis)).map_or(Vec3::x(), |(u, _)| u);
    (u, axis.cross(&u))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::MeshQuery;

    #[test]
    fn closed_and_outward() {
        for axis in [Vec3::x(), -Vec3::y(), Vec3::new(0.6, 0.0, -0.8)] {
            let mesh = turn(&Vec3::z(), &axis, &[(0.0, 0.0), (1.0, 0.0), (1.0, 2.0), (0.0, 2.0)], SECTORS);
            let mesh = MeshQuery::from_surface(mesh).unwrap();
            assert_eq!(mesh.check_closed(), Ok(()));
            // A prism with 32 sides.
            let area = 16.0 * (TAU / 32.0).sin();
            assert!((mesh.volume() - 2.0 * area).abs() < 1e-12);
        }
    }
}
