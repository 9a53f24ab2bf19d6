//! Search paths of model files.
//!
//! The program ships no scanned models. A scene names a file; it is looked for beside the scene file, then in the
//! directories given on the command line, in `PD_MODELS` (a list as in `PATH`) and in `models/`, each searched
//! recursively in sorted order.

use std::path::{Path, PathBuf};

/// Deepest level of sub-directories searched; keeps a stray `PD_MODELS=/` from walking a whole disk.
const DEPTH: usize = 6;

/// An ordered list of directories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelPaths {
    directories: Vec<PathBuf>,
}

impl ModelPaths {
    /// Only these directories.
    pub fn new(directories: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { directories: directories.into_iter().collect() }
    }

    /// `first`, then those of the environment variable `PD_MODELS`, then `models/` in the current directory.
    pub fn from_env(first: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut directories: Vec<_> = first.into_iter().collect();
        if let Some(list) = std::env::var_os("PD_MODELS") {
            directories.extend(std::env::split_paths(&list).filter(|p| !p.as_os_str().is_empty()));
        }
        directories.push(PathBuf::from("models"));
        Self { directories }
    }

    /// Finds `file` beside `scene_directory` or in the listed directories.
    pub fn find(&self, file: &str, scene_directory: Option<&Path>) -> Option<PathBuf> {
        if let Some(directory) = scene_directory {
            let beside = directory.join(file);
            if beside.is_file() {
                return Some(beside);
            }
        }
        let direct = Path::new(file);
        if direct.is_absolute() {
            return direct.is_file().then(|| direct.to_owned());
        }
        self.directories.iter().find_map(|directory| search(directory, direct, DEPTH))
    }

    /// The directories searched, for messages.
    pub fn describe(&self) -> String {
        let list: Vec<_> =
            self.directories.iter().map(|d| format!("{:?}", d.display().to_string())).collect();
        if list.is_empty() { "any directory (none is given)".into() } else { list.join(", ") }
    }
}

fn search(directory: &Path, file: &Path, depth: usize) -> Option<PathBuf> {
    let candidate = directory.join(file);
    if candidate.is_file() {
        return Some(candidate);
    }
    if depth == 0 {
        return None;
    }
    let mut children: Vec<_> = std::fs::read_dir(directory)
        .ok()?
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| path.is_dir())
        .collect();
    children.sort(); // the order of the file system is arbitrary
    children.iter().find_map(|child| search(child, file, depth - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_searched_in_order_and_in_depth() {
        let root = tempfile::tempdir().unwrap();
        let make = |path: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            path
        };
        let (deep, second) = (make("a/x/y/m.mesh"), make("b/m.mesh"));
        let beside = make("scene/m.mesh");
        let paths = ModelPaths::new([root.path().join("a"), root.path().join("b")]);
        assert_eq!(paths.find("m.mesh", None), Some(deep));
        assert_eq!(paths.find("m.mesh", Some(beside.parent().unwrap())), Some(beside));
        assert_eq!(ModelPaths::new([root.path().join("b")]).find("m.mesh", None), Some(second));
        assert_eq!(paths.find("none.mesh", None), None);
    }
}
