//! Reading and writing with columns, groups and limits.

use super::data::{Column, MeshData};
use super::error::FileError;
use super::limits::Limits;
use super::stream::Stream;
use super::{
    MeshRef, MshFormat, PlyFormat, ScalarColumn, StlFormat, medit, msh, obj, off, ply, stl, vtk, write_glb,
    write_off, write_stl, write_vtu,
};
use std::io::{BufRead, Write};

/// A single-file format. See [`read_within`] and [`write_data`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Wavefront `.obj`.
    Obj,
    /// Stanford `.ply`.
    Ply,
    /// `.stl`.
    Stl,
    /// Geomview `.off`.
    Off,
    /// Medit `.mesh`.
    Medit,
    /// Gmsh `.msh`.
    Msh,
    /// VTK legacy `.vtk`.
    Vtk,
    /// VTK XML `.vtu`.
    Vtu,
    /// glTF `.glb`, or `.gltf` with its buffers in base64.
    Gltf,
}

/// Reads a mesh with all columns and groups that the format carries, within `limits`; `name` is the file name in messages.
///
/// # Errors
/// The first defect with its line, or a limit that is exceeded.
pub fn read_within(
    format: Format,
    mut input: impl BufRead,
    name: &str,
    limits: Limits,
) -> Result<MeshData, FileError> {
    let read = match format {
        Format::Obj => obj::read,
        Format::Ply => ply::read,
        Format::Stl => stl::read,
        Format::Off => off::read,
        Format::Medit => medit::read,
        Format::Msh => msh::read,
        Format::Vtk => vtk::read_legacy,
        Format::Vtu => {
            let bytes = super::scan::read_all(input, name, limits)?;
            return vtk::read_vtu_bytes(&bytes, name, limits);
        }
        Format::Gltf => {
            let mesh = super::gltf::read_within(input, name, |_| None, limits)?;
            return Ok(crate::Mesh::Tri(mesh).into());
        }
    };
    read(&mut Stream::new(&mut input, limits), name)
}

/// Writes a mesh with the columns and groups that the format can carry; the others are left out. PLY, STL and MSH are written
/// in binary.
///
/// # Errors
/// A column whose name is no single word; errors of the writer.
///
/// ```
/// use pd_mesh::io::{Format, Limits, read_within, write_data};
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\ng low\nf 1 2 3\ng high\nf 2 4 3\n";
/// let data = read_within(Format::Obj, &text[..], "a.obj", Limits::default())?;
/// let mut file = Vec::new();
/// write_data(Format::Msh, &mut file, &data)?;
/// let again = read_within(Format::Msh, &file[..], "a.msh", Limits::default())?;
/// assert_eq!(again.groups, data.groups);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_data(format: Format, out: impl Write, data: &MeshData) -> std::io::Result<()> {
    let mesh = MeshRef::from(&data.mesh);
    let (vertex, element) = (scalars(&data.vertex_columns), scalars(&data.element_columns));
    match format {
        Format::Obj => obj::write(out, mesh, &data.groups),
        Format::Ply => {
            let of_triangles = if matches!(mesh, MeshRef::Tri(_)) { &element[..] } else { &[] };
            ply::write(out, mesh, PlyFormat::BinaryLittleEndian, &vertex, of_triangles)
        }
        Format::Stl => write_stl(out, mesh, StlFormat::Binary),
        Format::Off => write_off(out, mesh),
        Format::Medit => {
            // Tags of other formats are references here.
            let tags = |find: &dyn Fn(&str) -> Option<Vec<f64>>| {
                ["reference", "physical", "marker"].iter().find_map(|name| find(name))
            };
            let of_vertices = tags(&|name| data.vertex_column(name).map(<[f64]>::to_vec));
            let of_elements = tags(&|name| data.element_column(name).map(<[f64]>::to_vec));
            medit::write(out, mesh, of_vertices.as_deref(), of_elements.as_deref())
        }
        Format::Msh => msh::write(out, mesh, MshFormat::V41Binary, &vertex, &element, &data.groups),
        Format::Vtk => vtk::write_legacy(out, mesh, &vertex, &element),
        Format::Vtu => write_vtu(out, mesh, &vertex, &element),
        Format::Gltf => write_glb(out, mesh),
    }
}

/// Columns as the writers take them.
fn scalars(columns: &[Column]) -> Vec<ScalarColumn<'_>> {
    columns.iter().map(|column| (column.name.as_str(), &column.values[..])).collect()
}
