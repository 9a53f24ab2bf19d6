//! The scene being edited, with undo and redo.
//!
//! Panels change [`Document::desc`] in place. When a gesture ends, [`Document::commit`] compares it with the previous state
//! and stores that as one undo step: descriptions are small, so whole copies are kept.

use crate::app::advice::Problem;
use pd_sim::scene::{SceneDesc, read_desc};
use std::path::{Path, PathBuf};

/// Maximum number of undo steps.
const MOST: usize = 200;

/// A scene, its source, and its undo history.
#[derive(Clone, Debug)]
pub struct Document {
    /// The description; may be modified freely.
    pub desc: SceneDesc,
    /// Name of the built-in scene or path of the file.
    pub name: String,
    /// Directory that is searched first for its files.
    pub directory: Option<PathBuf>,
    committed: SceneDesc,
    saved: SceneDesc,
    undo: Vec<SceneDesc>,
    redo: Vec<SceneDesc>,
}

impl Document {
    /// A document without history.
    pub fn new(name: impl Into<String>, desc: SceneDesc, directory: Option<PathBuf>) -> Self {
        Self {
            name: name.into(),
            directory,
            committed: desc.clone(),
            saved: desc.clone(),
            desc,
            undo: vec![],
            redo: vec![],
        }
    }

    /// An empty scene.
    pub fn empty() -> Self {
        let desc = pd_sim::scene::parse_desc("new scene", "title = \"New scene\"\nsource = \"own\"");
        // The text is a constant; if it fails, the first built-in scene is used.
        match desc {
            Ok(desc) => Self::new("new scene", desc, None),
            Err(_) => Self::new("cloth", fallback(), None),
        }
    }

    /// A built-in scene by name, or a file by path.
    pub fn load(name: &str) -> Result<Self, Problem> {
        let (desc, directory) = read_desc(name).map_err(|error| Problem::of(&error))?;
        Ok(Self::new(name, desc, directory))
    }

    /// The scene as the command line reads it.
    pub fn text(&self) -> Result<String, Problem> {
        toml::to_string_pretty(&self.desc)
            .map_err(|error| Problem::words("The scene cannot be written as TOML.", error.to_string()))
    }

    /// Saves the scene atomically; the file becomes that of the document.
    pub fn save(&mut self, path: &Path) -> Result<(), Problem> {
        let parent = path.parent().map(Path::to_owned);
        let mut moved = self.clone();
        if let (Some(from), Some(to)) = (&self.directory, &parent) {
            let past = moved.undo.iter_mut().chain(&mut moved.redo);
            for desc in past.chain([&mut moved.desc, &mut moved.committed]) {
                super::edit::keep_files(desc, from, to);
            }
        }
        let text = moved.text()?;
        pd_mesh::io::write_atomically(path, |file| file.write_all(text.as_bytes()))
            .map_err(|error| Problem::not_written(path, error))?;
        *self = moved;
        self.name = path.display().to_string();
        self.directory = parent;
        self.saved = self.desc.clone();
        Ok(())
    }

    /// Whether there are unsaved changes.
    pub fn is_changed(&self) -> bool {
        self.desc != self.saved
    }

    /// Stores all changes since the last commit as one undo step; returns whether there were any.
    pub fn commit(&mut self) -> bool {
        if self.desc == self.committed {
            return false;
        }
        self.undo.push(std::mem::replace(&mut self.committed, self.desc.clone()));
        if self.undo.len() > MOST {
            self.undo.remove(0);
        }
        self.redo.clear();
        true
    }

    /// Whether there is something to undo.
    pub fn can_undo(&self) -> bool {
        !self.undo.is_empty() || self.desc != self.committed
    }

    /// Whether there is something to redo.
    pub fn can_redo(&self) -> bool {
        !self.redo.is_empty() && self.desc == self.committed
    }

    /// Undoes the last step.
    pub fn undo(&mut self) {
        self.commit();
        if let Some(before) = self.undo.pop() {
            self.redo.push(std::mem::replace(&mut self.committed, before.clone()));
            self.desc = before;
        }
    }

    /// Redoes the last undone step.
    pub fn redo(&mut self) {
        if !self.can_redo() {
            return;
        }
        if let Some(after) = self.redo.pop() {
            self.undo.push(std::mem::replace(&mut self.committed, after.clone()));
            self.desc = after;
        }
    }
}

fn fallback() -> SceneDesc {
    SceneDesc { title: "New scene".into(), source: "own".into(), ..SceneDesc::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn saved_scenes_load_as_they_were() {
        let directory = tempfile::tempdir().unwrap();
        for builtin in pd_sim::scene::builtins().iter().filter(|builtin| builtin.is_deformable()) {
            let mut document = Document::load(builtin.name).unwrap();
            document.desc.step.gravity = [0.1, -1.0 / 3.0, 7e-9];
            document.desc.objects[0].display.colour = Some([0.1, 0.2, 0.3]);
            assert!(document.is_changed());
            let path = directory.path().join(format!("{}.toml", builtin.name));
            document.save(&path).unwrap();
            assert!(!document.is_changed());
            let again = Document::load(&path.display().to_string()).unwrap();
            assert_eq!(again.desc, document.desc, "{}", builtin.name);
        }
        let problem = Document::empty().save(&directory.path().join("no/such/place.toml")).unwrap_err();
        assert!(problem.what.contains("could not be written"));
    }

    proptest! {
        /// Any mix of edits, undo and redo agrees with a list of states and a place in it.
        #[test]
        fn history_is_a_line_of_states(steps in proptest::collection::vec(0u8..4, 1..60)) {
            let mut document = Document::load("cloth").unwrap();
            let mut line = vec![document.desc.clone()];
            let mut at = 0;
            for (k, step) in steps.into_iter().enumerate() {
                match step {
                    0 | 1 => {
                        document.desc.step.damping = 1.0 + k as f64;
                        prop_assert!(document.commit());
                        line.truncate(at + 1);
                        line.push(document.desc.clone());
                        at += 1;
                    }
                    2 => {
                        prop_assert_eq!(document.can_undo(), at > 0);
                        document.undo();
                        at = at.saturating_sub(1);
                    }
                    _ => {
                        prop_assert_eq!(document.can_redo(), at + 1 < line.len());
                        document.redo();
                        at = (at + 1).min(line.len() - 1);
                    }
                }
                prop_assert_eq!(&document.desc, &line[at]);
                prop_assert!(!document.commit());
            }
        }
    }
}
