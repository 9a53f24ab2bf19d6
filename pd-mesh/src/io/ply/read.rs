//! PLY input. Read: `vertex` with x, y, z and any further scalars, which become columns; `face` with a list
//! `vertex_indices` or `vertex_index` (cut into a fan) and further scalars; `tetrahedron` with such a list of four. Other
//! elements and lists are skipped.

use crate::Vec3;
use crate::io::collected::{Collected, push};
use crate::io::data::{Column, MeshData};
use crate::io::error::{FileError, FileErrorKind};
use crate::io::limits::Limits;
use crate::io::scan::{believable_count, coordinate, excerpt, finite, index_from, integer, words};
use crate::io::stream::Stream;
use std::io::BufRead;

/// Reads a surface, or a solid if the file has tetrahedra, with its columns; `name` is the file name in messages.
///
/// # Errors
/// The first defect, with its line in a text file and in the header, or nothing that makes a mesh.
///
/// ```
/// let text = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
///     property float mass\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
///     0 0 0 1\n1 0 0 2\n0 1 0 3\n3 0 1 2\n";
/// let data = pd_mesh::io::read_ply(&text[..], "one.ply")?;
/// assert_eq!(data.vertex_column("mass"), Some(&[1.0, 2.0, 3.0][..]));
/// # Ok::<(), pd_mesh::io::FileError>(())
/// ```
pub fn read_ply(mut input: impl BufRead, name: &str) -> Result<MeshData, FileError> {
    read(&mut Stream::new(&mut input, Limits::default()), name)
}

/// As [`read_ply`], within the limits of the stream.
pub(in crate::io) fn read(stream: &mut Stream<'_>, name: &str) -> Result<MeshData, FileError> {
    let outcome = contents(stream);
    let line = stream.line;
    stream.judge(outcome, name, line)?.finish(name, 0, stream.passed())
}

/// Number types by their two sets of names.
#[derive(Clone, Copy, PartialEq)]
enum Type {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Type {
    fn from_name(word: &[u8]) -> Result<Self, FileErrorKind> {
        Ok(match word {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => {
                return Err(FileErrorKind::WrongFormat {
                    found: excerpt(word),
                    expected: "a type of numbers",
                });
            }
        })
    }
}

/// How the numbers are written.
#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Ascii,
    Little,
    Big,
}

struct Property {
    name: String,
    /// Type of the count, if this is a list.
    list: Option<Type>,
    kind: Type,
}

struct Element {
    name: Vec<u8>,
    count: usize,
    properties: Vec<Property>,
}

fn contents(stream: &mut Stream<'_>) -> Result<Collected, FileErrorKind> {
    let (encoding, elements) = header(stream)?;
    let mut collected = Collected::new(stream.limits);
    for element in &elements {
        match &element.name[..] {
            b"vertex" => vertices(element, encoding, stream, &mut collected)?,
            b"face" => faces(element, encoding, stream, &mut collected)?,
            b"tetrahedron" => tets(element, encoding, stream, &mut collected)?,
            _ => rows(element, encoding, stream, "a skipped element", |_, _, _| Ok(()))?,
        }
    }
    Ok(collected)
}

fn header(stream: &mut Stream<'_>) -> Result<(Encoding, Vec<Element>), FileErrorKind> {
    let missing = |expected| FileErrorKind::MissingPart { expected };
    let wrong = |found: &[u8], expected| FileErrorKind::WrongFormat { found: excerpt(found), expected };
    let magic = stream.next_line().ok_or(missing("ply"))?;
    if magic.trim_ascii() != b"ply" {
        return Err(wrong(magic, "ply"));
    }
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        let line = stream.next_line().ok_or(missing("end_header"))?;
        let mut words = words(line);
        let mut word = |expected| words.next().ok_or(FileErrorKind::MissingValue { expected });
        match word("a keyword").unwrap_or_default() {
            b"format" => {
                encoding = Some(match word("an encoding")? {
                    b"ascii" => Encoding::Ascii,
                    b"binary_little_endian" => Encoding::Little,
                    b"binary_big_endian" => Encoding::Big,
                    other => return Err(wrong(other, "ascii, binary_little_endian or binary_big_endian")),
                });
            }
            b"element" => {
                let name = word("the name of an element")?.to_vec();
                let count = believable_count("an element", integer(word("a count")?, "a count")?)?;
                elements.push(Element { name, count, properties: Vec::new() });
            }
            b"property" => {
                let mut kind = word("a type of numbers")?;
                let mut list = None;
                if kind == b"list" {
                    list = Some(Type::from_name(word("the type of a count")?)?);
                    kind = word("a type of numbers")?;
                }
                let kind = Type::from_name(kind)?;
                let name = String::from_utf8_lossy(word("the name of a property")?).into_owned();
                let element = elements.last_mut().ok_or(missing("an element before its properties"))?;
                element.properties.push(Property { name, list, kind });
            }
            b"end_header" => break,
            b"comment" | b"obj_info" | b"" => {}
            other => return Err(wrong(other, "format, element, property, comment or end_header")),
        }
    }
    Ok((encoding.ok_or(missing("a line format"))?, elements))
}

/// One number.
fn number(kind: Type, encoding: Encoding, stream: &mut Stream<'_>) -> Result<Option<f64>, FileErrorKind> {
    if encoding == Encoding::Ascii {
        let Some(word) = stream.word() else { return Ok(None) };
        let whole = !matches!(kind, Type::F32 | Type::F64);
        return if whole {
            integer::<i64>(word, "an integer").map(|value| Some(value as f64))
        } else {
            match coordinate(word, "a number") {
                // Columns may say "no value"; coordinates are checked where they are stored.
                Err(FileErrorKind::NotFinite { .. }) => Ok(Some(f64::NAN)),
                other => other.map(Some),
            }
        };
    }
    let little = encoding == Encoding::Little;
    Ok(match kind {
        Type::I8 => stream.big_endian(little).map(|raw| f64::from(i8::from_be_bytes(raw))),
        Type::U8 => stream.big_endian(little).map(|raw| f64::from(u8::from_be_bytes(raw))),
        Type::I16 => stream.big_endian(little).map(|raw| f64::from(i16::from_be_bytes(raw))),
        Type::U16 => stream.big_endian(little).map(|raw| f64::from(u16::from_be_bytes(raw))),
        Type::I32 => stream.big_endian(little).map(|raw| f64::from(i32::from_be_bytes(raw))),
        Type::U32 => stream.big_endian(little).map(|raw| f64::from(u32::from_be_bytes(raw))),
        Type::F32 => stream.big_endian(little).map(|raw| f64::from(f32::from_be_bytes(raw))),
        Type::F64 => stream.big_endian(little).map(f64::from_be_bytes),
    })
}

/// Reads every row of an element; `store` gets the scalars (0 for lists) and the entries of the list of vertex indices and
/// the bytes of the file passed so far.
fn rows(
    element: &Element,
    encoding: Encoding,
    stream: &mut Stream<'_>,
    section: &'static str,
    mut store: impl FnMut(&[f64], &[u32], u64) -> Result<(), FileErrorKind>,
) -> Result<(), FileErrorKind> {
    if element.properties.is_empty() {
        // A row of nothing takes no bytes, so any count would do; there is nothing to read.
        return Ok(());
    }
    let mut scalars = vec![0.0; element.properties.len()];
    let mut list = Vec::new();
    for read in 0..element.count {
        let cut = || FileErrorKind::UnexpectedEnd { section, read, declared: element.count };
        list.clear();
        for (property, place) in element.properties.iter().zip(&mut scalars) {
            let Some(count_type) = property.list else {
                *place = number(property.kind, encoding, stream)?.ok_or_else(cut)?;
                continue;
            };
            let entries = index_from(number(count_type, encoding, stream)?.ok_or_else(cut)?)?;
            let indices = matches!(property.name.as_str(), "vertex_indices" | "vertex_index");
            for _ in 0..entries {
                let value = number(property.kind, encoding, stream)?.ok_or_else(cut)?;
                if indices {
                    push(&mut list, index_from(value)?);
                }
            }
        }
        store(&scalars, &list, stream.passed())?;
    }
    Ok(())
}

/// Columns of the scalars except those at `places`.
fn columns(element: &Element, places: &[usize]) -> Vec<(usize, Column)> {
    let is_column = |&(i, property): &(usize, &Property)| property.list.is_none() && !places.contains(&i);
    let empty =
        |(i, property): (usize, &Property)| (i, Column { name: property.name.clone(), values: Vec::new() });
    element.properties.iter().enumerate().filter(is_column).map(empty).collect()
}

fn vertices(
    element: &Element,
    encoding: Encoding,
    stream: &mut Stream<'_>,
    collected: &mut Collected,
) -> Result<(), FileErrorKind> {
    if !collected.positions.is_empty() {
        return Err(FileErrorKind::RepeatedSection { section: "vertex" });
    }
    let mut places = [0; 3];
    for (place, name) in places.iter_mut().zip(["x", "y", "z"]) {
        let found = element.properties.iter().position(|p| p.name == name && p.list.is_none());
        *place = found.ok_or(FileErrorKind::MissingPart { expected: "vertex properties x, y and z" })?;
    }
    let mut columns = columns(element, &places);
    rows(element, encoding, stream, "vertex", |scalars, _, _| {
        let [x, y, z] = places.map(|i| scalars[i]);
        collected.vertex(Vec3::new(finite(x)?, finite(y)?, finite(z)?))?;
        store_columns(&mut columns, scalars);
        Ok(())
    })?;
    collected.vertex_columns = columns.into_iter().map(|(_, column)| column).collect();
    Ok(())
}

fn store_columns(columns: &mut [(usize, Column)], scalars: &[f64]) {
    for (i, column) in columns {
        push(&mut column.values, scalars[*i]);
    }
}

fn faces(
    element: &Element,
    encoding: Encoding,
    stream: &mut Stream<'_>,
    collected: &mut Collected,
) -> Result<(), FileErrorKind> {
    let mut columns = columns(element, &[]);
    // Columns of faces are kept only if there are no tetrahedra.
    let kept = !columns.is_empty() && collected.tets.is_empty();
    rows(element, encoding, stream, "face", |scalars, list, bytes| {
        if list.len() < 3 {
            return Err(FileErrorKind::TooFewCorners { corners: list.len() });
        }
        // A corner may take a single byte, the triangle it makes takes twelve.
        collected.bytes = Some(bytes);
        collected.polygon(list)?;
        if kept {
            collected.end_cell();
            store_columns(&mut columns, scalars);
        }
        Ok(())
    })?;
    collected.bytes = None;
    if kept {
        collected.cell_columns = columns.into_iter().map(|(_, column)| column).collect();
    }
    Ok(())
}

fn tets(
    element: &Element,
    encoding: Encoding,
    stream: &mut Stream<'_>,
    collected: &mut Collected,
) -> Result<(), FileErrorKind> {
    let mut columns = columns(element, &[]);
    collected.restart_cells();
    rows(element, encoding, stream, "tetrahedron", |scalars, list, _| {
        let [a, b, c, d] = *list else {
            return Err(FileErrorKind::Contradiction {
                what: "corners of a tetrahedron",
                found: list.len() as u64,
                expected: 4,
            });
        };
        collected.tet([a, b, c, d])?;
        collected.end_cell();
        store_columns(&mut columns, scalars);
        Ok(())
    })?;
    collected.cell_columns = columns.into_iter().map(|(_, column)| column).collect();
    Ok(())
}
