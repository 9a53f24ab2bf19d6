//! What a package needs to be published: every library says what it is, under which licence, and how to document it.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// What Cargo says of the workspace and of everything it is built from on this machine, as locked.
fn metadata() -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Only this machine's dependencies have been fetched.
    let host = Command::new(&cargo).arg("-vV").output().unwrap();
    let host = String::from_utf8(host.stdout).unwrap();
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let words = ["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host];
    let output = Command::new(&cargo).args(words).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// "1.89" and "1.89.0" as numbers that can be compared.
fn version(words: &str) -> Vec<u64> {
    let mut numbers: Vec<u64> = words.split('.').map(|n| n.parse().unwrap()).collect();
    numbers.resize(3, 0);
    numbers
}

/// Everything a package is built from, by id: its dependencies and build dependencies and theirs, not those of tests.
fn built_from(id: &str, nodes: &BTreeMap<&str, &Value>, found: &mut BTreeSet<String>) {
    if !found.insert(id.to_owned()) {
        return;
    }
    for dependency in nodes[id]["deps"].as_array().unwrap() {
        let mut kinds = dependency["dep_kinds"].as_array().unwrap().iter();
        if kinds.any(|kind| kind["kind"] != "dev") {
            built_from(dependency["pkg"].as_str().unwrap(), nodes, found);
        }
    }
}

/// No dependency asks for a newer Rust than the package that uses it promises to need. Those that say nothing of it are
/// not judged.
#[test]
fn no_dependency_needs_a_newer_rust_than_promised() {
    let metadata = metadata();
    let list = |value: &'_ Value| value.as_array().unwrap().clone();
    let (packages, nodes) = (list(&metadata["packages"]), list(&metadata["resolve"]["nodes"]));
    let by_id: BTreeMap<&str, &Value> = packages.iter().map(|p| (p["id"].as_str().unwrap(), p)).collect();
    let nodes: BTreeMap<&str, &Value> = nodes.iter().map(|n| (n["id"].as_str().unwrap(), n)).collect();
    let (mut judged, mut promised) = (0, 0);
    for member in metadata["workspace_members"].as_array().unwrap() {
        let package = by_id[member.as_str().unwrap()];
        let promise = package["rust_version"].as_str().unwrap();
        // The workspace's own promise; a package with one of its own says for which dependency.
        if package["publish"].is_array() || !promise.starts_with("1.89") {
            continue;
        }
        promised += 1;
        let mut all = BTreeSet::new();
        built_from(member.as_str().unwrap(), &nodes, &mut all);
        for dependency in all.iter().map(|id| by_id[id.as_str()]) {
            if let Some(need) = dependency["rust_version"].as_str() {
                let (name, user) = (&dependency["name"], &package["name"]);
                assert!(version(need) <= version(promise), "{user}, {promise}: {name} needs Rust {need}");
                judged += 1;
            }
        }
    }
    assert!(promised >= 9 && judged > 200, "only {promised} packages and {judged} dependencies were judged");
}
