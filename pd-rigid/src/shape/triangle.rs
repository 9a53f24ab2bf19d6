//! Triangles of a mesh as parts of a body that forces do not move: solid below, open to the front.
//!
//! Each triangle is the top of a prism that reaches a part of the way to the next surface behind it. Contacts leave along
//! normals between that of the triangle and those of its neighbours, so that a body which slides over the edge between two
//! triangles of one plane does not catch on the side of a prism (Bergen 2004, "internal edges").

use super::{Face, Polyhedron};
use crate::RigidError;
use pd_collide::mesh::{MeshFault, MeshQuery};
use pd_core::{Real, Vec3};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A triangle of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshTriangle {
    /// The prism below it; its first face is the triangle.
    pub(crate) prism: Polyhedron,
    /// For each edge the outward direction across it in the plane of the triangle, and how far a normal may lean that way:
    /// the sine of the angle to the neighbour's normal; zero at flat and concave edges, one at borders.
    pub(crate) edges: [(Vec3, Real); 3],
}

/// Share of the way to the next surface behind a triangle that belongs to its prism.
const DEPTH: Real = 0.45;

impl MeshTriangle {
    /// Unit normal of the front.
    pub fn normal(&self) -> Vec3 {
        self.prism.faces()[0].normal
    }

    /// Corners, counter-clockwise seen from the front, m.
    pub fn corners(&self) -> [Vec3; 3] {
        [0, 1, 2].map(|k: usize| self.prism.vertices()[k])
    }

    /// How far behind its front it reaches, m.
    pub(crate) fn depth(&self) -> Real {
        self.prism.faces()[0].offset + self.prism.faces()[1].offset
    }

    /// Whether a contact may push along `normal` (own frame, away from the mesh).
    pub(crate) fn allows(&self, normal: &Vec3) -> bool {
        const SLACK: Real = 1e-3;
        normal.dot(&self.normal()) > SLACK
            && self.edges.iter().all(|(across, most)| normal.dot(across) <= most + SLACK)
    }

    /// The triangles of a mesh, those without area left out.
    ///
    /// # Errors
    /// [`RigidError::Mesh`] if the mesh is empty, refers to vertices that do not exist or is not finite.
    pub fn of_mesh(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<Vec<Arc<Self>>, RigidError> {
        let fault = |fault: MeshFault| RigidError::Mesh { what: fault.to_string() };
        let query = MeshQuery::new(positions.to_vec(), triangles.to_vec()).map_err(fault)?;
        let normal = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| positions[v as usize]);
            (b - a).cross(&(c - a)).try_normalize(1e-14 * (b - a).norm_squared().max((c - a).norm_squared()))
        };
        // Half-edges by their ends: the neighbour has the same edge the other way round.
        let mut owner = BTreeMap::new();
        for (k, t) in triangles.iter().enumerate() {
            for i in 0..3 {
                owner.insert((t[i], t[(i + 1) % 3]), k);
            }
        }
        let mut found = vec![];
        for t in triangles {
            let Some(n) = normal(t) else { continue };
            let corners = t.map(|v| positions[v as usize]);
            let edges = [0, 1, 2].map(|i: usize| {
                let (p, q) = (corners[i], corners[(i + 1) % 3]);
                let across = (q - p).cross(&n).normalize();
                let beside = owner.get(&(t[(i + 1) % 3], t[i])).and_then(|&k| normal(&triangles[k]));
                // A convex neighbour's normal leans outwards.
                let lean = beside.map_or(1.0, |m| {
                    if m.dot(&n) < 0.0 && m.dot(&across) >= 0.0 { 1.0 } else { m.dot(&across).max(0.0) }
                });
                (across, lean)
            });
            let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
            let size = (0..3).map(|i| (corners[i] - corners[(i + 1) % 3]).norm()).fold(0.0, Real::max);
            let behind = query.ray_cast(&(centre - n * (1e-6 * size)), &-n, 2.0 * size);
            let depth = behind.map_or(size, |hit| (DEPTH * hit.time).clamp(1e-3 * size, size));
            found.push(Arc::new(Self { prism: prism(corners, n, depth), edges }));
        }
        if found.is_empty() {
            return Err(RigidError::Mesh { what: "no triangle has an area".into() });
        }
        Ok(found)
    }
}

/// The prism of a given depth behind a triangle.
fn prism(top: [Vec3; 3], n: Vec3, depth: Real) -> Polyhedron {
    let vertices: Vec<Vec3> = top.iter().copied().chain(top.iter().map(|p| p - n * depth)).collect();
    let face = |normal: Vec3, corners: Vec<u32>| Face {
        normal,
        offset: normal.dot(&vertices[corners[0] as usize]),
        corners,
    };
    let mut faces = vec![face(n, vec![0, 1, 2]), face(-n, vec![3, 5, 4])];
    for i in 0..3u32 {
        let j = (i + 1) % 3;
        let side = (vertices[j as usize] - vertices[i as usize]).cross(&n).normalize();
        faces.push(face(side, vec![j, i, i + 3, j + 3]));
    }
    Polyhedron::from_faces(vertices, faces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_in_one_plane_allow_the_normal_alone_and_ridges_what_lies_between() {
        // Two triangles of a square, and a third that goes down behind its edge.
        let positions =
            [Vec3::zeros(), Vec3::z(), Vec3::x(), Vec3::new(1.0, 0.0, 1.0), Vec3::new(2.0, -1.0, 0.0)];
        let triangles = [[0, 1, 2], [2, 1, 3], [2, 3, 4]];
        let found = MeshTriangle::of_mesh(&positions, &triangles).unwrap();
        assert!((found[0].normal() - Vec3::y()).norm() < 1e-12);
        assert!(found[0].allows(&Vec3::y()));
        let lean = |x: Real, z: Real| Vec3::new(x, 1.0, z).normalize();
        assert!(!found[0].allows(&lean(0.1, 0.1)), "over the diagonal of the square");
        assert!(found[0].allows(&lean(-0.1, 0.0)), "over the border");
        assert!(found[1].allows(&lean(0.5, 0.0)), "between the normals of a ridge");
        assert!(!found[1].allows(&lean(3.0, 0.0)), "beyond the neighbour's normal");
        assert!(!found[1].allows(&-Vec3::y()), "from behind");
    }

    #[test]
    fn a_prism_is_closed_and_a_bad_mesh_is_refused() {
        let p = prism([Vec3::zeros(), Vec3::z(), Vec3::x()], Vec3::y(), 0.5);
        assert_eq!((p.vertices().len(), p.faces().len(), p.edges().len()), (6, 5, 9));
        for face in p.faces() {
            assert!(p.vertices().iter().all(|v| face.normal.dot(v) <= face.offset + 1e-12));
        }
        assert!(matches!(MeshTriangle::of_mesh(&[], &[]), Err(RigidError::Mesh { .. })));
        let line = [Vec3::zeros(), Vec3::x(), Vec3::x() * 2.0];
        assert!(matches!(MeshTriangle::of_mesh(&line, &[[0, 1, 2]]), Err(RigidError::Mesh { .. })));
        assert!(matches!(MeshTriangle::of_mesh(&line, &[[0, 1, 7]]), Err(RigidError::Mesh { .. })));
    }
}
