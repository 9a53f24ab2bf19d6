//! The format from the extension of a path.

use super::error::{FileError, FileErrorKind};
use super::{
    Column, Elements, Format, Limits, MeshData, MeshRef, MshFormat, PlyFormat, StlFormat, read_within,
    write_atomically, write_data, write_glb, write_medit, write_msh, write_obj, write_off, write_ply,
    write_smesh, write_stl, write_vtk, write_vtu,
};
use crate::Mesh;
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;

/// Extensions that [`read_path`] knows.
pub const READABLE: &str = "obj, ply, stl, off, mesh, msh, node, ele, face, vtk, vtu, gltf or glb";

/// Extensions that [`write_path`] knows.
pub const WRITABLE: &str = "obj, ply, stl, off, mesh, msh, node, ele, face, smesh, vtk, vtu or glb";

/// Reads a mesh file by its extension. Formats that can hold both give tetrahedra if there are any, otherwise triangles.
///
/// `.node`, `.ele` and `.face` name the same pair: the points and, if present, the `.ele` file, otherwise the `.face` file.
///
/// # Errors
/// An unknown extension, a file that cannot be opened, or the reader's error; all name the path.
pub fn read_path(path: impl AsRef<Path>) -> Result<Mesh, FileError> {
    read_path_with_columns(path).map(|data| data.mesh)
}

/// As [`read_path`], with the columns and groups that the file carries.
///
/// # Errors
/// As [`read_path`].
pub fn read_path_with_columns(path: impl AsRef<Path>) -> Result<MeshData, FileError> {
    read_path_within(path, Limits::default())
}

/// As [`read_path_with_columns`], with custom limits.
///
/// # Errors
/// As [`read_path`], or a limit that is exceeded.
pub fn read_path_within(path: impl AsRef<Path>, limits: Limits) -> Result<MeshData, FileError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    match extension(path).as_str() {
        "node" | "ele" | "face" => node_ele(path, limits),
        "gltf" | "glb" => {
            let beside = |uri: &str| read_beside(path, uri, limits);
            super::gltf::read_within(open(path)?, &name, beside, limits).map(|mesh| Mesh::Tri(mesh).into())
        }
        other => match format(other) {
            Some(format) => read_within(format, open(path)?, &name, limits),
            None => Err(unknown(path, READABLE)),
        },
    }
}

/// Formats of one file by their extension.
fn format(extension: &str) -> Option<Format> {
    Some(match extension {
        "obj" => Format::Obj,
        "mesh" => Format::Medit,
        "ply" => Format::Ply,
        "stl" => Format::Stl,
        "off" => Format::Off,
        "msh" => Format::Msh,
        "vtk" => Format::Vtk,
        "vtu" => Format::Vtu,
        "glb" => Format::Gltf,
        _ => return None,
    })
}

fn open(path: &Path) -> Result<BufReader<File>, FileError> {
    let name = path.display().to_string();
    File::open(path).map(BufReader::new).map_err(|error| FileErrorKind::from(error).at(&name, 0))
}

fn node_ele(path: &Path, limits: Limits) -> Result<MeshData, FileError> {
    let nodes = path.with_extension("node");
    let (tets, faces) = (path.with_extension("ele"), path.with_extension("face"));
    let (elements, solid) = if tets.exists() { (tets, true) } else { (faces, false) };
    let opened = open(&elements)?;
    let opened = if solid { Elements::Tets(opened) } else { Elements::Triangles(opened) };
    let (nodes_name, elements_name) = (nodes.display().to_string(), elements.display().to_string());
    super::node_ele::read(open(&nodes)?, &nodes_name, opened, &elements_name, limits)
}

/// A file that a `.gltf` names: only a plain name in the same directory, nothing that leads elsewhere.
fn read_beside(path: &Path, uri: &str, limits: Limits) -> Option<Vec<u8>> {
    let plain = !uri.contains(['/', '\\', ':', '%']) && uri != "..";
    if !plain {
        return None;
    }
    let path = path.with_file_name(uri);
    let short = std::fs::metadata(&path).is_ok_and(|file| file.len() <= limits.bytes);
    short.then(|| std::fs::read(path).ok()).flatten()
}

/// Writes a mesh file atomically by its extension: PLY and STL in binary, MSH in version 4.1 binary. `.node`, `.ele` and
/// `.face` write the points and beside them the tetrahedra or triangles.
///
/// # Errors
/// An unknown extension or what the system reports; both name the path.
pub fn write_path<'a>(path: impl AsRef<Path>, mesh: impl Into<MeshRef<'a>>) -> Result<(), FileError> {
    let (path, mesh) = (path.as_ref(), mesh.into());
    let written = match extension(path).as_str() {
        "smesh" => smesh(path, mesh),
        "node" | "ele" | "face" => node_and_elements(path, mesh, &[], &[]),
        other => match format(other) {
            Some(format) => write_atomically(path, |out| write_bare(format, out, mesh)),
            None => return Err(unknown(path, WRITABLE)),
        },
    };
    written.map_err(|error| FileErrorKind::from(error).at(&path.display().to_string(), 0))
}

/// As [`write_path`], with the columns and groups that the format can carry; see [`write_data`]. MSH with groups is version
/// 2.2.
///
/// # Errors
/// As [`write_path`], or a column that the format cannot name.
pub fn write_data_path(path: impl AsRef<Path>, data: &MeshData) -> Result<(), FileError> {
    let (path, mesh) = (path.as_ref(), MeshRef::from(&data.mesh));
    let written = match extension(path).as_str() {
        "smesh" => smesh(path, mesh),
        "node" | "ele" | "face" => node_and_elements(path, mesh, &data.vertex_columns, &data.element_columns),
        other => match format(other) {
            Some(format) => write_atomically(path, |out| write_data(format, out, data)),
            None => return Err(unknown(path, WRITABLE)),
        },
    };
    written.map_err(|error| FileErrorKind::from(error).at(&path.display().to_string(), 0))
}

/// Only the mesh.
fn write_bare(format: Format, out: impl Write, mesh: MeshRef<'_>) -> std::io::Result<()> {
    match format {
        Format::Obj => write_obj(out, mesh),
        Format::Ply => write_ply(out, mesh, PlyFormat::BinaryLittleEndian, &[]),
        Format::Stl => write_stl(out, mesh, StlFormat::Binary),
        Format::Off => write_off(out, mesh),
        Format::Medit => write_medit(out, mesh),
        Format::Msh => write_msh(out, mesh, MshFormat::V41Binary),
        Format::Vtk => write_vtk(out, mesh, &[]),
        Format::Vtu => write_vtu(out, mesh, &[], &[]),
        Format::Gltf => write_glb(out, mesh),
    }
}

fn smesh(path: &Path, mesh: MeshRef<'_>) -> std::io::Result<()> {
    let surface =
        crate::TriMesh { positions: mesh.positions().to_vec(), triangles: mesh.surface().into_owned() };
    write_atomically(path, |out| write_smesh(out, &surface))
}

fn node_and_elements(
    path: &Path,
    mesh: MeshRef<'_>,
    of_vertices: &[Column],
    of_elements: &[Column],
) -> std::io::Result<()> {
    let elements = if matches!(mesh, MeshRef::Tet(_)) { "ele" } else { "face" };
    let (points, corners) = (path.with_extension("node"), path.with_extension(elements));
    write_atomically(points, |out| super::node_ele::write_points(out, mesh, of_vertices))?;
    write_atomically(corners, |out| super::node_ele::write_elements(out, mesh, of_elements))
}

/// Extension in lower case, empty if there is none.
fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

fn unknown(path: &Path, expected: &'static str) -> FileError {
    let extension = extension(path);
    FileErrorKind::UnknownExtension { extension, expected }.at(&path.display().to_string(), 0)
}
