//! `pd tables`: the published tables re-made.

use crate::failure::Failure;
use crate::say::{say, say_aside};
use pd_sim::ModelPaths;
use pd_tables::{Effort, Id, Lab, Report};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(
    after_help = "Tables: 7.1 size of the scenes, 7.2 precomputation and frames per second, 7.3 local step, 7.4 and 7.5 global \
    solvers, 7.6 other engines, 4.1 consensus ADMM.\n\nExamples:\n  pd tables all --quick --out report\n  pd tables 7.1 7.2 --only \
    bunny,cloth-140\n  pd tables 7.6 --peers\n  pd tables all --quick --out docs/report --update-docs ."
)]
pub(crate) struct Arguments {
    /// Numbers of tables, or `all`; default: all.
    #[arg(value_name = "TABLE")]
    tables: Vec<String>,
    /// Short measurements: all tables in less than 3 minutes on 2 cores; otherwise less than 30.
    #[arg(long)]
    quick: bool,
    /// Directory for report.md, report.html, one CSV per table and the pictures; default: Markdown on stdout.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only rows of these scenes, separated by commas.
    #[arg(long, value_name = "SCENES", value_delimiter = ',')]
    only: Vec<String>,
    /// Threads of the columns with more than one; default: all the machine has.
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// For table 7.6: install other engines (Python packages in a virtual environment, Rust in its own folder) and run them,
    /// each of their 14 settings for a minute at most, 20 s with --quick. Once they are installed, which takes some minutes
    /// the first time, table 7.6 takes 22 minutes at most, 8 with --quick.
    #[arg(long)]
    peers: bool,
    /// Where --peers keeps what it installs.
    #[arg(long, value_name = "DIR", default_value = "target/peers")]
    peers_dir: PathBuf,
    /// Renew the generated blocks of README.md and docs/*.md under this directory from this report.
    #[arg(long, value_name = "ROOT")]
    update_docs: Option<PathBuf>,
    /// Print one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, models: &ModelPaths) -> Result<(), Failure> {
    let ids = Id::parse(&arguments.tables)?;
    if let Some(unknown) = arguments.only.iter().find(|name| !is_scene(name)) {
        let known: Vec<&str> = pd_sim::scene::builtins().iter().map(|b| b.name).collect();
        return Err(Failure::Input(format!(
            "--only {unknown:?}: there is no such scene; known are {}",
            known.join(", ")
        )));
    }
    let threads = super::thread_count(arguments.threads)?;
    if let Some(root) = &arguments.update_docs {
        pd_tables::check_docs(root)?;
    }
    if let Some(directory) = &arguments.out {
        std::fs::create_dir_all(directory).map_err(|error| Failure::file(directory, error))?;
    }
    let progress = |words: &str| {
        if !arguments.json {
            say_aside(words);
        }
    };
    let begun = std::time::Instant::now();
    let effort = if arguments.quick { Effort::QUICK } else { Effort::FULL };
    let mut lab = Lab::new(models, effort, threads, &progress)?;
    lab.only.clone_from(&arguments.only);
    let peers = if arguments.peers && ids.contains(&Id::T76) {
        Some(pd_tables::peers::run(&lab, &arguments.peers_dir)?)
    } else {
        None
    };
    let report = pd_tables::report(&lab, &ids, peers.as_ref())?;
    progress(&format!("measured in {:.1} min", begun.elapsed().as_secs_f64() / 60.0));
    deliver(arguments, &report)
}

fn deliver(arguments: &Arguments, report: &Report) -> Result<(), Failure> {
    let mut files = vec![];
    if let Some(directory) = &arguments.out {
        files.extend(report.write(directory)?);
    }
    if let Some(root) = &arguments.update_docs {
        files.extend(pd_tables::update_docs(report, root)?);
    }
    if arguments.json {
        let mut object = report.json();
        object["files"] = files.iter().map(|f| f.display().to_string()).collect();
        return say(object);
    }
    if arguments.out.is_none() {
        say(report.markdown(false))?;
    }
    files.iter().try_for_each(|file| say(file.display()))
}

fn is_scene(name: &str) -> bool {
    pd_sim::scene::builtins().iter().any(|builtin| builtin.name == name)
}
