//! TetGen's files: `.node` points, `.ele` tetrahedra, `.face` triangles, and `.smesh`, its input (H. Si, TetGen manual 1.6,
//! file formats).
//!
//! ```text
//! .node   count 3 attributes markers   then  i x y z [attributes] [marker]
//! .ele    count 4 attributes           then  i a b c d [attributes]
//! .face   count markers                then  i a b c [marker]
//! ```
//!
//! Points count from 0 or from 1: the first index in the `.node` file decides. `#` starts a comment. Attributes of points
//! become columns `attribute_0`, `attribute_1`, …; markers are dropped.

use super::MeshRef;
use super::data::{Collected, Column, MeshData};
use super::error::{FileError, FileErrorKind};
use super::scan::{Cursor, believable_count, coordinate, integer, read_all, spaced, words};
use crate::{TriMesh, Vec3};
use std::io::{BufRead, BufWriter, Write};

/// What stands beside the points.
pub enum Elements<R> {
    /// An `.ele` file.
    Tets(R),
    /// A `.face` file.
    Triangles(R),
}

/// Reads points and what connects them; the names stand for the files in messages.
///
/// # Errors
/// The first defect with its file and line.
///
/// ```
/// use pd_mesh::io::{Elements, read_node_ele};
/// let nodes = b"4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
/// let tets = b"1 4 0\n1 1 2 3 4\n";
/// let data = read_node_ele(&nodes[..], "a.node", Elements::Tets(&tets[..]), "a.ele")?;
/// assert_eq!(data.mesh.element_count(), 1);
/// # Ok::<(), pd_mesh::io::FileError>(())
/// ```
pub fn read_node_ele<R: BufRead>(
    nodes: impl BufRead,
    nodes_name: &str,
    elements: Elements<R>,
    elements_name: &str,
) -> Result<MeshData, FileError> {
    let mut collected = Collected::default();
    let bytes = read_all(nodes, nodes_name)?;
    let mut cursor = Cursor::new(&bytes);
    let base = points(&mut cursor, &mut collected).map_err(|kind| kind.at(nodes_name, cursor.line()))?;
    drop(bytes);

    let (reader, solid) = match elements {
        Elements::Tets(reader) => (reader, true),
        Elements::Triangles(reader) => (reader, false),
    };
    let bytes = read_all(reader, elements_name)?;
    let mut cursor = Cursor::new(&bytes);
    corners(&mut cursor, base, solid, &mut collected)
        .map_err(|kind| kind.at(elements_name, cursor.line()))?;
    collected.finish(elements_name)
}

/// The next line up to a comment, as words.
fn row<'a>(
    cursor: &mut Cursor<'a>,
    section: &'static str,
    read: usize,
    declared: usize,
) -> Result<impl Iterator<Item = &'a [u8]> + use<'a>, FileErrorKind> {
    let line = cursor.next_statement().ok_or(FileErrorKind::UnexpectedEnd { section, read, declared })?;
    Ok(words(line.split(|&byte| byte == b'#').next().unwrap_or_default()))
}

/// The next number of a line.
fn number<'a, T: std::str::FromStr>(
    words: &mut impl Iterator<Item = &'a [u8]>,
    expected: &'static str,
) -> Result<T, FileErrorKind> {
    integer(words.next().ok_or(FileErrorKind::MissingValue { expected })?, expected)
}

/// Reads the points; returns the index of the first.
fn points(cursor: &mut Cursor<'_>, collected: &mut Collected) -> Result<i64, FileErrorKind> {
    let mut header = row(cursor, "the header", 0, 1)?;
    let count = believable_count("points", number(&mut header, "the number of points")?)?;
    let dimension: u64 = number(&mut header, "the dimension")?;
    if dimension != 3 {
        return Err(FileErrorKind::Unsupported { what: "the dimension", value: dimension, supported: "3" });
    }
    let attributes: usize = header.next().map_or(Ok(0), |word| integer(word, "the number of attributes"))?;
    // A line is short; more attributes than this are a damaged header.
    if attributes > 64 {
        return Err(FileErrorKind::Unsupported {
            what: "the number of attributes",
            value: attributes as u64,
            supported: "0 to 64",
        });
    }
    let mut columns: Vec<Column> =
        (0..attributes).map(|i| Column { name: format!("attribute_{i}"), values: Vec::new() }).collect();
    let mut base = 0;
    for read in 0..count {
        let mut words = row(cursor, "the points", read, count)?;
        let index: i64 = number(&mut words, "the index of a point")?;
        if read == 0 {
            base = index;
        }
        let expected = base.saturating_add(read as i64);
        if index != expected || !(0..=1).contains(&base) {
            return Err(FileErrorKind::Contradiction {
                what: "the index of a point",
                found: index as u64,
                expected: expected as u64,
            });
        }
        let mut x = Vec3::zeros();
        for axis in 0..3 {
            const EXPECTED: &str = "a coordinate of a point";
            x[axis] = coordinate(
                words.next().ok_or(FileErrorKind::MissingValue { expected: EXPECTED })?,
                EXPECTED,
            )?;
        }
        collected.positions.push(x);
        for column in &mut columns {
            const EXPECTED: &str = "an attribute of a point";
            let word = words.next().ok_or(FileErrorKind::MissingValue { expected: EXPECTED })?;
            column.values.push(coordinate(word, EXPECTED)?);
        }
    }
    collected.vertex_columns = columns;
    Ok(base)
}

/// Reads tetrahedra or triangles.
fn corners(
    cursor: &mut Cursor<'_>,
    base: i64,
    solid: bool,
    collected: &mut Collected,
) -> Result<(), FileErrorKind> {
    let section = if solid { "the tetrahedra" } else { "the faces" };
    let mut header = row(cursor, "the header", 0, 1)?;
    let count = believable_count(section, number(&mut header, "the number of elements")?)?;
    if solid {
        let nodes: u64 = number(&mut header, "4 or 10 points of an element")?;
        if nodes != 4 && nodes != 10 {
            return Err(FileErrorKind::Unsupported {
                what: "the number of points of an element",
                value: nodes,
                supported: "4 or 10",
            });
        }
    }
    let vertices = collected.positions.len();
    for read in 0..count {
        let mut words = row(cursor, section, read, count)?;
        number::<i64>(&mut words, "the index of an element")?;
        let mut corner = || {
            let index: i64 = number(&mut words, "a point of an element")?;
            let from_zero = index.checked_sub(base).and_then(|index| u32::try_from(index).ok());
            from_zero
                .filter(|&v| (v as usize) < vertices)
                .ok_or(FileErrorKind::IndexOutOfRange { index, vertices })
        };
        if solid {
            collected.tets.push([corner()?, corner()?, corner()?, corner()?]);
        } else {
            collected.triangles.push([corner()?, corner()?, corner()?]);
        }
    }
    Ok(())
}

/// Writes points from 0.
///
/// # Errors
/// What the writer reports.
pub fn write_node<'a>(out: impl Write, mesh: impl Into<MeshRef<'a>>) -> std::io::Result<()> {
    let mesh = mesh.into();
    let mut out = BufWriter::new(out);
    writeln!(out, "{} 3 0 0", mesh.positions().len())?;
    for (i, x) in mesh.positions().iter().enumerate() {
        writeln!(out, "{i} {}", spaced(x))?;
    }
    out.flush()
}

/// Writes the tetrahedra of a solid (`.ele`) or the triangles of a surface (`.face`), for points from 0.
///
/// # Errors
/// What the writer reports.
pub fn write_ele_or_face<'a>(out: impl Write, mesh: impl Into<MeshRef<'a>>) -> std::io::Result<()> {
    let mut out = BufWriter::new(out);
    match mesh.into() {
        MeshRef::Tet(solid) => {
            writeln!(out, "{} 4 0", solid.tets.len())?;
            for (i, [a, b, c, d]) in solid.tets.iter().enumerate() {
                writeln!(out, "{i} {a} {b} {c} {d}")?;
            }
        }
        MeshRef::Tri(surface) => {
            writeln!(out, "{} 0", surface.triangles.len())?;
            for (i, [a, b, c]) in surface.triangles.iter().enumerate() {
                writeln!(out, "{i} {a} {b} {c}")?;
            }
        }
    }
    out.flush()
}

/// Writes a surface as TetGen's input, without holes and regions.
///
/// # Errors
/// What the writer reports.
pub fn write_smesh(out: impl Write, surface: &TriMesh) -> std::io::Result<()> {
    let mut out = BufWriter::new(out);
    writeln!(out, "{} 3 0 0", surface.positions.len())?;
    for (i, x) in surface.positions.iter().enumerate() {
        writeln!(out, "{i} {}", spaced(x))?;
    }
    writeln!(out, "{} 0", surface.triangles.len())?;
    for [a, b, c] in &surface.triangles {
        writeln!(out, "3 {a} {b} {c}")?;
    }
    writeln!(out, "0\n0")?;
    out.flush()
}
