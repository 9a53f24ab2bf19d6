//! Surfaces that cross are pushed apart: the curves along which they cross are shortened.
//!
//! Volino, Magnenat-Thalmann 2006, "Resolving Surface Collisions through Intersection Contour Minimization": where an edge
//! of direction E crosses a face of normal N, and R is the direction in which the curve leaves the edge into a face beside
//! it, the length of the curve changes with the motion of the edge against the face by
//!
//! G = R − 2 (E·R)/(E·N) N   summed over the faces beside the edge,
//!
//! so the edge goes along G and the face against it. No inside or outside is needed.
//!
//! Vertex–face and edge–edge pairs of triangles that cross are left out of the list; all others keep what they had.

use super::list::ContactList;
use super::pair::{ContactKind, Pair};
use super::surface::ContactSurface;
use crate::broad::BroadPhase;
use crate::intersect::{segment_meets_triangle, triangles_cross};
use pd_core::{Aabb, Real, Vec3};

/// Triangles that cross, and which pairs of primitives are left out for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Tangle {
    /// Pairs of triangles, sorted.
    pub(super) pairs: Vec<[u32; 2]>,
    /// Vertex and triangle, sorted.
    vertex_face: Vec<[u32; 2]>,
    /// Numbers of edges, sorted.
    edge_edge: Vec<[u32; 2]>,
}

impl Tangle {
    /// Whether a pair of primitives is left out; of a face only its first corners are known, so they are compared.
    pub(super) fn contains(&self, surface: &ContactSurface, pair: &Pair, faces: [u32; 2]) -> bool {
        if self.pairs.is_empty() {
            return false;
        }
        match pair.kind {
            ContactKind::EdgeEdge => {
                let number = |e: [u32; 2]| surface.edges.binary_search(&e).unwrap_or(usize::MAX) as u32;
                let (a, b) = (number([pair.v[0], pair.v[1]]), number([pair.v[2], pair.v[3]]));
                self.edge_edge.binary_search(&[a.min(b), a.max(b)]).is_ok()
            }
            _ => {
                let own = |f: u32| surface.triangles[f as usize] == [pair.v[1], pair.v[2], pair.v[3]];
                let face = if own(faces[0]) { faces[0] } else { faces[1] };
                self.vertex_face.binary_search(&[pair.v[0], face]).is_ok()
            }
        }
    }

    fn leave_out(&mut self, surface: &ContactSurface) {
        self.vertex_face.clear();
        self.edge_edge.clear();
        for &[f, g] in &self.pairs {
            for (own, other) in [(f, g), (g, f)] {
                let corners = surface.triangles[own as usize];
                self.vertex_face.extend(corners.map(|v| [v, other]));
            }
            for a in surface.triangle_edges[f as usize] {
                self.edge_edge.extend(surface.triangle_edges[g as usize].map(|b| [a.min(b), a.max(b)]));
            }
        }
        for list in [&mut self.vertex_face, &mut self.edge_edge] {
            list.sort_unstable();
            list.dedup();
        }
    }
}

impl ContactList {
    /// Pairs of triangles that cross at positions x, of bodies that see each other: the next list leaves them out. Returns how
    /// many there are.
    pub fn find_tangle(&mut self, surface: &ContactSurface, x: &[Vec3]) -> usize {
        for (b, t) in self.boxes.iter_mut().zip(&surface.triangles) {
            *b = Aabb::of_points(t.iter().map(|&v| &x[v as usize]));
        }
        self.tree.refit(&self.boxes);
        let mut pairs = std::mem::take(&mut self.tangle.pairs);
        self.tree.self_pairs(&mut pairs);
        let still = |t: &[u32; 3]| t.iter().all(|&v| surface.kinematic[v as usize]);
        pairs.retain(|&[f, g]| {
            let (a, b) = (surface.triangles[f as usize], surface.triangles[g as usize]);
            !(still(&a) && still(&b))
                && surface.sees(surface.body[a[0] as usize], surface.body[b[0] as usize])
                && triangles_cross(x, a, b)
        });
        self.tangle.pairs = pairs;
        self.tangle.leave_out(surface);
        self.tangle.pairs.len()
    }

    /// Forgets triangles that crossed.
    pub fn clear_tangle(&mut self) {
        self.tangle = Default::default();
    }

    /// Adds to `out` the directions, of length one at most, in which vertices of triangles that cross are to be pushed.
    pub fn push_apart(&self, surface: &ContactSurface, x: &[Vec3], out: &mut [Vec3]) {
        for &[f, g] in &self.tangle.pairs {
            for (own, other) in [(f, g), (g, f)] {
                let (a, b) = (surface.triangles[own as usize], surface.triangles[other as usize]);
                let (corners, face) = (a.map(|v| x[v as usize]), b.map(|v| x[v as usize]));
                let normal = |t: &[Vec3; 3]| (t[1] - t[0]).cross(&(t[2] - t[0]));
                let (m, n) = (normal(&corners), normal(&face));
                let along = m.cross(&n);
                if along.norm() <= 1e-9 * m.norm() * n.norm() {
                    continue; // parallel planes have no curve
                }
                let (n, along) = (n.normalize(), along.normalize());
                for k in 0..3 {
                    let (i, j) = (k, (k + 1) % 3);
                    if b.contains(&a[i])
                        || b.contains(&a[j])
                        || !segment_meets_triangle([&corners[i], &corners[j]], [&face[0], &face[1], &face[2]])
                    {
                        continue;
                    }
                    let edge = (corners[j] - corners[i]).normalize();
                    let inward = corners[(k + 2) % 3] - corners[i];
                    let inward = inward - edge * edge.dot(&inward);
                    let into = if along.dot(&inward) < 0.0 { -along } else { along };
                    let across = edge.dot(&n);
                    // An edge that lies in the face has no way along it that counts.
                    let bound = if across.abs() > 0.05 { across } else { 0.05f64.copysign(across) };
                    let g = into - n * (2.0 * edge.dot(&into) / bound);
                    let size = g.norm();
                    if size > 0.0 {
                        let g = g / size;
                        [a[i], a[j]].iter().for_each(|&v| out[v as usize] += g);
                        b.iter().for_each(|&v| out[v as usize] -= g);
                    }
                }
            }
        }
        for push in out.iter_mut() {
            let size: Real = push.norm();
            if size > 1.0 {
                *push /= size;
            }
        }
    }
}
