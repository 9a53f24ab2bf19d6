//! The little of XML that VTU files use: tags with attributes and the text between two tags.

use crate::io::scan::Cursor;

/// One tag.
#[derive(Clone, Copy)]
pub(super) struct Tag<'a> {
    /// Name without the slash of a closing tag.
    pub(super) name: &'a [u8],
    pub(super) closing: bool,
    /// Opens and closes at once.
    pub(super) empty: bool,
    attributes: &'a [u8],
}

impl<'a> Tag<'a> {
    /// The next tag; comments, declarations and instructions are passed over.
    pub(super) fn next(cursor: &mut Cursor<'a>) -> Option<Self> {
        loop {
            if !cursor.skip_past(b"<") {
                return None;
            }
            let rest = cursor.rest();
            if rest.starts_with(b"!--") {
                if !cursor.skip_past(b"-->") {
                    return None;
                }
                continue;
            }
            let end = rest.iter().position(|&byte| byte == b'>')?;
            cursor.take(end + 1);
            let mut inside = &rest[..end];
            if matches!(inside.first(), Some(b'?' | b'!')) {
                continue;
            }
            let closing = inside.first() == Some(&b'/');
            if closing {
                inside = &inside[1..];
            }
            let empty = inside.last() == Some(&b'/');
            if empty {
                inside = &inside[..inside.len() - 1];
            }
            let length = inside.iter().position(u8::is_ascii_whitespace).unwrap_or(inside.len());
            return Some(Self { name: &inside[..length], closing, empty, attributes: &inside[length..] });
        }
    }

    /// Value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&'a [u8]> {
        let mut rest = self.attributes;
        loop {
            let equals = rest.iter().position(|&byte| byte == b'=')?;
            let key = rest[..equals].trim_ascii();
            let after = rest[equals + 1..].trim_ascii_start();
            let quote = *after.first()?;
            if quote != b'"' && quote != b'\'' {
                return None;
            }
            let length = after[1..].iter().position(|&byte| byte == quote)?;
            if key == name.as_bytes() {
                return Some(&after[1..=length]);
            }
            rest = &after[length + 2..];
        }
    }
}
