//! Words and numbers from untrusted bytes: no UTF-8 is assumed, and no declared count is trusted.

use super::error::{FileError, FileErrorKind};
use super::limits::Limits;
use crate::Vec3;
use std::io::{BufRead, Read};

/// Reads everything; a failure of the source becomes an error that names the file.
pub(super) fn read_all(input: impl BufRead, name: &str, limits: Limits) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    let limit = limits.bytes;
    match input.take(limit.saturating_add(1)).read_to_end(&mut bytes) {
        Ok(length) if length as u64 > limit => Err(FileErrorKind::TooLarge { limit }.at(name, 0)),
        Ok(_) => Ok(bytes),
        Err(error) => Err(FileErrorKind::from(error).at(name, 0)),
    }
}

/// Bytes as text for a message, at most 40 characters.
pub(super) fn excerpt(word: &[u8]) -> String {
    String::from_utf8_lossy(&word[..word.len().min(160)]).chars().take(40).collect()
}

/// A finite coordinate.
pub(super) fn coordinate(word: &[u8], expected: &'static str) -> Result<f64, FileErrorKind> {
    let parsed: Option<f64> = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
    match parsed {
        Some(value) if value.is_finite() => Ok(value),
        Some(_) => Err(FileErrorKind::NotFinite { found: excerpt(word) }),
        None => Err(FileErrorKind::NotANumber { found: excerpt(word), expected }),
    }
}

/// An integer.
pub(super) fn integer<T: std::str::FromStr>(word: &[u8], expected: &'static str) -> Result<T, FileErrorKind> {
    let parsed = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| FileErrorKind::NotANumber { found: excerpt(word), expected })
}

/// Coordinates with a space between them, each with the fewest digits that read back to the same bits.
pub(super) fn spaced(x: &Vec3) -> String {
    format!("{} {} {}", x.x, x.y, x.z)
}

/// A place in bytes that may be text here and raw numbers there.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Bytes not yet read.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// 1-based line of the place, for a message. Only called once an error is certain: it counts from the start.
    pub(super) fn line(&self) -> usize {
        let before = &self.bytes[..self.at];
        // The end of the last word read counts, not the line end after it.
        let end = before.trim_ascii_end().len();
        1 + before[..end].iter().filter(|&&byte| byte == b'\n').count()
    }

    /// The next `length` raw bytes, or `None` if fewer are left.
    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let taken = self.rest().get(..length)?;
        self.at += length;
        Some(taken)
    }

    /// The next `N` raw bytes.
    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    /// The next `N` raw bytes, most significant first; `little` says that the file has them the other way round.
    pub(super) fn big_endian<const N: usize>(&mut self, little: bool) -> Option<[u8; N]> {
        let mut raw: [u8; N] = self.array()?;
        if little {
            raw.reverse();
        }
        Some(raw)
    }

    /// Moves behind the next occurrence of `text`; false if there is none.
    pub(super) fn skip_past(&mut self, text: &[u8]) -> bool {
        let found = self.rest().windows(text.len().max(1)).position(|window| window == text);
        if let Some(found) = found {
            self.at += found + text.len();
        }
        found.is_some()
    }
}

/// Words of one line.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// A coordinate from raw bytes must be finite.
pub(super) fn finite(value: f64) -> Result<f64, FileErrorKind> {
    if value.is_finite() { Ok(value) } else { Err(FileErrorKind::NotFinite { found: value.to_string() }) }
}

/// A vertex index given as any number: whole, not negative, and small enough for 32 bits.
pub(super) fn index_from(value: f64) -> Result<u32, FileErrorKind> {
    if value >= 0.0 && value < f64::from(u32::MAX) && value.fract() == 0.0 {
        Ok(value as u32)
    } else {
        Err(FileErrorKind::NotANumber { found: value.to_string(), expected: "a vertex index" })
    }
}

/// A declared count that 32 bits can number.
pub(super) fn believable_count(section: &'static str, declared: u64) -> Result<usize, FileErrorKind> {
    if declared >= u64::from(u32::MAX) {
        return Err(FileErrorKind::CountTooLarge { section, declared });
    }
    Ok(declared as usize)
}
