//! Generated blocks of documents: every stated speed comes from a report.
//!
//! A block stands between the lines `<!-- measured: NAME -->` and `<!-- /measured -->`. Names: `headline` (the scenes of
//! table 7.2 in short), `threads` (speed-up by threads in the same table), `choice` (the fastest steppers and solvers at
//! equal error), `when` (the fastest steppers of the laboratory for each error), or the id of a table.

use crate::lab::TableError;
use crate::render::markdown;
use crate::report::write;
use crate::{Cell, Column, Report, Table};
use std::path::{Path, PathBuf};

const BEGIN: &str = "<!-- measured: ";
const END: &str = "<!-- /measured -->";

/// Scenes of the headline.
const HEADLINE: [&str; 5] = ["cloth 140×140", "Bunny", "Armadillo", "Dragon", "sandbox"];

/// Checks that `README.md` under `root` has a block to update; call before measuring.
pub fn check_docs(root: &Path) -> Result<(), TableError> {
    let path = root.join("README.md");
    let text =
        std::fs::read_to_string(&path).map_err(|error| TableError::File { path: path.clone(), error })?;
    if text.contains(BEGIN) && text.contains(END) {
        return Ok(());
    }
    let (begin, end) = (format!("{BEGIN}headline -->"), END.to_owned());
    Err(TableError::NoBlock { path, begin, end })
}

/// Updates the blocks of `README.md` and of all Markdown files in `docs/` under `root` that the report covers;
/// returns the changed files. A README without a block is an error: it would keep old figures.
pub fn update_docs(report: &Report, root: &Path) -> Result<Vec<PathBuf>, TableError> {
    check_docs(root)?;
    let mut files = vec![root.join("README.md")];
    if let Ok(entries) = std::fs::read_dir(root.join("docs")) {
        let pages = entries.filter_map(|entry| entry.ok().map(|e| e.path()));
        files.extend(pages.filter(|path| path.extension().is_some_and(|e| e == "md")));
    }
    files.sort();
    let mut changed = vec![];
    for path in files {
        let text =
            std::fs::read_to_string(&path).map_err(|error| TableError::File { path: path.clone(), error })?;
        let Some(new) = renew(report, &text) else { continue };
        if new != text {
            changed.push(write(&path, &new)?);
        }
    }
    Ok(changed)
}

/// The text with all its blocks updated; `None` if it has no complete block.
fn renew(report: &Report, text: &str) -> Option<String> {
    let (mut out, mut rest, mut blocks) = (String::new(), text, 0);
    while let Some(at) = rest.find(BEGIN) {
        let (before, block) = rest.split_at(at);
        let name = block.strip_prefix(BEGIN)?.split_once(" -->")?.0;
        let end = block.find(END)?;
        blocks += 1;
        out += before;
        match content(report, name) {
            Some(content) => out += &format!("{BEGIN}{name} -->\n{content}{END}"),
            None => out += &block[..end + END.len()], // not in this report: it stays
        }
        rest = &block[end + END.len()..];
    }
    (blocks > 0).then(|| out + rest)
}

fn content(report: &Report, name: &str) -> Option<String> {
    let table = match name {
        "headline" => headline(report.table("7.2")?),
        "threads" => threads(report.table("7.2")?),
        "choice" => choice(report.table("7.4-equal")?),
        "when" => when(report.table("lab")?),
        id => report.table(id)?.clone(),
    };
    let rows = markdown::rows(&table);
    Some(format!("{rows}\nMeasured by `pd tables`: {}.\n", report.machine.line()))
}

/// Table 7.2 in short.
fn headline(table: &Table) -> Table {
    let find = |start: &str| table.columns.iter().position(|c| c.name.starts_with(start));
    let wanted = ["scene", "FPS min, published", "cholesky, 1", "panels, 1", "median", "median / published"];
    let keep: Vec<usize> = wanted.iter().filter_map(|start| find(start)).collect();
    let mut columns: Vec<_> = keep.iter().map(|&c| table.columns[c].clone()).collect();
    let names = [
        "ten iterations a frame",
        "FPS, thesis (GPU local step)",
        "`cholesky`, 1 thread",
        "`panels`, 1 thread",
        "`panels`, all threads",
        "ratio to the thesis",
    ];
    for (column, name) in columns.iter_mut().zip(names) {
        column.name = name.into();
    }
    let mut short = Table::new("headline", "", "", columns);
    for row in &table.rows {
        let name = row.first().map_or(String::new(), ToString::to_string);
        let base = name.trim_end_matches(" (twin)");
        if HEADLINE.contains(&base)
            && !row.iter().any(|cell| matches!(cell, Cell::Outcome(crate::Outcome::ModelNotPresent)))
        {
            short.push(keep.iter().map(|&c| row[c].clone()).collect());
        }
    }
    short
}

/// Speed-up by threads: the rates of table 7.2 with `panels` on one and on all threads.
fn threads(table: &Table) -> Table {
    let columns = ["scene", "FPS, 1 thread", "FPS, all threads", "all / 1"].map(Column::timing).to_vec();
    let mut short = Table::new("threads", "", "", columns);
    for row in 0..table.rows.len() {
        let cell = |name: &str| table.cell(row, name).cloned().unwrap_or(Cell::Empty);
        let (one, all) = (cell("panels, 1 thread"), cell("median"));
        if one.is_numeric() {
            short.push(vec![cell("scene"), one.clone(), all.clone(), all.over(&one)]);
        }
    }
    short
}

/// The fastest at equal error, scene by scene: of all, of direct and of iterative solvers under the plain stepper.
fn choice(table: &Table) -> Table {
    let names = [
        "scene",
        "fastest to 1e-2",
        "ms",
        "fastest direct solver of `pd`",
        "ms",
        "fastest iterative solver of `pd`",
        "ms",
        "iterative / direct",
    ];
    let mut short = Table::new("choice", "", "", names.map(Column::timing).to_vec());
    let mut scenes: Vec<&Cell> = table.rows.iter().filter_map(|row| row.first()).collect();
    scenes.dedup();
    let direct = |name: &str| name.starts_with("pd/panels") || name.starts_with("pd/cholesky");
    for scene in scenes {
        // (name, ms) of the fastest whose name is asked for; empty if none came that near.
        let fastest = |asked: &dyn Fn(&str) -> bool| -> [Cell; 2] {
            let rows = (0..table.rows.len()).filter(|&row| table.rows[row].first() == Some(scene));
            let reached = rows.filter_map(|row| {
                let name = table.cell(row, "stepper/global")?.to_string();
                let ms = table.cell(row, "ms to 1e-2")?.value()?;
                asked(&name).then_some((name, ms))
            });
            let least = reached.min_by(|a, b| a.1.total_cmp(&b.1));
            least.map_or([Cell::Empty, Cell::Empty], |(name, ms)| [Cell::text(name), Cell::Number(ms)])
        };
        let all = fastest(&|_| true);
        let exact = fastest(&direct);
        let iterative = fastest(&|name| name.starts_with("pd/") && !direct(name));
        if all[0] != Cell::Empty {
            let ratio = iterative[1].over(&exact[1]);
            short.push([&[scene.clone()][..], &all, &exact, &iterative, &[ratio]].concat());
        }
    }
    short
}

/// The three fastest steppers of the laboratory for each error, scene by scene.
fn when(table: &Table) -> Table {
    let names = ["scene", "error", "fastest", "second", "third", "without a matrix"];
    let mut short = Table::new("when", "", "", names.map(Column::timing).to_vec());
    let mut scenes: Vec<&Cell> = table.rows.iter().filter_map(|row| row.first()).collect();
    scenes.dedup();
    for scene in scenes {
        for error in ["1e-1", "1e-2", "1e-4"] {
            let mut reached: Vec<(String, f64)> = (0..table.rows.len())
                .filter(|&row| table.rows[row].first() == Some(scene))
                .filter_map(|row| {
                    let name = table.cell(row, "stepper/global")?.to_string();
                    Some((name, table.cell(row, &format!("ms to {error}"))?.value()?))
                })
                .collect();
            reached.sort_by(|a, b| a.1.total_cmp(&b.1));
            let words = |found: Option<&(String, f64)>| {
                found.map_or(Cell::Empty, |(name, ms)| {
                    Cell::text(format!("`{name}` {} ms", crate::cell::significant(*ms)))
                })
            };
            let free = reached.iter().find(|(name, _)| !name.contains('/'));
            let mut row = vec![scene.clone(), Cell::text(error)];
            row.extend((0..3).map(|k| words(reached.get(k))));
            row.push(words(free));
            short.push(row);
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Outcome};

    fn report() -> Report {
        let mut table = Table::new("7.1", "t", "", vec![Column::fixed("a")]);
        table.push(vec![Cell::Count(7)]);
        Report { machine: Machine::here(), settings: vec![], tables: vec![table], figures: vec![] }
    }

    #[test]
    fn blocks_are_renewed_and_the_rest_is_left_alone() {
        let text = "a\n<!-- measured: 7.1 -->\nold\n<!-- /measured -->\nb\n<!-- measured: 7.9 -->\nkept\n<!-- /measured -->\n";
        let new = renew(&report(), text).unwrap();
        assert!(new.starts_with("a\n<!-- measured: 7.1 -->\n| a |\n") && new.contains("| 7 |"), "{new}");
        assert!(!new.contains("old") && new.contains("kept") && new.contains("\nb\n"));
        assert_eq!(renew(&report(), &new).unwrap(), new, "a second time changes nothing");
        assert_eq!(renew(&report(), "no block"), None);
    }

    #[test]
    fn the_fastest_of_each_kind_are_chosen() {
        let columns = ["scene", "stepper/global", "ms to 1e-2"].map(Column::timing).to_vec();
        let mut table = Table::new("7.4-equal", "", "", columns);
        let mut add =
            |scene: &str, name: &str, ms: Cell| table.push(vec![Cell::text(scene), Cell::text(name), ms]);
        for (name, ms) in [("pd/cholesky", 4.0), ("pd/panels", 2.0), ("pd/pcg", 7.0), ("pd/jacobi", 6.0)] {
            add("a", name, Cell::Number(ms));
        }
        add("a", "pd-lbfgs/panels", Cell::Number(1.0));
        add("b", "pd/panels-f16", Cell::Number(3.0));
        add("b", "pd/pcg", Cell::Outcome(Outcome::NotReached));
        add("c", "all", Cell::Outcome(Outcome::ModelNotPresent));
        let words: Vec<String> = choice(&table)
            .rows
            .iter()
            .map(|row| row.iter().map(|c| c.to_string()).collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(
            words,
            ["a pd-lbfgs/panels 1 pd/panels 2 pd/jacobi 6 3", "b pd/panels-f16 3 pd/panels-f16 3   "]
        );
    }

    #[test]
    fn threads_are_compared_where_there_are_figures() {
        let columns = ["scene", "panels, 1 thread", "median"].map(Column::timing).to_vec();
        let mut table = Table::new("7.2", "", "", columns);
        table.push(vec![Cell::text("a"), Cell::Number(10.0), Cell::Number(15.0)]);
        table.push(vec![Cell::text("b"), Cell::Outcome(Outcome::ModelNotPresent)]);
        let short = threads(&table);
        assert_eq!((short.rows.len(), short.cell(0, "all / 1")), (1, Some(&Cell::Number(1.5))));
    }

    #[test]
    fn a_readme_without_a_block_is_named() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("README.md"), "nothing\n").unwrap();
        let error = update_docs(&report(), root.path()).unwrap_err().to_string();
        assert!(error.contains("README.md") && error.contains("measured: headline"), "{error}");
    }
}
