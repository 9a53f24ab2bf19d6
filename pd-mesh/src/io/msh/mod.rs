//! Gmsh MSH, versions 2.2 and 4.1, text and binary (C. Geuzaine, J.-F. Remacle, Gmsh reference manual, file formats).
//!
//! Sections stand between `$Name` and `$EndName`; `$Nodes`, `$Elements`, `$NodeData` and `$ElementData` (columns), and
//! `$PhysicalNames` and `$Entities` (groups, and a column `physical` of the elements) are read, the others skipped. Nodes have tags
//! that need not be consecutive; vertices are numbered in the order of the file. Triangles and quadrangles (cut in two),
//! and tetrahedra are taken, of curved ones the corners; a file with tetrahedra is a solid. This is also what fTetWild
//! and TetWild write.

mod fields;
mod groups;
mod numbers;
mod read;
mod write;

pub(super) use read::read;
pub use read::read_msh;
pub(super) use write::write;
pub use write::{MshFormat, write_msh};
