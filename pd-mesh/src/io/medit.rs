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
//! are read and dropped, and so are the triangles of a file that has tetrahedra: the surface follows from the solid. A
//! file without `End` is taken only if it has tetrahedra, because otherwise they may have been cut off.

use super::MeshRef;
use super::error::{FileError, FileErrorKind};
use super::scan::{Words, check_indices, coordinate, excerpt, integer, read_all, spaced};
use crate::{Mesh, TetMesh, TriMesh, Vec3};
use std::io::{BufRead, BufWriter, Write};

/// Reads a solid, or a surface if the file has no tetrahedra; `name` stands for the file in messages.
///
/// # Errors
/// The first defect with its line, a file cut off, or nothing that makes a mesh.
pub fn read_medit(input: impl BufRead, name: &str) -> Result<Mesh, FileError> {
    let bytes = read_all(input, name)?;
    let mut words = Words::new(&bytes);
    let contents = Contents::read(&mut words).map_err(|kind| kind.at(name, words.line))?;
    let Contents { vertices, triangles, tets } = contents;

    let positions = vertices.unwrap_or_default();
    let triangles = triangles.unwrap_or_default();
    let tets = tets.unwrap_or_default();
    check_indices(&triangles.corners, &triangles.lines, positions.len(), name)?;
    check_indices(&tets.corners, &tets.lines, positions.len(), name)?;
    let mesh = if tets.corners.is_empty() {
        TriMesh::new(positions, triangles.corners).map(Mesh::Tri)
    } else {
        TetMesh::new(positions, tets.corners).map(Mesh::Tet)
    };
    mesh.map_err(|error| FileErrorKind::Mesh(error).at(name, words.line))
}

/// Writes a solid with its boundary triangles, or a surface.
///
/// # Errors
/// What the writer reports.
pub fn write_medit<'a>(out: impl Write, mesh: impl Into<MeshRef<'a>>) -> std::io::Result<()> {
    let mesh = mesh.into();
    let mut out = BufWriter::new(out);
    // Version 2 announces 64-bit floats.
    writeln!(out, "MeshVersionFormatted 2\nDimension 3\nVertices\n{}", mesh.positions().len())?;
    for x in mesh.positions() {
        writeln!(out, "{} 0", spaced(x))?;
    }
    let triangles = mesh.surface();
    writeln!(out, "Triangles\n{}", triangles.len())?;
    for corners in triangles.iter() {
        let [a, b, c] = corners.map(|v| u64::from(v) + 1);
        writeln!(out, "{a} {b} {c} 0")?;
    }
    if let MeshRef::Tet(solid) = mesh {
        writeln!(out, "Tetrahedra\n{}", solid.tets.len())?;
        for corners in &solid.tets {
            let [a, b, c, d] = corners.map(|v| u64::from(v) + 1);
            writeln!(out, "{a} {b} {c} {d} 0")?;
        }
    }
    writeln!(out, "End")?;
    out.flush()
}

/// Elements and the line on which each begins.
struct Elements<const N: usize> {
    corners: Vec<[u32; N]>,
    lines: Vec<usize>,
}

impl<const N: usize> Default for Elements<N> {
    fn default() -> Self {
        Self { corners: Vec::new(), lines: Vec::new() }
    }
}

/// The sections that matter, each at most once.
struct Contents {
    vertices: Option<Vec<Vec3>>,
    triangles: Option<Elements<3>>,
    tets: Option<Elements<4>>,
}

impl Contents {
    fn read(words: &mut Words<'_>) -> Result<Self, FileErrorKind> {
        let mut contents = Self { vertices: None, triangles: None, tets: None };
        header(words)?;
        while let Some(keyword) = words.next() {
            match keyword {
                b"Vertices" => once("Vertices", &mut contents.vertices, vertices(words)?)?,
                b"Triangles" => once("Triangles", &mut contents.triangles, elements("Triangles", words)?)?,
                b"Tetrahedra" => once("Tetrahedra", &mut contents.tets, elements("Tetrahedra", words)?)?,
                b"Dimension" => dimension(words)?,
                b"End" => return Ok(contents),
                _ if keyword[0].is_ascii_alphabetic() => {
                    // Unknown section: its numbers end where the next keyword begins.
                    while words.peek().is_some_and(|word| !word[0].is_ascii_alphabetic()) {
                        words.next();
                    }
                }
                _ => {
                    return Err(FileErrorKind::WrongFormat {
                        found: excerpt(keyword),
                        expected: "a keyword",
                    });
                }
            }
        }
        if contents.tets.as_ref().is_none_or(|tets| tets.corners.is_empty()) {
            return Err(FileErrorKind::MissingPart { expected: "Tetrahedra or End" });
        }
        Ok(contents)
    }
}

/// `MeshVersionFormatted n`; the dimension comes as a section of its own.
fn header(words: &mut Words<'_>) -> Result<(), FileErrorKind> {
    const KEYWORD: &str = "MeshVersionFormatted";
    let found = words.next().ok_or(FileErrorKind::MissingPart { expected: KEYWORD })?;
    if found != KEYWORD.as_bytes() {
        return Err(FileErrorKind::WrongFormat { found: excerpt(found), expected: KEYWORD });
    }
    match number(words, "the format version")? {
        1..=4 => Ok(()),
        value => Err(FileErrorKind::Unsupported {
            what: "MeshVersionFormatted",
            value,
            supported: "version 1, 2, 3 or 4",
        }),
    }
}

/// Only meshes in space are read.
fn dimension(words: &mut Words<'_>) -> Result<(), FileErrorKind> {
    match number(words, "the dimension")? {
        3 => Ok(()),
        value => Err(FileErrorKind::Unsupported { what: "Dimension", value, supported: "dimension 3" }),
    }
}

/// One unsigned integer that must be there.
fn number(words: &mut Words<'_>, expected: &'static str) -> Result<u64, FileErrorKind> {
    let word = words.next().ok_or(FileErrorKind::MissingPart { expected })?;
    integer(word, expected)
}

/// The count after a section's keyword.
fn count(section: &'static str, words: &mut Words<'_>) -> Result<usize, FileErrorKind> {
    let declared = number(words, "the number of entries")?;
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

/// Room for the declared entries, but never more than the rest of the file could hold at `bytes_each` or more.
fn believable(declared: usize, words: &Words<'_>, bytes_each: usize) -> usize {
    declared.min(words.remaining() / bytes_each + 1)
}

fn vertices(words: &mut Words<'_>) -> Result<Vec<Vec3>, FileErrorKind> {
    const SECTION: &str = "Vertices";
    let declared = count(SECTION, words)?;
    let mut positions = Vec::with_capacity(believable(declared, words, 8));
    for read in 0..declared {
        let cut = || FileErrorKind::UnexpectedEnd { section: SECTION, read, declared };
        let mut x = Vec3::zeros();
        for axis in 0..3 {
            x[axis] = coordinate(words.next().ok_or_else(cut)?, "a coordinate of a vertex")?;
        }
        integer::<i64>(words.next().ok_or_else(cut)?, "the reference of a vertex")?;
        positions.push(x);
    }
    Ok(positions)
}

fn elements<const N: usize>(
    section: &'static str,
    words: &mut Words<'_>,
) -> Result<Elements<N>, FileErrorKind> {
    let declared = count(section, words)?;
    let room = believable(declared, words, 2 * (N + 1));
    let mut elements = Elements { corners: Vec::with_capacity(room), lines: Vec::with_capacity(room) };
    for read in 0..declared {
        let cut = || FileErrorKind::UnexpectedEnd { section, read, declared };
        let mut corners = [0; N];
        let mut line = 0;
        for (corner, place) in corners.iter_mut().enumerate() {
            let index: i64 = integer(words.next().ok_or_else(cut)?, "a vertex index")?;
            if corner == 0 {
                line = words.line;
            }
            *place = zero_based(index)?;
        }
        integer::<i64>(words.next().ok_or_else(cut)?, "the reference of an element")?;
        elements.corners.push(corners);
        elements.lines.push(line);
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
