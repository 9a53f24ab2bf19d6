//! Image and animation files.
//!
//! | [`Format`] | path | what |
//! |---|---|---|
//! | `Png` | `x.png` | one picture |
//! | `PngSequence` | a directory | `frame_00000.png` and on |
//! | `Gif` | `x.gif` | animation, 256 colours per frame, at most 50 per second |
//! | `Apng` | `x.apng` | animation in full colour |
//!
//! Meshes go through [`MeshRecorder`]: a glTF animation (`x.glb`) or a directory of OBJ files. An animation is written
//! frame by frame into a file beside its place and renamed by `finish`, so memory does not grow and no incomplete file remains.

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
