//! Triangle and tetrahedron meshes: topology, generators, files.
//!
//! A mesh is plain data: positions in metres and index arrays. The crate contains no physics. It provides
//! the topology that a simulator needs (edges, ordered neighbours, border, surface), generates test bodies with documented
//! vertex numbering, and reads and writes files; readers are safe on untrusted input.
//!
//! | module | content |
//! |---|---|
//! | [`TriMesh`], [`TetMesh`] | positions and elements, checked on construction |
//! | [`topology`] | unique edges, ordered one-rings, vertex-to-face adjacency, border |
//! | [`order`] | elements along a space-filling curve |
//! | [`transform`] | move, scale, rotate, rescale to unit extent |
//! | [`generate`] | cloth, shells of revolution, torus, bar, solid ball, creature |
//! | [`io`] | eleven formats in and out, with numbers per vertex and element; atomic file replacement |
//! | [`film`] | whole runs: glTF, USD, point caches, NumPy arrays, an HTML player |
//! | [`tetrahedralize`] | from a surface to a solid with good angles; skins embedded in solids |
//! | [`check`] | defects of a mesh, and repairs |
//! | [`quality`] | dihedral angles, aspect ratios, histograms |
//! | [`geometry`] | nearest point, winding number, Hausdorff distance, exact intersection |
//! | [`decimate`] | fewer triangles for the same shape |
//!
//! Conventions: right-handed axes with +y up; triangles are counter-clockwise seen from outside; a tetrahedron
//! (x0, x1, x2, x3) is positive when det[x1−x0, x2−x0, x3−x0] > 0. Every result depends only on the input: no
//! hash order, no threads, no clock.
//!
//! ```
//! use pd_mesh::{generate, topology::Rings};
//!
//! let cloth = generate::grid(20, 20, 1.0, 1.0)?;
//! assert_eq!((cloth.positions.len(), cloth.edges().len(), cloth.triangles.len()), (441, 1240, 800));
//!
//! let rings = Rings::new(&cloth);
//! let interior = (0..441).filter(|&v| !rings.is_boundary(v)).count();
//! assert_eq!(interior, 19 * 19);
//! # Ok::<(), pd_mesh::MeshError>(())
//! ```

pub mod check;
pub mod decimate;
mod error;
pub mod film;
pub mod generate;
pub mod geometry;
pub mod io;
pub mod order;
pub mod quality;
mod tet;
pub mod tetrahedralize;
pub mod topology;
pub mod transform;
mod tri;

pub use error::MeshError;
pub use tet::TetMesh;
pub use tri::TriMesh;

/// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// A point or direction in space, in metres where it is a position.
pub type Vec3 = nalgebra::Vector3<f64>;

/// Either kind of mesh, as a file may hold one or the other.
#[derive(Clone, Debug, PartialEq)]
pub enum Mesh {
    /// A surface of triangles.
    Tri(TriMesh),
    /// A solid of tetrahedra.
    Tet(TetMesh),
}

impl Mesh {
    /// Vertex positions, in metres.
    #[must_use]
    pub fn positions(&self) -> &[Vec3] {
        match self {
            Self::Tri(mesh) => &mesh.positions,
            Self::Tet(mesh) => &mesh.positions,
        }
    }

    /// Mutable vertex positions, in metres.
    pub fn positions_mut(&mut self) -> &mut [Vec3] {
        match self {
            Self::Tri(mesh) => &mut mesh.positions,
            Self::Tet(mesh) => &mut mesh.positions,
        }
    }

    /// The triangle mesh, or `None` if this is a solid (see [`TetMesh::surface_mesh`]).
    #[must_use]
    pub fn into_tri(self) -> Option<TriMesh> {
        match self {
            Self::Tri(mesh) => Some(mesh),
            Self::Tet(_) => None,
        }
    }

    /// The tetrahedron mesh, or `None` if this is a surface.
    #[must_use]
    pub fn into_tet(self) -> Option<TetMesh> {
        match self {
            Self::Tri(_) => None,
            Self::Tet(mesh) => Some(mesh),
        }
    }

    /// Number of triangles or tetrahedra.
    #[must_use]
    pub fn element_count(&self) -> usize {
        match self {
            Self::Tri(mesh) => mesh.triangles.len(),
            Self::Tet(mesh) => mesh.tets.len(),
        }
    }
}
