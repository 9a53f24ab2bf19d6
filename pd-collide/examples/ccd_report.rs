//! Continuous collision detection on queries with known answers: errors and time of each algorithm.
//!
//! `cargo run --release -p pd-collide --example ccd_report [-- PYTHON]` prints the table of `docs/ccd.md`; the queries are
//! looked up in the directories of PD_MODELS. With the path of a Python that has `ipctk` (PyPI) the peer is measured in
//! the same run.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a report is printed")]

#[path = "../tests/geometry/queries.rs"]
mod queries;

use pd_collide::ccd::{ALGORITHMS, Ccd};
use queries::Set;
use std::collections::BTreeMap;
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Errors and time of one algorithm on one set.
struct Row {
    /// Queries asked: all, or those for which the time sufficed.
    asked: usize,
    missed: usize,
    invented: usize,
    /// Least time of several passes, µs per query.
    micros: f64,
}

fn measure(set: &Set, algorithm: &dyn Ccd) -> Row {
    let mut answers = Vec::with_capacity(set.truth.len());
    let mut least = f64::INFINITY;
    let begun = Instant::now();
    let mut passes = 0;
    while passes < 5 || begun.elapsed().as_secs_f64() < 0.3 {
        let pass = Instant::now();
        set.ask(algorithm, &mut answers);
        least = least.min(pass.elapsed().as_secs_f64());
        passes += 1;
    }
    let (missed, invented) = set.errors(&answers);
    Row { asked: answers.len(), missed, invented, micros: 1e6 * least / set.truth.len() as f64 }
}

/// Columns of the peer by set: lines "set algorithm asked missed invented micros" from the script beside this file.
fn peer(python: &str) -> Result<BTreeMap<(String, String), Row>, String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/ccd_peer.py");
    let output = Command::new(python).arg(script).output().map_err(|error| format!("{python}: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let mut rows = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [set, algorithm, asked, missed, invented, micros] = fields[..] else { continue };
        let bad = |_| format!("cannot read: {line}");
        let row = Row {
            asked: asked.parse().map_err(|_| bad(()))?,
            missed: missed.parse().map_err(|_| bad(()))?,
            invented: invented.parse().map_err(|_| bad(()))?,
            micros: micros.parse().map_err(|_| bad(()))?,
        };
        rows.insert((set.to_owned(), algorithm.to_owned()), row);
    }
    Ok(rows)
}

fn main() -> ExitCode {
    let sets = match queries::load() {
        Ok(sets) => sets,
        Err(why) => {
            eprintln!("no queries: {why}");
            return ExitCode::FAILURE;
        }
    };
    let peers = match std::env::args().nth(1).map(|python| peer(&python)).transpose() {
        Ok(rows) => rows.unwrap_or_default(),
        Err(why) => {
            eprintln!("no peer: {why}");
            return ExitCode::FAILURE;
        }
    };
    let mut names: Vec<String> = ALGORITHMS.iter().map(|a| format!("`{}`", a.name())).collect();
    let mut peer_names: Vec<String> = peers.keys().map(|(_, algorithm)| algorithm.clone()).collect();
    peer_names.sort();
    peer_names.dedup();
    names.extend(peer_names.iter().map(|name| format!("ipctk {name}")));
    println!("| queries | number (contacts) | {} |", names.join(" | "));
    println!("|---|---|{}", "---|".repeat(names.len()));
    for set in &sets {
        let cell = |row: &Row| {
            let part =
                if row.asked < set.truth.len() { format!(" (of {})", row.asked) } else { String::new() };
            format!("{} / {}{part}, {:.2}", row.missed, row.invented, row.micros)
        };
        let contacts = set.truth.iter().filter(|t| **t).count();
        let mut cells: Vec<String> = ALGORITHMS.iter().map(|a| cell(&measure(set, *a))).collect();
        for name in &peer_names {
            cells.push(peers.get(&(set.name.clone(), name.clone())).map_or("–".to_owned(), cell));
        }
        println!("| {} | {} ({contacts}) | {} |", set.name, set.truth.len(), cells.join(" | "));
    }
    ExitCode::SUCCESS
}
