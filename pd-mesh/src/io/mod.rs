//! Mesh files, in and out.
//!
//! | extension | what | in | out | columns | groups |
//! |---|---|---|---|---|---|
//! | `.obj` | Wavefront | polygons, negative indices, any encoding | yes | | `g`, `o`, `usemtl`; out as `g` |
//! | `.ply` | Stanford | text, both byte orders | text, both byte orders | in, out | |
//! | `.stl` | stereolithography | text, binary | text, binary (32 bits) | | |
//! | `.off` | Geomview | text | yes | | |
//! | `.mesh` | Medit | text | yes | `reference` in, out | references of the triangles of a solid, in |
//! | `.msh` | Gmsh, fTetWild | 2.2 and 4.1, text and binary | all four | `$NodeData`, `$ElementData` in, out | physical groups in, out |
//! | `.node` + `.ele`, `.face` | TetGen | yes | yes, `.smesh` too | attributes and `marker` in, out | |
//! | `.vtk` | VTK legacy | text, binary, to version 5 | text | in, out | |
//! | `.vtu` | VTK XML | text, base64, raw, zlib | base64 | in, out | |
//! | `.gltf`, `.glb` | glTF 2.0 | meshes of the scene | `.glb`, with frames as morph targets | | |
//!
//! All readers and writers are part of this crate. Crates exist for PLY, STL, VTK, MSH 4.1 and glTF, but none bounds its
//! memory by the length of the file and reports errors with a line; some drop unused vertices (which would renumber pins),
//! and one panics on damaged input. A reader here has a few hundred lines without dependencies, and all are fuzzed. Only
//! zlib decompression uses a crate (`miniz_oxide`).
//!
//! Readers take any `BufRead` (a byte slice is one) and a name for messages. They hold a few kilobytes of the file at a time
//! and the mesh that grows from it. Two read the whole file first: VTU, whose arrays may lie behind the XML that names them
//! in any order, and glTF, whose numbers lie behind JSON that may name them several times. Readers never panic on any
//! input, and never allocate memory based on a declared count: it only determines how much data must follow. Sizes are bounded by
//! [`Limits`], and the memory by ten times the length of the input (of compressed VTU: of the inflated data, at most 64 times
//! as long). Every error names file and
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
mod collected;
mod data;
mod error;
mod format;
mod gltf;
mod limits;
mod medit;
mod msh;
mod node_ele;
mod obj;
mod off;
mod path;
mod ply;
mod scan;
mod stl;
mod stream;
mod vtk;

pub use atomic::write_atomically;
pub use data::{Column, Group, MeshData};
pub use error::{FileError, FileErrorKind};
pub use format::{Format, read_within, write_data};
pub use gltf::{read_gltf, write_glb, write_glb_animation};
pub use limits::Limits;
pub use medit::{read_medit, write_medit};
pub use msh::{MshFormat, read_msh, write_msh};
pub use node_ele::{Elements, read_node_ele, write_ele_or_face, write_node, write_smesh};
pub use obj::{read_obj, write_obj};
pub use off::{read_off, write_off};
pub use path::{
    READABLE, WRITABLE, read_path, read_path_with_columns, read_path_within, write_data_path, write_path,
};
pub use ply::{PlyFormat, read_ply, write_ply};
pub use stl::{StlFormat, read_stl, write_stl};
#[cfg(test)]
pub(crate) use vtk::base64_decode;
pub(crate) use vtk::base64_encode;
pub use vtk::{read_vtk, read_vtu, write_vtk, write_vtu};

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
    pub(crate) fn positions(self) -> &'a [Vec3] {
        match self {
            Self::Tri(mesh) => &mesh.positions,
            Self::Tet(mesh) => &mesh.positions,
        }
    }

    /// The triangles, or the boundary triangles of a solid.
    pub(crate) fn surface(self) -> Cow<'a, [[u32; 3]]> {
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
