//! Shapes of obstacles and rigid bodies, as surfaces to draw.

use crate::{TriMesh, Vec3, generate};

/// A shape about its own origin.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// A ball of this radius, m.
    Sphere(f64),
    /// A box along its axes with these half sizes, m.
    Block(Vec3),
    /// A torus about the y axis: radius of the circle and of the tube, m.
    Torus(f64, f64),
    /// A cylinder along the y axis with round ends: radius and half the length of its straight part, m.
    Capsule(f64, f64),
    /// A square in the plane y = 0 that faces up, of this half size, m: the visible part of an infinite floor.
    Floor(f64),
    /// Any surface.
    Mesh(TriMesh),
}

impl Shape {
    /// A surface and its smooth normals; flat faces have separate corners. Empty for sizes without a surface.
    #[must_use]
    pub fn surface(&self) -> (TriMesh, Vec<Vec3>) {
        let mesh = match self {
            Self::Block(half) => return block(*half),
            Self::Floor(half) => return quad([(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)], *half),
            Self::Sphere(radius) => generate::sphere(48, 24, *radius).ok(),
            Self::Torus(major, minor) => generate::torus(64, 24, *major, *minor).ok(),
            Self::Capsule(radius, half) => capsule(*radius, *half),
            Self::Mesh(mesh) => Some(mesh.clone()),
        };
        let mesh = mesh.unwrap_or(TriMesh { positions: vec![], triangles: vec![] });
        let normals = mesh.vertex_normals();
        (mesh, normals)
    }
}

fn quad(corners: [(f64, f64); 4], half: f64) -> (TriMesh, Vec<Vec3>) {
    let positions = corners.map(|(x, z)| Vec3::new(x * half, 0.0, z * half)).to_vec();
    (TriMesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]] }, vec![Vec3::y(); 4])
}

fn block(half: Vec3) -> (TriMesh, Vec<Vec3>) {
    let mut mesh = TriMesh { positions: vec![], triangles: vec![] };
    let mut normals = vec![];
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let mut normal = Vec3::zeros();
            normal[axis] = side;
            let mut u = Vec3::zeros();
            u[(axis + 1) % 3] = 1.0;
            // Counter-clockwise from outside: u × v is the normal.
            let v = normal.cross(&u);
            let first = mesh.positions.len() as u32;
            for (a, b) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                mesh.positions.push((normal + u * a + v * b).component_mul(&half));
                normals.push(normal);
            }
            mesh.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
    }
    (mesh, normals)
}

/// A sphere whose halves are drawn apart.
fn capsule(radius: f64, half: f64) -> Option<TriMesh> {
    let mut mesh = generate::sphere(32, 16, radius).ok()?;
    for x in &mut mesh.positions {
        x.y += half.copysign(if x.y.abs() < 1e-9 * radius { 1.0 } else { x.y });
    }
    Some(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_face_outwards_and_have_their_size() {
        for shape in [
            Shape::Sphere(0.5),
            Shape::Block(Vec3::new(1.0, 2.0, 3.0)),
            Shape::Torus(1.0, 0.25),
            Shape::Capsule(0.5, 1.0),
        ] {
            let (mesh, normals) = shape.surface();
            assert_eq!(mesh.positions.len(), normals.len());
            for (triangle, face) in mesh.triangles.iter().zip(mesh.face_normals()) {
                for &v in triangle {
                    assert!(normals[v as usize].dot(&face) > 0.5 * face.norm(), "{shape:?}");
                }
            }
            assert!(mesh.enclosed_volume() > 0.0, "{shape:?}");
        }
        let (mesh, _) = Shape::Block(Vec3::new(1.0, 2.0, 3.0)).surface();
        assert!((mesh.enclosed_volume() - 48.0).abs() < 1e-12);
        let high = |shape: Shape| shape.surface().0.positions.iter().map(|x| x.y).fold(0.0, f64::max);
        assert!((high(Shape::Capsule(0.5, 1.0)) - 1.5).abs() < 1e-12);
    }
}
