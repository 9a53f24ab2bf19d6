//! A solid of tetrahedra (x0, x1, x2, x3) with signed volume V = det[x1−x0, x2−x0, x3−x0]/6.
//!
//! The outward faces of a positive tetrahedron are (0,2,1), (0,1,3), (0,3,2), (1,2,3); of a negative one the same
//! reversed. A face that belongs to only one tetrahedron lies on the surface.

use crate::{MeshError, TriMesh, Vec3, topology, transform};

/// Outward corners of the four faces of a positive tetrahedron.
const OUTWARD_FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// A tetrahedron mesh. Fields are public; call [`TetMesh::validate`] after changing indices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetMesh {
    /// Vertex positions, in metres.
    pub positions: Vec<Vec3>,
    /// 0-based corners.
    pub tets: Vec<[u32; 4]>,
}

impl TetMesh {
    /// Creates a mesh after validating it. Orientation and volume are not checked: see [`TetMesh::volumes`].
    ///
    /// # Errors
    /// No vertices, no tetrahedra, an index out of range, or a coordinate that is not finite.
    pub fn new(positions: Vec<Vec3>, tets: Vec<[u32; 4]>) -> Result<Self, MeshError> {
        let mesh = Self { positions, tets };
        mesh.validate()?;
        Ok(mesh)
    }

    /// Checks what [`TetMesh::new`] checks.
    ///
    /// # Errors
    /// The first defect found, positions before tetrahedra.
    pub fn validate(&self) -> Result<(), MeshError> {
        topology::check_positions(&self.positions)?;
        topology::check_elements("tetrahedron", &self.tets, self.positions.len())
    }

    /// Every edge once as [low, high], ascending. Cost O(T log T).
    #[must_use]
    pub fn edges(&self) -> Vec<[u32; 2]> {
        topology::tet_edges(&self.tets)
    }

    /// Signed volume of tetrahedron `tet`, in m³.
    fn volume(&self, tet: usize) -> f64 {
        let [a, b, c, d] = self.tets[tet].map(|v| self.positions[v as usize]);
        (b - a).dot(&(c - a).cross(&(d - a))) / 6.0
    }

    /// Signed volume of every tetrahedron, in m³.
    #[must_use]
    pub fn volumes(&self) -> Vec<f64> {
        (0..self.tets.len()).map(|tet| self.volume(tet)).collect()
    }

    /// A quarter of the absolute volume of the tetrahedra around every vertex, in m³; the sum is the volume of the body.
    #[must_use]
    pub fn vertex_volumes(&self) -> Vec<f64> {
        let mut volumes = vec![0.0; self.positions.len()];
        for (corners, volume) in self.tets.iter().zip(self.volumes()) {
            for &v in corners {
                volumes[v as usize] += volume.abs() / 4.0;
            }
        }
        volumes
    }

    /// Swaps two corners of every negative tetrahedron, so that no volume is negative. Returns how many were swapped.
    pub fn orient_positively(&mut self) -> usize {
        let mut swapped = 0;
        for tet in 0..self.tets.len() {
            if self.volume(tet) < 0.0 {
                self.tets[tet].swap(2, 3);
                swapped += 1;
            }
        }
        swapped
    }

    /// Triangles of the surface, outward for either sign of their tetrahedron, in the order of the tetrahedra.
    ///
    /// ```
    /// let bar = pd_mesh::generate::bar(1, 1, 1, 1.0)?;
    /// assert_eq!(bar.surface_triangles().len(), 12);
    /// # Ok::<(), pd_mesh::MeshError>(())
    /// ```
    #[must_use]
    pub fn surface_triangles(&self) -> Vec<[u32; 3]> {
        let corner_sets =
            self.tets.iter().flat_map(|tet| OUTWARD_FACES.map(|face| sorted(face.map(|c| tet[c]))));
        let mut faces: Vec<([u32; 3], usize)> = corner_sets.zip(0..).collect();
        faces.sort_unstable();

        let mut alone: Vec<usize> = faces
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|group| group.len() == 1)
            .map(|group| group[0].1)
            .collect();
        alone.sort_unstable();
        alone.into_iter().map(|face| self.outward_face(face / 4, face % 4)).collect()
    }

    /// Corners of one face of one tetrahedron, counter-clockwise seen from outside the tetrahedron.
    fn outward_face(&self, tet: usize, face: usize) -> [u32; 3] {
        let [a, b, c] = OUTWARD_FACES[face].map(|corner| self.tets[tet][corner]);
        if self.volume(tet) < 0.0 { [a, c, b] } else { [a, b, c] }
    }

    /// The surface with the vertex numbers of the solid: all positions, only the boundary triangles.
    #[must_use]
    pub fn surface_mesh(&self) -> TriMesh {
        TriMesh { positions: self.positions.clone(), triangles: self.surface_triangles() }
    }

    /// The surface; the same as [`TetMesh::surface_mesh`].
    #[must_use]
    pub fn surface(&self) -> TriMesh {
        self.surface_mesh()
    }

    /// Smallest dihedral angle over all tetrahedra, in radians: near zero means slivers.
    ///
    /// At the edge (a, b) with the other corners c and d it is the angle between c and d seen along the edge.
    #[must_use]
    pub fn min_dihedral_angle(&self) -> f64 {
        const EDGES: [[usize; 4]; 6] =
            [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 0, 2], [2, 3, 0, 1]];
        let mut least = std::f64::consts::PI;
        for tet in &self.tets {
            let x = tet.map(|v| self.positions[v as usize]);
            for [a, b, c, d] in EDGES {
                let edge = x[b] - x[a];
                let (to_c, to_d) = (edge.cross(&(x[c] - x[a])), edge.cross(&(x[d] - x[a])));
                least = least.min(to_c.cross(&to_d).norm().atan2(to_c.dot(&to_d)));
            }
        }
        least
    }

    /// Moves every vertex by `offset`, in metres.
    pub fn translate(&mut self, offset: Vec3) {
        transform::translate(&mut self.positions, offset);
    }

    /// Multiplies every position by `factor`, about the origin.
    pub fn scale(&mut self, factor: f64) {
        transform::scale(&mut self.positions, factor);
    }

    /// Rotates about the origin: `angle` in radians about `axis` (any length; zero leaves the mesh unchanged).
    pub fn rotate(&mut self, axis: Vec3, angle: f64) {
        transform::rotate(&mut self.positions, axis, angle);
    }

    /// Centres the mesh and divides by its longest extent; see [`transform::normalize_extent`].
    pub fn normalize_extent(&mut self) {
        transform::normalize_extent(&mut self.positions);
    }
}

/// The same corners, ascending: equal for the two sides of one face.
fn sorted(mut corners: [u32; 3]) -> [u32; 3] {
    corners.sort_unstable();
    corners
}
