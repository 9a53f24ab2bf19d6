//! From a surface to a solid of tetrahedra.
//!
//! | name | what it is | keeps the surface | rejects |
//! |---|---|---|---|
//! | `stuffing` | isosurface stuffing, built in, any input with a meaningful winding number | to a fraction of the lattice edge | an empty body |
//! | `tetgen` | the program TetGen, found on PATH or given by its path, not linked | exactly | self-intersections, holes |
//! | `tetgen-linked` | the library TetGen, feature `tetgen`, which puts the program under the AGPL | exactly | the same |
//!
//! [`by_name`] creates one of them; [`tetrahedralize_first`] tries several in order and reports why the previous ones
//! failed. Output of other meshers (fTetWild, Gmsh) comes in as files: see [`crate::io::read_path`].
//!
//! ```
//! use pd_mesh::{generate, tetrahedralize::{self, Options, Size}};
//!
//! let ring = generate::torus(48, 24, 1.0, 0.4)?;
//! let options = Options { size: Size::Edge(0.15), ..Options::default() };
//! let made = tetrahedralize::tetrahedralize_first(&["stuffing"], &ring, &options)?;
//! assert!(made.mesh.min_dihedral_angle().to_degrees() > 10.0);
//! # Ok::<(), pd_mesh::MeshError>(())
//! ```

mod embedding;
#[cfg(feature = "tetgen")]
mod linked;
mod stuffing;
mod tetgen;

pub use embedding::{Embedding, Skin};
#[cfg(feature = "tetgen")]
pub use linked::LinkedTetGen;
pub use stuffing::Stuffing;
pub use tetgen::TetGen;

use crate::{MeshError, TetMesh, TriMesh};
use std::path::PathBuf;

/// How large the tetrahedra are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// Lattice edges along the longest side of the surface's box.
    Cells(usize),
    /// Length of the longer lattice edge, in metres.
    Edge(f64),
    /// Number of tetrahedra, met within a few per cent by a search over the edge length.
    Tets(usize),
}

/// Options of a mesher. A mesher ignores those it does not support.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Size of the elements (`stuffing`).
    pub size: Size,
    /// Switches of TetGen; `Y` keeps the surface as it is.
    pub tetgen_switches: String,
    /// The TetGen program; `None` looks for `tetgen` on PATH.
    pub tetgen_program: Option<PathBuf>,
    /// Longest time an external program may take, in seconds.
    pub time_limit: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            size: Size::Cells(20),
            tetgen_switches: "pq1.414Y".to_owned(),
            tetgen_program: None,
            time_limit: 600.0,
        }
    }
}

/// Makes tetrahedra from a closed or nearly closed surface.
pub trait Tetrahedralizer {
    /// Its name.
    fn name(&self) -> &'static str;

    /// A solid bounded by `surface`, every tetrahedron positive.
    ///
    /// # Errors
    /// The reason of the failure, as text.
    fn tetrahedralize(&self, surface: &TriMesh, options: &Options) -> Result<TetMesh, MeshError>;

    /// As [`tetrahedralize`](Self::tetrahedralize), and reports progress to `observe`, from 0 to 1, never
    /// decreasing. A mesher that does not know its progress does not call it.
    ///
    /// # Errors
    /// As [`tetrahedralize`](Self::tetrahedralize).
    fn tetrahedralize_observed(
        &self,
        surface: &TriMesh,
        options: &Options,
        observe: &mut dyn FnMut(f64),
    ) -> Result<TetMesh, MeshError> {
        let _ = observe;
        self.tetrahedralize(surface, options)
    }
}

/// Names of all meshers, in the recommended order.
#[cfg(not(feature = "tetgen"))]
pub const NAMES: &[&str] = &["stuffing", "tetgen"];

/// Names of all meshers, in the recommended order.
#[cfg(feature = "tetgen")]
pub const NAMES: &[&str] = &["stuffing", "tetgen-linked", "tetgen"];

/// Whether TetGen is linked in, which puts the whole program under the AGPL.
pub const TETGEN_LINKED: bool = cfg!(feature = "tetgen");

/// The mesher of that name, or `None`.
#[must_use]
pub fn by_name(name: &str) -> Option<Box<dyn Tetrahedralizer>> {
    match name {
        "stuffing" => Some(Box::new(Stuffing)),
        "tetgen" => Some(Box::new(TetGen)),
        #[cfg(feature = "tetgen")]
        "tetgen-linked" => Some(Box::new(LinkedTetGen)),
        _ => None,
    }
}

/// A solid and the mesher that created it.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// The solid.
    pub mesh: TetMesh,
    /// Name of the mesher that made it.
    pub mesher: &'static str,
    /// Name and reason of every mesher tried before.
    pub refused: Vec<(String, String)>,
}

/// Tries the named meshers in order and returns the first result.
///
/// # Errors
/// An unknown name, or [`MeshError::NoMesher`] with the reason of each.
pub fn tetrahedralize_first(names: &[&str], surface: &TriMesh, options: &Options) -> Result<Made, MeshError> {
    tetrahedralize_first_observed(names, surface, options, &mut |_| {})
}

/// As [`tetrahedralize_first`], reporting progress to `observe`, from 0 to 1; a mesher that fails restarts it
/// from 0.
///
/// # Errors
/// As [`tetrahedralize_first`].
pub fn tetrahedralize_first_observed(
    names: &[&str],
    surface: &TriMesh,
    options: &Options,
    observe: &mut dyn FnMut(f64),
) -> Result<Made, MeshError> {
    surface.validate()?;
    let mut refused = Vec::new();
    for &name in names {
        let mesher = by_name(name).ok_or_else(|| MeshError::UnknownMesher { name: name.to_owned() })?;
        match mesher.tetrahedralize_observed(surface, options, observe) {
            Ok(mesh) => return Ok(Made { mesh, mesher: mesher.name(), refused }),
            Err(error) => refused.push((name.to_owned(), error.to_string())),
        }
    }
    Err(MeshError::NoMesher { reasons: refused })
}
