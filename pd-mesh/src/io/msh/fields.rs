//! Data fields of MSH files, `$NodeData` and `$ElementData`: string tags (the first is the name), real tags, integer tags (time
//! step, components, entries, …), then tag and values of every entry. Entries that a field leaves out become NaN.

use super::numbers::Numbers;
use crate::io::collected::push;
use crate::io::data::Column;
use crate::io::error::FileErrorKind;
use crate::io::scan::{believable_count, excerpt, words};

/// Most components of a field: a tensor has nine.
const MAX_COMPONENTS: usize = 16;

/// Reads one field up to its end mark. `place` gives the vertex or cell of a tag, of `length` in all, which
/// have `columns_so_far`.
pub(super) fn read(
    numbers: &mut Numbers<'_, '_>,
    end: &'static str,
    length: usize,
    columns_so_far: usize,
    place: impl Fn(u64) -> Option<usize>,
) -> Result<Vec<Column>, FileErrorKind> {
    const SECTION: &str = "a data field";
    numbers.stream.pass_line();
    let mut name = String::from("field");
    for k in 0..numbers.line::<u32>("the number of string tags")? {
        let line =
            numbers.stream.next_line().ok_or(FileErrorKind::MissingPart { expected: "a string tag" })?;
        if k == 0 {
            name = one_word(line);
        }
    }
    for _ in 0..numbers.line::<u32>("the number of real tags")? {
        numbers.stream.next_line().ok_or(FileErrorKind::MissingPart { expected: "a real tag" })?;
    }
    let tags = numbers.line::<u32>("the number of integer tags")?;
    let (mut components, mut entries) = (1u64, 0u64);
    for k in 0..tags {
        let value: u64 = numbers.line("an integer tag")?;
        match k {
            1 => components = value,
            2 => entries = value,
            _ => {}
        }
    }
    if components == 0 || components > MAX_COMPONENTS as u64 {
        return Err(FileErrorKind::Unsupported {
            what: "the number of components",
            value: components,
            supported: "1 to 16",
        });
    }
    let (components, declared) = (components as usize, believable_count(SECTION, entries)?);
    let full = |i: usize| if components == 1 { name.clone() } else { format!("{name}_{i}") };
    let mut columns: Vec<Column> =
        (0..components).map(|i| Column { name: full(i), values: Vec::new() }).collect();
    // A field of one entry is as long as all vertices or cells, so many small fields would fill the memory.
    let needed = (8 * length * (columns_so_far + components)) as u64;
    let passed = numbers.stream.passed();
    if needed > 3 * (passed + 4 * declared as u64 * (components as u64 + 1)) + 1024 {
        return Err(FileErrorKind::TooDense { needed, bytes: passed });
    }
    for read in 0..declared {
        let cut = |kind| super::read::cut(kind, SECTION, read, declared);
        let tag = numbers.int("the tag of an entry").map_err(cut)? as u64;
        let place =
            place(tag).ok_or(FileErrorKind::IndexOutOfRange { index: tag as i64, vertices: length })?;
        for column in &mut columns {
            let value = numbers.value("a value of a field").map_err(cut)?;
            // Fields usually come in order, so this seldom fills gaps. They cost no more than the vertices or cells
            // they belong to.
            while column.values.len() <= place {
                push(&mut column.values, f64::NAN);
            }
            column.values[place] = value;
        }
    }
    for column in &mut columns {
        if declared > 0 {
            column.values.resize(length, f64::NAN);
        }
    }
    numbers.end(end)?;
    Ok(columns)
}

/// A quoted name as one word.
fn one_word(line: &[u8]) -> String {
    let text = excerpt(line.trim_ascii());
    let text = text.trim_matches('"').trim();
    let joined: Vec<String> =
        words(text.as_bytes()).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
    if joined.is_empty() { "field".to_owned() } else { joined.join("_") }
}
