//! Why a recording failed.

use std::path::{Path, PathBuf};

/// A failed recording.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A file cannot be written.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A frame of another size than the first.
    #[error("frame {frame} is {got_width}x{got_height} pixels, the first was {width}x{height}")]
    Size {
        /// Number of the frame.
        frame: usize,
        /// Its width.
        got_width: u32,
        /// Its height.
        got_height: u32,
        /// Width of the first.
        width: u32,
        /// Height of the first.
        height: u32,
    },
    /// A frame rate that the format cannot hold.
    #[error("{fps} frames a second is not possible here; it must be from 1 to {most}")]
    Rate {
        /// Frames per second requested.
        fps: u32,
        /// Largest rate of the format.
        most: u32,
    },
    /// No frame was added.
    #[error("{path}: a recording without frames", path = path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
}

impl RecordError {
    pub(super) fn file(path: &Path, source: std::io::Error) -> Self {
        Self::File { path: path.to_owned(), source }
    }
}
