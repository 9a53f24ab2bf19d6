//! The documents: every relative link leads to a file, every chapter is in the book, every scene and example that they
//! name exists.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// All Markdown files of the repository, build products left out.
fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name());
        let hidden = name.to_string_lossy().starts_with('.');
        // A link to a folder would be read twice; build products are not ours.
        if entry.file_type().unwrap().is_dir() && !hidden && name != "target" && name != "models" {
            documents(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// Targets of `[text](target)` outside of code blocks.
fn links(text: &str) -> Vec<String> {
    let mut code = false;
    let mut targets = vec![];
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        }
        if code {
            continue;
        }
        for after in line.split("](").skip(1) {
            if let Some((target, _)) = after.split_once(')') {
                targets.push(target.to_owned());
            }
        }
    }
    targets
}

/// A heading as the anchor that it makes: lower case, spaces as hyphens, punctuation dropped.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '-' || *c == '_');
    kept.collect::<String>().trim().to_lowercase().replace(' ', "-")
}

#[test]
fn every_relative_link_leads_to_a_file_and_a_heading() {
    let mut files = vec![];
    documents(&root(), &mut files);
    assert!(files.len() > 15, "only {} documents were found", files.len());
    let mut checked = 0;
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        for link in links(&text).iter().filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
            let (path, place) =
                link.split_once('#').map_or((link.as_str(), None), |(path, place)| (path, Some(place)));
            let target = if path.is_empty() { file.clone() } else { file.parent().unwrap().join(path) };
            assert!(target.exists(), "{}: the link {link} leads nowhere", file.display());
            if let (Some(place), true) = (place, target.extension().is_some_and(|e| e == "md")) {
                let text = std::fs::read_to_string(&target).unwrap();
                let mut headings = text.lines().filter_map(|line| line.strip_prefix('#'));
                assert!(
                    headings.any(|heading| anchor(heading.trim_start_matches('#').trim()) == place),
                    "{}: {} has no heading {place}",
                    file.display(),
                    target.display()
                );
            }
            checked += 1;
        }
    }
    assert!(checked > 40, "only {checked} links were found");
}

#[test]
fn every_chapter_is_in_the_book() {
    let docs = root().join("docs");
    let summary = std::fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let listed: BTreeSet<PathBuf> = links(&summary).iter().map(|link| docs.join(link)).collect();
    let mut files = vec![];
    documents(&docs, &mut files);
    for file in files.iter().filter(|file| !file.ends_with("SUMMARY.md")) {
        assert!(listed.contains(file), "{} is not listed in docs/SUMMARY.md", file.display());
    }
}

/// The part of an example that a document shows: what stands between its anchors, or all of it.
fn shown(program: &str) -> &str {
    let after = program.split_once("// ANCHOR: program\n").map_or(program, |(_, after)| after);
    after.split_once("// ANCHOR_END: program").map_or(after, |(before, _)| before)
}

/// Programs in documents are written out, so that they can be read anywhere, and are those that the tests run.
#[test]
fn programs_in_documents_are_the_examples() {
    assert_eq!(shown("a\n// ANCHOR: program\nb\n// ANCHOR_END: program\nc\n"), "b\n");
    let mut files = vec![];
    documents(&root(), &mut files);
    let mut compared = 0;
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        assert!(!text.contains("{{#include"), "{}: only the book would show this", file.display());
        for after in text.split("<!-- program: ").skip(1) {
            let (name, rest) = after.split_once(" -->\n```rust\n").unwrap();
            let program = std::fs::read_to_string(root().join(name)).unwrap();
            let (written, _) = rest.split_once("\n```").unwrap();
            assert_eq!(
                written,
                shown(&program).trim_end(),
                "{}: copy the program again from {name}",
                file.display()
            );
            compared += 1;
        }
    }
    assert!(compared >= 5, "only {compared} programs were found");
}

#[test]
fn every_named_example_exists() {
    let mut files = vec![];
    documents(&root(), &mut files);
    let manifest = std::fs::read_to_string(root().join("examples/Cargo.toml")).unwrap();
    let mut named = 0;
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        for after in text.split("-p examples --example ").skip(1) {
            let name = after.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
            let known = name == "NAME" || manifest.contains(&format!("name = \"{name}\""));
            assert!(known, "{}: there is no example {name}", file.display());
            named += 1;
        }
    }
    assert!(named >= 1, "no example is named");
}

#[test]
fn scenes_that_documents_run_exist() {
    let mut files = vec![];
    documents(&root(), &mut files);
    let mut named = 0;
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        for after in text.split("pd run ").skip(1).chain(text.split("pd picture ").skip(1)) {
            let name = after.split(|c: char| c.is_whitespace() || c == '`').next().unwrap();
            // A built-in name, not a placeholder, a file of the reader's or an option.
            if name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
                && !name.starts_with('-')
            {
                let scene = root().join("scenes").join(format!("{name}.toml"));
                assert!(name.is_empty() || scene.exists(), "{}: there is no scene {name}", file.display());
                named += 1;
            }
        }
    }
    assert!(named > 10, "only {named} runs were found");
}

/// Whether a line states a speed: a number before a unit of time or rate, or "times" before a comparison of speed.
fn states_a_speed(line: &str) -> bool {
    let words: Vec<&str> = line.split(|c: char| c.is_whitespace() || "|()`,;:".contains(c)).collect();
    let is_number = |word: &str| word.chars().any(|c| c.is_ascii_digit());
    let unit = |word: &str| ["ms", "ns", "µs", "FPS", "fps"].contains(&word.trim_end_matches('.'));
    words.windows(2).any(|pair| is_number(pair[0]) && unit(pair[1]))
        || ["times faster", "times slower", "times as fast", "times the speed"]
            .iter()
            .any(|w| line.contains(w))
}

/// Title of a section of a generated document of which nobody can tell when and where it was measured: neither it nor
/// what stands above all sections says so.
fn unstamped(text: &str) -> Option<&str> {
    let stamped = |part: &str| part.contains(", revision ");
    let mut parts = text.split("\n## ");
    let head = parts.next().unwrap_or_default();
    let mut sections = parts.peekable();
    if stamped(head) {
        return None;
    }
    if sections.peek().is_none() {
        return Some("the whole");
    }
    sections.find(|section| !stamped(section)).and_then(|section| section.lines().next())
}

#[test]
fn every_section_is_asked_for_its_stamp() {
    assert_eq!(unstamped("# T\n\nday, revision 1.\n\n## A\n\n## B\n"), None);
    assert_eq!(unstamped("# T\n\n## A\n\nday, revision 1.\n\n## B\n\n1 ms\n"), Some("B"));
    assert_eq!(unstamped("# T\n\n## A\n\nday, revision 1.\n\n## B\n\nday, revision 2.\n"), None);
    assert_eq!(unstamped("# T\n"), Some("the whole"));
}

/// Speeds stand in generated documents and blocks alone, and those say when and where they were measured.
#[test]
fn no_speed_is_written_by_hand() {
    assert!(states_a_speed("takes 4.6 ns each") && states_a_speed("it is 3 times faster"));
    assert!(!states_a_speed("100 × 100 cells, 1 m wide") && !states_a_speed("three times as stiff"));
    let mut files = vec![];
    documents(&root(), &mut files);
    let mut generated = 0;
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        if text.lines().any(|line| line.starts_with("Made by `")) {
            if let Some(title) = unstamped(&text) {
                panic!("{}: no date, machine and revision in {title:?}", file.display());
            }
            generated += 1;
            continue;
        }
        let mut measured = false;
        for (line, words) in text.lines().enumerate() {
            measured = (measured || words.starts_with("<!-- measured: ")) && words != "<!-- /measured -->";
            assert!(
                measured || !states_a_speed(words),
                "{}, line {}: a speed written by hand: {words}",
                file.display(),
                line + 1
            );
        }
    }
    assert!(generated >= 4, "only {generated} generated documents were found");
}

/// An example in the README of a crate compiles after `cargo add` of that crate, or of those that the page names.
#[test]
fn examples_of_a_crate_need_no_crate_that_its_page_does_not_name() {
    let mut examples = 0;
    for entry in std::fs::read_dir(root()).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(folder.join("README.md")) else { continue };
        if !folder.join("src/lib.rs").exists() {
            continue;
        }
        let own = folder.file_name().unwrap().to_string_lossy().replace('-', "_");
        let added: Vec<String> = text
            .split('`')
            .filter_map(|code| code.strip_prefix("cargo add "))
            .flat_map(str::split_whitespace)
            .map(|name| name.replace('-', "_"))
            .collect();
        let mut rust = false;
        for line in text.lines() {
            if let Some(language) = line.strip_prefix("```") {
                rust = !rust && language.starts_with("rust");
                examples += usize::from(rust);
            } else if let (true, Some(path)) = (rust, line.trim_start().strip_prefix("use ")) {
                let used = path.split([':', ';']).next().unwrap();
                let known = used == own || used == "std" || added.iter().any(|name| name == used);
                assert!(known, "{}: {line:?} needs {used}", folder.display());
            }
        }
    }
    assert!(examples > 8, "only {examples} examples were found");
}
