//! Pictures and recordings as files.
//!
//! | [`Format`] | path | what |
//! |---|---|---|
//! | `Png` | `x.png` | one picture |
//! | `PngSequence` | a directory | `frame_00000.png` and on |
//! | `Gif` | `x.gif` | moving picture, 256 colours a frame, at most 50 a second |
//! | `Apng` | `x.apng` | moving picture in full colour |
//!
//! Meshes go through [`MeshRecorder`]: a glTF animation (`x.glb`) or a directory of OBJ files. A moving picture is written
//! frame by frame into a file beside its place and renamed by `finish`, so memory does not grow and no half file stays.

mod apng;
mod error;
mod gif;
mod image;
mod mesh;
mod recorder;

pub use error::RecordError;
pub use image::Image;
pub use mesh::{MeshFormat, MeshRecorder};
pub use recorder::{Format, Recorder};
