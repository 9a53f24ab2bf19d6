//! OFF: counts, then a line per vertex and a line per face with its number of corners first (Geomview, object file format).
//!
//! The letters `C`, `N`, `ST` before `OFF` announce colours, normals and texture coordinates after the coordinates; they and
//! the colours of faces are dropped. `#` starts a comment. Indices count from 0.

use super::MeshRef;
use super::collected::Collected;
use super::data::MeshData;
use super::error::{FileError, FileErrorKind};
use super::limits::Limits;
use super::scan::{believable_count, coordinate, excerpt, integer, spaced};
use super::stream::Stream;
use crate::{TriMesh, Vec3};
use std::io::{BufRead, BufWriter, Write};

/// Reads a surface; `name` is the file name in messages.
///
/// # Errors
/// The first defect with its line, a file cut off, or no faces.
///
/// ```
/// let text = b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
/// assert_eq!(pd_mesh::io::read_off(&text[..], "one.off")?.triangles, [[0, 1, 2]]);
/// # Ok::<(), pd_mesh::io::FileError>(())
/// ```
pub fn read_off(mut input: impl BufRead, name: &str) -> Result<TriMesh, FileError> {
    let data = read(&mut Stream::new(&mut input, Limits::default()), name)?;
    // The reader makes triangles only.
    Ok(data.mesh.into_tri().unwrap_or_default())
}

pub(super) fn read(stream: &mut Stream<'_>, name: &str) -> Result<MeshData, FileError> {
    let mut collected = Collected::new(stream.limits);
    let outcome = contents(stream, &mut collected);
    let line = stream.line;
    stream.judge(outcome, name, line)?;
    collected.finish(name, line, stream.passed())
}

/// The next number of the row.
fn number<T: std::str::FromStr>(stream: &mut Stream<'_>, expected: &'static str) -> Result<T, FileErrorKind> {
    integer(stream.row_word().ok_or(FileErrorKind::MissingValue { expected })?, expected)
}

fn row(
    stream: &mut Stream<'_>,
    section: &'static str,
    read: usize,
    declared: usize,
) -> Result<(), FileErrorKind> {
    if stream.next_row() { Ok(()) } else { Err(FileErrorKind::UnexpectedEnd { section, read, declared }) }
}

fn contents(stream: &mut Stream<'_>, collected: &mut Collected) -> Result<(), FileErrorKind> {
    row(stream, "the header", 0, 1)?;
    let starts_with_a_count = stream.peek().is_some_and(|byte| byte.is_ascii_digit());
    let mut first: Option<u64> = None;
    if !starts_with_a_count {
        let keyword = stream.row_word().unwrap_or_default();
        if !keyword.ends_with(b"OFF") {
            return Err(FileErrorKind::WrongFormat { found: excerpt(keyword), expected: "OFF" });
        }
        let known = b"OFF COFF NOFF CNOFF STOFF STCOFF STNOFF STCNOFF";
        if !known.split(|&byte| byte == b' ').any(|other| other == keyword) {
            return Err(FileErrorKind::NotSupported {
                found: excerpt(keyword),
                expected: "OFF in three dimensions",
            });
        }
        // Some writers put the counts on the line of the keyword.
        first = match stream.row_word() {
            Some(word) if word.starts_with(b"BINARY") => {
                let found = "BINARY".to_owned();
                return Err(FileErrorKind::NotSupported { found, expected: "a text file" });
            }
            Some(word) => Some(integer(word, "a count")?),
            None => {
                row(stream, "the counts", 0, 1)?;
                None
            }
        };
    }
    let vertices = match first {
        Some(count) => count,
        None => number(stream, "a count")?,
    };
    let vertices = believable_count("vertices", vertices)?;
    let faces = believable_count("faces", number(stream, "a count")?)?;
    for read in 0..vertices {
        const EXPECTED: &str = "a coordinate of a vertex";
        row(stream, "the vertices", read, vertices)?;
        let mut x = Vec3::zeros();
        for axis in 0..3 {
            let word = stream.row_word().ok_or(FileErrorKind::MissingValue { expected: EXPECTED })?;
            x[axis] = coordinate(word, EXPECTED)?;
        }
        collected.vertex(x)?;
    }
    for read in 0..faces {
        row(stream, "the faces", read, faces)?;
        face(stream, collected)?;
    }
    Ok(())
}

/// Appends the fan of one polygon.
fn face(stream: &mut Stream<'_>, collected: &mut Collected) -> Result<(), FileErrorKind> {
    let vertices = collected.positions.len();
    let corners: i64 = number(stream, "the number of corners")?;
    if corners < 3 {
        return Err(FileErrorKind::TooFewCorners { corners: usize::try_from(corners).unwrap_or(0) });
    }
    let mut corner = || {
        let index: i64 = number(stream, "a vertex index of a face")?;
        u32::try_from(index)
            .ok()
            .filter(|&v| (v as usize) < vertices)
            .ok_or(FileErrorKind::IndexOutOfRange { index, vertices })
    };
    let (first, mut previous) = (corner()?, corner()?);
    for _ in 2..corners {
        let current = corner()?;
        collected.triangle([first, previous, current])?;
        previous = current;
    }
    Ok(())
}

/// Writes a surface; of a solid all vertices and the boundary triangles.
///
/// # Errors
/// What the writer reports.
pub fn write_off<'a>(out: impl Write, mesh: impl Into<MeshRef<'a>>) -> std::io::Result<()> {
    let mesh = mesh.into();
    let mut out = BufWriter::new(out);
    let triangles = mesh.surface();
    writeln!(out, "OFF\n{} {} 0", mesh.positions().len(), triangles.len())?;
    for x in mesh.positions() {
        writeln!(out, "{}", spaced(x))?;
    }
    for [a, b, c] in triangles.iter() {
        writeln!(out, "3 {a} {b} {c}")?;
    }
    out.flush()
}
