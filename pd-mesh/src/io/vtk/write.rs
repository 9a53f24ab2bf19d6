//! Legacy VTK output, version 3.0 ASCII: an unstructured grid of tetrahedra (type 10) or triangles (type 5), because some
//! readers open no other dataset (The VTK User's Guide, Kitware, file formats).

use crate::io::{MeshRef, ScalarColumn, check_columns, scan::spaced};
use std::io::{BufWriter, Write};

/// VTK's numbers for a triangle and a tetrahedron.
const VTK_TRIANGLE: u8 = 5;
const VTK_TETRA: u8 = 10;

/// Writes either kind of mesh with `columns` of scalars per vertex.
///
/// # Errors
/// A column of the wrong length or whose name is not a single word; errors of the writer.
pub fn write_vtk<'a>(
    out: impl Write,
    mesh: impl Into<MeshRef<'a>>,
    columns: &[ScalarColumn<'_>],
) -> std::io::Result<()> {
    write(out, mesh.into(), columns, &[])
}

/// As [`write_vtk`], with columns of the elements.
pub(in crate::io) fn write(
    out: impl Write,
    mesh: MeshRef<'_>,
    columns: &[ScalarColumn<'_>],
    of_elements: &[ScalarColumn<'_>],
) -> std::io::Result<()> {
    let positions = mesh.positions();
    let elements = match mesh {
        MeshRef::Tri(surface) => surface.triangles.len(),
        MeshRef::Tet(solid) => solid.tets.len(),
    };
    check_columns(columns, positions.len())?;
    check_columns(of_elements, elements)?;

    let mut out = BufWriter::new(out);
    writeln!(out, "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID")?;
    writeln!(out, "POINTS {} double", positions.len())?;
    for x in positions {
        writeln!(out, "{}", spaced(x))?;
    }
    let kind = match mesh {
        MeshRef::Tri(surface) => {
            writeln!(out, "CELLS {elements} {}", 4 * elements)?;
            for [a, b, c] in &surface.triangles {
                writeln!(out, "3 {a} {b} {c}")?;
            }
            VTK_TRIANGLE
        }
        MeshRef::Tet(solid) => {
            writeln!(out, "CELLS {elements} {}", 5 * elements)?;
            for [a, b, c, d] in &solid.tets {
                writeln!(out, "4 {a} {b} {c} {d}")?;
            }
            VTK_TETRA
        }
    };
    writeln!(out, "CELL_TYPES {elements}")?;
    for _ in 0..elements {
        writeln!(out, "{kind}")?;
    }
    for (section, count, columns) in
        [("POINT_DATA", positions.len(), columns), ("CELL_DATA", elements, of_elements)]
    {
        if !columns.is_empty() {
            writeln!(out, "{section} {count}")?;
        }
        for (name, values) in columns {
            writeln!(out, "SCALARS {name} double 1\nLOOKUP_TABLE default")?;
            for value in *values {
                writeln!(out, "{value}")?;
            }
        }
    }
    out.flush()
}
