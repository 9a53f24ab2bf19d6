//! The format from the extension of a path.

use super::error::{FileError, FileErrorKind};
use super::{
    MeshRef, PlyFormat, read_medit, read_obj, write_atomically, write_medit, write_obj, write_ply, write_vtk,
};
use crate::Mesh;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Reads a mesh file: `.obj` gives triangles, `.mesh` tetrahedra if it has any, otherwise triangles.
///
/// # Errors
/// An unknown extension, a file that cannot be opened, or the reader's error; all name the path.
pub fn read_path(path: impl AsRef<Path>) -> Result<Mesh, FileError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let open =
        || File::open(path).map(BufReader::new).map_err(|error| FileErrorKind::from(error).at(&name, 0));
    match extension(path).as_str() {
        "obj" => read_obj(open()?, &name).map(Mesh::Tri),
        "mesh" => read_medit(open()?, &name),
        _ => Err(unknown(path, "obj or mesh")),
    }
}

/// Writes a mesh file atomically: `.obj`, `.mesh`, `.ply` (binary) or `.vtk`.
///
/// # Errors
/// An unknown extension or what the system reports; both name the path.
pub fn write_path<'a>(path: impl AsRef<Path>, mesh: impl Into<MeshRef<'a>>) -> Result<(), FileError> {
    let (path, mesh) = (path.as_ref(), mesh.into());
    let written = match extension(path).as_str() {
        "obj" => write_atomically(path, |out| write_obj(out, mesh)),
        "mesh" => write_atomically(path, |out| write_medit(out, mesh)),
        "ply" => write_atomically(path, |out| write_ply(out, mesh, PlyFormat::BinaryLittleEndian, &[])),
        "vtk" => write_atomically(path, |out| write_vtk(out, mesh, &[])),
        _ => return Err(unknown(path, "obj, mesh, ply or vtk")),
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
