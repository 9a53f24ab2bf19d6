//! Names that files accept.

/// A name in JSON, with its quotation marks.
pub(super) fn json(name: &str) -> String {
    let mut text = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            // Neither text nor markup may end early where this is embedded in a page.
            '<' => text.push_str("\\u003c"),
            c if c.is_control() => text.push_str(&format!("\\u{:04x}", c as u32)),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

/// Names of prims: letters, digits and underscores, not starting with a digit, no two alike.
pub(super) fn prims<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut known: Vec<String> = vec![];
    for name in names {
        let mut base: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if !base.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            base.insert(0, '_');
        }
        let mut unique = base.clone();
        let mut copy = 1;
        while known.contains(&unique) {
            copy += 1;
            unique = format!("{base}_{copy}");
        }
        known.push(unique);
    }
    known
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_escaped_and_unique() {
        assert_eq!(super::json("a\"b\\</script>\n"), "\"a\\\"b\\\\\\u003c/script>\\u000a\"");
        assert_eq!(super::prims(["a b", "a-b", "7", ""].into_iter()), ["a_b", "a_b_2", "_7", "_"]);
    }
}
