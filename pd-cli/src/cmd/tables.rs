//! `pd tables`: reproduces the published tables.

use crate::failure::Failure;
use crate::print_line::{eprint_line, print_line};
use pd_sim::ModelPaths;
use pd_tables::{Effort, Id, Lab, Report};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(
    after_help = "Tables: 7.1 size of the scenes, 7.2 precomputation and frames per second, 7.3 local step, 7.4 and 7.5 global \
    solvers, 7.6 other engines, 4.1 consensus ADMM, lab all steppers at equal error, rigid rigid bodies, particles scenes of particles, coupling \
    tables 4.1 and 4.2 of the coupling thesis, its mixed scene and the speed of water.\n\nExamples:\n  pd tables all --quick --out report\n  pd tables 7.1 7.2 --only \
    bunny,cloth-140\n  pd tables 7.6 --peers\n  pd tables all --quick --out docs/report --update-docs ."
)]
pub(crate) struct Arguments {
    /// Names of tables, or `all`; default: all.
    #[arg(value_name = "TABLE")]
    tables: Vec<String>,
    /// Short measurements: all tables in less than 3 minutes on 2 cores; otherwise less than 30.
    #[arg(long)]
    quick: bool,
    /// Directory for report.md, report.html, one CSV per table and the plots; default: Markdown on stdout.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only rows of these scenes, separated by commas.
    #[arg(long, value_name = "SCENES", value_delimiter = ',')]
    only: Vec<String>,
    /// Threads of the multi-threaded columns; default: all hardware threads.
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// For table 7.6 (and Taichi for the table of water in `coupling`): install other engines (Python packages in a virtual environment, Rust in its own folder) and run them,
    /// each of their 14 settings for at most one minute, 20 s with --quick. After installation, which takes some minutes,
    /// table 7.6 takes at most 22 minutes, 8 with --quick.
    #[arg(long)]
    peers: bool,
    /// Directory in which --peers installs engines.
    #[arg(long, value_name = "DIR", default_value = "target/peers")]
    peers_dir: PathBuf,
    /// Update the generated blocks of README.md and docs/*.md under this directory from this report.
    #[arg(long, value_name = "ROOT")]
    update_docs: Option<PathBuf>,
    /// Print exactly one JSON object on stdout.
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
            eprint_line(words);
        }
    };
    let begun = std::time::Instant::now();
    let effort = if arguments.quick { Effort::QUICK } else { Effort::FULL };
    let mut lab = Lab::new(models, effort, threads, &progress)?;
    lab.only.clone_from(&arguments.only);
    let asked = |id: Id| arguments.peers && ids.contains(&id);
    let mut peers = match asked(Id::T76) {
        true => Some(pd_tables::peers::run(&lab, &arguments.peers_dir)?),
        false => None,
    };
    if asked(Id::Coupling) {
        let taichi = pd_tables::peers::taichi_mpm(&lab, &arguments.peers_dir, pd_tables::WATER_RESOLUTION)?;
        peers.get_or_insert_default().taichi = Some(taichi);
    }
    // Each table is written once it is there: a run that is ended early keeps what it has measured.
    let mut write =
        |report: &Report| arguments.out.as_ref().map_or(Ok(()), |out| report.write(out).map(|_| ()));
    let report = pd_tables::report_as_it_comes(&lab, &ids, peers.as_ref(), &mut write)?;
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
        return print_line(object);
    }
    if arguments.out.is_none() {
        print_line(report.markdown(false))?;
    }
    files.iter().try_for_each(|file| print_line(file.display()))
}

fn is_scene(name: &str) -> bool {
    pd_sim::scene::builtins().iter().any(|builtin| builtin.name == name)
}
