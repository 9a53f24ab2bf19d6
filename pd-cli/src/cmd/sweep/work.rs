//! Executes the runs that are not finished.

use super::File;
use super::plan::{Plan, Run};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::print_line::print_line;
use crate::progress::Progress;
use pd_core::StepError;
use pd_mesh::film;
use pd_mesh::io::write_atomically;
use pd_sim::scene::{Scene, SceneRun};
use pd_sim::{ModelPaths, Recorder, Registry, SceneError};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: File,
    /// Number of concurrent runs, one thread each; default: the number of hardware threads.
    #[arg(long, value_name = "N")]
    workers: Option<usize>,
    /// Only part I of N, I from 0: for array jobs on a cluster.
    #[arg(long, value_name = "I/N", value_parser = slice)]
    slice: Option<(usize, usize)>,
    /// Only the run of this name.
    #[arg(long, value_name = "ID")]
    only: Option<String>,
}

fn slice(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    parts.filter(|(i, n)| i < n).ok_or_else(|| format!("{text:?} is not I/N with I from 0 to N - 1"))
}

pub(super) fn run(arguments: &Arguments, models: &ModelPaths) -> Result<(), Failure> {
    let plan = Plan::read(&arguments.file.file)?;
    let directory = arguments.file.directory();
    std::fs::create_dir_all(&directory).map_err(|error| Failure::file(&directory, error))?;
    let workers = crate::cmd::thread_count(arguments.workers)?;
    let (part, parts) = arguments.slice.unwrap_or((0, 1));
    let mine = |&(k, run): &(usize, &Run)| {
        k % parts == part && arguments.only.as_ref().is_none_or(|only| *only == run.id)
    };
    let chosen: Vec<&Run> = plan.runs.iter().enumerate().filter(mine).map(|(_, run)| run).collect();
    if let Some(only) = arguments.only.as_ref().filter(|_| chosen.is_empty()) {
        return Err(Failure::Input(format!("--only {only}: the sweep has no such run")));
    }
    let open: Vec<&Run> = chosen.iter().copied().filter(|run| !directory.join(&run.id).exists()).collect();
    let interrupt = Interrupt::listen()?;
    let progress = Mutex::new(Progress::new(open.len() as u64, arguments.file.json));
    let (next, failure) = (AtomicUsize::new(0), Mutex::new(None));
    std::thread::scope(|scope| {
        for _ in 0..workers.min(open.len()) {
            scope.spawn(|| {
                while let Some(&run) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if interrupt.signal().is_some() || lock(&failure).is_some() {
                        return;
                    }
                    match one(&plan, run, &directory, models, &interrupt) {
                        Ok(()) => lock(&progress).advance(),
                        Err(error) => *lock(&failure) = Some(error),
                    }
                }
            });
        }
    });
    lock(&progress).finish();
    if let Some(failure) = lock(&failure).take() {
        return Err(failure);
    }
    if let Some(signal) = interrupt.signal() {
        let what = "stopped; unfinished runs were discarded, run the same command to continue".to_owned();
        return Err(Failure::Interrupted(what, signal));
    }
    if plan.runs.iter().all(|run| directory.join(&run.id).exists()) {
        remove_drafts(&directory);
    }
    let done = json!({ "runs": chosen.len(), "done_before": chosen.len() - open.len(), "done_now": open.len(),
        "directory": directory });
    if arguments.file.json {
        return print_line(done);
    }
    print_line(format_args!(
        "{} runs: {} done now, {} before; in {}",
        chosen.len(),
        open.len(),
        chosen.len() - open.len(),
        directory.display()
    ))
}

/// Drafts that killed processes left behind; failing to remove them is harmless.
fn remove_drafts(directory: &Path) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.') && name.ends_with(".tmp") {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// One run on one thread, written under a temporary name and renamed. Only I/O and system errors are failures.
fn one(
    plan: &Plan,
    run: &Run,
    directory: &Path,
    models: &ModelPaths,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let place = directory.join(&run.id);
    let draft = directory.join(format!(".{}.{}.tmp", run.id, std::process::id()));
    let remove = || {
        // Scratch files: failing to remove them is harmless.
        let _ = std::fs::remove_dir_all(&draft);
    };
    std::fs::create_dir_all(&draft).map_err(|error| Failure::file(&draft, error))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.map_err(|error| Failure::Input(format!("a worker's thread: {error}")))?;
    let result = pool.install(|| simulate(plan, run, &draft, models, interrupt));
    let Some(result) = result.inspect_err(|_| remove())? else {
        remove();
        return Ok(());
    };
    let path = draft.join("run.json");
    let written = write_atomically(&path, |out| writeln!(out, "{result:#}"));
    // Another process that found all runs done may have removed this draft.
    written.or_else(|error| if place.exists() { Ok(()) } else { Err(Failure::file(&path, error)) })?;
    match std::fs::rename(&draft, &place) {
        Ok(()) => Ok(()),
        // Another process was faster: the run is done.
        Err(_) if place.exists() => {
            remove();
            Ok(())
        }
        Err(error) => {
            remove();
            Err(Failure::file(&place, error))
        }
    }
}

/// Result of a run; `None` if it was interrupted.
fn simulate(
    plan: &Plan,
    run: &Run,
    draft: &Path,
    models: &ModelPaths,
    interrupt: &Interrupt,
) -> Result<Option<Value>, Failure> {
    let about = |outcome: &str, message: Option<String>| json!({ "id": run.id, "set": run.object(), "outcome": outcome, "message": message });
    let started = run.desc.clone().and_then(|desc| {
        let scene = Scene::from_desc(&plan.scene, desc, plan.directory.as_deref(), models);
        scene.and_then(|scene| SceneRun::new(scene, &Registry::standard())).map_err(|error| error.to_string())
    });
    let mut run = match started {
        Ok(started) => started,
        Err(why) => return Ok(Some(about("refused", Some(why)))),
    };
    let (edges, rest) = (run.scene.edges(), run.scene.rest());
    let mut recorder = plan.keep.map(|_| Recorder::new(&run.scene, false, true));
    if let Some(recorder) = &mut recorder {
        recorder.push(&run.scene, &run.sim.state);
    }
    let (mut outcome, mut message, mut residual) = ("ran", None, None);
    while run.frame() < plan.frames {
        if interrupt.signal().is_some() {
            return Ok(None);
        }
        run.sim.params.measure = run.frame() + 1 == plan.frames;
        match run.advance() {
            Ok(report) => residual = report.measures.map(|measures| measures.residual),
            Err(error) => {
                let wrong = matches!(error, SceneError::Step(StepError::Parameter { .. }));
                outcome = if wrong { "refused" } else { "diverged" };
                message = Some(error.to_string());
                break;
            }
        }
        if let (Some(recorder), Some(keep)) = (&mut recorder, plan.keep)
            && run.frame().is_multiple_of(keep.every)
        {
            recorder.push(&run.scene, &run.sim.state);
        }
    }
    if let Some(recorder) = recorder {
        let path: PathBuf = draft.join("frames.npz");
        let film = recorder.finish(&run.scene);
        write_atomically(&path, |out| film::write_npz(out, &film))
            .map_err(|error| Failure::file(&path, error))?;
    }
    let mut result = about(outcome, message);
    result["frames"] = json!(run.frame());
    result["state_hash"] = json!(format!("{:016x}", run.sim.state.hash()));
    result["max_edge_strain"] = json!(run.sim.max_edge_strain(&edges, &rest));
    result["residual"] = json!(residual);
    Ok(Some(result))
}
