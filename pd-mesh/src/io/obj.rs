//! Wavefront OBJ: `v x y z` and `f a b c …` with indices that count from 1, or from −1 backwards.
//!
//! Read: vertices (a weight or a colour after the coordinates is dropped), faces of any number of corners (cut into a
//! fan from the first corner), `a/b`, `a//c` and `a/b/c` (the texture and normal indices are dropped), a backslash that
//! continues a line, comments in any encoding, all kinds of line ends. Every other statement is skipped. Vertices that no
//! face uses keep their numbers. A face may come before its vertices.

use super::MeshRef;
use super::error::{FileError, FileErrorKind};
use super::scan::{coordinate, excerpt, integer, read_all, spaced};
use crate::{TriMesh, Vec3};
use std::io::{BufRead, BufWriter, Write};

/// Reads a surface; `name` stands for the file in messages.
///
/// # Errors
/// The first defect with its line, or no vertices, or no faces.
///
/// ```
/// let quad = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf -4 -3 -2 -1\n";
/// let mesh = pd_mesh::io::read_obj(&quad[..], "quad.obj")?;
/// assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
/// # Ok::<(), pd_mesh::io::FileError>(())
/// ```
pub fn read_obj(input: impl BufRead, name: &str) -> Result<TriMesh, FileError> {
    let bytes = read_all(input, name)?;
    let (vertices, triangles) = sizes(&bytes);
    let mut mesh =
        TriMesh { positions: Vec::with_capacity(vertices), triangles: Vec::with_capacity(triangles) };
    let mut last_line = 1;
    for (line, statement) in Statements::new(&bytes) {
        last_line = line;
        let mut words = words(statement);
        let result = match words.next() {
            Some(b"v") => vertex(words).map(|x| mesh.positions.push(x)),
            Some(b"f") => face(words, mesh.positions.len(), &mut mesh.triangles),
            _ => Ok(()),
        };
        result.map_err(|kind| kind.at(name, line))?;
    }
    check(&mesh, &bytes, name)?;
    mesh.validate().map_err(|error| FileErrorKind::Mesh(error).at(name, last_line))?;
    Ok(mesh)
}

/// Writes a surface; of a solid all vertices and the boundary triangles.
///
/// # Errors
/// What the writer reports.
pub fn write_obj<'a>(out: impl Write, mesh: impl Into<MeshRef<'a>>) -> std::io::Result<()> {
    let mesh = mesh.into();
    let mut out = BufWriter::new(out);
    for x in mesh.positions() {
        writeln!(out, "v {}", spaced(x))?;
    }
    for corners in mesh.surface().iter() {
        let [a, b, c] = corners.map(|v| u64::from(v) + 1);
        writeln!(out, "f {a} {b} {c}")?;
    }
    out.flush()
}

/// Words of a statement. A backslash at the end of a word is what remains of a joined line.
fn words(statement: &[u8]) -> impl Iterator<Item = &[u8]> {
    let pieces = statement.split(u8::is_ascii_whitespace);
    pieces.map(|word| word.strip_suffix(b"\\").unwrap_or(word)).filter(|word| !word.is_empty())
}

/// How many vertices and triangles the file can have: a polygon of many corners takes six times its text, so nothing is
/// left to growing by doubling.
fn sizes(bytes: &[u8]) -> (usize, usize) {
    let (mut vertices, mut triangles) = (0, 0usize);
    for (_, statement) in Statements::new(bytes) {
        let mut words = words(statement);
        match words.next() {
            Some(b"v") => vertices += 1,
            Some(b"f") => triangles += words.count().saturating_sub(2),
            _ => {}
        }
    }
    (vertices, triangles)
}

/// Every index names a vertex. The line of one that does not is looked up only then.
fn check(mesh: &TriMesh, bytes: &[u8], name: &str) -> Result<(), FileError> {
    let vertices = mesh.positions.len();
    let outside = |corners: &[u32; 3]| corners.iter().copied().find(|&v| v as usize >= vertices);
    let Some((number, v)) = mesh.triangles.iter().enumerate().find_map(|(i, t)| outside(t).map(|v| (i, v)))
    else {
        return Ok(());
    };
    let mut triangles = 0;
    let line = Statements::new(bytes).find_map(|(line, statement)| {
        let mut words = words(statement);
        if words.next() == Some(b"f") {
            triangles += words.take_while(|word| !word.starts_with(b"#")).count().saturating_sub(2);
        }
        (triangles > number).then_some(line)
    });
    Err(FileErrorKind::IndexOutOfRange { index: i64::from(v) + 1, vertices }.at(name, line.unwrap_or(0)))
}

/// Three coordinates; what follows must be numbers (weight, colour) and is dropped.
fn vertex<'a>(mut words: impl Iterator<Item = &'a [u8]>) -> Result<Vec3, FileErrorKind> {
    const EXPECTED: &str = "a coordinate of a vertex";
    let mut x = Vec3::zeros();
    for axis in 0..3 {
        let word = words.next().ok_or(FileErrorKind::MissingValue { expected: EXPECTED })?;
        x[axis] = coordinate(word, EXPECTED)?;
    }
    for word in words.take_while(|word| !word.starts_with(b"#")) {
        coordinate(word, "a weight or colour after the coordinates")?;
    }
    Ok(x)
}

/// Appends the fan of one polygon. Indices beyond the vertices read so far are left for the final check.
fn face<'a>(
    words: impl Iterator<Item = &'a [u8]>,
    vertices_so_far: usize,
    triangles: &mut Vec<[u32; 3]>,
) -> Result<(), FileErrorKind> {
    let mut corners = 0;
    let (mut first, mut previous) = (0, 0);
    for word in words.take_while(|word| !word.starts_with(b"#")) {
        let corner = corner(word, vertices_so_far)?;
        corners += 1;
        match corners {
            1 => first = corner,
            2 => {}
            _ => triangles.push([first, previous, corner]),
        }
        previous = corner;
    }
    if corners < 3 { Err(FileErrorKind::TooFewCorners { corners }) } else { Ok(()) }
}

/// 0-based vertex of a corner `a`, `a/b`, `a//c` or `a/b/c`.
fn corner(word: &[u8], vertices_so_far: usize) -> Result<u32, FileErrorKind> {
    const EXPECTED: &str = "a vertex index of a face";
    let mut parts = word.split(|byte| *byte == b'/');
    let index: i64 = integer(parts.next().unwrap_or_default(), EXPECTED)?;
    let mut extra = 0;
    for part in parts {
        extra += 1;
        if !part.is_empty() {
            integer::<i64>(part, "a texture or normal index of a face")?;
        }
    }
    if extra > 2 {
        return Err(FileErrorKind::NotANumber { found: excerpt(word), expected: EXPECTED });
    }
    let vertices = vertices_so_far;
    let zero_based = match index {
        0 => return Err(FileErrorKind::ZeroIndex),
        1.. => index - 1,
        // checked: the most negative number has no counterpart
        _ => index.checked_add_unsigned(vertices as u64).unwrap_or(-1),
    };
    u32::try_from(zero_based).map_err(|_| FileErrorKind::IndexOutOfRange { index, vertices })
}

/// Lines with their 1-based numbers; a backslash before the line end joins the next line, the number is the first's.
struct Statements<'a> {
    rest: &'a [u8],
    line: usize,
}

impl<'a> Statements<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, line: 1 }
    }
}

impl<'a> Iterator for Statements<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let started = self.line;
        let comment = self.rest.trim_ascii_start().starts_with(b"#");
        let mut search = 0;
        loop {
            let Some(found) = self.rest[search..].iter().position(|byte| matches!(byte, b'\n' | b'\r'))
            else {
                let statement = std::mem::take(&mut self.rest);
                return Some((started, statement));
            };
            let end = search + found;
            let next = end + if self.rest[end..].starts_with(b"\r\n") { 2 } else { 1 };
            self.line += 1;
            if !comment && end > 0 && self.rest[end - 1] == b'\\' && next < self.rest.len() {
                search = next;
                continue;
            }
            let statement = &self.rest[..end];
            self.rest = &self.rest[next..];
            return Some((started, statement));
        }
    }
}
