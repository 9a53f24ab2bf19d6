//! The format from the extension of a path.

use super::error::{FileError, FileErrorKind};
use super::{
    Elements, MeshData, MeshRef, MshFormat, PlyFormat, StlFormat, read_gltf, read_medit, read_msh,
    read_node_ele, read_obj, read_off, read_ply, read_stl, read_vtk, read_vtu, write_atomically,
    write_ele_or_face, write_glb, write_medit, write_msh, write_node, write_obj, write_off, write_ply,
    write_smesh, write_stl, write_vtk, write_vtu,
};
use crate::Mesh;
use std::fs::File;
use std::io::BufReader;
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

/// As [`read_path`], with the numbers per vertex and per element that PLY, VTK, VTU and `.node` files carry.
///
/// # Errors
/// As [`read_path`].
pub fn read_path_with_columns(path: impl AsRef<Path>) -> Result<MeshData, FileError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let open = || open(path);
    match extension(path).as_str() {
        "obj" => read_obj(open()?, &name).map(|mesh| Mesh::Tri(mesh).into()),
        "mesh" => read_medit(open()?, &name).map(MeshData::from),
        "ply" => read_ply(open()?, &name),
        "stl" => read_stl(open()?, &name).map(|mesh| Mesh::Tri(mesh).into()),
        "off" => read_off(open()?, &name).map(|mesh| Mesh::Tri(mesh).into()),
        "msh" => read_msh(open()?, &name).map(MeshData::from),
        "vtk" => read_vtk(open()?, &name),
        "vtu" => read_vtu(open()?, &name),
        "node" | "ele" | "face" => node_ele(path),
        "gltf" | "glb" => {
            let beside = |uri: &str| read_beside(path, uri);
            read_gltf(open()?, &name, beside).map(|mesh| Mesh::Tri(mesh).into())
        }
        _ => Err(unknown(path, READABLE)),
    }
}

fn open(path: &Path) -> Result<BufReader<File>, FileError> {
    let name = path.display().to_string();
    File::open(path).map(BufReader::new).map_err(|error| FileErrorKind::from(error).at(&name, 0))
}

fn node_ele(path: &Path) -> Result<MeshData, FileError> {
    let nodes = path.with_extension("node");
    let (tets, faces) = (path.with_extension("ele"), path.with_extension("face"));
    let (elements, solid) = if tets.exists() { (tets, true) } else { (faces, false) };
    let opened = open(&elements)?;
    let opened = if solid { Elements::Tets(opened) } else { Elements::Triangles(opened) };
    read_node_ele(open(&nodes)?, &nodes.display().to_string(), opened, &elements.display().to_string())
}

/// A file that a `.gltf` names: only a plain name in the same directory, nothing that leads elsewhere.
fn read_beside(path: &Path, uri: &str) -> Option<Vec<u8>> {
    let plain = !uri.contains(['/', '\\', ':', '%']) && uri != "..";
    plain.then(|| std::fs::read(path.with_file_name(uri)).ok()).flatten()
}

/// Writes a mesh file atomically by its extension: PLY and STL in binary, MSH in version 4.1 binary. `.node`, `.ele` and
/// `.face` write the points and beside them the tetrahedra or triangles.
///
/// # Errors
/// An unknown extension or what the system reports; both name the path.
pub fn write_path<'a>(path: impl AsRef<Path>, mesh: impl Into<MeshRef<'a>>) -> Result<(), FileError> {
    let (path, mesh) = (path.as_ref(), mesh.into());
    let written = match extension(path).as_str() {
        "obj" => write_atomically(path, |out| write_obj(out, mesh)),
        "mesh" => write_atomically(path, |out| write_medit(out, mesh)),
        "ply" => write_atomically(path, |out| write_ply(out, mesh, PlyFormat::BinaryLittleEndian, &[])),
        "stl" => write_atomically(path, |out| write_stl(out, mesh, StlFormat::Binary)),
        "off" => write_atomically(path, |out| write_off(out, mesh)),
        "msh" => write_atomically(path, |out| write_msh(out, mesh, MshFormat::V41Binary)),
        "vtk" => write_atomically(path, |out| write_vtk(out, mesh, &[])),
        "vtu" => write_atomically(path, |out| write_vtu(out, mesh, &[], &[])),
        "glb" => write_atomically(path, |out| write_glb(out, mesh)),
        "smesh" => {
            let surface = crate::TriMesh {
                positions: mesh.positions().to_vec(),
                triangles: mesh.surface().into_owned(),
            };
            write_atomically(path, |out| write_smesh(out, &surface))
        }
        "node" | "ele" | "face" => {
            let elements = if matches!(mesh, MeshRef::Tet(_)) { "ele" } else { "face" };
            write_atomically(path.with_extension("node"), |out| write_node(out, mesh)).and_then(|()| {
                write_atomically(path.with_extension(elements), |out| write_ele_or_face(out, mesh))
            })
        }
        _ => return Err(unknown(path, WRITABLE)),
    };
    written.map_err(|error| FileErrorKind::from(error).at(&path.display().to_string(), 0))
}

/// Extension in lower case, empty if there is none.
fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

fn unknown(path: &Path, expected: &'static str) -> FileError {
    let extension = extension(path);
    FileErrorKind::UnknownExtension { extension, expected }.at(&path.display().to_string(), 0)
}
