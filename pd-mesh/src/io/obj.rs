//! Wavefront OBJ: `v x y z` and `f a b c …` with indices that count from 1, or from −1 backwards.
//!
//! Read: vertices (a weight or a colour after the coordinates is dropped), faces of any number of corners (cut into a
//! fan from the first corner), `a/b`, `a//c` and `a/b/c` (the texture and normal indices are dropped), a backslash that
//! continues a line, comments in any encoding, all kinds of line ends. The names after `g`, `o` and `usemtl` become groups of
//! the triangles that follow. Every other statement is skipped. Vertices that no face uses keep their numbers. A face may
//! come before its vertices.

use super::MeshRef;
use super::collected::{Collected, push};
use super::data::{Group, MeshData};
use super::error::{FileError, FileErrorKind};
use super::limits::Limits;
use super::scan::{coordinate, excerpt, integer, spaced};
use super::stream::Stream;
use crate::{TriMesh, Vec3};
use std::collections::BTreeMap;
use std::io::{BufRead, BufWriter, Write};

/// Reads a surface; `name` is the file name in messages.
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
pub fn read_obj(mut input: impl BufRead, name: &str) -> Result<TriMesh, FileError> {
    let data = read(&mut Stream::new(&mut input, Limits::default()), name)?;
    // The reader makes triangles only.
    Ok(data.mesh.into_tri().unwrap_or_default())
}

/// As [`read_obj`], with the groups.
pub(super) fn read(stream: &mut Stream<'_>, name: &str) -> Result<MeshData, FileError> {
    let mut reader = Reader { collected: Collected::new(stream.limits), ..Reader::default() };
    let outcome = reader.read(stream);
    let line = stream.line;
    stream.judge(outcome, name, line)?;
    let Reader { mut collected, named, later, .. } = reader;
    check(&collected, &later, name)?;
    collected.groups = named.finish();
    collected.finish(name, line, stream.passed())
}

/// Writes a surface; of a solid all vertices and the boundary triangles.
///
/// # Errors
/// What the writer reports.
pub fn write_obj<'a>(out: impl Write, mesh: impl Into<MeshRef<'a>>) -> std::io::Result<()> {
    write(out, mesh.into(), &[])
}

/// As [`write_obj`], with groups of triangles. A triangle is written once, under the names of all its groups.
pub(super) fn write(out: impl Write, mesh: MeshRef<'_>, groups: &[Group]) -> std::io::Result<()> {
    let mut out = BufWriter::new(out);
    for x in mesh.positions() {
        writeln!(out, "v {}", spaced(x))?;
    }
    // Where the names change: the groups that begin and end at each triangle.
    let groups = if matches!(mesh, MeshRef::Tri(_)) { groups } else { &[] };
    let mut changes: BTreeMap<u32, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for (k, group) in groups.iter().enumerate() {
        for range in &group.elements {
            changes.entry(range.start).or_default().0.push(k);
            changes.entry(range.end).or_default().1.push(k);
        }
    }
    let mut current: Vec<usize> = Vec::new();
    for (number, corners) in mesh.surface().iter().enumerate() {
        if let Some((begin, end)) = changes.get(&(number as u32)) {
            current.retain(|k| !end.contains(k));
            current.extend(begin);
            let names: Vec<String> = current.iter().map(|&k| one_word(&groups[k].name)).collect();
            writeln!(out, "g {}", names.join(" "))?;
        }
        let [a, b, c] = corners.map(|v| u64::from(v) + 1);
        writeln!(out, "f {a} {b} {c}")?;
    }
    out.flush()
}

/// A name without what ends a word of OBJ.
fn one_word(name: &str) -> String {
    name.chars().map(|c| if c.is_whitespace() || c == '#' || c == '\\' { '_' } else { c }).collect()
}

/// What the statements of a file have said so far.
#[derive(Default)]
struct Reader {
    collected: Collected,
    named: Named,
    /// First triangle and line of every face that names vertices not yet read.
    later: Vec<(u32, u32)>,
}

/// Statements that matter.
enum Keyword {
    Vertex,
    Face,
    /// A name for what follows, and which of the three kinds of names it is.
    Name(usize),
    Other,
}

impl Reader {
    fn read(&mut self, stream: &mut Stream<'_>) -> Result<(), FileErrorKind> {
        while stream.next_statement() {
            let keyword = match stream.statement_word() {
                Some(b"v") => Keyword::Vertex,
                Some(b"f") => Keyword::Face,
                Some(b"g") => Keyword::Name(0),
                Some(b"o") => Keyword::Name(1),
                Some(b"usemtl") => Keyword::Name(2),
                _ => Keyword::Other,
            };
            match keyword {
                Keyword::Vertex => self.collected.vertex(vertex(stream)?)?,
                Keyword::Face => self.face(stream)?,
                Keyword::Name(kind) => {
                    self.named.end(kind, self.collected.triangles.len() as u32, stream.passed())?;
                    while let Some(word) = stream.statement_word() {
                        let name = String::from_utf8_lossy(word).into_owned();
                        push(&mut self.named.current[kind].1, name);
                        affordable_names(self.named.current[kind].1.len(), stream.passed())?;
                    }
                }
                Keyword::Other => {}
            }
            stream.end_statement();
        }
        let triangles = self.collected.triangles.len() as u32;
        (0..3).try_for_each(|kind| self.named.end(kind, triangles, stream.passed()))
    }

    /// Appends the fan of one polygon. Indices beyond the vertices read so far are left for the final check.
    fn face(&mut self, stream: &mut Stream<'_>) -> Result<(), FileErrorKind> {
        let vertices = self.collected.positions.len();
        let start = self.collected.triangles.len() as u32;
        let (mut corners, mut greatest) = (0, 0);
        let (mut first, mut previous) = (0, 0);
        while let Some(word) = stream.statement_word() {
            let corner = corner(word, vertices)?;
            greatest = greatest.max(corner);
            corners += 1;
            match corners {
                1 => first = corner,
                2 => {}
                _ => self.collected.triangle([first, previous, corner])?,
            }
            previous = corner;
        }
        if corners < 3 {
            return Err(FileErrorKind::TooFewCorners { corners });
        }
        if greatest as usize >= vertices {
            push(&mut self.later, (start, stream.line as u32));
        }
        Ok(())
    }
}

/// Every index names a vertex; only faces that named vertices to come can be wrong.
fn check(collected: &Collected, later: &[(u32, u32)], name: &str) -> Result<(), FileError> {
    let vertices = collected.positions.len();
    for (k, &(start, line)) in later.iter().enumerate() {
        let end = later.get(k + 1).map_or(collected.triangles.len(), |next| next.0 as usize);
        let corners = collected.triangles[start as usize..end].iter().flatten();
        if let Some(&v) = corners.into_iter().find(|&&v| v as usize >= vertices) {
            let index = i64::from(v) + 1;
            return Err(FileErrorKind::IndexOutOfRange { index, vertices }.at(name, line as usize));
        }
    }
    Ok(())
}

/// Rejects more names than a file of that many bytes should have: a name takes a hundred bytes, however short it is.
fn affordable_names(names: usize, bytes: u64) -> Result<(), FileErrorKind> {
    let names = names as u64;
    if names * 32 > bytes + 1024 {
        return Err(FileErrorKind::TooDense { needed: names * 128, bytes });
    }
    Ok(())
}

/// Names of the triangles, as `g`, `o` and `usemtl` give them.
#[derive(Default)]
struct Named {
    /// For each of the three: the first triangle, and the names from there on.
    current: [(u32, Vec<String>); 3],
    numbers: BTreeMap<String, u32>,
    /// Name by its number, and the triangles that have it.
    runs: Vec<(u32, std::ops::Range<u32>)>,
}

impl Named {
    /// The names of one kind end before triangle `end`; those without triangles were none.
    fn end(&mut self, kind: usize, end: u32, bytes: u64) -> Result<(), FileErrorKind> {
        let (start, names) = std::mem::take(&mut self.current[kind]);
        self.current[kind].0 = end;
        if start == end {
            return Ok(());
        }
        for name in names {
            let next = self.numbers.len() as u32;
            let number = *self.numbers.entry(name).or_insert(next);
            push(&mut self.runs, (number, start..end));
            affordable_names(next as usize, bytes)?;
        }
        Ok(())
    }

    /// The groups, in the order of their first use.
    fn finish(mut self) -> Vec<Group> {
        self.runs.sort_unstable_by_key(|(number, range)| (*number, range.start));
        let mut groups: Vec<Group> = Vec::with_capacity(self.numbers.len());
        groups.resize_with(self.numbers.len(), Group::default);
        while let Some((name, number)) = self.numbers.pop_first() {
            groups[number as usize].name = name;
        }
        for (number, range) in self.runs {
            let ranges = &mut groups[number as usize].elements;
            match ranges.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                // Most groups are one range: no room for more.
                None => *ranges = vec![range],
                _ => ranges.push(range),
            }
        }
        groups
    }
}

/// Three coordinates; what follows must be numbers (weight, colour) and is dropped.
fn vertex(stream: &mut Stream<'_>) -> Result<Vec3, FileErrorKind> {
    const EXPECTED: &str = "a coordinate of a vertex";
    let mut x = Vec3::zeros();
    for axis in 0..3 {
        let word = stream.statement_word().ok_or(FileErrorKind::MissingValue { expected: EXPECTED })?;
        x[axis] = coordinate(word, EXPECTED)?;
    }
    while let Some(word) = stream.statement_word() {
        coordinate(word, "a weight or colour after the coordinates")?;
    }
    Ok(x)
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
