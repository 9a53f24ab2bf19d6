//! A scene as tables that can be taken apart: what `shrink` and the laws change.

use pd_sim::scene::Scene;
use pd_sim::{ModelPaths, SceneError};
use toml::{Table, Value};

/// The arrays of a scene that hold matter or obstacles.
pub(super) const LISTS: [&str; 5] = ["object", "body", "particles", "fluid", "collider"];

/// A scene file as tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft(pub Table);

impl Draft {
    /// The text of the scene file, without keys that nothing in it takes.
    pub fn text(&self) -> String {
        let (mut fitting, kinds) = (self.0.clone(), self.kinds());
        let has = |kind: &str| kinds.contains(&kind);
        if kinds.len() < 2 {
            fitting.remove("coupling");
        }
        if !has("fluid") {
            fitting.remove("grid");
        }
        if !has("object") {
            fitting.remove("contact");
            if let Some(step) = fitting.get_mut("step").and_then(Value::as_table_mut) {
                step.remove("iterations");
            }
        }
        let guarded = self.0.get("contact").is_some_and(|contact| contact["mode"].as_str() == Some("guard"));
        if !(has("body") || has("object") && guarded) {
            let obstacles = fitting.get_mut("collider").and_then(Value::as_array_mut);
            obstacles.into_iter().flatten().filter_map(Value::as_table_mut).for_each(|obstacle| {
                obstacle.remove("friction");
            });
        }
        toml::to_string(&fitting).unwrap_or_default()
    }

    /// The scene, built.
    ///
    /// # Errors
    /// What a user would be told.
    pub fn build(&self) -> Result<Scene, SceneError> {
        Scene::parse("attack.toml", &self.text(), None, &ModelPaths::default())
    }

    /// The entries of a list.
    pub fn list(&self, name: &str) -> &[Value] {
        self.0.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The entries of a list, to be changed; made if there is none.
    pub fn list_mut(&mut self, name: &str) -> &mut Vec<Value> {
        let entry = self.0.entry(name).or_insert_with(|| Value::Array(vec![]));
        if !entry.is_array() {
            *entry = Value::Array(vec![]);
        }
        entry.as_array_mut().unwrap()
    }

    /// Every table of every list.
    pub(super) fn tables_mut(&mut self) -> impl Iterator<Item = (&'static str, &mut Table)> {
        self.0.iter_mut().flat_map(|(name, value)| {
            let list = LISTS.iter().find(|list| *list == name);
            let tables = value.as_array_mut().into_iter().flatten().filter_map(Value::as_table_mut);
            tables.filter_map(move |table| list.map(|list| (*list, table)))
        })
    }

    /// Kinds of matter in it.
    pub fn kinds(&self) -> Vec<&'static str> {
        LISTS[..4].iter().copied().filter(|list| !self.list(list).is_empty()).collect()
    }

    /// Frames to run.
    pub fn frames(&self) -> usize {
        self.0.get("frames").and_then(Value::as_integer).map_or(1, |frames| frames.max(1) as usize)
    }
}

/// A table from text; for entries that the generator writes.
pub(super) fn table(text: &str) -> Table {
    text.parse().unwrap_or_else(|error| panic!("{error}: {text}"))
}
