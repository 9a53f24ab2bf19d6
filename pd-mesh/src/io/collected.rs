//! Data that readers collect, within limits on file size and memory.
//!
//! A solid wins over a surface. Cells are what columns of a file belong to: a polygon is one cell and several triangles, other
//! kinds of cells are none. A reader that has columns of cells calls [`Collected::end_cell`] after every one.

use super::data::{Column, Group, MeshData};
use super::error::{FileError, FileErrorKind};
use super::limits::Limits;
use crate::{Mesh, TetMesh, TriMesh, Vec3};

/// Memory for elements and their columns, as a multiple of the bytes read, and what any file may have besides. With what
/// lists reserve for their growth this stays below ten times the input.
const MAX_TIMES: u64 = 8;
const ALWAYS: u64 = 3072;

/// Appends; grows by an eighth, because a polygon takes many times its text and doubling would double that.
pub(super) fn push<T>(list: &mut Vec<T>, value: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 8 + 16);
    }
    list.push(value);
}

#[derive(Default)]
pub(super) struct Collected {
    pub(super) positions: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) tets: Vec<[u32; 4]>,
    /// Bytes of the file passed so far; readers whose elements can take less than two bytes keep it up to date.
    pub(super) bytes: Option<u64>,
    pub(super) limits: Limits,
    /// Number of triangles and of tetrahedra after each cell.
    triangle_ends: Vec<u32>,
    tet_ends: Vec<u32>,
    pub(super) vertex_columns: Vec<Column>,
    pub(super) cell_columns: Vec<Column>,
    pub(super) groups: Vec<Group>,
}

impl Collected {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    pub(super) fn vertex(&mut self, x: Vec3) -> Result<(), FileErrorKind> {
        if self.positions.len() >= self.limits.vertices {
            return Err(FileErrorKind::TooMany { what: "vertices", limit: self.limits.vertices });
        }
        push(&mut self.positions, x);
        Ok(())
    }

    /// Room for one more element.
    fn room(&self) -> Result<(), FileErrorKind> {
        let elements = self.triangles.len() + self.tets.len();
        if elements >= self.limits.elements {
            return Err(FileErrorKind::TooMany { what: "elements", limit: self.limits.elements });
        }
        match self.bytes {
            Some(bytes) => affordable(12 * elements as u64, bytes),
            None => Ok(()),
        }
    }

    pub(super) fn triangle(&mut self, corners: [u32; 3]) -> Result<(), FileErrorKind> {
        self.room()?;
        push(&mut self.triangles, corners);
        Ok(())
    }

    /// A polygon, cut into a fan from its first corner.
    pub(super) fn polygon(&mut self, corners: &[u32]) -> Result<(), FileErrorKind> {
        for pair in corners.get(1..).unwrap_or_default().windows(2) {
            self.triangle([corners[0], pair[0], pair[1]])?;
        }
        Ok(())
    }

    pub(super) fn tet(&mut self, corners: [u32; 4]) -> Result<(), FileErrorKind> {
        self.room()?;
        push(&mut self.tets, corners);
        Ok(())
    }

    /// What was added since the last cell is the next one.
    pub(super) fn end_cell(&mut self) {
        push(&mut self.triangle_ends, self.triangles.len() as u32);
        push(&mut self.tet_ends, self.tets.len() as u32);
    }

    /// Every element is a cell of its own.
    pub(super) fn one_cell_each(&mut self, elements: usize) {
        self.triangle_ends = (1..=elements as u32).collect();
        self.tet_ends = self.triangle_ends.clone();
    }

    pub(super) fn cells(&self) -> usize {
        self.triangle_ends.len()
    }

    /// Cells count from 0 again: those so far have no columns that will be kept.
    pub(super) fn restart_cells(&mut self) {
        self.triangle_ends.clear();
        self.tet_ends.clear();
        self.cell_columns.clear();
    }

    /// Triangles of a cell, or `None` if there is no such cell.
    pub(super) fn triangles_of(&self, cell: usize) -> &[[u32; 3]] {
        &self.triangles[elements_of(&self.triangle_ends, cell)]
    }

    /// Tetrahedra of a cell, by number.
    pub(super) fn tets_of(&self, cell: usize) -> std::ops::Range<usize> {
        elements_of(&self.tet_ends, cell)
    }

    /// Triangles of a cell, by number.
    pub(super) fn triangle_numbers_of(&self, cell: usize) -> std::ops::Range<usize> {
        elements_of(&self.triangle_ends, cell)
    }

    /// Makes the mesh; columns of cells follow the elements, those of the wrong length are dropped. `line` is where a mesh
    /// that is none is blamed.
    pub(super) fn finish(mut self, file: &str, line: usize, bytes: u64) -> Result<MeshData, FileError> {
        let vertices = self.positions.len();
        self.vertex_columns.retain(|column| column.values.len() == vertices);
        let cells = self.cells();
        self.cell_columns.retain(|column| column.values.len() == cells);
        let solid = !self.tets.is_empty();
        let (ends, elements) = if solid {
            self.triangles = Vec::new();
            (self.tet_ends, self.tets.len())
        } else {
            (self.triangle_ends, self.triangles.len())
        };
        affordable((8 * self.cell_columns.len() * elements) as u64, bytes)
            .map_err(|kind| kind.at(file, line))?;
        let one_each = elements == cells && ends.iter().zip(1u32..).all(|(&end, number)| end == number);
        let follow = |column: Column| {
            if one_each {
                return column;
            }
            let mut values = Vec::with_capacity(elements);
            let mut before = 0;
            for (value, &end) in column.values.iter().zip(&ends) {
                values.extend(std::iter::repeat_n(*value, (end - before) as usize));
                before = end;
            }
            Column { name: column.name, values }
        };
        let element_columns: Vec<Column> = self.cell_columns.into_iter().map(follow).collect();
        let mesh = if solid {
            TetMesh::new(self.positions, self.tets).map(Mesh::Tet)
        } else {
            TriMesh::new(self.positions, self.triangles).map(Mesh::Tri)
        };
        let mesh = mesh.map_err(|error| FileErrorKind::Mesh(error).at(file, line))?;
        Ok(MeshData { mesh, vertex_columns: self.vertex_columns, element_columns, groups: self.groups })
    }
}

fn elements_of(ends: &[u32], cell: usize) -> std::ops::Range<usize> {
    let start = cell.checked_sub(1).map_or(0, |before| ends[before] as usize);
    start..ends[cell] as usize
}

/// Rejects more memory than a file of that many bytes should need.
fn affordable(needed: u64, bytes: u64) -> Result<(), FileErrorKind> {
    if needed > MAX_TIMES * bytes + ALWAYS {
        return Err(FileErrorKind::TooDense { needed, bytes });
    }
    Ok(())
}

/// Groups from pairs of (kind of group, member): members of each kind as ascending ranges, in the order of the kinds.
pub(super) fn ranges_by_kind<K: Ord + Copy>(
    mut members: Vec<(K, u32)>,
) -> Vec<(K, Vec<std::ops::Range<u32>>)> {
    members.sort_unstable();
    let mut groups: Vec<(K, Vec<std::ops::Range<u32>>)> = Vec::new();
    for (kind, member) in members {
        match groups.last_mut() {
            Some((last, ranges)) if *last == kind => match ranges.last_mut() {
                Some(range) if member < range.end => {}
                Some(range) if member == range.end => range.end += 1,
                _ => ranges.push(member..member + 1),
            },
            _ => groups.push((kind, std::iter::once(member..member + 1).collect())),
        }
    }
    groups
}

/// Columns of whole numbers that are all 0 say nothing.
pub(super) fn unless_zero(name: &str, values: Vec<f64>) -> Option<Column> {
    values.iter().any(|value| *value != 0.0).then(|| Column { name: name.to_owned(), values })
}
