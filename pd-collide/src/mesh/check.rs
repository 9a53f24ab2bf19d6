//! What is wrong with a mesh.

use pd_core::{Real, Vec3};

/// Why a mesh cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshFault {
    /// No triangles.
    #[error("the mesh has no triangles")]
    Empty,
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {vertex}, but the mesh has {count}")]
    Index {
        /// The triangle.
        triangle: usize,
        /// The vertex it names.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A vertex that is not finite.
    #[error("vertex {vertex} of the mesh is not finite: ({}, {}, {})", position.x, position.y, position.z)]
    NotFinite {
        /// The vertex.
        vertex: usize,
        /// Its position.
        position: Vec3,
    },
    /// An edge with triangles on one side only: the mesh encloses nothing. (Or vertices at seams are doubled.)
    #[error("the mesh is open at the edge between vertices {} and {}", edge[0], edge[1])]
    Open {
        /// Vertices of the edge.
        edge: [u32; 2],
    },
    /// Two triangles that use an edge in the same direction: they face opposite ways.
    #[error("triangles at the edge between vertices {} and {} face opposite ways", edge[0], edge[1])]
    Flipped {
        /// Vertices of the edge.
        edge: [u32; 2],
    },
    /// The mesh is closed, but not around a positive volume: its triangles face inwards, or it is flat.
    #[error("the mesh encloses {volume} m³; its triangles must face outwards")]
    Inward {
        /// Enclosed volume, m³.
        volume: Real,
    },
}

/// Passes a mesh on with triangles, whose vertices exist and are finite.
pub(crate) fn sound(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), MeshFault> {
    if triangles.is_empty() {
        return Err(MeshFault::Empty);
    }
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= positions.len()) {
            return Err(MeshFault::Index { triangle, vertex, count: positions.len() });
        }
    }
    match positions.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        Some(vertex) => Err(MeshFault::NotFinite { vertex, position: positions[vertex] }),
        None => Ok(()),
    }
}

/// Passes a mesh on that is closed and faces outwards.
pub(crate) fn closed(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), MeshFault> {
    // Each use of an edge, by its lesser vertex first and whether it runs upwards. An edge from a vertex to itself, of
    // a triangle that is a segment, is its own opposite.
    let mut uses: Vec<([u32; 2], bool)> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .filter(|[a, b]| a != b)
        .map(|[a, b]| ([a.min(b), a.max(b)], a < b))
        .collect();
    uses.sort_unstable();
    for run in uses.chunk_by(|a, b| a.0 == b.0) {
        let up = run.iter().filter(|side| side.1).count();
        let edge = run[0].0;
        if 2 * up != run.len() {
            return Err(if run.len() % 2 == 1 {
                MeshFault::Open { edge }
            } else {
                MeshFault::Flipped { edge }
            });
        }
    }
    let volume = volume(positions, triangles);
    if volume > 0.0 { Ok(()) } else { Err(MeshFault::Inward { volume }) }
}

/// Enclosed volume, m³: signed tetrahedra with the first vertex, so that it does not suffer far from the origin.
pub(crate) fn volume(positions: &[Vec3], triangles: &[[u32; 3]]) -> Real {
    let origin = positions.first().copied().unwrap_or_default();
    let six: Real = triangles
        .iter()
        .map(|t| t.map(|v| positions[v as usize] - origin))
        .map(|[a, b, c]| a.dot(&b.cross(&c)))
        .sum();
    six / 6.0
}
