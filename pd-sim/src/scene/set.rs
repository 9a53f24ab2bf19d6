//! Overriding a key of a description by its path: `object.cloth.edge.weight`, `collider.0.radius`, `step.dt`.

use super::SceneDesc;
use super::settings::{Origin, did_you_mean, with_suggestion};
use crate::SceneError;
use toml::{Table, Value};

/// The description with one key set. Lists are entered by the number or the `name` of an entry; `value` is TOML, or text if
/// it is not valid TOML. The result is checked like a scene file: unknown keys and wrong types are errors.
///
/// ```
/// let (desc, _) = pd_sim::scene::read_desc("cloth")?;
/// let stiffer = pd_sim::scene::set_key("cloth", &desc, "object.cloth.edge.weight", "300")?;
/// assert_eq!(stiffer.objects[0].edge.map(|edge| edge.weight), Some(300.0));
/// assert!(pd_sim::scene::set_key("cloth", &desc, "object.cloth.edge.wait", "300").is_err());
/// # Ok::<(), pd_sim::SceneError>(())
/// ```
pub fn set_key(name: &str, desc: &SceneDesc, key: &str, value: &str) -> Result<SceneDesc, SceneError> {
    set_value(name, desc, &Setting { origin: Origin::Set, key: key.to_owned(), value: parsed(value) })
}

/// A key, its value, and who says so.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Where it is given.
    pub origin: Origin,
    /// Path of the key.
    pub key: String,
    /// Its value.
    pub value: Value,
}

impl Setting {
    /// An option of the command line, or an argument of a function, for a key.
    pub fn flag(flag: &'static str, key: &str, value: impl Into<Value>) -> Self {
        Self { origin: Origin::Flag(flag), key: key.to_owned(), value: value.into() }
    }

    /// The text `KEY=VALUE` of `--set`.
    ///
    /// # Errors
    /// If there is no `=`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (key, value) = text
            .split_once('=')
            .ok_or_else(|| format!("--set {text}: KEY=VALUE was expected, as step.damping=0.5"))?;
        Ok(Self { origin: Origin::Set, key: key.trim().to_owned(), value: parsed(value.trim()) })
    }
}

/// The description with these keys set. The stepper comes first, since it brings options of its own, which the other keys
/// replace. A key that is given twice is an error.
pub fn with_settings(name: &str, desc: SceneDesc, settings: &[Setting]) -> Result<SceneDesc, SceneError> {
    for (k, setting) in settings.iter().enumerate() {
        if settings[..k].iter().any(|other| other.key == setting.key) {
            let what = "is given twice".to_owned();
            return Err(SceneError::Value { file: name.to_owned(), field: setting.key.clone(), what });
        }
    }
    let (first, rest): (Vec<_>, Vec<_>) = settings.iter().partition(|setting| setting.key == STEPPER);
    first.into_iter().chain(rest).try_fold(desc, |desc, setting| set_value(name, &desc, setting))
}

const STEPPER: &str = "solver.stepper";

fn set_value(name: &str, desc: &SceneDesc, setting: &Setting) -> Result<SceneDesc, SceneError> {
    let key = setting.key.as_str();
    let wrong = |what: String| SceneError::Value { file: name.to_owned(), field: key.to_owned(), what };
    let mut root = Value::try_from(desc).map_err(|error| wrong(error.to_string()))?;
    let steps: Vec<&str> = key.split('.').collect();
    let (last, before) = steps.split_last().ok_or_else(|| wrong("no key".to_owned()))?;
    let (mut place, mut path) = (&mut root, String::new());
    for step in before {
        place = enter(place, step, &mut path).map_err(wrong)?;
    }
    match place {
        Value::Table(table) => {
            table.insert((*last).to_owned(), setting.value.clone());
            path.push_str(if path.is_empty() { "" } else { "." });
            path.push_str(last);
        }
        list => *enter(list, last, &mut path).map_err(wrong)? = setting.value.clone(),
    }
    let read: Result<SceneDesc, toml::de::Error> = root.try_into();
    let mut read = read.map_err(|error| wrong(with_suggestion(error.message().trim())))?;
    if key == STEPPER {
        let stepper = read.solver.stepper.clone();
        read.use_stepper(&stepper);
    }
    read.given = desc.given.clone();
    read.given.replace(&path, &setting.value, setting.origin);
    Ok(read)
}

/// The next level of the path; missing tables are created.
fn enter<'a>(place: &'a mut Value, step: &str, path: &mut String) -> Result<&'a mut Value, String> {
    match place {
        Value::Table(table) => {
            path.push_str(if path.is_empty() { "" } else { "." });
            path.push_str(step);
            Ok(table.entry(step.to_owned()).or_insert_with(|| Value::Table(Table::new())))
        }
        Value::Array(list) => {
            let name = |entry: &Value| entry.get("name").and_then(Value::as_str).map(str::to_owned);
            let found = match step.parse::<usize>() {
                Ok(number) => (number < list.len()).then_some(number),
                Err(_) => list.iter().position(|entry| name(entry).as_deref() == Some(step)),
            };
            let known: Vec<String> = list
                .iter()
                .enumerate()
                .map(|(k, entry)| name(entry).unwrap_or_else(|| k.to_string()))
                .collect();
            let near = || did_you_mean(step, known.iter().map(String::as_str));
            let found = found
                .ok_or_else(|| format!("there is no {step:?}; known are {}{}", known.join(", "), near()))?;
            path.push_str(&format!("[{found}]"));
            Ok(&mut list[found])
        }
        _ => Err(format!("nothing lies below it that could be {step:?}")),
    }
}

fn parsed(value: &str) -> Value {
    let table: Result<Table, _> = format!("value = {value}").parse();
    let parsed = table.ok().filter(|table| table.len() == 1).and_then(|mut table| table.remove("value"));
    parsed.unwrap_or_else(|| Value::String(value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::read_desc;

    #[test]
    fn any_key_is_reached_and_wrong_ones_are_named() {
        let (desc, _) = read_desc("cloth").unwrap();
        let set = |key: &str, value: &str| set_key("cloth", &desc, key, value);
        assert_eq!(set("step.damping", "0.25").unwrap().step.damping, 0.25);
        assert_eq!(set("step.gravity", "[0, -1, 0]").unwrap().step.gravity, [0.0, -1.0, 0.0]);
        assert_eq!(set("solver.global", "cholesky").unwrap().solver.global, "cholesky");
        assert_eq!(set("collider.0.radius", "0.5").unwrap().colliders[0].kind(), "sphere");
        assert_eq!(set("object.0.pin.0.weight", "7").unwrap().objects[0].pins[0].weight, 7.0);
        for (key, value, word) in [
            ("object.shirt.edge.weight", "1", "cloth"),
            ("collider.9.radius", "1", "9"),
            ("step.dumping", "1", "dumping"),
            ("step.damping.more", "1", "damping"),
            ("step.damping", "much", "damping"),
            ("", "1", ""),
        ] {
            let error = set(key, value).unwrap_err().to_string();
            assert!(error.contains(word) && error.contains(key), "{key}: {error}");
        }
    }
}
