//! OFF: counts, then a line per vertex and a line per face with its number of corners first (Geomview, object file format).
//!
//! The letters `C`, `N`, `ST` before `OFF` announce colours, normals and texture coordinates after the coordinates; they and
//! the colours of faces are dropped. `#` starts a comment. Indices count from 0.

use super::MeshRef;
use super::error::{FileError, FileErrorKind};
use super::scan::{Cursor, believable_count, coordinate, excerpt, integer, read_all, spaced, words};
use crate::{TriMesh, Vec3};
use std::io::{BufRead, BufWriter, Write};

/// Reads a surface; `name` stands for the file in messages.
///
/// # Errors
/// The first defect with its line, a file cut off, or no faces.
///
/// ```
/// let text = b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
/// assert_eq!(pd_mesh::io::read_off(&text[..], "one.off")?.triangles, [[0, 1, 2]]);
/// # Ok::<(), pd_mesh::io::FileError>(())
/// ```
pub fn read_off(input: impl BufRead, name: &str) -> Result<TriMesh, FileError> {
    let bytes = read_all(input, name)?;
    let mut cursor = Cursor::new(&bytes);
    let mut mesh = TriMesh::default();
    read(&mut cursor, &mut mesh).map_err(|kind| kind.at(name, cursor.line()))?;
    let line = cursor.line();
    mesh.validate().map_err(|error| FileErrorKind::Mesh(error).at(name, line))?;
    Ok(mesh)
}

/// The line up to a comment.
fn statement<'a>(
    cursor: &mut Cursor<'a>,
    section: &'static str,
    read: usize,
    declared: usize,
) -> Result<&'a [u8], FileErrorKind> {
    let line = cursor.next_statement().ok_or(FileErrorKind::UnexpectedEnd { section, read, declared })?;
    Ok(line.split(|&byte| byte == b'#').next().unwrap_or_default())
}

fn read(cursor: &mut Cursor<'_>, mesh: &mut TriMesh) -> Result<(), FileErrorKind> {
    let mut first = statement(cursor, "the header", 0, 1)?;
    let keyword = words(first).next().unwrap_or_default();
    if keyword.ends_with(b"OFF") {
        if !matches!(
            keyword,
            b"OFF" | b"COFF" | b"NOFF" | b"CNOFF" | b"STOFF" | b"STCOFF" | b"STNOFF" | b"STCNOFF"
        ) {
            return Err(FileErrorKind::NotSupported {
                found: excerpt(keyword),
                expected: "OFF in three dimensions",
            });
        }
        let rest = &first[keyword.len()..];
        if rest.trim_ascii().starts_with(b"BINARY") {
            return Err(FileErrorKind::NotSupported { found: "BINARY".to_owned(), expected: "a text file" });
        }
        // Some writers put the counts on the line of the keyword.
        first = if words(rest).next().is_some() { rest } else { statement(cursor, "the counts", 0, 1)? };
    } else if !keyword.first().is_some_and(u8::is_ascii_digit) {
        return Err(FileErrorKind::WrongFormat { found: excerpt(keyword), expected: "OFF" });
    }
    let mut counts = words(first);
    let mut count = |section| {
        let word = counts.next().ok_or(FileErrorKind::MissingValue { expected: "a count" })?;
        believable_count(section, integer(word, "a count")?)
    };
    let (vertices, faces) = (count("vertices")?, count("faces")?);
    for read in 0..vertices {
        let line = statement(cursor, "the vertices", read, vertices)?;
        let mut x = Vec3::zeros();
        let mut numbers = words(line);
        for axis in 0..3 {
            const EXPECTED: &str = "a coordinate of a vertex";
            let word = numbers.next().ok_or(FileErrorKind::MissingValue { expected: EXPECTED })?;
            x[axis] = coordinate(word, EXPECTED)?;
        }
        mesh.positions.push(x);
    }
    for read in 0..faces {
        let line = statement(cursor, "the faces", read, faces)?;
        face(line, vertices, &mut mesh.triangles)?;
    }
    Ok(())
}

/// Appends the fan of one polygon.
fn face(line: &[u8], vertices: usize, triangles: &mut Vec<[u32; 3]>) -> Result<(), FileErrorKind> {
    let mut numbers = words(line);
    let mut next = |expected| {
        let word = numbers.next().ok_or(FileErrorKind::MissingValue { expected })?;
        integer::<i64>(word, expected)
    };
    let corners = next("the number of corners")?;
    if corners < 3 {
        return Err(FileErrorKind::TooFewCorners { corners: usize::try_from(corners).unwrap_or(0) });
    }
    let mut corner = || {
        let index = next("a vertex index of a face")?;
        u32::try_from(index)
            .ok()
            .filter(|&v| (v as usize) < vertices)
            .ok_or(FileErrorKind::IndexOutOfRange { index, vertices })
    };
    let (first, mut previous) = (corner()?, corner()?);
    for _ in 2..corners {
        let current = corner()?;
        triangles.push([first, previous, current]);
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
