//! PLY: a header in text that names elements and their properties, then the numbers as text or raw bytes in either order
//! (G. Turk, The PLY polygon file format, Stanford, 1994).

mod read;
mod write;

pub(super) use read::read;
pub use read::read_ply;
pub(super) use write::write;
pub use write::{PlyFormat, write_ply};
