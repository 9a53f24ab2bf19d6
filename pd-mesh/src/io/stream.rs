//! A file read piece by piece: words, lines and raw numbers, with only a small part of it in memory at a time.
//!
//! To a reader, an I/O error or an exceeded limit looks like the end of the file; [`Stream::judge`] reports it,
//! so that readers need not check at every word.

use super::error::{FileError, FileErrorKind};
use super::limits::Limits;
use std::io::{ErrorKind, Read};

/// Bytes held at first, and at most: no word and no line of a header is longer.
const FIRST_ROOM: usize = 4 << 10;
const MAX_ROOM: usize = 64 << 10;

/// A place in a file that may be text here and raw numbers there.
pub(super) struct Stream<'r> {
    input: &'r mut dyn Read,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
    exhausted: bool,
    /// The byte before those held.
    before: u8,
    /// Bytes taken from the source.
    taken: u64,
    /// Line ends passed.
    newlines: usize,
    /// 1-based line of what was read last.
    pub(super) line: usize,
    /// Whether the present row has been begun; see [`Self::next_row`].
    in_row: bool,
    pub(super) limits: Limits,
    trouble: Option<FileErrorKind>,
}

impl<'r> Stream<'r> {
    pub(super) fn new(input: &'r mut dyn Read, limits: Limits) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            at: 0,
            end: 0,
            exhausted: false,
            before: 0,
            taken: 0,
            newlines: 0,
            line: 1,
            in_row: false,
            limits,
            trouble: None,
        }
    }

    /// Bytes passed so far.
    pub(super) fn passed(&self) -> u64 {
        self.taken - (self.end - self.at) as u64
    }

    /// The outcome of reading, with its place; `line` is 0 in a binary file. A failure of the source comes first.
    pub(super) fn judge<T>(
        &mut self,
        outcome: Result<T, FileErrorKind>,
        file: &str,
        line: usize,
    ) -> Result<T, FileError> {
        match self.trouble.take() {
            Some(kind @ FileErrorKind::TooLong { .. }) => Err(kind.at(file, line)),
            Some(kind) => Err(kind.at(file, 0)),
            None => outcome.map_err(|kind| kind.at(file, line)),
        }
    }

    /// Gets more bytes behind those held; false at the end.
    fn refill(&mut self) -> bool {
        if self.exhausted || self.trouble.is_some() {
            return false;
        }
        if let Some(before) = self.at.checked_sub(1) {
            self.before = self.buffer[before];
        }
        self.buffer.copy_within(self.at..self.end, 0);
        self.end -= self.at;
        self.at = 0;
        if self.end == self.buffer.len() {
            if self.end >= MAX_ROOM {
                self.trouble = Some(FileErrorKind::TooLong { limit: MAX_ROOM });
                return false;
            }
            self.buffer.resize((2 * self.end).max(FIRST_ROOM), 0);
        }
        loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.exhausted = true;
                    return false;
                }
                Ok(more) => {
                    self.end += more;
                    self.taken += more as u64;
                    if self.taken > self.limits.bytes {
                        self.trouble = Some(FileErrorKind::TooLarge { limit: self.limits.bytes });
                        return false;
                    }
                    return true;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.trouble = Some(error.into());
                    return false;
                }
            }
        }
    }

    /// Bytes from here to the first that `stops`, or to the end.
    fn reach(&mut self, stops: impl Fn(u8) -> bool) -> usize {
        let mut looked = 0;
        loop {
            match self.buffer[self.at + looked..self.end].iter().position(|&byte| stops(byte)) {
                Some(found) => return looked + found,
                None => looked = self.end - self.at,
            }
            if !self.refill() {
                return looked;
            }
        }
    }

    /// Passes bytes up to the first that `stops`, however many.
    fn pass(&mut self, stops: impl Fn(u8) -> bool) {
        loop {
            let rest = &self.buffer[self.at..self.end];
            let length = rest.iter().position(|&byte| stops(byte)).unwrap_or(rest.len());
            self.newlines += rest[..length].iter().filter(|&&byte| byte == b'\n').count();
            self.at += length;
            if self.at < self.end || !self.refill() {
                return;
            }
        }
    }

    /// Passes white space.
    pub(super) fn pass_white(&mut self) {
        self.pass(|byte| !byte.is_ascii_whitespace());
    }

    /// The next byte, not passed.
    pub(super) fn peek(&mut self) -> Option<u8> {
        if self.at == self.end {
            self.refill();
        }
        self.buffer[..self.end].get(self.at).copied()
    }

    /// Whether `text` comes next.
    pub(super) fn continues_with(&mut self, text: &[u8]) -> bool {
        self.have(text.len()) && self.buffer[self.at..self.end].starts_with(text)
    }

    /// Whether at least `length` bytes are left, which are then held.
    fn have(&mut self, length: usize) -> bool {
        while self.end - self.at < length {
            if !self.refill() {
                return false;
            }
        }
        true
    }

    /// The next `length` bytes or what is left of them, not passed.
    pub(super) fn ahead(&mut self, length: usize) -> &[u8] {
        self.have(length);
        &self.buffer[self.at..self.end.min(self.at + length)]
    }

    /// The next word, or `None` at the end.
    pub(super) fn word(&mut self) -> Option<&[u8]> {
        self.pass(|byte| !byte.is_ascii_whitespace());
        let length = self.reach(|byte| byte.is_ascii_whitespace());
        if length == 0 {
            return None;
        }
        self.line = self.newlines + 1;
        self.at += length;
        Some(&self.buffer[self.at - length..self.at])
    }

    /// The next word where `#` starts a comment, or `None` at the end, where the line is the last of the file.
    pub(super) fn plain_word(&mut self) -> Option<&[u8]> {
        loop {
            self.pass(|byte| !byte.is_ascii_whitespace());
            match self.peek() {
                Some(b'#') => self.pass(|byte| byte == b'\n'),
                Some(_) => break,
                None => {
                    // A line end that ends the file opens no new line.
                    let last = self.at.checked_sub(1).map_or(self.before, |before| self.buffer[before]);
                    self.line = self.newlines + usize::from(last != b'\n');
                    return None;
                }
            }
        }
        let length = self.reach(|byte| byte.is_ascii_whitespace() || byte == b'#');
        self.line = self.newlines + 1;
        self.at += length;
        Some(&self.buffer[self.at - length..self.at])
    }

    /// Passes a word where `#` starts a comment, unless it begins with a letter; false if it does or the file ends.
    pub(super) fn plain_number(&mut self) -> bool {
        loop {
            self.pass(|byte| !byte.is_ascii_whitespace());
            match self.peek() {
                Some(b'#') => self.pass(|byte| byte == b'\n'),
                Some(byte) if !byte.is_ascii_alphabetic() => break,
                _ => return false,
            }
        }
        self.pass(|byte| byte.is_ascii_whitespace() || byte == b'#');
        true
    }

    /// The next line without its end, or `None` at the end.
    pub(super) fn next_line(&mut self) -> Option<&[u8]> {
        let length = self.reach(|byte| byte == b'\n');
        let ended = self.at + length < self.end;
        if length == 0 && !ended {
            return None;
        }
        let start = self.at;
        self.at += length + usize::from(ended);
        let line = &self.buffer[start..start + length];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !line.trim_ascii().is_empty() {
            self.line = self.newlines + 1;
        }
        self.newlines += usize::from(ended);
        Some(line)
    }

    /// Passes the rest of the line and its end.
    pub(super) fn pass_line(&mut self) {
        self.pass(|byte| byte == b'\n');
        if self.at < self.end {
            self.at += 1;
            self.newlines += 1;
        }
    }

    /// Goes to the next line that has words, `#` starting a comment; false at the end.
    pub(super) fn next_row(&mut self) -> bool {
        if std::mem::take(&mut self.in_row) {
            self.pass_line();
        }
        loop {
            self.pass(|byte| !byte.is_ascii_whitespace());
            match self.peek() {
                None => return false,
                Some(b'#') => self.pass_line(),
                Some(_) => break,
            }
        }
        self.line = self.newlines + 1;
        self.in_row = true;
        true
    }

    /// The next word of the row, or `None` at its end.
    pub(super) fn row_word(&mut self) -> Option<&[u8]> {
        self.pass(|byte| !byte.is_ascii_whitespace() || byte == b'\n');
        let length = self.reach(|byte| byte.is_ascii_whitespace() || byte == b'#');
        self.at += length;
        (length > 0).then(|| &self.buffer[self.at - length..self.at])
    }

    /// Goes to the next statement of an OBJ file: a line that ends with any of the three kinds of line ends; false at the end.
    pub(super) fn next_statement(&mut self) -> bool {
        loop {
            self.pass(|byte| !matches!(byte, b' ' | b'\t' | b'\x0c'));
            match self.peek() {
                None => return false,
                Some(b'#') => {
                    self.line = self.newlines + 1;
                    self.pass(|byte| matches!(byte, b'\n' | b'\r'));
                }
                Some(b'\n' | b'\r') => self.line_end(),
                Some(_) => break,
            }
        }
        self.line = self.newlines + 1;
        true
    }

    /// The next word of the statement, or `None` at its end. A backslash before a line end joins the lines.
    pub(super) fn statement_word(&mut self) -> Option<&[u8]> {
        let mut length;
        loop {
            self.pass(|byte| !matches!(byte, b' ' | b'\t' | b'\x0c'));
            if self.peek() == Some(b'#') {
                self.pass(|byte| matches!(byte, b'\n' | b'\r'));
            }
            length = self.reach(|byte| byte.is_ascii_whitespace());
            let last = length.checked_sub(1)?;
            let joins = self.buffer[self.at + last] == b'\\'
                && matches!(self.buffer[..self.end].get(self.at + length), None | Some(b'\n' | b'\r'));
            if !joins {
                break;
            }
            if last > 0 {
                // The backslash is met again after this word.
                length = last;
                break;
            }
            self.at += 1;
            self.line_end();
        }
        self.at += length;
        Some(&self.buffer[self.at - length..self.at])
    }

    /// Passes the rest of the statement and its line end.
    pub(super) fn end_statement(&mut self) {
        while self.statement_word().is_some() {}
        self.line_end();
    }

    /// Passes one line end: `\n`, `\r` or both.
    fn line_end(&mut self) {
        if self.continues_with(b"\r\n") {
            self.at += 2;
        } else if matches!(self.peek(), Some(b'\n' | b'\r')) {
            self.at += 1;
        } else {
            return;
        }
        self.newlines += 1;
    }

    /// The next `length` raw bytes, or `None` if fewer are left.
    pub(super) fn take(&mut self, length: usize) -> Option<&[u8]> {
        if !self.have(length) {
            return None;
        }
        self.at += length;
        Some(&self.buffer[self.at - length..self.at])
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
        loop {
            let rest = &self.buffer[self.at..self.end];
            let found = rest.windows(text.len().max(1)).position(|window| window == text);
            // What could be the start of the text stays for the next look.
            let length = found.map_or((rest.len() + 1).saturating_sub(text.len()), |at| at + text.len());
            self.newlines += rest[..length].iter().filter(|&&byte| byte == b'\n').count();
            self.at += length;
            if found.is_some() {
                return true;
            }
            if !self.refill() {
                return false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time, so that every word and line crosses the end of what is held.
    struct Dripping<'a>(&'a [u8]);

    impl Read for Dripping<'_> {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
            self.0 = rest;
            out[0] = *first;
            Ok(1)
        }
    }

    #[test]
    fn words_lines_and_rows_do_not_depend_on_pieces() {
        let mut source = Dripping(b"one two\n\n three#x\r\nfour\n# c\n 5 6 # 7\n8\nrest $End more");
        let mut stream = Stream::new(&mut source, Limits::default());
        assert_eq!(stream.word(), Some(&b"one"[..]));
        assert_eq!((stream.word().map(<[u8]>::to_vec), stream.line), (Some(b"two".to_vec()), 1));
        assert_eq!((stream.plain_word().map(<[u8]>::to_vec), stream.line), (Some(b"three".to_vec()), 3));
        stream.pass_line();
        assert_eq!((stream.next_line().map(<[u8]>::to_vec), stream.line), (Some(b"four".to_vec()), 4));
        assert!(stream.next_row());
        assert_eq!((stream.row_word(), 6), (Some(&b"5"[..]), 6));
        assert_eq!(stream.row_word(), Some(&b"6"[..]));
        assert_eq!(stream.row_word(), None);
        assert!(stream.next_row());
        assert_eq!((stream.row_word().map(<[u8]>::to_vec), stream.line), (Some(b"8".to_vec()), 7));
        assert!(stream.continues_with(b"\nrest"));
        assert!(stream.skip_past(b"$End"));
        assert_eq!(stream.take(3), Some(&b" mo"[..]));
        assert_eq!(stream.take(3), None);
        assert_eq!(stream.passed(), 51);
    }

    #[test]
    fn statements_join_at_backslashes() {
        let mut source = Dripping(b"f 1 2\\\r\n 3\\\n4 # no \\\rv a\\b \\\n\\\n c\\");
        let mut stream = Stream::new(&mut source, Limits::default());
        let mut seen = Vec::new();
        while stream.next_statement() {
            seen.push(format!("line {}", stream.line));
            while let Some(word) = stream.statement_word() {
                seen.push(String::from_utf8_lossy(word).into_owned());
            }
            stream.end_statement();
        }
        assert_eq!(seen, ["line 1", "f", "1", "2", "3", "4", "line 4", "v", "a\\b", "c"]);
    }

    #[test]
    fn a_word_that_never_ends_is_an_error() {
        let long = vec![b'x'; 200_000];
        let mut source = &long[..];
        let mut stream = Stream::new(&mut source, Limits::default());
        stream.word();
        let error = stream.judge(Ok(()), "x", 1).unwrap_err();
        assert_eq!(error.kind, FileErrorKind::TooLong { limit: MAX_ROOM });
    }
}
