//! Words and numbers from bytes that nobody vouches for: no UTF-8 is assumed, no count is believed.

use super::error::{FileError, FileErrorKind};
use crate::Vec3;
use std::io::{BufRead, Read};

/// Longest file that is read: 4 GiB, more than 32-bit indices can describe in most formats.
const MOST_BYTES: u64 = 1 << 32;

/// Reads everything; a failure of the source becomes an error that names the file.
pub(super) fn read_all(input: impl BufRead, name: &str) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    match input.take(MOST_BYTES + 1).read_to_end(&mut bytes) {
        Ok(length) if length as u64 > MOST_BYTES => {
            Err(FileErrorKind::TooLarge { limit: MOST_BYTES }.at(name, 0))
        }
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

    /// The next line without its end, or `None` at the end of the file.
    pub(super) fn next_line(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        self.at += (length + 1).min(rest.len());
        let line = &rest[..length];
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// The next line that is not blank and no comment.
    pub(super) fn next_statement(&mut self) -> Option<&'a [u8]> {
        loop {
            let line = self.next_line()?.trim_ascii();
            if !line.is_empty() && line[0] != b'#' {
                return Some(line);
            }
        }
    }

    /// The next word, or `None` at the end.
    pub(super) fn word(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        let skipped = rest.len() - rest.trim_ascii_start().len();
        let rest = &rest[skipped..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at += skipped + length;
        (length > 0).then_some(&rest[..length])
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
