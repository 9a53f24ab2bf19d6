//! TetGen's files: `.node` points, `.ele` tetrahedra, `.face` triangles, and `.smesh`, its input (H. Si, TetGen manual 1.6,
//! file formats).
//!
//! ```text
//! .node   count 3 attributes markers   then  i x y z [attributes] [marker]
//! .ele    count 4 attributes           then  i a b c d [attributes]
//! .face   count markers                then  i a b c [marker]
//! ```
//!
//! Points count from 0 or from 1: the first index in the `.node` file decides. `#` starts a comment. Attributes
//! become columns `attribute_0`, `attribute_1`, …; markers a column `marker`.

use super::MeshRef;
use super::collected::{Collected, push};
use super::data::{Column, MeshData};
use super::error::{FileError, FileErrorKind};
use super::limits::Limits;
use super::scan::{believable_count, coordinate, integer, spaced};
use super::stream::Stream;
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
    read(nodes, nodes_name, elements, elements_name, Limits::default())
}

/// As [`read_node_ele`], within limits that hold for each of the two files.
pub(super) fn read<R: BufRead>(
    mut nodes: impl BufRead,
    nodes_name: &str,
    elements: Elements<R>,
    elements_name: &str,
    limits: Limits,
) -> Result<MeshData, FileError> {
    let mut collected = Collected::new(limits);
    let mut stream = Stream::new(&mut nodes, limits);
    let outcome = points(&mut stream, &mut collected);
    let line = stream.line;
    let base = stream.judge(outcome, nodes_name, line)?;
    let bytes = stream.passed();

    let (mut reader, solid) = match elements {
        Elements::Tets(reader) => (reader, true),
        Elements::Triangles(reader) => (reader, false),
    };
    let mut stream = Stream::new(&mut reader, limits);
    let outcome = corners(&mut stream, base, solid, &mut collected);
    let line = stream.line;
    stream.judge(outcome, elements_name, line)?;
    collected.finish(elements_name, 0, bytes + stream.passed())
}

/// Goes to the next line that has words.
fn row(
    stream: &mut Stream<'_>,
    section: &'static str,
    read: usize,
    declared: usize,
) -> Result<(), FileErrorKind> {
    if stream.next_row() { Ok(()) } else { Err(FileErrorKind::UnexpectedEnd { section, read, declared }) }
}

/// The next whole number of a line.
fn number<T: std::str::FromStr>(stream: &mut Stream<'_>, expected: &'static str) -> Result<T, FileErrorKind> {
    integer(stream.row_word().ok_or(FileErrorKind::MissingValue { expected })?, expected)
}

/// The next whole number of a header line, 0 if it ends before.
fn optional(stream: &mut Stream<'_>, expected: &'static str) -> Result<usize, FileErrorKind> {
    stream.row_word().map_or(Ok(0), |word| integer(word, expected))
}

/// Most attributes and markers of a point or an element; more are a damaged header.
const MAX_ATTRIBUTES: usize = 64;

/// Columns for `attributes` numbers and perhaps a marker at the end of every line.
fn columns(attributes: usize, markers: usize) -> Result<Vec<Column>, FileErrorKind> {
    if attributes > MAX_ATTRIBUTES || markers > 1 {
        return Err(FileErrorKind::Unsupported {
            what: "the number of attributes or markers",
            value: attributes.max(markers) as u64,
            supported: "0 to 64 attributes and 0 or 1 markers",
        });
    }
    let names = (0..attributes).map(|i| format!("attribute_{i}"));
    let names = names.chain((markers == 1).then(|| MARKER.to_owned()));
    Ok(names.map(|name| Column { name, values: Vec::new() }).collect())
}

/// The column that markers become.
const MARKER: &str = "marker";

/// The numbers at the end of a line.
fn attributes(stream: &mut Stream<'_>, columns: &mut [Column]) -> Result<(), FileErrorKind> {
    const EXPECTED: &str = "an attribute or marker";
    for column in columns {
        let word = stream.row_word().ok_or(FileErrorKind::MissingValue { expected: EXPECTED })?;
        push(&mut column.values, coordinate(word, EXPECTED)?);
    }
    Ok(())
}

/// Reads the points; returns the index of the first.
fn points(stream: &mut Stream<'_>, collected: &mut Collected) -> Result<i64, FileErrorKind> {
    row(stream, "the header", 0, 1)?;
    let count = believable_count("points", number(stream, "the number of points")?)?;
    let dimension: u64 = number(stream, "the dimension")?;
    if dimension != 3 {
        return Err(FileErrorKind::Unsupported { what: "the dimension", value: dimension, supported: "3" });
    }
    let attribute_count = optional(stream, "the number of attributes")?;
    let mut columns = columns(attribute_count, optional(stream, "0 or 1 markers")?)?;
    let mut base = 0;
    for read in 0..count {
        row(stream, "the points", read, count)?;
        let index: i64 = number(stream, "the index of a point")?;
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
            let word = stream.row_word().ok_or(FileErrorKind::MissingValue { expected: EXPECTED })?;
            x[axis] = coordinate(word, EXPECTED)?;
        }
        collected.vertex(x)?;
        attributes(stream, &mut columns)?;
    }
    collected.vertex_columns = columns;
    Ok(base)
}

/// Reads tetrahedra or triangles.
fn corners(
    stream: &mut Stream<'_>,
    base: i64,
    solid: bool,
    collected: &mut Collected,
) -> Result<(), FileErrorKind> {
    let section = if solid { "the tetrahedra" } else { "the faces" };
    row(stream, "the header", 0, 1)?;
    let count = believable_count(section, number(stream, "the number of elements")?)?;
    let mut nodes = 3;
    let mut columns = if solid {
        nodes = number(stream, "4 or 10 points of an element")?;
        if nodes != 4 && nodes != 10 {
            return Err(FileErrorKind::Unsupported {
                what: "the number of points of an element",
                value: nodes,
                supported: "4 or 10",
            });
        }
        columns(optional(stream, "the number of attributes")?, 0)?
    } else {
        columns(0, optional(stream, "0 or 1 markers")?)?
    };
    let vertices = collected.positions.len();
    for read in 0..count {
        row(stream, section, read, count)?;
        number::<i64>(stream, "the index of an element")?;
        let mut corner = || {
            let index: i64 = number(stream, "a point of an element")?;
            let from_zero = index.checked_sub(base).and_then(|index| u32::try_from(index).ok());
            from_zero
                .filter(|&v| (v as usize) < vertices)
                .ok_or(FileErrorKind::IndexOutOfRange { index, vertices })
        };
        if solid {
            collected.tet([corner()?, corner()?, corner()?, corner()?])?;
        } else {
            collected.triangle([corner()?, corner()?, corner()?])?;
        }
        for _ in 4..nodes {
            number::<i64>(stream, "a point of an element")?;
        }
        attributes(stream, &mut columns)?;
    }
    if !columns.is_empty() {
        collected.one_cell_each(count);
        collected.cell_columns = columns;
    }
    Ok(())
}

/// Writes points from 0.
///
/// # Errors
/// What the writer reports.
pub fn write_node<'a>(out: impl Write, mesh: impl Into<MeshRef<'a>>) -> std::io::Result<()> {
    write_points(out, mesh.into(), &[])
}

/// As [`write_node`], with columns: `marker` is one, the others are attributes, whose names are lost.
pub(super) fn write_points(out: impl Write, mesh: MeshRef<'_>, columns: &[Column]) -> std::io::Result<()> {
    let mut out = BufWriter::new(out);
    let (columns, marker) = numbers(columns);
    let markers = usize::from(marker.is_some());
    writeln!(out, "{} 3 {} {markers}", mesh.positions().len(), columns.len())?;
    for (i, x) in mesh.positions().iter().enumerate() {
        write!(out, "{i} {}", spaced(x))?;
        attributes_of(&mut out, &columns, marker, i)?;
    }
    out.flush()
}

/// The columns that can be attributes, and the markers.
fn numbers(columns: &[Column]) -> (Vec<&Column>, Option<&Column>) {
    let finite = columns.iter().filter(|column| column.values.iter().all(|value| value.is_finite()));
    let (markers, others): (Vec<_>, Vec<_>) = finite.partition(|column| column.name == MARKER);
    (others.into_iter().take(MAX_ATTRIBUTES).collect(), markers.into_iter().next())
}

fn attributes_of(
    out: &mut impl Write,
    columns: &[&Column],
    marker: Option<&Column>,
    i: usize,
) -> std::io::Result<()> {
    for column in columns {
        write!(out, " {}", column.values[i])?;
    }
    match marker {
        Some(marker) => writeln!(out, " {}", marker.values[i] as i64),
        None => writeln!(out),
    }
}

/// Writes the tetrahedra of a solid (`.ele`) or the triangles of a surface (`.face`), for points from 0.
///
/// # Errors
/// What the writer reports.
pub fn write_ele_or_face<'a>(out: impl Write, mesh: impl Into<MeshRef<'a>>) -> std::io::Result<()> {
    write_elements(out, mesh.into(), &[])
}

/// As [`write_ele_or_face`], with columns: attributes of tetrahedra, the `marker` of triangles.
pub(super) fn write_elements(out: impl Write, mesh: MeshRef<'_>, columns: &[Column]) -> std::io::Result<()> {
    let mut out = BufWriter::new(out);
    let (columns, marker) = numbers(columns);
    match mesh {
        MeshRef::Tet(solid) => {
            writeln!(out, "{} 4 {}", solid.tets.len(), columns.len())?;
            for (i, [a, b, c, d]) in solid.tets.iter().enumerate() {
                write!(out, "{i} {a} {b} {c} {d}")?;
                attributes_of(&mut out, &columns, None, i)?;
            }
        }
        MeshRef::Tri(surface) => {
            writeln!(out, "{} {}", surface.triangles.len(), usize::from(marker.is_some()))?;
            for (i, [a, b, c]) in surface.triangles.iter().enumerate() {
                write!(out, "{i} {a} {b} {c}")?;
                attributes_of(&mut out, &[], marker, i)?;
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
