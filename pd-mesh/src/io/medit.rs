//! Medit ASCII `.mesh`: a keyword, a count, then that many records, each ending with a reference number (P. J. Frey,
//! MEDIT: an interactive mesh visualization software, INRIA RT-0253, 2001).
//!
//! ```text
//! MeshVersionFormatted 2  Dimension 3
//! Vertices    count  then  x y z ref
//! Triangles   count  then  a b c ref        (indices count from 1)
//! Tetrahedra  count  then  a b c d ref
//! End
//! ```
//!
//! White space and line ends are free, `#` starts a comment, other keywords are skipped with their numbers. References
//! become columns `reference` of vertices and elements, unless all are 0. The triangles of a file that has tetrahedra are
//! dropped, as the surface follows from the solid; those with a reference leave a group `surface-<reference>`. A file
//! without `End` is taken only if it has tetrahedra, because otherwise they may have been cut off.

use super::MeshRef;
use super::collected::{Collected, push, ranges_by_kind, unless_zero};
use super::data::{Group, MeshData};
use super::error::{FileError, FileErrorKind};
use super::limits::Limits;
use super::scan::{coordinate, excerpt, integer, spaced};
use super::stream::Stream;
use crate::{Mesh, Vec3};
use std::io::{BufRead, BufWriter, Write};

/// Reads a solid, or a surface if the file has no tetrahedra; `name` is the file name in messages.
///
/// # Errors
/// The first defect with its line, a file cut off, or nothing that makes a mesh.
pub fn read_medit(mut input: impl BufRead, name: &str) -> Result<Mesh, FileError> {
    read(&mut Stream::new(&mut input, Limits::default()), name).map(|data| data.mesh)
}

/// As [`read_medit`], with the references.
pub(super) fn read(stream: &mut Stream<'_>, name: &str) -> Result<MeshData, FileError> {
    let outcome = Contents::read(stream);
    let line = stream.line;
    let Contents { vertices, triangles, tets } = stream.judge(outcome, name, line)?;
    let vertices = vertices.unwrap_or_default();
    let (triangles, tets) = (triangles.unwrap_or_default(), tets.unwrap_or_default());
    let count = vertices.positions.len();
    triangles.check(count).map_err(|(kind, line)| kind.at(name, line))?;
    tets.check(count).map_err(|(kind, line)| kind.at(name, line))?;

    let mut collected = Collected::new(stream.limits);
    collected.positions = vertices.positions;
    collected.vertex_columns.extend(unless_zero(REFERENCE, vertices.references));
    if tets.corners.is_empty() {
        collected.element_references(triangles.corners.len(), triangles.references);
        collected.triangles = triangles.corners;
    } else {
        let mut members: Vec<(i32, u32)> = Vec::new();
        for (reference, corners) in triangles.references.iter().zip(&triangles.corners) {
            // Whole numbers beyond 32 bits name no part of a mesh.
            let reference = *reference as i32;
            if reference != 0 {
                corners.iter().for_each(|&v| push(&mut members, (reference, v)));
            }
        }
        drop(triangles);
        collected.groups = ranges_by_kind(members)
            .into_iter()
            .map(|(reference, ranges)| Group {
                name: format!("surface-{reference}"),
                elements: Vec::new(),
                vertices: ranges.into_iter().flatten().collect(),
            })
            .collect();
        collected.element_references(tets.corners.len(), tets.references);
        collected.tets = tets.corners;
    }
    collected.finish(name, line, stream.passed())
}

/// The column that references become.
const REFERENCE: &str = "reference";

impl Collected {
    /// One cell per element, with its reference.
    fn element_references(&mut self, elements: usize, references: Vec<f64>) {
        self.one_cell_each(elements);
        self.cell_columns.extend(unless_zero(REFERENCE, references));
    }
}

/// Writes a solid with its boundary triangles, or a surface.
///
/// # Errors
/// What the writer reports.
pub fn write_medit<'a>(out: impl Write, mesh: impl Into<MeshRef<'a>>) -> std::io::Result<()> {
    write(out, mesh.into(), None, None)
}

/// As [`write_medit`], with references of vertices and of elements.
pub(super) fn write(
    out: impl Write,
    mesh: MeshRef<'_>,
    of_vertices: Option<&[f64]>,
    of_elements: Option<&[f64]>,
) -> std::io::Result<()> {
    // References are whole numbers; what is none becomes 0.
    let reference = |column: Option<&[f64]>, i: usize| column.map_or(0, |values| values[i] as i64);
    let mut out = BufWriter::new(out);
    // Version 2 announces 64-bit floats.
    writeln!(out, "MeshVersionFormatted 2\nDimension 3\nVertices\n{}", mesh.positions().len())?;
    for (i, x) in mesh.positions().iter().enumerate() {
        writeln!(out, "{} {}", spaced(x), reference(of_vertices, i))?;
    }
    let triangles = mesh.surface();
    let of_triangles = of_elements.filter(|_| matches!(mesh, MeshRef::Tri(_)));
    writeln!(out, "Triangles\n{}", triangles.len())?;
    for (i, corners) in triangles.iter().enumerate() {
        let [a, b, c] = corners.map(|v| u64::from(v) + 1);
        writeln!(out, "{a} {b} {c} {}", reference(of_triangles, i))?;
    }
    if let MeshRef::Tet(solid) = mesh {
        writeln!(out, "Tetrahedra\n{}", solid.tets.len())?;
        for (i, corners) in solid.tets.iter().enumerate() {
            let [a, b, c, d] = corners.map(|v| u64::from(v) + 1);
            writeln!(out, "{a} {b} {c} {d} {}", reference(of_elements, i))?;
        }
    }
    writeln!(out, "End")?;
    out.flush()
}

/// Vertices with their references.
#[derive(Default)]
struct Vertices {
    positions: Vec<Vec3>,
    references: Vec<f64>,
}

/// Elements with their references, and the line of each where the vertices are not known yet.
struct Elements<const N: usize> {
    corners: Vec<[u32; N]>,
    references: Vec<f64>,
    lines: Vec<u32>,
}

impl<const N: usize> Default for Elements<N> {
    fn default() -> Self {
        Self { corners: Vec::new(), references: Vec::new(), lines: Vec::new() }
    }
}

impl<const N: usize> Elements<N> {
    /// Every index names a vertex, or the defect and its line.
    fn check(&self, vertices: usize) -> Result<(), (FileErrorKind, usize)> {
        let elements = self.corners.iter().zip(&self.lines);
        for (corners, &line) in elements {
            exists(corners, vertices).map_err(|kind| (kind, line as usize))?;
        }
        Ok(())
    }
}

/// All corners name vertices; the error shows the index as written, from 1.
fn exists(corners: &[u32], vertices: usize) -> Result<(), FileErrorKind> {
    match corners.iter().find(|&&v| v as usize >= vertices) {
        Some(&v) => Err(FileErrorKind::IndexOutOfRange { index: i64::from(v) + 1, vertices }),
        None => Ok(()),
    }
}

/// The sections that matter, each at most once.
#[derive(Default)]
struct Contents {
    vertices: Option<Vertices>,
    triangles: Option<Elements<3>>,
    tets: Option<Elements<4>>,
}

/// Keywords that matter.
enum Keyword {
    Vertices,
    Triangles,
    Tetrahedra,
    Dimension,
    End,
    Other,
}

impl Contents {
    fn read(stream: &mut Stream<'_>) -> Result<Self, FileErrorKind> {
        let mut contents = Self::default();
        header(stream)?;
        while let Some(word) = stream.plain_word() {
            let keyword = match word {
                b"Vertices" => Keyword::Vertices,
                b"Triangles" => Keyword::Triangles,
                b"Tetrahedra" => Keyword::Tetrahedra,
                b"Dimension" => Keyword::Dimension,
                b"End" => Keyword::End,
                _ if word[0].is_ascii_alphabetic() => Keyword::Other,
                _ => {
                    let found = excerpt(word);
                    return Err(FileErrorKind::WrongFormat { found, expected: "a keyword" });
                }
            };
            let known = contents.vertices.as_ref().map(|vertices| vertices.positions.len());
            match keyword {
                Keyword::Vertices => once("Vertices", &mut contents.vertices, vertices(stream)?)?,
                Keyword::Triangles => {
                    once("Triangles", &mut contents.triangles, elements("Triangles", stream, known)?)?;
                }
                Keyword::Tetrahedra => {
                    once("Tetrahedra", &mut contents.tets, elements("Tetrahedra", stream, known)?)?;
                }
                Keyword::Dimension => dimension(stream)?,
                Keyword::End => return Ok(contents),
                // Unknown section: its numbers end where the next keyword begins.
                Keyword::Other => while stream.plain_number() {},
            }
        }
        if contents.tets.as_ref().is_none_or(|tets| tets.corners.is_empty()) {
            return Err(FileErrorKind::MissingPart { expected: "Tetrahedra or End" });
        }
        Ok(contents)
    }
}

/// `MeshVersionFormatted n`; the dimension comes as a section of its own.
fn header(stream: &mut Stream<'_>) -> Result<(), FileErrorKind> {
    const KEYWORD: &str = "MeshVersionFormatted";
    let found = stream.plain_word().ok_or(FileErrorKind::MissingPart { expected: KEYWORD })?;
    if found != KEYWORD.as_bytes() {
        return Err(FileErrorKind::WrongFormat { found: excerpt(found), expected: KEYWORD });
    }
    match number(stream, "the format version")? {
        1..=4 => Ok(()),
        value => Err(FileErrorKind::Unsupported {
            what: "MeshVersionFormatted",
            value,
            supported: "version 1, 2, 3 or 4",
        }),
    }
}

/// Only meshes in space are read.
fn dimension(stream: &mut Stream<'_>) -> Result<(), FileErrorKind> {
    match number(stream, "the dimension")? {
        3 => Ok(()),
        value => Err(FileErrorKind::Unsupported { what: "Dimension", value, supported: "dimension 3" }),
    }
}

/// One unsigned integer that must be there.
fn number(stream: &mut Stream<'_>, expected: &'static str) -> Result<u64, FileErrorKind> {
    let word = stream.plain_word().ok_or(FileErrorKind::MissingPart { expected })?;
    integer(word, expected)
}

/// The count after a section's keyword.
fn count(section: &'static str, stream: &mut Stream<'_>) -> Result<usize, FileErrorKind> {
    let declared = number(stream, "the number of entries")?;
    if declared >= u64::from(u32::MAX) {
        return Err(FileErrorKind::CountTooLarge { section, declared });
    }
    Ok(declared as usize)
}

/// Stores a section unless there is one already.
fn once<T>(section: &'static str, place: &mut Option<T>, value: T) -> Result<(), FileErrorKind> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(FileErrorKind::RepeatedSection { section }),
    }
}

fn vertices(stream: &mut Stream<'_>) -> Result<Vertices, FileErrorKind> {
    const SECTION: &str = "Vertices";
    let declared = count(SECTION, stream)?;
    let limit = stream.limits.vertices;
    if declared > limit {
        return Err(FileErrorKind::TooMany { what: "vertices", limit });
    }
    let mut vertices = Vertices::default();
    for read in 0..declared {
        let cut = || FileErrorKind::UnexpectedEnd { section: SECTION, read, declared };
        let mut x = Vec3::zeros();
        for axis in 0..3 {
            x[axis] = coordinate(stream.plain_word().ok_or_else(cut)?, "a coordinate of a vertex")?;
        }
        let reference: i64 = integer(stream.plain_word().ok_or_else(cut)?, "the reference of a vertex")?;
        push(&mut vertices.positions, x);
        push(&mut vertices.references, reference as f64);
    }
    Ok(vertices)
}

/// Elements, checked against the vertices if these are `known`.
fn elements<const N: usize>(
    section: &'static str,
    stream: &mut Stream<'_>,
    known: Option<usize>,
) -> Result<Elements<N>, FileErrorKind> {
    let declared = count(section, stream)?;
    let limit = stream.limits.elements;
    if declared > limit {
        return Err(FileErrorKind::TooMany { what: "elements", limit });
    }
    let mut elements = Elements::default();
    for read in 0..declared {
        let cut = || FileErrorKind::UnexpectedEnd { section, read, declared };
        let mut corners = [0; N];
        let mut line = 0;
        for (corner, place) in corners.iter_mut().enumerate() {
            let index: i64 = integer(stream.plain_word().ok_or_else(cut)?, "a vertex index")?;
            if corner == 0 {
                line = stream.line;
            }
            *place = zero_based(index)?;
        }
        let reference: i64 = integer(stream.plain_word().ok_or_else(cut)?, "the reference of an element")?;
        match known {
            Some(vertices) => exists(&corners, vertices).inspect_err(|_| stream.line = line)?,
            None => push(&mut elements.lines, line as u32),
        }
        push(&mut elements.corners, corners);
        push(&mut elements.references, reference as f64);
    }
    Ok(elements)
}

/// Index counted from 1 → from 0. Whether such a vertex exists is known only at the end of the file.
fn zero_based(index: i64) -> Result<u32, FileErrorKind> {
    if index == 0 {
        return Err(FileErrorKind::ZeroIndex);
    }
    // checked: the most negative number has no predecessor
    let from_zero = index.checked_sub(1).and_then(|index| u32::try_from(index).ok());
    from_zero
        .ok_or_else(|| FileErrorKind::NotANumber { found: index.to_string(), expected: "a vertex index" })
}
