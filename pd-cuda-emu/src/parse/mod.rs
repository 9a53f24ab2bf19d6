//! From PTX text to its syntax: modules, functions, statements. No name is resolved here.

mod body;
pub(crate) mod lexer;
mod module;
pub(crate) mod syntax;
mod types;

use crate::error::PtxError;
use lexer::{Tok, Token};
use syntax::Literal;
pub(crate) use types::Type;

/// A reader over the tokens of a module.
pub(crate) struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Tok<'a> {
        self.tokens[self.at.min(self.tokens.len() - 1)].tok
    }

    fn peek_after(&self, n: usize) -> Tok<'a> {
        self.tokens[(self.at + n).min(self.tokens.len() - 1)].tok
    }

    fn line(&self) -> u32 {
        self.tokens[self.at.min(self.tokens.len() - 1)].line
    }

    fn next(&mut self) -> Tok<'a> {
        let tok = self.peek();
        self.at += 1;
        tok
    }

    /// Takes the mark if it is next.
    fn takes(&mut self, mark: char) -> bool {
        let found = self.peek() == Tok::Mark(mark);
        if found {
            self.at += 1;
        }
        found
    }

    fn expect(&mut self, mark: char) -> Result<(), PtxError> {
        if self.takes(mark) {
            Ok(())
        } else {
            Err(self.error(format!("expected `{mark}`, found {:?}", self.peek())))
        }
    }

    fn word(&mut self) -> Result<&'a str, PtxError> {
        match self.peek() {
            Tok::Word(w) => {
                self.at += 1;
                Ok(w)
            }
            other => Err(self.error(format!("expected a name, found {other:?}"))),
        }
    }

    fn error(&self, what: impl Into<String>) -> PtxError {
        PtxError::new(self.line(), what)
    }

    /// A literal with an optional sign.
    fn literal(&mut self) -> Result<Literal, PtxError> {
        let negative = self.takes('-');
        let Tok::Number(text) = self.peek() else {
            return Err(self.error(format!("expected a number, found {:?}", self.peek())));
        };
        let value = number(text).ok_or_else(|| self.error(format!("bad number `{text}`")))?;
        self.at += 1;
        match (value, negative) {
            (v, false) => Ok(v),
            (Literal::Int(v), true) => Ok(Literal::Int(v.wrapping_neg())),
            (Literal::F32(v), true) => Ok(Literal::F32(v ^ 0x8000_0000)),
            (Literal::F64(v), true) => Ok(Literal::F64(v ^ 0x8000_0000_0000_0000)),
        }
    }

    fn integer(&mut self) -> Result<u64, PtxError> {
        match self.literal()? {
            Literal::Int(v) => Ok(v),
            other => Err(self.error(format!("expected an integer, found {other:?}"))),
        }
    }

    fn size(&mut self) -> Result<usize, PtxError> {
        let v = self.integer()?;
        usize::try_from(v)
            .ok()
            .filter(|&v| v <= 1 << 40)
            .ok_or_else(|| self.error(format!("size {v} is too large")))
    }
}

/// Value of a numeric literal: `12`, `0x1F`, `017`, `0b101`, `0f3F800000`, `0d3FF0000000000000`.
fn number(text: &str) -> Option<Literal> {
    let lower = text.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0f") {
        return (hex.len() == 8).then(|| u32::from_str_radix(hex, 16).ok().map(Literal::F32))?;
    }
    if let Some(hex) = lower.strip_prefix("0d") {
        return (hex.len() == 16).then(|| u64::from_str_radix(hex, 16).ok().map(Literal::F64))?;
    }
    let digits = lower.strip_suffix('u').unwrap_or(&lower);
    let value = if let Some(hex) = digits.strip_prefix("0x") {
        u64::from_str_radix(hex, 16)
    } else if let Some(bin) = digits.strip_prefix("0b") {
        u64::from_str_radix(bin, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(digits, 8)
    } else {
        digits.parse()
    };
    value.ok().map(Literal::Int)
}

/// Reads a whole module.
pub(crate) fn parse(text: &str) -> Result<syntax::Unit, PtxError> {
    Parser { tokens: lexer::tokens(text)?, at: 0 }.unit()
}
