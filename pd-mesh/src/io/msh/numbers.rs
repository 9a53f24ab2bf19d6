//! Numbers of an MSH file: words in a text file, raw bytes in a binary one.

use crate::io::error::FileErrorKind;
use crate::io::scan::{believable_count, coordinate, excerpt, finite, integer, words};
use crate::io::stream::Stream;

/// A place in the file and how its numbers are written.
pub(super) struct Numbers<'a, 'r> {
    pub(super) stream: &'a mut Stream<'r>,
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

impl Numbers<'_, '_> {
    /// A signed 32-bit integer.
    pub(super) fn int(&mut self, expected: &'static str) -> Result<i64, FileErrorKind> {
        if self.binary {
            let raw = self.stream.big_endian(self.little).ok_or(missing(expected))?;
            Ok(i64::from(i32::from_be_bytes(raw)))
        } else {
            integer(self.stream.word().ok_or(missing(expected))?, expected)
        }
    }

    /// A count or tag of version 4.1.
    pub(super) fn size(&mut self, expected: &'static str) -> Result<u64, FileErrorKind> {
        if !self.binary {
            return integer(self.stream.word().ok_or(missing(expected))?, expected);
        }
        let raw = if self.size_bytes == 4 {
            self.stream.big_endian(self.little).map(|raw| u64::from(u32::from_be_bytes(raw)))
        } else {
            self.stream.big_endian(self.little).map(u64::from_be_bytes)
        };
        raw.ok_or(missing(expected))
    }

    /// A finite number.
    pub(super) fn real(&mut self, expected: &'static str) -> Result<f64, FileErrorKind> {
        if self.binary {
            finite(f64::from_be_bytes(self.stream.big_endian(self.little).ok_or(missing(expected))?))
        } else {
            coordinate(self.stream.word().ok_or(missing(expected))?, expected)
        }
    }

    /// A number of a data field, which may say "no value" by NaN.
    pub(super) fn value(&mut self, expected: &'static str) -> Result<f64, FileErrorKind> {
        if self.binary {
            return Ok(f64::from_be_bytes(self.stream.big_endian(self.little).ok_or(missing(expected))?));
        }
        match coordinate(self.stream.word().ok_or(missing(expected))?, expected) {
            Err(FileErrorKind::NotFinite { .. }) => Ok(f64::NAN),
            other => other,
        }
    }

    /// A count that 32 bits can number.
    pub(super) fn count(&mut self, section: &'static str) -> Result<usize, FileErrorKind> {
        let declared = self.size("a count")?;
        believable_count(section, declared)
    }

    /// A number on a line of its own, text even in a binary file.
    pub(super) fn line<T: std::str::FromStr>(&mut self, expected: &'static str) -> Result<T, FileErrorKind> {
        let line = self.stream.next_line().ok_or(FileErrorKind::MissingPart { expected })?;
        integer(words(line).next().ok_or(FileErrorKind::MissingValue { expected })?, expected)
    }

    /// The mark at the end of a section.
    pub(super) fn end(&mut self, mark: &'static str) -> Result<(), FileErrorKind> {
        match self.stream.word() {
            Some(word) if word == mark.as_bytes() => Ok(()),
            Some(word) => {
                Err(FileErrorKind::WrongFormat { found: excerpt(word), expected: "the end of the section" })
            }
            None => Err(FileErrorKind::MissingPart { expected: "the end of the section" }),
        }
    }
}
