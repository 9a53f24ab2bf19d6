//! TetGen as a program of its own: the surface goes out as `.smesh`, the solid comes back as `.node` and `.ele`. Nothing
//! of TetGen is linked, so its licence (AGPL) does not reach this crate.

use super::{Options, Tetrahedralizer};
use crate::{MeshError, TetMesh, TriMesh};

/// Runs the program `tetgen`.
#[derive(Clone, Copy, Debug, Default)]
pub struct TetGen;

impl Tetrahedralizer for TetGen {
    fn name(&self) -> &'static str {
        "tetgen"
    }

    fn tetrahedralize(&self, _surface: &TriMesh, _options: &Options) -> Result<TetMesh, MeshError> {
        Err(MeshError::MesherFailed { mesher: "tetgen", reason: "not yet".to_owned() })
    }
}
