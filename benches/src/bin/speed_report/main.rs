//! The speed of the step against its goals, with peers and the memory's speed in the same run. Writes `speed.md`.
//!
//! `cargo run --release -p benches --features peers --bin speed_report -- [DIR] [--quick]`, DIR being `docs` by default;
//! without `peers` Eigen and CHOLMOD are left out.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a report program")]

mod accelerated;
mod frame;
mod local;
mod solve;

use benches::clock;
use std::fmt::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick = arguments.iter().any(|a| a == "--quick");
    let directory = arguments.iter().find(|a| !a.starts_with("--")).map_or("docs", String::as_str);
    std::fs::create_dir_all(directory)?;
    let mut text = format!(
        "# Speed, measured\n\nMade by `cargo run --release -p benches --features peers --bin speed_report`: {}.\n\nTimes are \
         the least of interleaved rounds: of the thread's own processor time for one thread, of wall time for two. Ratios \
         of one run are what counts.\n\n",
        pd_tables::Machine::here().line()
    );
    let speeds = [1, 4, 16, 64].map(|mb| format!("{:.0} at {mb} MB", clock::bandwidth(mb << 20) / 1e9));
    let _ = writeln!(text, "Read bandwidth of one thread, GB/s: {}.", speeds.join(", "));
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let section = |name: &str, made: Result<String, Box<dyn std::error::Error + Send + Sync>>| {
        eprintln!("{name} done");
        made.map_err(|error| error.to_string())
    };
    text += &section("solve", one.install(|| solve::report(quick)))?;
    text += &section("local step", one.install(|| local::report(quick)))?;
    text += &section("frame", frame::report(quick))?;
    text += &section("acceleration", accelerated::report(quick))?;
    std::fs::write(format!("{directory}/speed.md"), text)?;
    println!("{directory}/speed.md");
    Ok(())
}
