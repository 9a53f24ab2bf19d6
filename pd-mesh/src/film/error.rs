//! Errors of films.

use super::Film;

/// A film that cannot be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FilmError {
    /// Nothing to show.
    #[error("a run without frames")]
    Empty,
    /// A list that should have one entry per frame.
    #[error("{what}: {found} entries for {frames} frames")]
    Count {
        /// Which list.
        what: String,
        /// Its length.
        found: usize,
        /// Frames.
        frames: usize,
    },
    /// Frames of different lengths.
    #[error("frame {frame} has {found} vertices, frame 0 has {expected}")]
    Vertices {
        /// 0-based frame.
        frame: usize,
        /// Its vertices.
        found: usize,
        /// Those of the first.
        expected: usize,
    },
    /// A part or an element names a vertex that does not exist.
    #[error("{name}: vertex {index} does not exist, there are {vertices} (0-based)")]
    Index {
        /// Name of the part.
        name: String,
        /// The vertex.
        index: u64,
        /// Vertices there are.
        vertices: usize,
    },
    /// A number that a 32-bit float cannot hold.
    #[error("frame {frame}, vertex {vertex}: a coordinate is not finite in 32 bits")]
    NotFinite {
        /// 0-based frame.
        frame: usize,
        /// 0-based vertex.
        vertex: usize,
    },
    /// Times that do not grow.
    #[error("frame {frame} is at {time} s, not after the frame before it")]
    Time {
        /// 0-based frame.
        frame: usize,
        /// Its time, s.
        time: f64,
    },
    /// More than the format can address.
    #[error("{frames} frames of {vertices} vertices take {bytes} bytes; {format} holds {most}")]
    TooLarge {
        /// The format.
        format: &'static str,
        /// Frames.
        frames: usize,
        /// Vertices.
        vertices: usize,
        /// Bytes needed.
        bytes: u64,
        /// Bytes that fit.
        most: u64,
    },
}

impl From<FilmError> for std::io::Error {
    fn from(error: FilmError) -> Self {
        Self::new(std::io::ErrorKind::InvalidInput, error)
    }
}

pub(super) fn check(film: &Film) -> Result<(), FilmError> {
    let frames = film.frames.len();
    let vertices = film.vertices();
    if frames == 0 {
        return Err(FilmError::Empty);
    }
    let count = |what: &str, found: usize| match found == frames {
        true => Ok(()),
        false => Err(FilmError::Count { what: what.to_owned(), found, frames }),
    };
    count("times", film.times.len())?;
    if !film.velocities.is_empty() {
        count("velocities", film.velocities.len())?;
    }
    for rigid in film.rigid.iter().filter(|rigid| rigid.poses.len() != 1) {
        count(&rigid.name, rigid.poses.len())?;
    }
    for (frame, x) in film.frames.iter().enumerate() {
        let v = film.velocities.get(frame).unwrap_or(x);
        if let Some(found) = [x.len(), v.len()].into_iter().find(|&found| found != vertices) {
            return Err(FilmError::Vertices { frame, found, expected: vertices });
        }
        if let Some(vertex) = x.iter().position(|p| !p.iter().all(|c| (*c as f32).is_finite())) {
            return Err(FilmError::NotFinite { frame, vertex });
        }
    }
    for (frame, pair) in film.times.windows(2).enumerate() {
        // NaN is not after anything either.
        if pair[1].partial_cmp(&pair[0]) != Some(std::cmp::Ordering::Greater) {
            return Err(FilmError::Time { frame: frame + 1, time: pair[1] });
        }
    }
    for part in &film.parts {
        let index =
            |index: u64, vertices: usize| FilmError::Index { name: part.name.clone(), index, vertices };
        if part.vertices.end as usize > vertices || part.vertices.start > part.vertices.end {
            return Err(index(part.vertices.end.into(), vertices));
        }
        let own = part.vertices.len();
        let corners = part.triangles.iter().flatten().chain(part.tets.iter().flatten());
        if let Some(&bad) = corners.into_iter().find(|&&v| v as usize >= own) {
            return Err(index(bad.into(), own));
        }
    }
    Ok(())
}
