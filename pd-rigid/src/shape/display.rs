//! Triangles of shapes, for drawing and export.

use super::Shape;
use pd_core::{Real, Vec3};
use std::f64::consts::{PI, TAU};

impl Shape {
    /// Vertices (m, own frame) and triangles (counter-clockwise seen from outside) of the surface, round parts with
    /// `segments` (at least 3) vertices around. A half-space is a square of 20 m.
    ///
    /// ```
    /// let (vertices, triangles) = pd_rigid::Shape::sphere(0.5)?.surface(16);
    /// assert!(vertices.iter().all(|p| (p.norm() - 0.5).abs() < 1e-12));
    /// assert!(!triangles.is_empty());
    /// # Ok::<(), pd_rigid::RigidError>(())
    /// ```
    pub fn surface(&self, segments: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let n = segments.max(3);
        match self {
            Self::Cuboid { solid, .. } | Self::Hull(solid) => (solid.vertices().to_vec(), solid.triangles()),
            Self::Sphere { radius } => revolve(&arc(*radius, 0.0, n), n),
            Self::Capsule { half, radius } => revolve(&arc(*radius, *half, n), n),
            Self::Cylinder { half, radius, .. } => {
                revolve(&[(0.0, *half), (*radius, *half), (*radius, -half), (0.0, -half)], n)
            }
            Self::Triangle(t) => (t.corners().to_vec(), vec![[0, 1, 2]]),
            Self::HalfSpace => {
                let corner = |x: Real, z: Real| Vec3::new(10.0 * x, 0.0, 10.0 * z);
                let square = vec![corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)];
                (square, vec![[0, 1, 2], [0, 2, 3]])
            }
        }
    }
}

/// (distance from the axis, height) from the upper pole to the lower one, the two half circles `half` apart from 0.
fn arc(radius: Real, half: Real, segments: usize) -> Vec<(Real, Real)> {
    let rings = segments.div_ceil(4).max(2);
    let point = |k: usize, lift: Real| {
        let angle = PI * k as Real / (2 * rings) as Real;
        (radius * angle.sin(), radius * angle.cos() + lift)
    };
    let mut profile: Vec<_> = (0..=rings).map(|k| point(k, half)).collect();
    let skip = usize::from(half == 0.0); // the equator of a ball is one ring
    profile.extend((rings + skip..=2 * rings).map(|k| point(k, -half)));
    profile[0].0 = 0.0;
    if let Some(last) = profile.last_mut() {
        last.0 = 0.0;
    }
    profile
}

/// The surface that a profile from pole to pole sweeps about y.
fn revolve(profile: &[(Real, Real)], n: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let rings = profile.len() - 2;
    let mut vertices = vec![Vec3::new(0.0, profile[0].1, 0.0)];
    for &(r, y) in &profile[1..=rings] {
        let at = |k: usize| TAU * k as Real / n as Real;
        vertices.extend((0..n).map(|k| Vec3::new(r * at(k).sin(), y, r * at(k).cos())));
    }
    vertices.push(Vec3::new(0.0, profile[rings + 1].1, 0.0));
    let place = |ring: usize, k: usize| (1 + ring * n + k % n) as u32;
    let mut triangles: Vec<[u32; 3]> = (0..n).map(|k| [0, place(0, k), place(0, k + 1)]).collect();
    for ring in 0..rings - 1 {
        for k in 0..n {
            let [a, b, c, d] =
                [place(ring, k), place(ring, k + 1), place(ring + 1, k), place(ring + 1, k + 1)];
            triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    let last = (vertices.len() - 1) as u32;
    triangles.extend((0..n).map(|k| [last, place(rings - 1, k + 1), place(rings - 1, k)]));
    (vertices, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MassProperties;

    #[test]
    fn the_surface_encloses_nearly_the_volume_of_the_shape() {
        let shapes = [
            Shape::sphere(0.5).unwrap(),
            Shape::capsule(0.4, 0.3).unwrap(),
            Shape::cylinder(0.4, 0.3).unwrap(),
            Shape::cuboid(Vec3::new(0.1, 0.2, 0.3)).unwrap(),
        ];
        for shape in shapes {
            let (vertices, triangles) = shape.surface(64);
            let volume: Real = triangles
                .iter()
                .map(|t| {
                    let [a, b, c] = t.map(|v| vertices[v as usize]);
                    a.dot(&b.cross(&c)) / 6.0
                })
                .sum();
            let exact = MassProperties::of(&shape, 1.0).mass;
            assert!((0.99..1.0 + 1e-12).contains(&(volume / exact)), "{}: {volume} of {exact}", shape.kind());
        }
    }
}
