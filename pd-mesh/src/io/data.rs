//! A mesh with named data columns per vertex and per element, and named groups.

use crate::Mesh;
use std::ops::Range;

/// One named number per vertex or per element.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name in the file; components of vectors have a suffix `_0`, `_1`, …
    pub name: String,
    /// The values, in the order of the vertices or elements.
    pub values: Vec<f64>,
}

/// A named part of a mesh, as `g`, `o` and `usemtl` of OBJ and the physical groups of MSH make them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Name in the file.
    pub name: String,
    /// Elements that belong to it, as ascending ranges that do not overlap.
    pub elements: Vec<Range<u32>>,
    /// Vertices that belong to it besides the corners of its elements, ascending.
    pub vertices: Vec<u32>,
}

/// Contents of a file: the mesh, its columns and its groups.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshData {
    /// The mesh.
    pub mesh: Mesh,
    /// Numbers per vertex.
    pub vertex_columns: Vec<Column>,
    /// Numbers per triangle or tetrahedron.
    pub element_columns: Vec<Column>,
    /// Named parts, each name once.
    pub groups: Vec<Group>,
}

impl MeshData {
    /// The vertex column of that name.
    #[must_use]
    pub fn vertex_column(&self, name: &str) -> Option<&[f64]> {
        self.vertex_columns.iter().find(|column| column.name == name).map(|column| &column.values[..])
    }

    /// The element column of that name.
    #[must_use]
    pub fn element_column(&self, name: &str) -> Option<&[f64]> {
        self.element_columns.iter().find(|column| column.name == name).map(|column| &column.values[..])
    }

    /// The group of that name.
    #[must_use]
    pub fn group(&self, name: &str) -> Option<&Group> {
        self.groups.iter().find(|group| group.name == name)
    }

    /// All vertices of a group, those of its elements included, ascending.
    #[must_use]
    pub fn group_vertices(&self, group: &Group) -> Vec<u32> {
        let mut vertices = group.vertices.clone();
        for element in group.elements.iter().cloned().flatten() {
            match &self.mesh {
                Mesh::Tri(mesh) => vertices.extend(mesh.triangles[element as usize]),
                Mesh::Tet(mesh) => vertices.extend(mesh.tets[element as usize]),
            }
        }
        vertices.sort_unstable();
        vertices.dedup();
        vertices
    }
}

impl From<Mesh> for MeshData {
    fn from(mesh: Mesh) -> Self {
        Self { mesh, vertex_columns: Vec::new(), element_columns: Vec::new(), groups: Vec::new() }
    }
}
