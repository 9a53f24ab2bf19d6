//! Words and numbers from bytes that nobody vouches for: no UTF-8 is assumed, no count is believed.

use super::error::{FileError, FileErrorKind};
use crate::Vec3;
use std::io::BufRead;

/// Reads everything; a failure of the source becomes an error that names the file.
pub(super) fn read_all(mut input: impl BufRead, name: &str) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    match input.read_to_end(&mut bytes) {
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

/// Words separated by white space, over line ends, `#` starting a comment; knows the line of the last word.
pub(super) struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
    /// 1-based line of the word returned last; at the end of the file, its last line.
    pub(super) line: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, line: 1 }
    }

    /// Bytes not yet read: an upper bound for everything that can still follow.
    pub(super) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next word, or `None` at the end.
    pub(super) fn next(&mut self) -> Option<&'a [u8]> {
        let mut comment = false;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => {
                    // A line end that ends the file opens no new line.
                    self.line += usize::from(self.at + 1 < self.bytes.len());
                    comment = false;
                }
                b'#' => comment = true,
                _ if comment || byte.is_ascii_whitespace() => {}
                _ => {
                    let rest = &self.bytes[self.at..];
                    let ends = |b: &u8| b.is_ascii_whitespace() || *b == b'#';
                    let length = rest.iter().position(ends).unwrap_or(rest.len());
                    self.at += length;
                    return Some(&rest[..length]);
                }
            }
            self.at += 1;
        }
        None
    }

    /// The next word without consuming it.
    pub(super) fn peek(&self) -> Option<&'a [u8]> {
        Words { bytes: self.bytes, at: self.at, line: self.line }.next()
    }
}

/// Every index names a vertex; `lines` gives the line of every element. The error shows the index as written, from 1.
pub(super) fn check_indices<const N: usize>(
    elements: &[[u32; N]],
    lines: &[usize],
    vertices: usize,
    file: &str,
) -> Result<(), FileError> {
    for (corners, &line) in elements.iter().zip(lines) {
        if let Some(&v) = corners.iter().find(|&&v| v as usize >= vertices) {
            let index = i64::from(v) + 1;
            return Err(FileErrorKind::IndexOutOfRange { index, vertices }.at(file, line));
        }
    }
    Ok(())
}

/// Coordinates with a space between them, each with the fewest digits that read back to the same bits.
pub(super) fn spaced(x: &Vec3) -> String {
    format!("{} {} {}", x.x, x.y, x.z)
}
