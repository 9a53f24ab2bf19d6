//! The speed of the step against its goals, with peers and the memory's speed in the same run. Writes `speed.md`.
//!
//! `cargo run --release -p benches --features peers --bin speed_report -- [DIR] [--quick] [--part=NAME]… [--case=TEXT]`,
//! DIR being `docs` by default. Parts are `solve`, `local`, `frame` and `acceleration`, all of them unless some are named;
//! a run of some leaves the other sections of the file as they are, each under the date, machine, revision and command it
//! was measured with. `--case` keeps the matrices and scenes whose name contains the text and prints instead of writing.
//! Without `peers` Eigen and CHOLMOD are left out.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a report program")]

mod accelerated;
mod frame;
mod local;
mod solve;

use benches::clock;

type Error = Box<dyn std::error::Error + Send + Sync>;
/// Name on the command line, title of the section, and what makes it.
type Part = (&'static str, &'static str, fn(&Choice) -> Result<String, Error>);

const PARTS: [Part; 4] = [
    ("solve", "Solve with three right-hand sides", solve::report),
    ("local", "Local step", local::report),
    ("frame", "Frames", frame::report),
    ("acceleration", "Accelerated stepping", accelerated::report),
];

/// What of a part is asked for.
struct Choice {
    /// A smoke test: the smallest case, few rounds.
    quick: bool,
    /// Text the name of a case must contain.
    case: String,
}

impl Choice {
    /// Whether a case is asked for; `small` marks the one a quick run takes.
    fn takes(&self, name: &str, small: bool) -> bool {
        name.contains(&self.case) && (small || !self.quick)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |key: &str| arguments.iter().filter_map(move |a| a.strip_prefix(key)).collect::<Vec<_>>();
    let (named, case) = (option("--part="), option("--case=").concat());
    let choice = Choice { quick: arguments.iter().any(|a| a == "--quick"), case };
    if let Some(wrong) = named.iter().find(|name| PARTS.iter().all(|part| part.0 != **name)) {
        return Err(format!("no part is called {wrong}: solve, local, frame, acceleration").into());
    }
    let directory = arguments.iter().find(|a| !a.starts_with("--")).map_or("docs", String::as_str);
    let path = format!("{directory}/speed.md");
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    let mut text = String::from(HEAD);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    for (name, title, make) in PARTS {
        let body = if named.is_empty() || named.contains(&name) {
            let made = if name == "frame" { make(&choice) } else { one.install(|| make(&choice)) };
            eprintln!("{name} done");
            stamp(name, choice.quick) + &made.map_err(|error| error.to_string())?
        } else {
            section(&before, title).to_owned()
        };
        if !body.is_empty() {
            text += &format!("\n## {title}\n{body}");
        }
    }
    if !choice.case.is_empty() {
        print!("{text}");
        return Ok(());
    }
    std::fs::create_dir_all(directory)?;
    std::fs::write(&path, text)?;
    println!("{path}");
    Ok(())
}

/// What stands above the sections; it says nothing that a run of one part could make untrue of another.
const HEAD: &str = "# Speed, measured\n\nMade by `cargo run --release -p benches --features peers --bin speed_report`, as a whole or one \
         section at a time. Each section states the command, date, machine and revision of its measurement.\n\nTimes are the minimum \
         over interleaved rounds: thread CPU time for one thread, wall time for two. Compare ratios within one \
         run.\n";

/// The first paragraph of a section: where its figures come from.
fn stamp(part: &str, quick: bool) -> String {
    let features = if cfg!(feature = "peers") { " --features peers" } else { "" };
    let quick = if quick { " --quick" } else { "" };
    let speeds = [1, 4, 16, 64].map(|mb| format!("{:.0} at {mb} MB", clock::bandwidth(mb << 20) / 1e9));
    format!(
        "\nMeasured by `cargo run --release -p benches{features} --bin speed_report -- --part={part}{quick}`: {}. Read \
         bandwidth of one thread on pages of 2 MB, GB/s: {}.\n",
        pd_tables::Machine::here().line(),
        speeds.join(", ")
    )
}

/// The body of a section of an earlier report, without its title; empty if there is none.
fn section<'a>(report: &'a str, title: &str) -> &'a str {
    let start = format!("\n## {title}\n");
    let Some(at) = report.find(&start) else { return "" };
    let body = &report[at + start.len()..];
    body.find("\n## ").map_or(body, |end| &body[..end])
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_section_ends_where_the_next_begins() {
        let report = "# T\n\nhead\n\n## A\n\none\n\n### sub\n\n## B\n\ntwo\n";
        assert_eq!(super::section(report, "A"), "\none\n\n### sub\n");
        assert_eq!(super::section(report, "B"), "\ntwo\n");
        assert_eq!(super::section(report, "C"), "");
    }
}
