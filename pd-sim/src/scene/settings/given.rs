//! Which keys were given, and where.

use super::super::SceneDesc;
use crate::SceneError;
use std::collections::BTreeMap;
use toml::Value;
use toml::de::{DeTable, DeValue};

/// Where a key was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In the scene file, on this line.
    Line(usize),
    /// By an option of the command line or of a function, of this name.
    Flag(&'static str),
    /// By its path: `--set` of the command line, `set` of Python, an axis of a sweep.
    Set,
}

impl Origin {
    /// The error about a key given here.
    pub(super) fn error(self, name: &str, path: &str, what: String) -> SceneError {
        let (file, field) = match self {
            Self::Line(line) => (format!("{name}:{line}"), path.to_owned()),
            Self::Flag(flag) => (name.to_owned(), format!("{flag} ({path})")),
            Self::Set => (name.to_owned(), path.to_owned()),
        };
        SceneError::Value { file, field, what }
    }
}

/// The keys that were given, by path (`object[0].pin[1].weight`).
///
/// It is no part of what a scene says: all are equal, and print alike.
#[derive(Clone, Default)]
pub struct Given {
    keys: BTreeMap<String, (Origin, bool)>,
}

impl PartialEq for Given {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl std::fmt::Debug for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Given")
    }
}

impl Given {
    /// Paths with their origins, and whether the file that says so takes them.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, Origin, bool)> {
        self.keys.iter().map(|(path, &(origin, taken))| (path.as_str(), origin, taken))
    }

    /// Where a key was given.
    pub fn origin(&self, path: &str) -> Option<Origin> {
        self.keys.get(path).map(|(origin, _)| *origin)
    }

    pub(super) fn judge(&mut self, is_taken: impl Fn(&str) -> bool) {
        for (path, (_, taken)) in &mut self.keys {
            *taken = is_taken(path);
        }
    }

    /// Everything below `path` is now given by `value`, from elsewhere.
    pub(in crate::scene) fn replace(&mut self, path: &str, value: &Value, origin: Origin) {
        self.keys.retain(|known, _| !is_below(known, path));
        let mut at = full(path).to_owned();
        super::live::leaves(value, &mut at, &mut |path, _| {
            self.keys.insert(full(path).to_owned(), (origin, false));
        });
    }

    /// Whether the command line or a caller gave a key that an error names, as `object "cloth".pin[0]` or `step.dt`.
    pub fn is_from_caller(&self, field: &str, desc: &SceneDesc) -> bool {
        if field.starts_with("--") {
            return true;
        }
        let field = numbered(field, desc);
        let near = |path: &str| is_below(path, &field) || is_below(&field, path);
        self.keys.iter().any(|(path, (origin, _))| !matches!(origin, Origin::Line(_)) && near(path))
    }
}

/// `contact = "guard"` and `coupling = "rows"` are short for a key.
fn full(path: &str) -> &str {
    match path {
        "contact" => "contact.mode",
        "coupling" => "coupling.scheme",
        path => path,
    }
}

fn is_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// `object "cloth".pin[0]` as `object[2].pin[0]`.
fn numbered(field: &str, desc: &SceneDesc) -> String {
    let Some((list, (name, rest))) =
        field.split_once(" \"").and_then(|(list, rest)| Some((list, rest.split_once('"')?)))
    else {
        return field.to_owned();
    };
    let number = match list {
        "object" => desc.objects.iter().position(|object| object.name == name),
        "body" => desc.bodies.iter().position(|body| body.name == name),
        "particles" => desc.particles.iter().position(|set| set.name == name),
        "fluid" => desc.fluids.iter().position(|fluid| fluid.name == name),
        _ => None,
    };
    number.map_or_else(|| list.to_owned(), |k| format!("{list}[{k}]{rest}"))
}

/// What the text of a scene gives, with lines. Nothing for text that is no TOML.
pub(in crate::scene) fn given_in(text: &str) -> Given {
    let mut given = Given::default();
    let Ok(table) = DeTable::parse(text) else { return given };
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(k, _)| k + 1)).collect();
    let line = |at: usize| starts.partition_point(|&start| start <= at);
    let mut found = |path: &str, at: usize| {
        given.keys.insert(full(path).to_owned(), (Origin::Line(line(at)), false));
    };
    walk(table.get_ref(), &mut String::new(), &mut found);
    given
}

fn walk(table: &DeTable<'_>, path: &mut String, found: &mut impl FnMut(&str, usize)) {
    let above = path.len();
    for (key, value) in table {
        if above > 0 {
            path.push('.');
        }
        path.push_str(key.get_ref());
        match value.get_ref() {
            DeValue::Table(inner) => walk(inner, path, found),
            DeValue::Array(list) if list.iter().any(|entry| entry.get_ref().is_table()) => {
                let list_path = path.len();
                for (k, entry) in list.iter().enumerate() {
                    path.push_str(&format!("[{k}]"));
                    if let DeValue::Table(inner) = entry.get_ref() {
                        walk(inner, path, found);
                    }
                    path.truncate(list_path);
                }
            }
            DeValue::Array(list) if list.is_empty() => {}
            _ => found(path, key.span().start),
        }
        path.truncate(above);
    }
}
