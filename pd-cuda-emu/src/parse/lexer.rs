//! PTX text into words, numbers and punctuation, each with its line.

use crate::error::PtxError;

/// One piece of text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Tok<'a> {
    /// Opcode, directive, register, label or symbol; dots belong to it.
    Word(&'a str),
    /// A literal, still as text.
    Number(&'a str),
    /// A quoted string without its quotes.
    Text(&'a str),
    /// A single character.
    Mark(char),
    /// The end.
    End,
}

/// A piece of text and the line it stands on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'a> {
    pub(crate) tok: Tok<'a>,
    pub(crate) line: u32,
}

fn starts_word(c: u8) -> bool {
    c.is_ascii_alphabetic() || matches!(c, b'_' | b'$' | b'%' | b'.')
}

fn continues_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'.')
}

/// Splits the text; comments vanish. The last token is [`Tok::End`].
pub(crate) fn tokens(text: &str) -> Result<Vec<Token<'_>>, PtxError> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len() / 4);
    let (mut at, mut line) = (0usize, 1u32);
    while at < bytes.len() {
        let c = bytes[at];
        match c {
            b'\n' => {
                line += 1;
                at += 1;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                while at < bytes.len() && bytes[at] != b'\n' {
                    at += 1;
                }
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let start = line;
                at += 2;
                loop {
                    match bytes.get(at) {
                        None => return Err(PtxError::new(start, "comment without end")),
                        Some(b'*') if bytes.get(at + 1) == Some(&b'/') => break,
                        Some(b'\n') => line += 1,
                        Some(_) => {}
                    }
                    at += 1;
                }
                at += 2;
            }
            b'"' => {
                let start = at + 1;
                at = start;
                while bytes.get(at).is_some_and(|&b| b != b'"' && b != b'\n') {
                    at += 1;
                }
                if bytes.get(at) != Some(&b'"') {
                    return Err(PtxError::new(line, "string without end"));
                }
                out.push(Token { tok: Tok::Text(&text[start..at]), line });
                at += 1;
            }
            _ if c.is_ascii_whitespace() => at += 1,
            _ if c.is_ascii_digit() => {
                let start = at;
                while bytes.get(at).is_some_and(u8::is_ascii_alphanumeric) {
                    at += 1;
                }
                // A decimal point appears only in `.version 8.0`.
                if bytes.get(at) == Some(&b'.') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
                    at += 1;
                    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                        at += 1;
                    }
                }
                out.push(Token { tok: Tok::Number(&text[start..at]), line });
            }
            _ if starts_word(c) => {
                let start = at;
                at += 1;
                loop {
                    match bytes.get(at) {
                        Some(&b) if continues_word(b) => at += 1,
                        // `ld.global.L1::evict_last` holds a double colon inside the opcode.
                        Some(b':') if bytes.get(at + 1) == Some(&b':') => at += 2,
                        _ => break,
                    }
                }
                out.push(Token { tok: Tok::Word(&text[start..at]), line });
            }
            _ if b",;[]{}()+-:@!|=<>".contains(&c) => {
                out.push(Token { tok: Tok::Mark(c as char), line });
                at += 1;
            }
            _ => return Err(PtxError::new(line, format!("unexpected byte {c:#04x}"))),
        }
    }
    out.push(Token { tok: Tok::End, line });
    Ok(out)
}
