//! A surface of triangles: positions X and triangles (a, b, c), counter-clockwise seen from the side of the normal.
//!
//! Area vector of a triangle: ½ (X_b − X_a) × (X_c − X_a). Its length is the area, its direction the face normal; the
//! normal of a vertex is the direction of the sum of the area vectors of its triangles.

use crate::topology::{self, VertexFaces};
use crate::{MeshError, Vec3, transform};

/// A triangle mesh. Fields are public; call [`TriMesh::validate`] after changing indices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Vertex positions, in metres.
    pub positions: Vec<Vec3>,
    /// 0-based corners, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// Creates a mesh after validating it.
    ///
    /// # Errors
    /// No vertices, no triangles, an index out of range, or a coordinate that is not finite.
    ///
    /// ```
    /// use pd_mesh::{MeshError, TriMesh, Vec3};
    /// let corners = vec![Vec3::zeros(), Vec3::x(), Vec3::y()];
    /// assert!(TriMesh::new(corners.clone(), vec![[0, 1, 2]]).is_ok());
    /// let error = TriMesh::new(corners, vec![[0, 1, 3]]).unwrap_err();
    /// assert!(matches!(error, MeshError::IndexOutOfRange { number: 0, corner: 2, index: 3, .. }));
    /// ```
    pub fn new(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        let mesh = Self { positions, triangles };
        mesh.validate()?;
        Ok(mesh)
    }

    /// Checks what [`TriMesh::new`] checks.
    ///
    /// # Errors
    /// The first defect found, positions before triangles.
    pub fn validate(&self) -> Result<(), MeshError> {
        topology::check_positions(&self.positions)?;
        topology::check_elements("triangle", &self.triangles, self.positions.len())
    }

    /// Every edge once as [low, high], ascending. Cost O(F log F).
    #[must_use]
    pub fn edges(&self) -> Vec<[u32; 2]> {
        topology::triangle_edges(&self.triangles)
    }

    /// Edges that belong to exactly one triangle, in the direction in which that triangle runs through them, sorted by
    /// [low, high].
    #[must_use]
    pub fn boundary_edges(&self) -> Vec<[u32; 2]> {
        topology::boundary_edges(&self.triangles)
    }

    /// Triangles around every vertex.
    #[must_use]
    pub fn vertex_faces(&self) -> VertexFaces {
        VertexFaces::new(self)
    }

    /// Half the cross product of two sides of triangle `face`: length = area in m², direction = normal.
    fn area_vector(&self, face: usize) -> Vec3 {
        let [a, b, c] = self.triangles[face].map(|v| self.positions[v as usize]);
        (b - a).cross(&(c - a)) * 0.5
    }

    /// Area of every triangle, in m².
    #[must_use]
    pub fn face_areas(&self) -> Vec<f64> {
        (0..self.triangles.len()).map(|face| self.area_vector(face).norm()).collect()
    }

    /// Unit normal of every triangle; zero where the triangle has no area.
    #[must_use]
    pub fn face_normals(&self) -> Vec<Vec3> {
        (0..self.triangles.len()).map(|face| unit_or_zero(self.area_vector(face))).collect()
    }

    /// Area-weighted unit normal of every vertex; zero where no triangle with area touches it.
    #[must_use]
    pub fn vertex_normals(&self) -> Vec<Vec3> {
        let mut sums = vec![Vec3::zeros(); self.positions.len()];
        for (face, corners) in self.triangles.iter().enumerate() {
            let area_vector = self.area_vector(face);
            for &v in corners {
                sums[v as usize] += area_vector;
            }
        }
        sums.into_iter().map(unit_or_zero).collect()
    }

    /// A third of the area of the triangles around every vertex, in m²; the sum is the area of the mesh.
    #[must_use]
    pub fn vertex_areas(&self) -> Vec<f64> {
        let mut areas = vec![0.0; self.positions.len()];
        for (corners, area) in self.triangles.iter().zip(self.face_areas()) {
            for &v in corners {
                areas[v as usize] += area / 3.0;
            }
        }
        areas
    }

    /// Enclosed volume in m³ by the divergence theorem, Σ a·(b × c)/6: positive for a closed surface with outward normals.
    #[must_use]
    pub fn enclosed_volume(&self) -> f64 {
        let sixfold: f64 = self
            .triangles
            .iter()
            .map(|corners| {
                let [a, b, c] = corners.map(|v| self.positions[v as usize]);
                a.dot(&b.cross(&c))
            })
            .sum();
        sixfold / 6.0
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

/// Direction of `v`, or zero if `v` is too short to have one.
fn unit_or_zero(v: Vec3) -> Vec3 {
    // try_normalize would take the norm of a subnormal vector as zero anyway; the bound is the smallest normal number.
    v.try_normalize(f64::MIN_POSITIVE).unwrap_or_else(Vec3::zeros)
}
