//! VTK's files: legacy `.vtk` (text and binary, versions 2 to 5) and XML `.vtu` (The VTK User's Guide, Kitware, file
//! formats). Cells that are no polygons and no tetrahedra are skipped; a file with tetrahedra is a solid.

mod base64;
mod legacy;
mod vtu;
mod write;
mod xml;

pub(crate) use base64::{decode as base64_decode, encode as base64_encode};
pub(super) use legacy::read as read_legacy;
pub use legacy::read_vtk;
pub(super) use vtu::read_bytes as read_vtu_bytes;
pub use vtu::{read_vtu, write_vtu};
pub(super) use write::write as write_legacy;
pub use write::write_vtk;

use super::collected::Collected;
use super::error::FileErrorKind;

/// Adds one cell of a VTK type.
fn add_cell(kind: u64, corners: &[u32], collected: &mut Collected) -> Result<(), FileErrorKind> {
    let least = match kind {
        5 | 6 | 7 | 22 => 3,
        8 | 9 | 10 | 23 | 24 => 4,
        _ => {
            collected.end_cell();
            return Ok(());
        }
    };
    if corners.len() < least {
        return Err(FileErrorKind::Contradiction {
            what: "corners of a cell",
            found: corners.len() as u64,
            expected: least as u64,
        });
    }
    match kind {
        // Triangle strip: every second triangle runs the other way round.
        6 => {
            for (i, window) in corners.windows(3).enumerate() {
                let [a, b, c] = [window[0], window[1], window[2]];
                collected.polygon(&if i % 2 == 0 { [a, b, c] } else { [b, a, c] })?;
            }
        }
        7 => collected.polygon(corners)?,
        5 | 22 => collected.polygon(&corners[..3])?,
        // A pixel has its corners row by row.
        8 => collected.polygon(&[corners[0], corners[1], corners[3], corners[2]])?,
        9 | 23 => collected.polygon(&corners[..4])?,
        _ => collected.tet([corners[0], corners[1], corners[2], corners[3]])?,
    }
    collected.end_cell();
    Ok(())
}
