//! Adjacency: unique edges, border edges, ordered one-rings, triangles around a vertex.
//!
//! All results are sorted arrays, so they depend only on the mesh and binary search works on them.

mod rings;
mod vertex_faces;

pub use rings::{InteriorRings, Rings};
pub use vertex_faces::VertexFaces;

use crate::{MeshError, Vec3};

/// Unique edges of triangles, each [low, high], ascending. A side with two equal ends is no edge.
///
/// ```
/// let edges = pd_mesh::topology::triangle_edges(&[[0, 1, 2], [2, 1, 3]]);
/// assert_eq!(edges, [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]);
/// ```
#[must_use]
pub fn triangle_edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    unique(triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]))
}

/// Unique edges of tetrahedra, each [low, high], ascending. A side with two equal ends is no edge.
#[must_use]
pub fn tet_edges(tets: &[[u32; 4]]) -> Vec<[u32; 2]> {
    unique(tets.iter().flat_map(|&[a, b, c, d]| [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]]))
}

/// Unique edges of triangles and tetrahedra together (a solid with a skin), each [low, high], ascending.
#[must_use]
pub fn edges(triangles: &[[u32; 3]], tets: &[[u32; 4]]) -> Vec<[u32; 2]> {
    let mut all = triangle_edges(triangles);
    all.extend(tet_edges(tets));
    unique(all.into_iter())
}

/// Edges with exactly one triangle, in that triangle's direction, sorted by [low, high].
#[must_use]
pub fn boundary_edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).filter(|[a, b]| a != b);
    let mut keyed: Vec<([u32; 2], [u32; 2])> = sides.map(|side| (low_high(side), side)).collect();
    keyed.sort_unstable();
    keyed.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() == 1).map(|group| group[0].1).collect()
}

/// Every side of every triangle as ([low, high], whether it runs from low to high, triangle), sorted.
pub(crate) fn directed_sides(triangles: &[[u32; 3]]) -> Vec<([u32; 2], bool, u32)> {
    let mut sides: Vec<([u32; 2], bool, u32)> = (0..)
        .zip(triangles)
        .flat_map(|(face, &[a, b, c])| {
            [[a, b], [b, c], [c, a]].map(|side| (low_high(side), side[0] < side[1], face))
        })
        .filter(|([a, b], ..)| a != b)
        .collect();
    sides.sort_unstable();
    sides
}

/// Number of pieces: sets of elements that shared vertices connect. Vertices that no element uses count for nothing.
#[must_use]
pub fn components<const N: usize>(vertices: usize, elements: &[[u32; N]]) -> usize {
    // Union–find, the smaller number as the root, with path halving.
    let mut parent: Vec<u32> = (0..vertices as u32).collect();
    let mut used = vec![false; vertices];
    let root = |parent: &mut [u32], mut v: u32| {
        while parent[v as usize] != v {
            parent[v as usize] = parent[parent[v as usize] as usize];
            v = parent[v as usize];
        }
        v
    };
    for corners in elements {
        for &v in corners {
            used[v as usize] = true;
            let (a, b) = (root(&mut parent, corners[0]), root(&mut parent, v));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    (0..vertices).filter(|&v| used[v] && parent[v] as usize == v).count()
}

/// Sorts, removes doubles and self-edges.
fn unique(sides: impl Iterator<Item = [u32; 2]>) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> = sides.filter(|[a, b]| a != b).map(low_high).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// The same edge, smaller index first.
fn low_high([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// There are vertices, 32 bits can name them, and every coordinate is finite.
pub(crate) fn check_positions(positions: &[Vec3]) -> Result<(), MeshError> {
    if positions.is_empty() {
        return Err(MeshError::NoVertices);
    }
    if u32::try_from(positions.len()).is_err() {
        return Err(MeshError::TooManyVertices { vertices: positions.len() as u128 });
    }
    for (vertex, x) in positions.iter().enumerate() {
        if let Some(axis) = x.iter().position(|value| !value.is_finite()) {
            return Err(MeshError::NotFinite { vertex, axis, value: x[axis] });
        }
    }
    Ok(())
}

/// There are elements and every corner names a vertex.
pub(crate) fn check_elements<const N: usize>(
    element: &'static str,
    elements: &[[u32; N]],
    vertices: usize,
) -> Result<(), MeshError> {
    if elements.is_empty() {
        return Err(MeshError::NoElements { element, vertices });
    }
    for (number, corners) in elements.iter().enumerate() {
        if let Some(corner) = corners.iter().position(|&v| v as usize >= vertices) {
            return Err(MeshError::IndexOutOfRange {
                element,
                number,
                corner,
                index: corners[corner],
                vertices,
            });
        }
    }
    Ok(())
}
