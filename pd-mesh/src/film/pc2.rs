//! PC2 point caches: a header of 32 bytes, then the positions of every frame as 32-bit floats. Programs that read it move
//! the vertices of a mesh they already have, which must have the same vertices in the same order.

use super::{Film, FilmError};
use std::io::{BufWriter, Write};

/// Writes the positions of all frames.
///
/// # Errors
/// An inconsistent film, or with more frames or vertices than 31 bits count; errors of the writer.
pub fn write_pc2(out: impl Write, film: &Film) -> std::io::Result<()> {
    film.check()?;
    let (frames, vertices) = (film.frames.len(), film.vertices());
    let counted = |n: usize| {
        i32::try_from(n).map_err(|_| FilmError::TooLarge {
            format: "PC2",
            frames,
            vertices,
            bytes: 32 + 12 * frames as u64 * vertices as u64,
            most: i32::MAX as u64,
        })
    };
    let mut out = BufWriter::new(out);
    out.write_all(b"POINTCACHE2\0")?;
    for word in [1, counted(vertices)?] {
        out.write_all(&word.to_le_bytes())?;
    }
    // First frame, and frames from one sample to the next.
    for number in [0f32, 1.0] {
        out.write_all(&number.to_le_bytes())?;
    }
    out.write_all(&counted(frames)?.to_le_bytes())?;
    for x in film.frames.iter().flatten() {
        for c in x.iter() {
            out.write_all(&(*c as f32).to_le_bytes())?;
        }
    }
    out.flush()
}
