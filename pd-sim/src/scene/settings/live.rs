//! What may change while a scene runs.

use super::find;
use crate::SceneError;
use crate::scene::SceneDesc;
use std::collections::BTreeMap;
use toml::Value;

/// Calls `found` with the path and the value of everything in `value` that is neither a table, a list of tables nor empty.
pub(super) fn leaves(value: &Value, path: &mut String, found: &mut impl FnMut(&str, &Value)) {
    let above = path.len();
    match value {
        Value::Table(table) => {
            for (key, value) in table {
                if above > 0 {
                    path.push('.');
                }
                path.push_str(key);
                leaves(value, path, found);
                path.truncate(above);
            }
        }
        Value::Array(list) if list.iter().any(Value::is_table) => {
            for (k, entry) in list.iter().enumerate() {
                path.push_str(&format!("[{k}]"));
                leaves(entry, path, found);
                path.truncate(above);
            }
        }
        Value::Array(list) if list.is_empty() => {}
        leaf => found(path, leaf),
    }
}

fn table(desc: &SceneDesc) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    if let Ok(value) = Value::try_from(desc) {
        leaves(&value, &mut String::new(), &mut |path, value| {
            all.insert(path.to_owned(), value.clone());
        });
    }
    all
}

/// Paths of the keys in which two descriptions differ.
fn changes(old: &SceneDesc, new: &SceneDesc) -> Vec<String> {
    let (old, new) = (table(old), table(new));
    let gone = old.iter().filter(|(path, value)| new.get(*path) != Some(*value)).map(|(path, _)| path);
    let come = new.keys().filter(|path| !old.contains_key(*path));
    gone.chain(come).cloned().collect()
}

/// Checks that every key that differs may change while the scene runs.
pub(in crate::scene) fn check_live(name: &str, old: &SceneDesc, new: &SceneDesc) -> Result<(), SceneError> {
    for path in changes(old, new) {
        let (key, at) = find(&path);
        let live = key.is_some_and(|key| (key.live.holds)(old, &at) && (key.live.holds)(new, &at));
        if !live {
            let when = key.map_or("no", |key| key.live.words);
            let when = if when == "no" { String::new() } else { format!(", but {when}") };
            let what = format!("cannot change while the scene runs{when}; build it again with the new value");
            return Err(SceneError::Value { file: name.to_owned(), field: path, what });
        }
    }
    Ok(())
}
