//! The known name nearest to a misspelt one.

/// Most edits by which a name may differ from the one that was meant.
const EDITS: usize = 3;

/// `; did you mean "panels"?`, or nothing if no known name is near.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let distance = |other: &str| strsim::damerau_levenshtein(name, other);
    let near = known.into_iter().map(|other| (distance(other), other)).min();
    let most = EDITS.min(name.chars().count() / 2);
    near.filter(|(edits, _)| (1..=most).contains(edits))
        .map_or_else(String::new, |(_, other)| format!("; did you mean {other:?}?"))
}

/// The same for the message of a parser: "unknown field `dumping`, expected one of `dt`, `damping`".
pub(crate) fn with_suggestion(message: &str) -> String {
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match names.split_first() {
        Some((name, known)) if message.starts_with("unknown ") => {
            format!("{message}{}", did_you_mean(name, known.iter().copied()))
        }
        _ => message.to_owned(),
    }
}
