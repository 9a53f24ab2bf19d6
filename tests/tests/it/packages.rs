//! What a package needs to be published: every library says what it is, under which licence, and how to document it.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// Folder and manifest of every member that is meant to be published.
fn packages() -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    let manifests = entries.filter_map(|folder| {
        let text = std::fs::read_to_string(folder.join("Cargo.toml")).ok()?;
        (!text.contains("publish = false")).then_some((folder, text))
    });
    manifests.collect()
}

/// The value of a key at the start of a line.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let line = text.lines().find(|line| line.split(['=', '.']).next().is_some_and(|k| k.trim() == key))?;
    line.split_once('=').map(|(_, value)| value.trim())
}

#[test]
fn every_package_says_what_it_is() {
    let packages = packages();
    assert!(packages.len() >= 10, "only {} packages were found", packages.len());
    for (folder, text) in &packages {
        let name = folder.file_name().unwrap().to_string_lossy();
        for key in ["description", "readme", "license", "keywords", "categories", "rust-version", "authors"] {
            assert!(value(text, key).is_some_and(|v| v.len() > 2), "{name}: no {key}");
        }
        assert!(text.contains("[package.metadata.docs.rs]"), "{name}: nothing for docs.rs");
        for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            let text = std::fs::read_to_string(folder.join(file));
            assert!(text.is_ok_and(|text| text.len() > 100), "{name}: no {file}");
        }
        // Examples in a README are compiled where it is part of the documentation.
        let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
        if readme.contains("```rust") {
            let library = std::fs::read_to_string(folder.join("src/lib.rs")).unwrap();
            assert!(library.contains("include_str!(\"../README.md\")"), "{name}: its README is not tested");
        }
    }
}

#[test]
fn keywords_are_few_and_short() {
    let text = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let keywords: Vec<&str> =
        value(&text, "keywords").unwrap().trim_matches(['[', ']']).split(", ").collect();
    assert!((1..=5).contains(&keywords.len()), "{keywords:?}");
    assert!(keywords.iter().all(|k| k.trim_matches('"').len() <= 20), "{keywords:?}");
}
