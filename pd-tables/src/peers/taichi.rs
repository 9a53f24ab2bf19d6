//! Taichi's material point method, measured in the same run as ours.

use super::child::{self, End};
use super::install::python_script;
use crate::Outcome;
use crate::lab::{Lab, TableError};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const SCRIPT: &str = include_str!("../../peers/taichi_peer.py");

/// Seconds of substeps, and the longest that the program may take with compilation.
const SECONDS: u64 = 10;
const LONGEST: Duration = Duration::from_secs(300);

/// What Taichi reached.
#[derive(Clone, Debug, PartialEq)]
pub struct TaichiMpm {
    /// Its version.
    pub version: String,
    /// Particle-steps a second of processor time on one thread, single precision.
    pub rate: f64,
}

/// Installs Taichi under a directory and runs its MPM on a column `resolution` cells wide.
///
/// # Errors
/// Files that cannot be written. That it does not install or run is an outcome.
pub fn taichi_mpm(
    lab: &Lab<'_>,
    directory: &Path,
    resolution: u32,
) -> Result<Result<TaichiMpm, Outcome>, TableError> {
    lab.report_progress("Taichi: installing and measuring its MPM");
    let missing = |why: String| Outcome::Missing(format!("skipped: {why}"));
    let [python, script] = match python_script(directory, "taichi", SCRIPT)? {
        Ok(program) => program,
        Err(why) => return Ok(Err(missing(why))),
    };
    let mut command = Command::new(python);
    command.arg(script).args([resolution.to_string(), SECONDS.to_string()]);
    let answer = match child::run(&mut command, &directory.join("taichi"), LONGEST) {
        Ok((answer, End::Well)) => answer,
        Ok((_, End::Failed(why))) | Err(why) => return Ok(Err(missing(why))),
        Ok((_, End::Late)) => {
            return Ok(Err(Outcome::Late { what: "finished".into(), seconds: LONGEST.as_secs() }));
        }
    };
    let line = answer.lines().rev().find_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    Ok(line
        .and_then(|line| {
            let version = line["version"].as_str()?.to_owned();
            Some(TaichiMpm { version, rate: line["rate"].as_f64()? })
        })
        .ok_or_else(|| missing("no answer".into())))
}
