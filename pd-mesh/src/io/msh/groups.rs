//! Physical groups of MSH files: `$PhysicalNames` (dimension, tag, name), `$Entities` of version 4.1 (which entity has which
//! physical tags), and the groups that follow from them. The first physical tag of an entity counts.

use super::numbers::Numbers;
use crate::io::collected::{Collected, push, ranges_by_kind};
use crate::io::data::{Column, Group};
use crate::io::error::FileErrorKind;
use crate::io::scan::{believable_count, words};
use std::collections::BTreeMap;

/// Dimension and tag of an entity or a physical group.
pub(super) type Key = (u8, i32);

/// What is known of physical groups while a file goes by.
#[derive(Default)]
pub(super) struct Physical {
    names: BTreeMap<Key, String>,
    /// Physical tag of the entities that have one.
    entities: BTreeMap<(u8, i64), i64>,
    /// Physical tag of every cell, 0 for none.
    of_cells: Vec<i32>,
    /// Group and vertex of points and lines, which are no cells of a mesh.
    loose: Vec<(Key, u32)>,
}

impl Physical {
    /// Dimension, tag and quoted name, one to a line, text in every file.
    pub(super) fn read_names(&mut self, numbers: &mut Numbers<'_, '_>) -> Result<(), FileErrorKind> {
        numbers.stream.pass_line();
        let count = believable_count("$PhysicalNames", numbers.line("a count")?)?;
        for read in 0..count {
            let cut = FileErrorKind::UnexpectedEnd { section: "$PhysicalNames", read, declared: count };
            let line = numbers.stream.next_line().ok_or(cut)?;
            let mut fields = words(line);
            let mut field = |expected| {
                let word = fields.next().ok_or(FileErrorKind::MissingValue { expected })?;
                crate::io::scan::integer::<i64>(word, expected)
            };
            let (dimension, tag) = (field("a dimension")?, field("a physical tag")?);
            let quoted = line.iter().position(|&byte| byte == b'"').map_or(&b""[..], |at| &line[at + 1..]);
            let name = quoted.iter().rposition(|&byte| byte == b'"').map_or(quoted, |end| &quoted[..end]);
            if let (0..=3, Ok(tag), false) = (dimension, i32::try_from(tag), name.is_empty()) {
                self.names.insert((dimension as u8, tag), String::from_utf8_lossy(name).into_owned());
            }
        }
        numbers.end("$EndPhysicalNames")
    }

    /// Entities by dimension: points with 3 coordinates, the others with a box of 6 and a list of what bounds them.
    pub(super) fn read_entities(&mut self, numbers: &mut Numbers<'_, '_>) -> Result<(), FileErrorKind> {
        numbers.stream.pass_line();
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = numbers.count("$Entities")?;
        }
        for (dimension, count) in (0u8..).zip(counts) {
            for _ in 0..count {
                let tag = numbers.int("the tag of an entity")?;
                for _ in 0..if dimension == 0 { 3 } else { 6 } {
                    numbers.value("a coordinate of an entity")?;
                }
                for k in 0..numbers.count("$Entities")? {
                    let physical = numbers.int("a physical tag")?;
                    if k == 0 {
                        self.entities.insert((dimension, tag), physical);
                    }
                }
                if dimension > 0 {
                    for _ in 0..numbers.count("$Entities")? {
                        numbers.int("a bounding entity")?;
                    }
                }
            }
        }
        numbers.end("$EndEntities")
    }

    /// Physical tag of an entity, 0 for none.
    pub(super) fn of_entity(&self, dimension: i64, tag: i64) -> i64 {
        u8::try_from(dimension).ok().and_then(|d| self.entities.get(&(d, tag))).copied().unwrap_or(0)
    }

    /// The next cell has this tag.
    pub(super) fn cell(&mut self, physical: i64) {
        push(&mut self.of_cells, i32::try_from(physical).unwrap_or(0));
    }

    /// A corner of a point or line.
    pub(super) fn loose(&mut self, dimension: u8, physical: i64, vertex: u32) {
        let physical = i32::try_from(physical).unwrap_or(0);
        push(&mut self.loose, ((dimension, physical), vertex));
    }

    fn name(&mut self, key: Key) -> String {
        let kind = ["point", "curve", "surface", "volume"][usize::from(key.0.min(3))];
        self.names.remove(&key).unwrap_or_else(|| format!("{kind}-{}", key.1))
    }

    /// A column `physical` of the cells, and a group for every named tag of the mesh's own elements and for every tag of
    /// lower dimension.
    pub(super) fn finish(mut self, collected: &mut Collected) {
        if self.of_cells.iter().all(|&tag| tag == 0) && self.loose.is_empty() {
            return;
        }
        let solid = !collected.tets.is_empty();
        let own: u8 = if solid { 3 } else { 2 };
        let mut elements: Vec<(Key, u32)> = Vec::new();
        let mut corners = std::mem::take(&mut self.loose);
        for (cell, &tag) in self.of_cells.iter().enumerate().filter(|(_, tag)| **tag != 0) {
            if solid {
                let below = collected.triangles_of(cell).iter().flatten();
                below.for_each(|&v| push(&mut corners, ((2, tag), v)));
            }
            let numbers = if solid { collected.tets_of(cell) } else { collected.triangle_numbers_of(cell) };
            if self.names.contains_key(&(own, tag)) {
                numbers.for_each(|element| push(&mut elements, ((own, tag), element as u32)));
            }
        }
        // A name may stand for several dimensions.
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for (key, ranges) in ranges_by_kind(elements) {
            let name = self.name(key);
            places.insert(name.clone(), collected.groups.len());
            collected.groups.push(Group { name, elements: ranges, vertices: Vec::new() });
        }
        for (key, ranges) in ranges_by_kind(corners) {
            let name = self.name(key);
            let next = collected.groups.len();
            let place = *places.entry(name.clone()).or_insert(next);
            if place == next {
                collected.groups.push(Group { name, ..Group::default() });
            }
            let vertices = &mut collected.groups[place].vertices;
            vertices.extend(ranges.into_iter().flatten());
            vertices.sort_unstable();
            vertices.dedup();
        }
        if self.of_cells.iter().any(|&tag| tag != 0) {
            let values = self.of_cells.iter().map(|&tag| f64::from(tag)).collect();
            collected.cell_columns.push(Column { name: "physical".to_owned(), values });
        }
    }
}
