//! Legacy VTK input: keywords in text, numbers in text or raw with the most significant byte first.

use super::add_cell;
use crate::Vec3;
use crate::io::collected::{Collected, push};
use crate::io::data::{Column, MeshData};
use crate::io::error::{FileError, FileErrorKind};
use crate::io::limits::Limits;
use crate::io::scan::{believable_count, excerpt, finite, index_from, integer, words};
use crate::io::stream::Stream;
use std::io::BufRead;

/// Reads polydata or an unstructured grid with its scalars (components of vectors become columns of their own); `name`
/// stands for the file in messages.
///
/// # Errors
/// The first defect (with its line in a text file), another kind of dataset, or nothing that makes a mesh.
pub fn read_vtk(mut input: impl BufRead, name: &str) -> Result<MeshData, FileError> {
    read(&mut Stream::new(&mut input, Limits::default()), name)
}

/// As [`read_vtk`], within the limits of the stream.
pub(in crate::io) fn read(stream: &mut Stream<'_>, name: &str) -> Result<MeshData, FileError> {
    let collected = Collected::new(stream.limits);
    let mut reader = Reader { stream, binary: false, collected };
    let outcome = reader.read();
    let Reader { stream, binary, collected } = reader;
    let line = if binary { 0 } else { stream.line };
    stream.judge(outcome, name, line)?;
    collected.finish(name, 0, stream.passed())
}

struct Reader<'a, 'r> {
    stream: &'a mut Stream<'r>,
    binary: bool,
    collected: Collected,
}

/// Number types of legacy files.
#[derive(Clone, Copy, PartialEq)]
enum Type {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Type {
    fn from_name(word: &[u8]) -> Result<Self, FileErrorKind> {
        Ok(match &word.to_ascii_lowercase()[..] {
            b"char" => Self::I8,
            b"unsigned_char" => Self::U8,
            b"short" => Self::I16,
            b"unsigned_short" => Self::U16,
            b"int" => Self::I32,
            b"unsigned_int" => Self::U32,
            b"long" | b"vtktypeint64" | b"vtkidtype" => Self::I64,
            b"unsigned_long" | b"vtktypeuint64" => Self::U64,
            b"float" => Self::F32,
            b"double" => Self::F64,
            _ => {
                return Err(FileErrorKind::NotSupported {
                    found: excerpt(word),
                    expected: "a type of numbers",
                });
            }
        })
    }
}

/// Corners of cells: all indices, and where each cell ends.
#[derive(Default)]
struct Cells {
    indices: Vec<u32>,
    ends: Vec<u32>,
}

impl Cells {
    fn corners(&self, cell: usize) -> &[u32] {
        let start = cell.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.indices[start..self.ends[cell] as usize]
    }
}

impl Reader<'_, '_> {
    fn word(&mut self, expected: &'static str) -> Result<&[u8], FileErrorKind> {
        self.stream.word().ok_or(FileErrorKind::MissingPart { expected })
    }

    fn count(&mut self, section: &'static str) -> Result<usize, FileErrorKind> {
        let word = self.word("a count")?;
        believable_count(section, integer(word, "a count")?)
    }

    fn number_type(&mut self) -> Result<Type, FileErrorKind> {
        Type::from_name(self.word("a type of numbers")?)
    }

    /// Raw numbers start after the line end.
    fn start_of_numbers(&mut self) {
        if self.binary {
            self.stream.pass_line();
        }
    }

    fn number(&mut self, kind: Type) -> Result<f64, FileErrorKind> {
        let missing = FileErrorKind::MissingPart { expected: "a number" };
        if !self.binary {
            let word = self.stream.word().ok_or(missing)?;
            let parsed = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
            return parsed
                .ok_or_else(|| FileErrorKind::NotANumber { found: excerpt(word), expected: "a number" });
        }
        let stream = &mut self.stream;
        let value = match kind {
            Type::I8 => stream.array().map(|raw| f64::from(i8::from_be_bytes(raw))),
            Type::U8 => stream.array().map(|raw| f64::from(u8::from_be_bytes(raw))),
            Type::I16 => stream.array().map(|raw| f64::from(i16::from_be_bytes(raw))),
            Type::U16 => stream.array().map(|raw| f64::from(u16::from_be_bytes(raw))),
            Type::I32 => stream.array().map(|raw| f64::from(i32::from_be_bytes(raw))),
            Type::U32 => stream.array().map(|raw| f64::from(u32::from_be_bytes(raw))),
            Type::I64 => stream.array().map(|raw| i64::from_be_bytes(raw) as f64),
            Type::U64 => stream.array().map(|raw| u64::from_be_bytes(raw) as f64),
            Type::F32 => stream.array().map(|raw| f64::from(f32::from_be_bytes(raw))),
            Type::F64 => stream.array().map(f64::from_be_bytes),
        };
        value.ok_or(missing)
    }

    fn read(&mut self) -> Result<(), FileErrorKind> {
        let missing = |expected| FileErrorKind::MissingPart { expected };
        let first = self.stream.next_line().ok_or(missing("# vtk DataFile"))?;
        if !first.starts_with(b"# vtk DataFile") {
            return Err(FileErrorKind::WrongFormat { found: excerpt(first), expected: "# vtk DataFile" });
        }
        self.stream.next_line().ok_or(missing("a title"))?;
        self.binary = match self.word("ASCII or BINARY")? {
            b"ASCII" => false,
            b"BINARY" => true,
            other => {
                return Err(FileErrorKind::WrongFormat {
                    found: excerpt(other),
                    expected: "ASCII or BINARY",
                });
            }
        };
        let mut cells = None;
        // Where the values of POINT_DATA or CELL_DATA go: none before either.
        let mut of_cells = None;
        while let Some(keyword) = self.stream.word() {
            let keyword = keyword.to_ascii_uppercase();
            match &keyword[..] {
                b"DATASET" => {
                    let kind = self.word("the kind of dataset")?;
                    if !matches!(kind, b"POLYDATA" | b"UNSTRUCTURED_GRID") {
                        return Err(FileErrorKind::NotSupported {
                            found: excerpt(kind),
                            expected: "POLYDATA or UNSTRUCTURED_GRID",
                        });
                    }
                }
                b"POINTS" => self.points()?,
                b"CELLS" => cells = Some(self.cells()?),
                b"CELL_TYPES" => {
                    let cells = cells.take().ok_or(missing("CELLS before CELL_TYPES"))?;
                    self.cell_types(&cells)?;
                }
                b"POLYGONS" => self.polygons(7)?,
                b"TRIANGLE_STRIPS" => self.polygons(6)?,
                b"VERTICES" | b"LINES" => self.polygons(0)?,
                b"POINT_DATA" => of_cells = Some((false, self.count("POINT_DATA")?)),
                b"CELL_DATA" => of_cells = Some((true, self.count("CELL_DATA")?)),
                b"METADATA" => self.metadata(),
                other => self.attribute(other, of_cells)?,
            }
        }
        Ok(())
    }

    fn points(&mut self) -> Result<(), FileErrorKind> {
        if !self.collected.positions.is_empty() {
            return Err(FileErrorKind::RepeatedSection { section: "POINTS" });
        }
        let count = self.count("POINTS")?;
        let kind = self.number_type()?;
        self.start_of_numbers();
        for _ in 0..count {
            let x = Vec3::new(
                finite(self.number(kind)?)?,
                finite(self.number(kind)?)?,
                finite(self.number(kind)?)?,
            );
            self.collected.vertex(x)?;
        }
        Ok(())
    }

    /// Both layouts: counts and indices in turn (up to version 4), or ends and then indices (version 5).
    fn cells(&mut self) -> Result<Cells, FileErrorKind> {
        let count = self.count("CELLS")?;
        let size = self.count("CELLS")?;
        let mut cells = Cells::default();
        // After the line end, raw numbers or the word; in a text file any white space may stand before it.
        if self.binary {
            self.stream.pass_line();
        } else {
            self.stream.pass_white();
        }
        if self.stream.continues_with(b"OFFSETS") {
            self.stream.word();
            let kind = self.number_type()?;
            self.start_of_numbers();
            for _ in 0..count {
                let end = index_from(self.number(kind)?)?;
                if end as usize > size || cells.ends.last().is_some_and(|&before| end < before) {
                    return Err(FileErrorKind::Contradiction {
                        what: "end of a cell",
                        found: end.into(),
                        expected: size as u64,
                    });
                }
                push(&mut cells.ends, end);
            }
            // The first offset is 0, so there is one more of them than cells.
            if !cells.ends.is_empty() {
                cells.ends.remove(0);
            }
            let word = self.word("CONNECTIVITY")?;
            if word != b"CONNECTIVITY" {
                return Err(FileErrorKind::WrongFormat { found: excerpt(word), expected: "CONNECTIVITY" });
            }
            let kind = self.number_type()?;
            self.start_of_numbers();
            for _ in 0..size {
                push(&mut cells.indices, index_from(self.number(kind)?)?);
            }
            return Ok(cells);
        }
        for read in 0..count {
            let corners = index_from(self.number(Type::I32)?)? as usize;
            if cells.indices.len() + corners + read + 1 > size {
                return Err(FileErrorKind::Contradiction {
                    what: "numbers of the cells",
                    found: (cells.indices.len() + corners + read + 1) as u64,
                    expected: size as u64,
                });
            }
            for _ in 0..corners {
                push(&mut cells.indices, index_from(self.number(Type::I32)?)?);
            }
            push(&mut cells.ends, cells.indices.len() as u32);
        }
        Ok(cells)
    }

    fn polygons(&mut self, kind: u64) -> Result<(), FileErrorKind> {
        let cells = self.cells()?;
        for cell in 0..cells.ends.len() {
            add_cell(kind, cells.corners(cell), &mut self.collected)?;
        }
        Ok(())
    }

    fn cell_types(&mut self, cells: &Cells) -> Result<(), FileErrorKind> {
        let count = self.count("CELL_TYPES")?;
        if count != cells.ends.len() {
            return Err(FileErrorKind::Contradiction {
                what: "CELL_TYPES",
                found: count as u64,
                expected: cells.ends.len() as u64,
            });
        }
        self.start_of_numbers();
        for cell in 0..count {
            let kind = self.number(Type::I32)?;
            add_cell(kind as u64, cells.corners(cell), &mut self.collected)?;
        }
        Ok(())
    }

    /// Free text up to an empty line.
    fn metadata(&mut self) {
        self.stream.pass_line();
        while self.stream.next_line().is_some_and(|line| !line.trim_ascii().is_empty()) {}
    }

    fn attribute(&mut self, keyword: &[u8], of_cells: Option<(bool, usize)>) -> Result<(), FileErrorKind> {
        let tuples = of_cells.map_or(0, |(_, count)| count);
        match keyword {
            b"SCALARS" => {
                // "SCALARS name type [components]": the rest of the line decides.
                let line = self.stream.next_line().unwrap_or_default().to_vec();
                let mut fields = words(&line);
                let mut field = |expected| fields.next().ok_or(FileErrorKind::MissingValue { expected });
                let name = field("the name of the scalars")?.to_vec();
                let kind = Type::from_name(field("a type of numbers")?)?;
                let components =
                    fields.next().map_or(Ok(1), |word| integer(word, "the number of components"))?;
                if !self.binary {
                    self.stream.pass_white();
                }
                if self.stream.continues_with(b"LOOKUP_TABLE") {
                    self.stream.pass_line();
                }
                self.columns(&name, components, tuples, kind, of_cells)
            }
            b"VECTORS" | b"NORMALS" | b"TENSORS" | b"GLOBAL_IDS" | b"PEDIGREE_IDS" => {
                let name = self.word("a name")?.to_vec();
                let kind = self.number_type()?;
                self.start_of_numbers();
                let components = match keyword {
                    b"VECTORS" | b"NORMALS" => 3,
                    b"TENSORS" => 9,
                    _ => 1,
                };
                self.columns(&name, components, tuples, kind, of_cells)
            }
            b"TEXTURE_COORDINATES" => {
                let name = self.word("a name")?.to_vec();
                let components = self.count("TEXTURE_COORDINATES")?;
                let kind = self.number_type()?;
                self.start_of_numbers();
                self.columns(&name, components, tuples, kind, of_cells)
            }
            b"COLOR_SCALARS" => {
                let name = self.word("a name")?.to_vec();
                let components = self.count("COLOR_SCALARS")?;
                self.start_of_numbers();
                self.columns(&name, components, tuples, Type::U8, of_cells)
            }
            b"LOOKUP_TABLE" => {
                self.word("a name")?;
                let size = self.count("LOOKUP_TABLE")?;
                self.start_of_numbers();
                self.columns(b"", 4, size, Type::U8, None)
            }
            b"FIELD" => {
                self.word("a name")?;
                for _ in 0..self.count("FIELD")? {
                    let mut name = self.word("the name of an array")?.to_vec();
                    if name == b"METADATA" {
                        self.metadata();
                        name = self.word("the name of an array")?.to_vec();
                    }
                    let (components, tuples) = (self.count("FIELD")?, self.count("FIELD")?);
                    let kind = self.number_type()?;
                    self.start_of_numbers();
                    self.columns(&name, components, tuples, kind, of_cells)?;
                }
                Ok(())
            }
            _ => Err(FileErrorKind::WrongFormat { found: excerpt(keyword), expected: "a keyword of VTK" }),
        }
    }

    /// Reads tuples; keeps them if they belong to points or cells.
    fn columns(
        &mut self,
        name: &[u8],
        components: usize,
        tuples: usize,
        kind: Type,
        of_cells: Option<(bool, usize)>,
    ) -> Result<(), FileErrorKind> {
        // More than a tensor has no use here, and a damaged count must not make thousands of columns.
        if components > 16 {
            return Err(FileErrorKind::Unsupported {
                what: "the number of components",
                value: components as u64,
                supported: "1 to 16",
            });
        }
        let name = String::from_utf8_lossy(name);
        let full = |i: usize| if components == 1 { name.to_string() } else { format!("{name}_{i}") };
        let mut columns: Vec<Column> =
            (0..components).map(|i| Column { name: full(i), values: Vec::new() }).collect();
        for _ in 0..if components == 0 { 0 } else { tuples } {
            for column in &mut columns {
                let value = self.number(kind)?;
                push(&mut column.values, value);
            }
        }
        match of_cells {
            Some((true, count)) if count == tuples => self.collected.cell_columns.extend(columns),
            Some((false, count)) if count == tuples => self.collected.vertex_columns.extend(columns),
            _ => {}
        }
        Ok(())
    }
}
