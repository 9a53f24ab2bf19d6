//! A mesh with named numbers per vertex and per element, as files carry them.

use crate::io::{FileError, FileErrorKind};
use crate::{Mesh, TetMesh, TriMesh, Vec3};
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

/// What a file holds: the mesh, its columns and its groups.
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

/// What readers of formats with many kinds of cells collect. A solid wins over a surface, as in the other readers; every
/// cell remembers which number it had, so that columns of cells can follow.
#[derive(Default)]
pub(super) struct Collected {
    pub(super) positions: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) tets: Vec<[u32; 4]>,
    /// Set by readers whose file has no columns of cells, before any cell is added.
    pub(super) without_cells: bool,
    /// Number of the file's cell that each triangle came from.
    pub(super) triangle_cells: Vec<u32>,
    pub(super) tet_cells: Vec<u32>,
    pub(super) cells: usize,
    pub(super) vertex_columns: Vec<Column>,
    pub(super) cell_columns: Vec<Column>,
}

/// Appends; grows by a quarter, because a polygon takes many times its text and doubling would double that.
fn push<T>(list: &mut Vec<T>, value: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 4 + 16);
    }
    list.push(value);
}

impl Collected {
    /// A polygon, cut into a fan from its first corner.
    pub(super) fn polygon(&mut self, corners: &[u32], cell: usize) {
        for pair in corners.get(1..).unwrap_or_default().windows(2) {
            push(&mut self.triangles, [corners[0], pair[0], pair[1]]);
            if !self.without_cells {
                push(&mut self.triangle_cells, cell as u32);
            }
        }
    }

    pub(super) fn tet(&mut self, corners: [u32; 4], cell: usize) {
        push(&mut self.tets, corners);
        if !self.without_cells {
            push(&mut self.tet_cells, cell as u32);
        }
    }

    /// Makes the mesh; columns of cells that were not kept are dropped.
    pub(super) fn finish(self, file: &str) -> Result<MeshData, FileError> {
        let Self {
            positions,
            triangles,
            tets,
            triangle_cells,
            tet_cells,
            cells,
            mut vertex_columns,
            cell_columns,
            ..
        } = self;
        let vertices = positions.len();
        let solid = !tets.is_empty();
        let mesh = if solid {
            TetMesh::new(positions, tets).map(Mesh::Tet)
        } else {
            TriMesh::new(positions, triangles).map(Mesh::Tri)
        };
        let mesh = mesh.map_err(|error| FileErrorKind::Mesh(error).at(file, 0))?;
        let kept = if solid { tet_cells } else { triangle_cells };
        let follow = |column: Column| {
            let values =
                kept.iter().map(|&cell| column.values.get(cell as usize).copied()).collect::<Option<_>>()?;
            Some(Column { name: column.name, values })
        };
        let element_columns = cell_columns
            .into_iter()
            .filter(|column| column.values.len() == cells)
            .filter_map(follow)
            .collect();
        vertex_columns.retain(|column| column.values.len() == vertices);
        Ok(MeshData { mesh, vertex_columns, element_columns, groups: Vec::new() })
    }
}
