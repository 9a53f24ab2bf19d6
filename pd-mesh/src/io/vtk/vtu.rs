//! VTU: an unstructured grid in XML. Arrays stand inline as text or base64, or behind `AppendedData` raw or in base64, plain
//! or in zlib blocks. The first piece is read. Written: 64-bit numbers, inline in base64, least significant byte first.

use super::xml::Tag;
use super::{add_cell, base64};
use crate::Vec3;
use crate::io::collected::{Collected, push};
use crate::io::data::{Column, MeshData};
use crate::io::error::{FileError, FileErrorKind};
use crate::io::limits::Limits;
use crate::io::scan::{Cursor, excerpt, finite, index_from, integer, read_all, words};
use crate::io::{MeshRef, ScalarColumn, check_columns};
use std::borrow::Cow;
use std::io::{BufRead, BufWriter, Write};

/// Reads a solid, or a surface if the grid has no tetrahedra, with its columns; `name` is the file name in messages.
///
/// # Errors
/// The first defect, an encoding that is not supported, or nothing that makes a mesh.
pub fn read_vtu(input: impl BufRead, name: &str) -> Result<MeshData, FileError> {
    read_bytes(&read_all(input, name, Limits::default())?, name, Limits::default())
}

/// As [`read_vtu`], from the whole file and within limits.
pub(in crate::io) fn read_bytes(bytes: &[u8], name: &str, limits: Limits) -> Result<MeshData, FileError> {
    let mut cursor = Cursor::new(bytes);
    let collected = read(&mut cursor, bytes, limits).map_err(|kind| kind.at(name, cursor.line()))?;
    collected.finish(name, 0, bytes.len() as u64)
}

/// How the file writes its numbers.
#[derive(Clone, Copy)]
struct Layout<'a> {
    little: bool,
    /// Bytes of the length before an array.
    header: usize,
    zlib: bool,
    /// What follows the underscore of `AppendedData`, and whether it is base64.
    appended: Option<(&'a [u8], bool)>,
}

/// Memory for numbers, as a multiple of the length of the file; with the growth of lists it stays below ten.
const MAX_TIMES: u64 = 7;

/// A compressed block longer than this many times its text is no honest mesh.
const MAX_INFLATION: u64 = 64;

fn wrong(found: &[u8], expected: &'static str) -> FileErrorKind {
    FileErrorKind::WrongFormat { found: excerpt(found), expected }
}

fn read(cursor: &mut Cursor<'_>, bytes: &[u8], limits: Limits) -> Result<Collected, FileErrorKind> {
    let missing = |expected| FileErrorKind::MissingPart { expected };
    let root = Tag::next(cursor).ok_or(missing("VTKFile"))?;
    if root.name != b"VTKFile" || root.attribute("type") != Some(b"UnstructuredGrid") {
        return Err(wrong(root.attribute("type").unwrap_or(root.name), "VTKFile of type UnstructuredGrid"));
    }
    let mut layout = Layout {
        little: root.attribute("byte_order") != Some(b"BigEndian"),
        header: if root.attribute("header_type") == Some(b"UInt64") { 8 } else { 4 },
        zlib: root.attribute("compressor").is_some(),
        appended: None,
    };
    if let Some(compressor) = root.attribute("compressor")
        && compressor != b"vtkZLibDataCompressor"
    {
        return Err(FileErrorKind::NotSupported {
            found: excerpt(compressor),
            expected: "vtkZLibDataCompressor",
        });
    }
    let mut ahead = Cursor::new(bytes);
    if ahead.skip_past(b"<AppendedData") {
        let tag_end =
            ahead.rest().iter().position(|&byte| byte == b'>').ok_or(missing("the end of AppendedData"))?;
        let raw = ahead.rest()[..tag_end].windows(3).any(|window| window == b"raw");
        if !ahead.skip_past(b"_") {
            return Err(missing("the underscore of AppendedData"));
        }
        layout.appended = Some((ahead.rest(), !raw));
    }

    let length = bytes.len() as u64;
    let mut grid = Grid {
        collected: Collected::new(limits),
        purse: Purse {
            left: MAX_TIMES * length * if layout.zlib { MAX_INFLATION } else { 1 } + 3072,
            bytes: length,
        },
        ..Grid::default()
    };
    let mut section: &[u8] = b"";
    while let Some(tag) = Tag::next(cursor) {
        match (tag.name, tag.closing) {
            (b"Points" | b"Cells" | b"PointData" | b"CellData", false) => section = tag.name,
            (b"Points" | b"Cells" | b"PointData" | b"CellData", true) => section = b"",
            (b"Piece", true) | (b"AppendedData", _) => break,
            (b"DataArray", false) => {
                let rest = cursor.rest();
                let length = rest.iter().position(|&byte| byte == b'<').unwrap_or(rest.len());
                let text = if tag.empty { &b""[..] } else { &rest[..length] };
                grid.array(section, &tag, text, layout)?;
            }
            _ => {}
        }
    }
    grid.finish()
}

/// What has been read.
#[derive(Default)]
struct Grid {
    collected: Collected,
    connectivity: Vec<u32>,
    ends: Vec<u32>,
    types: Vec<u8>,
    purse: Purse,
}

/// Bytes of memory that a file may still take: several arrays may name the same data, and compressed data are longer than
/// the file.
#[derive(Default)]
struct Purse {
    left: u64,
    bytes: u64,
}

impl Purse {
    fn spend(&mut self, bytes: u64) -> Result<(), FileErrorKind> {
        match self.left.checked_sub(bytes) {
            Some(left) => self.left = left,
            None => return Err(FileErrorKind::TooDense { needed: 8 * self.bytes, bytes: self.bytes }),
        }
        Ok(())
    }
}

impl Grid {
    fn array(
        &mut self,
        section: &[u8],
        tag: &Tag<'_>,
        text: &[u8],
        layout: Layout<'_>,
    ) -> Result<(), FileErrorKind> {
        let name = tag.attribute("Name").unwrap_or_default();
        let components = match tag.attribute("NumberOfComponents") {
            Some(word) => integer::<usize>(word, "a number of components")?,
            None => 1,
        };
        if !(1..=16).contains(&components) {
            return Err(FileErrorKind::Unsupported {
                what: "the number of components",
                value: components as u64,
                supported: "1 to 16",
            });
        }
        match (section, name) {
            (b"Points", _) => {
                let mut x = Vec3::zeros();
                let mut axis = 0;
                let (collected, purse) = (&mut self.collected, &mut self.purse);
                values(tag, text, layout, |value| {
                    purse.spend(8)?;
                    x[axis] = finite(value)?;
                    axis = (axis + 1) % 3;
                    if axis == 0 { collected.vertex(x) } else { Ok(()) }
                })
            }
            (b"Cells", b"connectivity") => {
                let (indices, purse) = (&mut self.connectivity, &mut self.purse);
                values(tag, text, layout, |value| {
                    // With the corner of a triangle that it becomes.
                    purse.spend(8)?;
                    index_from(value).map(|index| push(indices, index))
                })
            }
            (b"Cells", b"offsets") => {
                let (ends, purse) = (&mut self.ends, &mut self.purse);
                values(tag, text, layout, |value| {
                    purse.spend(4)?;
                    index_from(value).map(|end| push(ends, end))
                })
            }
            (b"Cells", b"types") => {
                let (types, purse) = (&mut self.types, &mut self.purse);
                values(tag, text, layout, |value| {
                    purse.spend(1)?;
                    push(types, value as u8);
                    Ok(())
                })
            }
            (b"PointData" | b"CellData", _) => {
                let name = String::from_utf8_lossy(name).into_owned();
                let full = |i: usize| if components == 1 { name.clone() } else { format!("{name}_{i}") };
                let mut columns: Vec<Column> =
                    (0..components).map(|i| Column { name: full(i), values: Vec::new() }).collect();
                let mut next = 0;
                let purse = &mut self.purse;
                values(tag, text, layout, |value| {
                    purse.spend(8)?;
                    push(&mut columns[next].values, value);
                    next = (next + 1) % components;
                    Ok(())
                })?;
                let of_cells = section == b"CellData";
                let place = if of_cells {
                    &mut self.collected.cell_columns
                } else {
                    &mut self.collected.vertex_columns
                };
                place.extend(columns);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn finish(mut self) -> Result<Collected, FileErrorKind> {
        let contradiction = |what, found: usize, expected: usize| FileErrorKind::Contradiction {
            what,
            found: found as u64,
            expected: expected as u64,
        };
        if self.ends.len() != self.types.len() {
            return Err(contradiction("types of cells", self.types.len(), self.ends.len()));
        }
        let mut start = 0;
        for (&end, &kind) in self.ends.iter().zip(&self.types) {
            let corners = self.connectivity.get(start..end as usize);
            let corners = corners
                .ok_or_else(|| contradiction("end of a cell", end as usize, self.connectivity.len()))?;
            add_cell(kind.into(), corners, &mut self.collected)?;
            start = end as usize;
        }
        Ok(self.collected)
    }
}

/// Calls `store` with every number of an array.
fn values(
    tag: &Tag<'_>,
    text: &[u8],
    layout: Layout<'_>,
    mut store: impl FnMut(f64) -> Result<(), FileErrorKind>,
) -> Result<(), FileErrorKind> {
    let missing = |expected| FileErrorKind::MissingPart { expected };
    let raw: Cow<'_, [u8]> = match tag.attribute("format") {
        Some(b"ascii") | None => {
            for word in words(text) {
                let parsed: Option<f64> = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
                store(parsed.ok_or_else(|| FileErrorKind::NotANumber {
                    found: excerpt(word),
                    expected: "a number",
                })?)?;
            }
            return Ok(());
        }
        Some(b"binary") => decoded(text.trim_ascii(), true, layout)?,
        Some(b"appended") => {
            let (data, is_base64) = layout.appended.ok_or(missing("AppendedData"))?;
            let offset: usize = integer(tag.attribute("offset").ok_or(missing("an offset"))?, "an offset")?;
            decoded(data.get(offset..).ok_or(missing("appended data at the offset"))?, is_base64, layout)?
        }
        Some(other) => return Err(wrong(other, "ascii, binary or appended")),
    };
    let mut cursor = Cursor::new(&raw);
    let little = layout.little;
    let kind = tag.attribute("type").unwrap_or_default();
    while !cursor.rest().is_empty() {
        let value = match kind {
            b"Int8" => cursor.array().map(|raw| f64::from(i8::from_be_bytes(raw))),
            b"UInt8" => cursor.array().map(|raw| f64::from(u8::from_be_bytes(raw))),
            b"Int16" => cursor.big_endian(little).map(|raw| f64::from(i16::from_be_bytes(raw))),
            b"UInt16" => cursor.big_endian(little).map(|raw| f64::from(u16::from_be_bytes(raw))),
            b"Int32" => cursor.big_endian(little).map(|raw| f64::from(i32::from_be_bytes(raw))),
            b"UInt32" => cursor.big_endian(little).map(|raw| f64::from(u32::from_be_bytes(raw))),
            b"Int64" => cursor.big_endian(little).map(|raw| i64::from_be_bytes(raw) as f64),
            b"UInt64" => cursor.big_endian(little).map(|raw| u64::from_be_bytes(raw) as f64),
            b"Float32" => cursor.big_endian(little).map(|raw| f64::from(f32::from_be_bytes(raw))),
            b"Float64" => cursor.big_endian(little).map(f64::from_be_bytes),
            other => return Err(wrong(other, "a type of numbers")),
        };
        store(value.ok_or(missing("the rest of a number"))?)?;
    }
    Ok(())
}

/// The bytes of an array without the length before them.
fn decoded<'a>(data: &'a [u8], is_base64: bool, layout: Layout<'_>) -> Result<Cow<'a, [u8]>, FileErrorKind> {
    let cut = || FileErrorKind::MissingPart { expected: "the rest of an array" };
    if layout.zlib {
        return inflated(data, is_base64, layout).map(Cow::Owned);
    }
    if !is_base64 {
        let length = size(data, layout).ok_or_else(cut)?;
        return data[layout.header..].get(..length).map(Cow::Borrowed).ok_or_else(cut);
    }
    // In base64 the length and the data are one run, so the length says how much text belongs to it.
    let (head, _) = base64::decode(&data[..data.len().min(16)]).ok_or_else(|| wrong(data, "base64"))?;
    let length = size(&head, layout).ok_or_else(cut)?;
    let letters = (layout.header.saturating_add(length)).div_ceil(3).saturating_mul(4);
    let (mut bytes, _) =
        base64::decode(data.get(..letters).ok_or_else(cut)?).ok_or_else(|| wrong(data, "base64"))?;
    if bytes.len() < layout.header + length {
        return Err(cut());
    }
    bytes.truncate(layout.header + length);
    bytes.drain(..layout.header);
    Ok(Cow::Owned(bytes))
}

/// A length in the file's byte order.
fn size(data: &[u8], layout: Layout<'_>) -> Option<usize> {
    let mut cursor = Cursor::new(data);
    let value = if layout.header == 8 {
        cursor.big_endian(layout.little).map(u64::from_be_bytes)
    } else {
        cursor.big_endian(layout.little).map(|raw| u64::from(u32::from_be_bytes(raw)))
    };
    value.and_then(|value| usize::try_from(value).ok())
}

/// Zlib blocks: number of blocks, bytes of a block, bytes of the last, compressed bytes of each, then the blocks.
fn inflated(data: &[u8], is_base64: bool, layout: Layout<'_>) -> Result<Vec<u8>, FileErrorKind> {
    let cut = || FileErrorKind::MissingPart { expected: "the rest of a compressed array" };
    let no_base64 = || wrong(data, "base64");
    let h = layout.header;
    let letters = |bytes: usize| bytes.div_ceil(3).saturating_mul(4);
    // The header is a base64 run of its own.
    let head = |bytes: usize| -> Result<(Vec<u8>, usize), FileErrorKind> {
        let length = if is_base64 { letters(bytes) } else { bytes };
        let piece = data.get(..length).ok_or_else(cut)?;
        let plain = if is_base64 { base64::decode(piece).ok_or_else(no_base64)?.0 } else { piece.to_vec() };
        Ok((plain, length))
    };
    let (first, _) = head(3 * h)?;
    let field =
        |bytes: &[u8], i: usize| bytes.get(i * h..).and_then(|rest| size(rest, layout)).ok_or_else(cut);
    let (blocks, full, last) = (field(&first, 0)?, field(&first, 1)?, field(&first, 2)?);
    let (head, used) = head(blocks.saturating_add(3).saturating_mul(h))?;
    let mut lengths = Vec::new();
    for i in 0..blocks {
        lengths.push(field(&head, 3 + i)?);
    }
    let compressed = lengths.iter().fold(0usize, |sum, &length| sum.saturating_add(length));
    let body = &data[used..];
    let body: Cow<'_, [u8]> = if is_base64 {
        let piece = body.get(..letters(compressed)).ok_or_else(cut)?;
        Cow::Owned(base64::decode(piece).ok_or_else(no_base64)?.0)
    } else {
        Cow::Borrowed(body)
    };
    let (mut bytes, mut at) = (Vec::new(), 0usize);
    for (i, &length) in lengths.iter().enumerate() {
        let block = body.get(at..at.saturating_add(length)).ok_or_else(cut)?;
        at += length;
        let expected = if i + 1 == blocks && last > 0 { last } else { full };
        // A block says how long it will be.
        let limit = expected.min(block.len().saturating_mul(MAX_INFLATION as usize));
        let plain = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(block, limit).map_err(|_| {
            FileErrorKind::WrongFormat { found: "a damaged block".to_owned(), expected: "zlib data" }
        })?;
        bytes.extend(plain);
    }
    Ok(bytes)
}

/// Writes either kind of mesh with scalars per vertex and per triangle or tetrahedron.
///
/// # Errors
/// A column of the wrong length or whose name is not a single word; errors of the writer.
pub fn write_vtu<'a>(
    out: impl Write,
    mesh: impl Into<MeshRef<'a>>,
    vertex_columns: &[ScalarColumn<'_>],
    element_columns: &[ScalarColumn<'_>],
) -> std::io::Result<()> {
    let mesh = mesh.into();
    let positions = mesh.positions();
    let (corners, per_cell, kind): (Vec<u32>, usize, u8) = match mesh {
        MeshRef::Tri(surface) => (surface.triangles.iter().flatten().copied().collect(), 3, 5),
        MeshRef::Tet(solid) => (solid.tets.iter().flatten().copied().collect(), 4, 10),
    };
    let cells = corners.len() / per_cell;
    check_columns(vertex_columns, positions.len())?;
    check_columns(element_columns, cells)?;
    if let Some((name, _)) =
        vertex_columns.iter().chain(element_columns).find(|(name, _)| name.contains(['"', '<', '&']))
    {
        let message = format!("{name:?} cannot name a column in XML");
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, message));
    }

    let mut out = BufWriter::new(out);
    writeln!(
        out,
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{cells}\">",
        positions.len()
    )?;
    let reals =
        |values: &mut dyn Iterator<Item = f64>| values.flat_map(f64::to_le_bytes).collect::<Vec<u8>>();
    for (section, columns) in [("PointData", vertex_columns), ("CellData", element_columns)] {
        writeln!(out, "<{section}>")?;
        for (name, values) in columns {
            data_array(
                &mut out,
                &format!("type=\"Float64\" Name=\"{name}\""),
                &reals(&mut values.iter().copied()),
            )?;
        }
        writeln!(out, "</{section}>")?;
    }
    writeln!(out, "<Points>")?;
    let coordinates = reals(&mut positions.iter().flat_map(|x| [x.x, x.y, x.z]));
    data_array(&mut out, "type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"", &coordinates)?;
    writeln!(out, "</Points>\n<Cells>")?;
    let indices: Vec<u8> = corners.iter().flat_map(|&v| i64::from(v).to_le_bytes()).collect();
    data_array(&mut out, "type=\"Int64\" Name=\"connectivity\"", &indices)?;
    let ends: Vec<u8> = (1..=cells).flat_map(|cell| ((cell * per_cell) as i64).to_le_bytes()).collect();
    data_array(&mut out, "type=\"Int64\" Name=\"offsets\"", &ends)?;
    data_array(&mut out, "type=\"UInt8\" Name=\"types\"", &vec![kind; cells])?;
    writeln!(out, "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>")?;
    out.flush()
}

/// One array: its length in bytes and its bytes, in base64.
fn data_array(out: &mut impl Write, attributes: &str, bytes: &[u8]) -> std::io::Result<()> {
    let mut run = (bytes.len() as u64).to_le_bytes().to_vec();
    run.extend(bytes);
    writeln!(out, "<DataArray {attributes} format=\"binary\">\n{}\n</DataArray>", base64::encode(&run))
}
