//! `pd sweep`: one scene over many values of its keys, one directory per run.
//!
//! The directory of a run is named by a hash of everything that determines its result. It is written under a temporary name and
//! renamed when complete. An interrupted sweep therefore continues where it stopped, several machines may share a directory,
//! and no run is repeated. An invalid scene and a diverging run are results, not failures.

mod gather;
mod plan;
mod work;

use crate::failure::Failure;
use crate::print_line::print_line;
use pd_sim::ModelPaths;
use plan::Plan;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  pd sweep plan stiffness.toml\n  pd sweep run stiffness.toml --workers 8\n  \
    pd sweep run stiffness.toml --slice $SLURM_ARRAY_TASK_ID/64\n  pd sweep gather stiffness.toml"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// List the runs of a sweep without running them.
    Plan(File),
    /// Execute the runs that are not finished.
    Run(work::Arguments),
    /// Count finished runs.
    Status(File),
    /// Write one table of all results: results.csv and results.npz.
    Gather(File),
}

/// A sweep and where its runs are.
#[derive(clap::Args, Clone)]
pub(crate) struct File {
    /// The sweep, a TOML file.
    file: PathBuf,
    /// Directory of the runs; default: the name of the file with `.runs`.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print exactly one JSON object on stdout.
    #[arg(long)]
    json: bool,
}

impl File {
    fn directory(&self) -> PathBuf {
        self.out.clone().unwrap_or_else(|| self.file.with_extension("runs"))
    }
}

pub(crate) fn run(arguments: &Arguments, models: &ModelPaths) -> Result<(), Failure> {
    match &arguments.action {
        Action::Plan(file) => list(file),
        Action::Run(arguments) => work::run(arguments, models),
        Action::Status(file) => gather::status(file),
        Action::Gather(file) => gather::gather(file),
    }
}

fn list(file: &File) -> Result<(), Failure> {
    let plan = Plan::read(&file.file)?;
    if file.json {
        let runs: Vec<_> =
            plan.runs.iter().map(|run| serde_json::json!({ "id": run.id, "set": run.object() })).collect();
        return print_line(serde_json::json!({
            "scene": plan.scene, "frames": plan.frames, "directory": file.directory(), "runs": runs,
        }));
    }
    print_line(format_args!(
        "{} runs of {}, {} frames each, in {}",
        plan.runs.len(),
        plan.scene,
        plan.frames,
        file.directory().display()
    ))?;
    plan.runs.iter().try_for_each(|run| print_line(format_args!("  {}  {}", run.id, run.describe())))
}
