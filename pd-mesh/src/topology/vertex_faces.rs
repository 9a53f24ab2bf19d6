//! Triangles around every vertex, as one flat array with offsets: faces of v = `faces[offsets[v]..offsets[v+1]]`.
//!
//! This is the table by which a vertex gathers from its triangles (normals, wind), so that no two threads ever write to
//! one place.

use crate::TriMesh;

/// Vertex-to-face adjacency; the faces of a vertex are ascending, a face with a repeated corner is listed once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexFaces {
    /// Where the faces of each vertex begin; one more entry than vertices.
    pub offsets: Vec<u32>,
    /// Face numbers, vertex after vertex.
    pub faces: Vec<u32>,
}

impl VertexFaces {
    /// Builds the table by counting; cost O(V + F).
    ///
    /// ```
    /// use pd_mesh::{generate, topology::VertexFaces};
    /// let cloth = generate::grid(1, 1, 1.0, 1.0)?;
    /// assert_eq!(VertexFaces::new(&cloth).of(0), [0, 1]);
    /// # Ok::<(), pd_mesh::MeshError>(())
    /// ```
    #[must_use]
    pub fn new(mesh: &TriMesh) -> Self {
        let mut offsets = vec![0u32; mesh.positions.len() + 1];
        for corners in &mesh.triangles {
            for v in distinct(corners) {
                offsets[v as usize + 1] += 1;
            }
        }
        for v in 1..offsets.len() {
            offsets[v] += offsets[v - 1];
        }
        let mut next = offsets.clone();
        let mut faces = vec![0u32; offsets[offsets.len() - 1] as usize];
        for (face, corners) in mesh.triangles.iter().enumerate() {
            for v in distinct(corners) {
                faces[next[v as usize] as usize] = face as u32;
                next[v as usize] += 1;
            }
        }
        Self { offsets, faces }
    }

    /// Faces that touch vertex `v`, ascending.
    #[must_use]
    pub fn of(&self, v: usize) -> &[u32] {
        &self.faces[self.offsets[v] as usize..self.offsets[v + 1] as usize]
    }
}

/// Corners of a triangle without repetition.
fn distinct(&[a, b, c]: &[u32; 3]) -> impl Iterator<Item = u32> {
    [Some(a), (b != a).then_some(b), (c != a && c != b).then_some(c)].into_iter().flatten()
}
