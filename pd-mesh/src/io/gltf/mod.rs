//! glTF 2.0: JSON that describes buffers of raw numbers, as `.gltf` with buffers in base64, or as `.glb` with the buffer
//! behind the JSON (Khronos Group, glTF 2.0 specification).
//!
//! Read: the triangles (also strips and fans) of all primitives of the default scene, moved by the transforms of their
//! nodes. Written: one mesh, for a run with one morph target per frame, so that any viewer plays it. Coordinates have 32
//! bits in this format.

mod json;
mod read;
mod write;

pub use read::read_gltf;
pub(super) use read::read_within;
pub use write::{write_glb, write_glb_animation};
