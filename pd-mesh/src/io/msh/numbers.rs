//! Numbers of an MSH file: words in a text file, raw bytes in a binary one.

use crate::io::error::FileErrorKind;
use crate::io::scan::{Cursor, coordinate, finite, integer};

/// A place in the file and how its numbers are written.
pub(super) struct Numbers<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) binary: bool,
    /// Least significant byte first.
    pub(super) little: bool,
    /// Bytes of a `size_t` in version 4.1.
    pub(super) size_bytes: usize,
}

/// A number that the file is too short for.
const fn missing(expected: &'static str) -> FileErrorKind {
    FileErrorKind::MissingPart { expected }
}

impl Numbers<'_> {
    /// A signed 32-bit integer.
    pub(super) fn int(&mut self, expected: &'static str) -> Result<i64, FileErrorKind> {
        if self.binary {
            let raw = self.cursor.big_endian(self.little).ok_or(missing(expected))?;
            Ok(i64::from(i32::from_be_bytes(raw)))
        } else {
            integer(self.cursor.word().ok_or(missing(expected))?, expected)
        }
    }

    /// A count or tag of version 4.1.
    pub(super) fn size(&mut self, expected: &'static str) -> Result<u64, FileErrorKind> {
        if !self.binary {
            return integer(self.cursor.word().ok_or(missing(expected))?, expected);
        }
        let raw = if self.size_bytes == 4 {
            self.cursor.big_endian(self.little).map(|raw| u64::from(u32::from_be_bytes(raw)))
        } else {
            self.cursor.big_endian(self.little).map(u64::from_be_bytes)
        };
        raw.ok_or(missing(expected))
    }

    /// A coordinate.
    pub(super) fn real(&mut self) -> Result<f64, FileErrorKind> {
        const EXPECTED: &str = "a coordinate of a node";
        if self.binary {
            finite(f64::from_be_bytes(self.cursor.big_endian(self.little).ok_or(missing(EXPECTED))?))
        } else {
            coordinate(self.cursor.word().ok_or(missing(EXPECTED))?, EXPECTED)
        }
    }

    /// A count that 32 bits can number.
    pub(super) fn count(&mut self, section: &'static str) -> Result<usize, FileErrorKind> {
        let declared = self.size("a count")?;
        crate::io::scan::believable_count(section, declared)
    }
}
