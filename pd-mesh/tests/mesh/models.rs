//! Reference data and real models, found through PD_MODELS (directories separated by colons, searched recursively).

use std::path::{Path, PathBuf};

/// Path of the file of that name, or `None` with a printed line when there is no such data on this machine.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let Ok(list) = std::env::var("PD_MODELS") else {
        println!("skipped: PD_MODELS is not set, so {name} cannot be looked up");
        return None;
    };
    let found = list.split(':').filter(|dir| !dir.is_empty()).find_map(|dir| search(Path::new(dir), name));
    if found.is_none() {
        println!("skipped: no {name} under PD_MODELS={list}");
    }
    found
}

fn search(dir: &Path, name: &str) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(dir).ok()?.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    entries.into_iter().find_map(|path| {
        if path.is_dir() {
            search(&path, name)
        } else {
            (path.file_name().is_some_and(|file| file == name)).then_some(path)
        }
    })
}

/// Rows of N numbers from a reference file.
pub(crate) fn rows<T: std::str::FromStr + Copy, const N: usize>(name: &str) -> Option<Vec<[T; N]>> {
    let text = std::fs::read_to_string(find(name)?).unwrap();
    let parse = |token: &str| token.parse::<T>().ok().unwrap();
    Some(
        text.lines()
            .map(|line| line.split_whitespace().map(parse).collect::<Vec<T>>().try_into().ok().unwrap())
            .collect(),
    )
}
