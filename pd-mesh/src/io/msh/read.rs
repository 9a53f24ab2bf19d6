//! MSH input.

use super::numbers::Numbers;
use crate::io::data::{Collected, MeshData};
use crate::io::error::{FileError, FileErrorKind};
use crate::io::scan::{Cursor, believable_count, excerpt, integer, read_all, words};
use crate::{Mesh, Vec3};
use std::io::BufRead;

/// Reads a solid, or a surface if the file has no tetrahedra; `name` stands for the file in messages.
///
/// # Errors
/// The first defect (with its line in a text file), a version other than 2.2 and 4.1, or nothing that makes a mesh.
pub fn read_msh(input: impl BufRead, name: &str) -> Result<Mesh, FileError> {
    let bytes = read_all(input, name)?;
    let mut numbers = Numbers { cursor: Cursor::new(&bytes), binary: false, little: true, size_bytes: 8 };
    let mut reader = Reader::default();
    reader.collected.without_cells = true;
    let outcome = reader.read(&mut numbers);
    let line = |numbers: &Numbers<'_>| if numbers.binary { 0 } else { numbers.cursor.line() };
    outcome.map_err(|kind| kind.at(name, line(&numbers)))?;
    let MeshData { mesh, .. } = reader.collected.finish(name)?;
    Ok(mesh)
}

#[derive(Default)]
struct Reader {
    collected: Collected,
    /// Tag of every node and its vertex, ascending, once the nodes are read.
    tags: Option<Vec<(u64, u32)>>,
}

impl Reader {
    fn read(&mut self, numbers: &mut Numbers<'_>) -> Result<(), FileErrorKind> {
        let old = header(numbers)?;
        while let Some(word) = numbers.cursor.word() {
            match word {
                b"$Nodes" => {
                    if self.tags.is_some() {
                        return Err(FileErrorKind::RepeatedSection { section: "$Nodes" });
                    }
                    numbers.cursor.next_line();
                    if old {
                        self.old_nodes(numbers)?
                    } else {
                        self.nodes(numbers)?
                    }
                    end(numbers, b"$EndNodes")?;
                }
                b"$Elements" => {
                    numbers.cursor.next_line();
                    if old {
                        self.old_elements(numbers)?
                    } else {
                        self.elements(numbers)?
                    }
                    end(numbers, b"$EndElements")?;
                }
                [b'$', section @ ..] => {
                    let mut text = b"$End".to_vec();
                    text.extend(section);
                    if !numbers.cursor.skip_past(&text) {
                        return Err(FileErrorKind::MissingPart { expected: "the end of a section" });
                    }
                }
                other => {
                    return Err(FileErrorKind::WrongFormat {
                        found: excerpt(other),
                        expected: "a section that starts with $",
                    });
                }
            }
        }
        Ok(())
    }

    fn node(&mut self, tag: u64, numbers: &mut Numbers<'_>) -> Result<(), FileErrorKind> {
        let x = Vec3::new(numbers.real()?, numbers.real()?, numbers.real()?);
        let vertex = self.collected.positions.len() as u32;
        self.tags.get_or_insert_default().push((tag, vertex));
        self.collected.positions.push(x);
        Ok(())
    }

    /// Version 2.2: count, then tag x y z.
    fn old_nodes(&mut self, numbers: &mut Numbers<'_>) -> Result<(), FileErrorKind> {
        let count = text_count("$Nodes", numbers)?;
        for read in 0..count {
            let tag = numbers.int("the tag of a node").map_err(|kind| cut(kind, "$Nodes", read, count))?;
            self.node(tag as u64, numbers).map_err(|kind| cut(kind, "$Nodes", read, count))?;
        }
        self.sort_tags()
    }

    /// Version 4.1: blocks of one entity each, first all tags, then all coordinates.
    fn nodes(&mut self, numbers: &mut Numbers<'_>) -> Result<(), FileErrorKind> {
        let blocks = numbers.count("$Nodes")?;
        let total = numbers.count("$Nodes")?;
        numbers.size("the least tag")?;
        numbers.size("the greatest tag")?;
        let mut read = 0;
        for _ in 0..blocks {
            let dimension = numbers.int("the dimension of an entity")?;
            numbers.int("the tag of an entity")?;
            let parametric = numbers.int("0 or 1")?;
            let count = numbers.count("$Nodes")?;
            let first = read;
            for _ in 0..count {
                let tag =
                    numbers.size("the tag of a node").map_err(|kind| cut(kind, "$Nodes", read, total))?;
                self.tags.get_or_insert_default().push((tag, read as u32));
                read += 1;
            }
            for i in first..read {
                let at = |kind| cut(kind, "$Nodes", i, total);
                let x = Vec3::new(
                    numbers.real().map_err(at)?,
                    numbers.real().map_err(at)?,
                    numbers.real().map_err(at)?,
                );
                self.collected.positions.push(x);
                if parametric != 0 {
                    for _ in 0..dimension.clamp(0, 3) {
                        numbers.real().map_err(at)?;
                    }
                }
            }
        }
        if read != total {
            return Err(FileErrorKind::Contradiction {
                what: "nodes in the blocks",
                found: read as u64,
                expected: total as u64,
            });
        }
        self.sort_tags()
    }

    /// Makes tags searchable; two nodes of one tag cannot be told apart.
    fn sort_tags(&mut self) -> Result<(), FileErrorKind> {
        let tags = self.tags.get_or_insert_default();
        tags.sort_unstable();
        match tags.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(FileErrorKind::Contradiction {
                what: "nodes with one tag",
                found: pair[0].0,
                expected: pair[0].0.saturating_add(1),
            }),
            None => Ok(()),
        }
    }

    fn vertex(&self, tag: u64) -> Result<u32, FileErrorKind> {
        let tags =
            self.tags.as_ref().ok_or(FileErrorKind::MissingPart { expected: "$Nodes before $Elements" })?;
        // Tags are nearly always 1, 2, 3, …
        if let Some(&(other, vertex)) = tags.get((tag as usize).wrapping_sub(1))
            && other == tag
        {
            return Ok(vertex);
        }
        let found = tags.binary_search_by_key(&tag, |&(tag, _)| tag);
        let vertices = tags.len();
        found.map(|i| tags[i].1).map_err(|_| FileErrorKind::IndexOutOfRange { index: tag as i64, vertices })
    }

    /// One element: the tags of its nodes, corners first.
    fn element(
        &mut self,
        shape: Shape,
        nodes: usize,
        mut next: impl FnMut() -> Result<u64, FileErrorKind>,
    ) -> Result<(), FileErrorKind> {
        let mut corners = [0; 4];
        for i in 0..nodes {
            let tag = next()?;
            if i < shape.corners() {
                corners[i] = self.vertex(tag)?;
            }
        }
        match shape {
            Shape::Triangle => self.collected.polygon(&corners[..3], 0),
            Shape::Quadrangle => self.collected.polygon(&corners, 0),
            Shape::Tetrahedron => self.collected.tet(corners, 0),
            Shape::Other => {}
        }
        Ok(())
    }

    /// Version 2.2, text: tag type number-of-tags tags nodes; binary: blocks of one type.
    fn old_elements(&mut self, numbers: &mut Numbers<'_>) -> Result<(), FileErrorKind> {
        let count = text_count("$Elements", numbers)?;
        let mut read = 0;
        while read < count {
            let (kind, in_block, tags) = if numbers.binary {
                let kind = numbers.int("the type of elements")?;
                let in_block = usize::try_from(numbers.int("the number of elements")?).unwrap_or(0);
                (kind, in_block.max(1), numbers.int("the number of tags")?)
            } else {
                numbers.int("the tag of an element").map_err(|kind| cut(kind, "$Elements", read, count))?;
                (numbers.int("the type of an element")?, 1, numbers.int("the number of tags")?)
            };
            let (shape, nodes) = shape_and_nodes(kind)?;
            for _ in 0..in_block {
                let at = |kind| cut(kind, "$Elements", read, count);
                if numbers.binary {
                    numbers.int("the tag of an element").map_err(at)?;
                }
                for _ in 0..tags {
                    numbers.int("a tag of an element").map_err(at)?;
                }
                self.element(shape, nodes, || numbers.int("a node of an element").map(|tag| tag as u64))
                    .map_err(at)?;
                read += 1;
            }
        }
        Ok(())
    }

    /// Version 4.1: blocks of one entity and type each.
    fn elements(&mut self, numbers: &mut Numbers<'_>) -> Result<(), FileErrorKind> {
        let blocks = numbers.count("$Elements")?;
        let total = numbers.count("$Elements")?;
        numbers.size("the least tag")?;
        numbers.size("the greatest tag")?;
        let mut read = 0;
        for _ in 0..blocks {
            numbers.int("the dimension of an entity")?;
            numbers.int("the tag of an entity")?;
            let (shape, nodes) = shape_and_nodes(numbers.int("the type of elements")?)?;
            for _ in 0..numbers.count("$Elements")? {
                let at = |kind| cut(kind, "$Elements", read, total);
                numbers.size("the tag of an element").map_err(at)?;
                self.element(shape, nodes, || numbers.size("a node of an element")).map_err(at)?;
                read += 1;
            }
        }
        if read != total {
            return Err(FileErrorKind::Contradiction {
                what: "elements in the blocks",
                found: read as u64,
                expected: total as u64,
            });
        }
        Ok(())
    }
}

/// `$MeshFormat version binary size`, and in a binary file the integer 1 in the file's byte order. Returns whether the
/// version is 2.2.
fn header(numbers: &mut Numbers<'_>) -> Result<bool, FileErrorKind> {
    const EXPECTED: &str = "$MeshFormat";
    let first = numbers.cursor.word().ok_or(FileErrorKind::MissingPart { expected: EXPECTED })?;
    if first != EXPECTED.as_bytes() {
        return Err(FileErrorKind::WrongFormat { found: excerpt(first), expected: EXPECTED });
    }
    numbers.cursor.next_line();
    let line = numbers.cursor.next_line().ok_or(FileErrorKind::MissingPart { expected: "the version" })?;
    let mut fields = words(line);
    let mut field = |expected| fields.next().ok_or(FileErrorKind::MissingValue { expected });
    let old = match field("the version")? {
        b"2" | b"2.0" | b"2.1" | b"2.2" => true,
        b"4.1" => false,
        other => {
            return Err(FileErrorKind::NotSupported {
                found: excerpt(other),
                expected: "version 2.2 or 4.1",
            });
        }
    };
    let binary = integer::<u32>(field("0 for text or 1 for binary")?, "0 for text or 1 for binary")?;
    let size = integer::<u64>(field("the size of numbers")?, "the size of numbers")?;
    if size != 8 && (old || size != 4) {
        return Err(FileErrorKind::Unsupported { what: "the size of numbers", value: size, supported: "8" });
    }
    numbers.size_bytes = size as usize;
    if binary != 0 {
        let raw: [u8; 4] =
            numbers.cursor.array().ok_or(FileErrorKind::MissingPart { expected: "the integer 1" })?;
        numbers.binary = true;
        numbers.little = match (u32::from_le_bytes(raw), u32::from_be_bytes(raw)) {
            (1, _) => true,
            (_, 1) => false,
            (other, _) => {
                return Err(FileErrorKind::Unsupported {
                    what: "the mark of the byte order",
                    value: other.into(),
                    supported: "1",
                });
            }
        };
    }
    if !numbers.cursor.skip_past(b"$EndMeshFormat") {
        return Err(FileErrorKind::MissingPart { expected: "$EndMeshFormat" });
    }
    Ok(old)
}

/// The count on a line of its own, text even in a binary file of version 2.2.
fn text_count(section: &'static str, numbers: &mut Numbers<'_>) -> Result<usize, FileErrorKind> {
    let line = numbers.cursor.next_line().ok_or(FileErrorKind::MissingPart { expected: "a count" })?;
    let word = words(line).next().ok_or(FileErrorKind::MissingValue { expected: "a count" })?;
    believable_count(section, integer(word, "a count")?)
}

/// The mark at the end of a section.
fn end(numbers: &mut Numbers<'_>, mark: &'static [u8]) -> Result<(), FileErrorKind> {
    match numbers.cursor.word() {
        Some(word) if word == mark => Ok(()),
        Some(word) => {
            Err(FileErrorKind::WrongFormat { found: excerpt(word), expected: "the end of the section" })
        }
        None => Err(FileErrorKind::MissingPart { expected: "the end of the section" }),
    }
}

/// A section that the file is too short for, instead of the number that happened to be missing.
fn cut(kind: FileErrorKind, section: &'static str, read: usize, declared: usize) -> FileErrorKind {
    match kind {
        FileErrorKind::MissingPart { .. } => FileErrorKind::UnexpectedEnd { section, read, declared },
        other => other,
    }
}

#[derive(Clone, Copy)]
enum Shape {
    Triangle,
    Quadrangle,
    Tetrahedron,
    Other,
}

impl Shape {
    fn corners(self) -> usize {
        match self {
            Self::Triangle => 3,
            Self::Quadrangle | Self::Tetrahedron => 4,
            Self::Other => 0,
        }
    }
}

/// Nodes of element types 1 to 31 (Gmsh reference manual, node ordering).
const NODES: [usize; 31] = [
    2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1, 8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5, 6, 20, 35,
    56,
];

fn shape_and_nodes(kind: i64) -> Result<(Shape, usize), FileErrorKind> {
    let nodes = match kind {
        1..=31 => NODES[kind as usize - 1],
        92 => 64,
        93 => 125,
        _ => {
            return Err(FileErrorKind::Unsupported {
                what: "the type of an element",
                value: kind as u64,
                supported: "1 to 31, 92, 93",
            });
        }
    };
    let shape = match kind {
        2 | 9 | 20..=25 => Shape::Triangle,
        3 | 10 | 16 => Shape::Quadrangle,
        4 | 11 | 29..=31 => Shape::Tetrahedron,
        _ => Shape::Other,
    };
    Ok((shape, nodes))
}
