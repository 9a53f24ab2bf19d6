//! Mesh files: OBJ and Medit in; OBJ, Medit, PLY and VTK out.
//!
//! Readers take any `BufRead` (a byte slice is one) and a name for messages. They never panic, whatever the bytes, and
//! reserve no memory on the word of a file: a declared count only says how much must follow. Every error names file and
//! line, what is wrong and what was expected: `body.mesh:17: "1.x" is not a coordinate of a vertex`.
//!
//! Writers take any `Write` and either kind of mesh. Numbers are written with the fewest digits that read back to the
//! same bits, so writing and reading a mesh gives the same mesh, bit for bit. OBJ and PLY hold surfaces: of a
//! tetrahedron mesh they get all vertices and the boundary triangles.
//!
//! ```
//! use pd_mesh::{Mesh, generate, io};
//!
//! let bar = generate::bar(1, 1, 2, 1.0)?;
//! let mut file = Vec::new();
//! io::write_medit(&mut file, &bar)?;
//! assert_eq!(io::read_medit(&file[..], "bar.mesh")?, Mesh::Tet(bar));
//!
//! let error = io::read_obj(&b"v 0 0 0\nf 1 2 3\n"[..], "broken.obj").unwrap_err();
//! assert_eq!(error.to_string(), "broken.obj:2: vertex 2 does not exist, the file has 1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod atomic;
mod error;
mod medit;
mod obj;
mod path;
mod ply;
mod scan;
mod vtk;

pub use atomic::write_atomically;
pub use error::{FileError, FileErrorKind};
pub use medit::{read_medit, write_medit};
pub use obj::{read_obj, write_obj};
pub use path::{read_path, write_path};
pub use ply::{PlyFormat, write_ply};
pub use vtk::write_vtk;

use crate::{Mesh, TetMesh, TriMesh, Vec3};
use std::borrow::Cow;

/// A borrowed mesh of either kind, made from `&TriMesh`, `&TetMesh` or `&Mesh`, for the writers.
#[derive(Clone, Copy, Debug)]
pub enum MeshRef<'a> {
    /// A surface of triangles.
    Tri(&'a TriMesh),
    /// A solid of tetrahedra.
    Tet(&'a TetMesh),
}

impl<'a> From<&'a TriMesh> for MeshRef<'a> {
    fn from(mesh: &'a TriMesh) -> Self {
        Self::Tri(mesh)
    }
}

impl<'a> From<&'a TetMesh> for MeshRef<'a> {
    fn from(mesh: &'a TetMesh) -> Self {
        Self::Tet(mesh)
    }
}

impl<'a> From<&'a Mesh> for MeshRef<'a> {
    fn from(mesh: &'a Mesh) -> Self {
        match mesh {
            Mesh::Tri(mesh) => Self::Tri(mesh),
            Mesh::Tet(mesh) => Self::Tet(mesh),
        }
    }
}

impl<'a> MeshRef<'a> {
    fn positions(self) -> &'a [Vec3] {
        match self {
            Self::Tri(mesh) => &mesh.positions,
            Self::Tet(mesh) => &mesh.positions,
        }
    }

    /// The triangles, or the boundary triangles of a solid.
    fn surface(self) -> Cow<'a, [[u32; 3]]> {
        match self {
            Self::Tri(mesh) => Cow::Borrowed(&mesh.triangles),
            Self::Tet(mesh) => Cow::Owned(mesh.surface_triangles()),
        }
    }
}

/// One named number per vertex, such as mass or speed, for formats that can carry it.
pub type ScalarColumn<'a> = (&'a str, &'a [f64]);

/// Names must be single words and every column as long as the mesh, or the file would be unreadable.
fn check_columns(columns: &[ScalarColumn<'_>], vertices: usize) -> std::io::Result<()> {
    let refuse = |message: String| Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, message));
    for (name, values) in columns {
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_graphic()) {
            return refuse(format!(
                "{name:?} cannot name a column, one word of ASCII characters was expected"
            ));
        }
        if values.len() != vertices {
            return refuse(format!("column {name} has {} values for {vertices} vertices", values.len()));
        }
    }
    Ok(())
}
