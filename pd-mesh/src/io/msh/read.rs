//! MSH input.

use super::fields;
use super::groups::Physical;
use super::numbers::Numbers;
use crate::io::collected::{Collected, push};
use crate::io::data::MeshData;
use crate::io::error::{FileError, FileErrorKind};
use crate::io::limits::Limits;
use crate::io::scan::{believable_count, excerpt, integer, words};
use crate::io::stream::Stream;
use crate::{Mesh, Vec3};
use std::io::BufRead;

/// Reads a solid, or a surface if the file has no tetrahedra; `name` is the file name in messages.
///
/// # Errors
/// The first defect (with its line in a text file), a version other than 2.2 and 4.1, or nothing that makes a mesh.
pub fn read_msh(mut input: impl BufRead, name: &str) -> Result<Mesh, FileError> {
    read(&mut Stream::new(&mut input, Limits::default()), name).map(|data| data.mesh)
}

/// As [`read_msh`], with data fields and physical groups.
pub(in crate::io) fn read(stream: &mut Stream<'_>, name: &str) -> Result<MeshData, FileError> {
    let mut reader = Reader { collected: Collected::new(stream.limits), ..Reader::default() };
    let mut numbers = Numbers { stream, binary: false, little: true, size_bytes: 8 };
    let outcome = reader.read(&mut numbers);
    let Numbers { stream, binary, .. } = numbers;
    let line = if binary { 0 } else { stream.line };
    stream.judge(outcome, name, line)?;
    let Reader { mut collected, physical, .. } = reader;
    physical.finish(&mut collected);
    collected.finish(name, 0, stream.passed())
}

/// Tags and what they stand for, ascending once sorted.
#[derive(Default)]
struct Tags(Vec<(u64, u32)>);

impl Tags {
    fn find(&self, tag: u64) -> Option<usize> {
        // Tags are nearly always 1, 2, 3, …
        if let Some(&(other, number)) = self.0.get((tag as usize).wrapping_sub(1))
            && other == tag
        {
            return Some(number as usize);
        }
        let found = self.0.binary_search_by_key(&tag, |&(tag, _)| tag);
        found.ok().map(|i| self.0[i].1 as usize)
    }
}

#[derive(Default)]
struct Reader {
    collected: Collected,
    /// Tag of every node and its vertex, once the nodes are read.
    nodes: Option<Tags>,
    /// Tag of every element and its cell.
    cells: Tags,
    physical: Physical,
}

/// Sections that matter.
enum Section {
    Nodes,
    Elements,
    NodeData,
    ElementData,
    PhysicalNames,
    Entities,
    /// Another one, with the mark that ends it.
    Other(Vec<u8>),
}

impl Reader {
    fn read(&mut self, numbers: &mut Numbers<'_, '_>) -> Result<(), FileErrorKind> {
        let old = header(numbers)?;
        while let Some(word) = numbers.stream.word() {
            let section = match word {
                b"$Nodes" => Section::Nodes,
                b"$Elements" => Section::Elements,
                b"$NodeData" => Section::NodeData,
                b"$ElementData" => Section::ElementData,
                b"$PhysicalNames" => Section::PhysicalNames,
                b"$Entities" if !old => Section::Entities,
                [b'$', name @ ..] => Section::Other([b"$End", name].concat()),
                other => {
                    return Err(FileErrorKind::WrongFormat {
                        found: excerpt(other),
                        expected: "a section that starts with $",
                    });
                }
            };
            self.section(&section, old, numbers)?;
        }
        Ok(())
    }

    fn section(
        &mut self,
        section: &Section,
        old: bool,
        numbers: &mut Numbers<'_, '_>,
    ) -> Result<(), FileErrorKind> {
        match section {
            Section::Nodes => {
                if self.nodes.is_some() {
                    return Err(FileErrorKind::RepeatedSection { section: "$Nodes" });
                }
                numbers.stream.pass_line();
                if old {
                    self.old_nodes(numbers)?
                } else {
                    self.new_nodes(numbers)?
                }
                numbers.end("$EndNodes")
            }
            Section::Elements => {
                numbers.stream.pass_line();
                if old {
                    self.old_elements(numbers)?
                } else {
                    self.elements(numbers)?
                }
                self.cells.0.sort_unstable();
                numbers.end("$EndElements")
            }
            Section::NodeData => {
                let nodes = self.nodes.get_or_insert_default();
                let columns = &mut self.collected.vertex_columns;
                let length = self.collected.positions.len();
                let made =
                    fields::read(numbers, "$EndNodeData", length, columns.len(), |tag| nodes.find(tag))?;
                columns.extend(made);
                Ok(())
            }
            Section::ElementData => {
                let length = self.collected.cells();
                let columns = &mut self.collected.cell_columns;
                let cells = &self.cells;
                let made =
                    fields::read(numbers, "$EndElementData", length, columns.len(), |tag| cells.find(tag))?;
                columns.extend(made);
                Ok(())
            }
            Section::PhysicalNames => self.physical.read_names(numbers),
            Section::Entities => self.physical.read_entities(numbers),
            Section::Other(mark) if numbers.stream.skip_past(mark) => Ok(()),
            Section::Other(_) => Err(FileErrorKind::MissingPart { expected: "the end of a section" }),
        }
    }

    fn point(&mut self, numbers: &mut Numbers<'_, '_>) -> Result<(), FileErrorKind> {
        const EXPECTED: &str = "a coordinate of a node";
        let x = Vec3::new(numbers.real(EXPECTED)?, numbers.real(EXPECTED)?, numbers.real(EXPECTED)?);
        self.collected.vertex(x)
    }

    /// Version 2.2: count, then tag x y z.
    fn old_nodes(&mut self, numbers: &mut Numbers<'_, '_>) -> Result<(), FileErrorKind> {
        let count = believable_count("$Nodes", numbers.line("a count")?)?;
        for read in 0..count {
            let at = |kind| cut(kind, "$Nodes", read, count);
            let tag = numbers.int("the tag of a node").map_err(at)?;
            push(&mut self.nodes.get_or_insert_default().0, (tag as u64, read as u32));
            self.point(numbers).map_err(at)?;
        }
        self.sort_nodes()
    }

    /// Version 4.1: blocks of one entity each, first all tags, then all coordinates.
    fn new_nodes(&mut self, numbers: &mut Numbers<'_, '_>) -> Result<(), FileErrorKind> {
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
                push(&mut self.nodes.get_or_insert_default().0, (tag, read as u32));
                read += 1;
            }
            for i in first..read {
                let at = |kind| cut(kind, "$Nodes", i, total);
                self.point(numbers).map_err(at)?;
                if parametric != 0 {
                    for _ in 0..dimension.clamp(0, 3) {
                        numbers.real("a parameter of a node").map_err(at)?;
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
        self.sort_nodes()
    }

    /// Makes tags searchable; duplicate tags are an error.
    fn sort_nodes(&mut self) -> Result<(), FileErrorKind> {
        let tags = &mut self.nodes.get_or_insert_default().0;
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
        let nodes =
            self.nodes.as_ref().ok_or(FileErrorKind::MissingPart { expected: "$Nodes before $Elements" })?;
        let vertices = nodes.0.len();
        let found = nodes.find(tag).map(|vertex| vertex as u32);
        found.ok_or(FileErrorKind::IndexOutOfRange { index: tag as i64, vertices })
    }

    /// One element: the tags of its nodes, corners first.
    fn element(
        &mut self,
        (shape, nodes): (Shape, usize),
        tag: u64,
        physical: i64,
        mut next: impl FnMut() -> Result<u64, FileErrorKind>,
    ) -> Result<(), FileErrorKind> {
        let mut corners = [0; 4];
        for i in 0..nodes {
            let node = next()?;
            if i < shape.corners() {
                corners[i] = self.vertex(node)?;
            }
        }
        match shape {
            Shape::Triangle => self.collected.polygon(&corners[..3])?,
            Shape::Quadrangle => self.collected.polygon(&corners)?,
            Shape::Tetrahedron => self.collected.tet(corners)?,
            Shape::Point | Shape::Line if physical != 0 => {
                let dimension = if matches!(shape, Shape::Point) { 0 } else { 1 };
                corners[..shape.corners()].iter().for_each(|&v| self.physical.loose(dimension, physical, v));
            }
            _ => {}
        }
        push(&mut self.cells.0, (tag, self.collected.cells() as u32));
        self.collected.end_cell();
        self.physical.cell(physical);
        Ok(())
    }

    /// Version 2.2, text: tag type number-of-tags tags nodes; binary: blocks of one type.
    fn old_elements(&mut self, numbers: &mut Numbers<'_, '_>) -> Result<(), FileErrorKind> {
        let count = believable_count("$Elements", numbers.line("a count")?)?;
        let mut read = 0;
        while read < count {
            let mut tag = 0;
            let (kind, in_block, tags) = if numbers.binary {
                let kind = numbers.int("the type of elements")?;
                let in_block = usize::try_from(numbers.int("the number of elements")?).unwrap_or(0);
                (kind, in_block.max(1), numbers.int("the number of tags")?)
            } else {
                tag = numbers
                    .int("the tag of an element")
                    .map_err(|kind| cut(kind, "$Elements", read, count))?;
                (numbers.int("the type of an element")?, 1, numbers.int("the number of tags")?)
            };
            let shape = shape_and_nodes(kind)?;
            for _ in 0..in_block {
                let at = |kind| cut(kind, "$Elements", read, count);
                if numbers.binary {
                    tag = numbers.int("the tag of an element").map_err(at)?;
                }
                // The first tag is that of the physical group.
                let mut physical = 0;
                for k in 0..tags {
                    let value = numbers.int("a tag of an element").map_err(at)?;
                    physical = if k == 0 { value } else { physical };
                }
                let next = || numbers.int("a node of an element").map(|node| node as u64);
                self.element(shape, tag as u64, physical, next).map_err(at)?;
                read += 1;
            }
        }
        Ok(())
    }

    /// Version 4.1: blocks of one entity and type each.
    fn elements(&mut self, numbers: &mut Numbers<'_, '_>) -> Result<(), FileErrorKind> {
        let blocks = numbers.count("$Elements")?;
        let total = numbers.count("$Elements")?;
        numbers.size("the least tag")?;
        numbers.size("the greatest tag")?;
        let mut read = 0;
        for _ in 0..blocks {
            let dimension = numbers.int("the dimension of an entity")?;
            let entity = numbers.int("the tag of an entity")?;
            let physical = self.physical.of_entity(dimension, entity);
            let shape = shape_and_nodes(numbers.int("the type of elements")?)?;
            for _ in 0..numbers.count("$Elements")? {
                let at = |kind| cut(kind, "$Elements", read, total);
                let tag = numbers.size("the tag of an element").map_err(at)?;
                self.element(shape, tag, physical, || numbers.size("a node of an element")).map_err(at)?;
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
fn header(numbers: &mut Numbers<'_, '_>) -> Result<bool, FileErrorKind> {
    const EXPECTED: &str = "$MeshFormat";
    let first = numbers.stream.word().ok_or(FileErrorKind::MissingPart { expected: EXPECTED })?;
    if first != EXPECTED.as_bytes() {
        return Err(FileErrorKind::WrongFormat { found: excerpt(first), expected: EXPECTED });
    }
    numbers.stream.pass_line();
    let line = numbers.stream.next_line().ok_or(FileErrorKind::MissingPart { expected: "the version" })?;
    let line = line.to_vec();
    let mut fields = words(&line);
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
            numbers.stream.array().ok_or(FileErrorKind::MissingPart { expected: "the integer 1" })?;
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
    if !numbers.stream.skip_past(b"$EndMeshFormat") {
        return Err(FileErrorKind::MissingPart { expected: "$EndMeshFormat" });
    }
    Ok(old)
}

/// A section that the file is too short for, instead of the number that happened to be missing.
pub(super) fn cut(kind: FileErrorKind, section: &'static str, read: usize, declared: usize) -> FileErrorKind {
    match kind {
        FileErrorKind::MissingPart { .. } => FileErrorKind::UnexpectedEnd { section, read, declared },
        other => other,
    }
}

#[derive(Clone, Copy)]
enum Shape {
    Point,
    Line,
    Triangle,
    Quadrangle,
    Tetrahedron,
    Other,
}

impl Shape {
    fn corners(self) -> usize {
        match self {
            Self::Point => 1,
            Self::Line => 2,
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
        15 => Shape::Point,
        1 | 8 | 26..=28 => Shape::Line,
        2 | 9 | 20..=25 => Shape::Triangle,
        3 | 10 | 16 => Shape::Quadrangle,
        4 | 11 | 29..=31 => Shape::Tetrahedron,
        _ => Shape::Other,
    };
    Ok((shape, nodes))
}
