//! JSON read in place: a value is a slice of the file, and looking inside scans it. Nothing is built, so a file of a
//! million brackets costs no memory and no stack.

/// One value with nothing around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Json<'a>(&'a [u8]);

impl<'a> Json<'a> {
    /// The value at the start of the text.
    pub(super) fn new(text: &'a [u8]) -> Option<Self> {
        let text = text.trim_ascii();
        Some(Self(&text[..value_length(text)?]))
    }

    /// Elements of an array; empty for anything else. Ends early where the text is damaged.
    pub(super) fn items(self) -> impl Iterator<Item = Json<'a>> {
        let mut rest = self.0.strip_prefix(b"[").unwrap_or_default().trim_ascii_start();
        std::iter::from_fn(move || {
            let value = rest.get(..value_length(rest)?)?;
            rest = after_comma(&rest[value.len()..]);
            Some(Json(value))
        })
    }

    /// Value of a member of an object, the first of that name.
    pub(super) fn get(self, name: &str) -> Option<Json<'a>> {
        let mut rest = self.0.strip_prefix(b"{")?.trim_ascii_start();
        loop {
            let key = rest.get(..string_length(rest)?)?;
            let value = rest[key.len()..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
            let length = value_length(value)?;
            if key.len() == name.len() + 2 && &key[1..key.len() - 1] == name.as_bytes() {
                return Some(Json(&value[..length]));
            }
            rest = after_comma(&value[length..]);
        }
    }

    pub(super) fn number(self) -> Option<f64> {
        std::str::from_utf8(self.0).ok()?.parse().ok()
    }

    /// A whole number that is not negative.
    pub(super) fn index(self) -> Option<usize> {
        std::str::from_utf8(self.0).ok()?.parse().ok()
    }

    /// Text without its quotation marks. Escapes are left as they are: names and base64 have none that matter here.
    pub(super) fn text(self) -> Option<&'a [u8]> {
        self.0.strip_prefix(b"\"")?.strip_suffix(b"\"")
    }
}

/// What follows a comma; nothing if there is none.
fn after_comma(rest: &[u8]) -> &[u8] {
    rest.trim_ascii_start().strip_prefix(b",").unwrap_or_default().trim_ascii_start()
}

/// Bytes of the string at the start, with its quotation marks.
fn string_length(text: &[u8]) -> Option<usize> {
    if text.first() != Some(&b'"') {
        return None;
    }
    let mut at = 1;
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Bytes of the value at the start. Brackets are counted, not matched by kind: what is inside is looked at when requested.
fn value_length(text: &[u8]) -> Option<usize> {
    match text.first()? {
        b'"' => string_length(text),
        b'{' | b'[' => {
            let (mut at, mut depth) = (0, 0usize);
            loop {
                match text.get(at)? {
                    b'"' => {
                        at += string_length(&text[at..])?;
                        continue;
                    }
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    return Some(at);
                }
            }
        }
        _ => {
            let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b':') || byte.is_ascii_whitespace();
            let length = text.iter().position(ends).unwrap_or(text.len());
            (length > 0).then_some(length)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn values_are_found() {
        let text = br#" { "a" : [1, 2.5,{"x":"]"}], "b\"":7, "c" : {"d":[ ]} } "#;
        let value = Json::new(text).unwrap();
        let items: Vec<_> = value.get("a").unwrap().items().collect();
        assert_eq!((items.len(), items[0].index(), items[1].number()), (3, Some(1), Some(2.5)));
        assert_eq!(items[2].get("x").unwrap().text(), Some(&b"]"[..]));
        assert_eq!(value.get("c").unwrap().get("d").unwrap().items().count(), 0);
        assert!(value.get("d").is_none() && value.get("b").is_none());
        assert!(Json::new(b"{\"a\":[1,2").is_none());
        assert_eq!(Json::new(b"[1 2]").unwrap().items().count(), 1);
    }
}
