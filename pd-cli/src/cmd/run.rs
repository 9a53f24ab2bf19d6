//! `pd run`: simulate a scene.

mod report;

use self::report::{RunStats, describe, summary};
use crate::device;
use crate::failure::Failure;
use crate::frames::{self, Choice, Format, Frames};
use crate::interrupt::Interrupt;
use crate::print_line::{eprint_line, print_line};
use crate::progress::Progress;
use crate::trace::Trace;
use pd_core::{Stages, StepReport};
use pd_mesh::io::write_atomically;
use pd_sim::audit::{Audit, AuditReport};
use pd_sim::scene::desc::ContactMode;
use pd_sim::scene::{Matter, Scene, SceneDesc, SceneRun, Setting, read_desc, with_settings};
use pd_sim::{Checkpoint, ModelPaths, Registry};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  pd run cloth\n  pd run bar --frames 120 --out frames --format vtk --every 10\n  \
    pd run cloth --out film --format html\n  \
    pd run cloth-140 --threads 2 --json\n  pd run my_scene.toml --trace energy.csv"
)]
pub(crate) struct Arguments {
    /// Name of a built-in scene (`pd scenes` lists them) or path of a .toml or .urdf file.
    scene: String,
    /// Frames to simulate; default: that of the scene.
    #[arg(long, value_name = "N")]
    frames: Option<u64>,
    /// Stepper by name (`pd doctor` lists them).
    #[arg(long)]
    stepper: Option<String>,
    /// Global solver by name (`pd doctor` lists them).
    #[arg(long)]
    global: Option<String>,
    /// Contact: `off`, `project` (out of obstacles, without friction), `guard` (intersection-free, with friction; the default),
    /// `barrier` (interior point) or `impact-zones`.
    #[arg(long, value_parser = parse_contact)]
    contact: Option<ContactMode>,
    /// Audit everything in every frame: energy, what is inside what, intersections by exact predicates; a fault makes the exit
    /// code 1. With intersection-free contact, the run fails at the first intersection.
    #[arg(long)]
    verify: bool,
    /// Coupling scheme between kinds of matter: one-way, staggered, rows, admm-ipc.
    #[arg(long)]
    coupling: Option<String>,
    /// Solver of rigid bodies by name: direct, rattle, tgs-soft, xpbd.
    #[arg(long, value_name = "NAME")]
    rigid: Option<String>,
    /// Solver of particles by name: unified-substep, unified.
    #[arg(long, value_name = "NAME")]
    particles: Option<String>,
    /// Local/global iterations per step.
    #[arg(long, value_name = "K")]
    iterations: Option<usize>,
    /// Threads; default: all hardware threads. The result does not depend on it.
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// Device. `cuda` uses single precision; `auto` uses a CUDA device if there is one.
    #[arg(long, value_enum, default_value = "cpu")]
    device: device::Choice,
    /// Duration of a frame, s.
    #[arg(long, value_name = "H")]
    dt: Option<f64>,
    /// Output directory for frames; default: `frames`, if --format is given.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Remove frames of a former run in --out that this run does not write again; without it they are an error.
    #[arg(long)]
    overwrite: bool,
    /// Set a key of the scene, as in `--set object.cloth.edge.weight=300`; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Format of the frames; gltf, npz, pc2, usd and html write one file for the whole run.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Surface of tetrahedralised bodies: the original or the simulated one.
    #[arg(long, value_enum, default_value = "skin")]
    surface: frames::Surface,
    /// Write every K-th frame.
    #[arg(long, value_name = "K", default_value_t = 1)]
    every: u64,
    /// Write the final positions, one `x y z` per line with 17 digits.
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Write the final state, for --resume.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Also write the checkpoint every N frames.
    #[arg(long, value_name = "N", requires = "checkpoint")]
    checkpoint_every: Option<u64>,
    /// Continue from a checkpoint of the same scene; --frames includes the frames before it.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Write energies, residual, strain and times of every frame as CSV.
    #[arg(long, value_name = "FILE.csv")]
    trace: Option<PathBuf>,
    /// Print exactly one JSON object on stdout.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, models: &ModelPaths) -> Result<(), Failure> {
    check(arguments)?;
    let (desc, directory) = read_desc(&arguments.scene)?;
    let mut desc = with_settings(&arguments.scene, desc, &settings(arguments)?)
        .map_err(|error| Failure::Input(error.to_string()))?;
    settle_contact(arguments, &mut desc);
    let asked = desc.clone();
    let faulty = |error| Failure::of_scene(error, &asked);
    let frames = arguments.frames.unwrap_or(desc.frames as u64);
    let threads = super::thread_count(arguments.threads)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Failure::Input(format!("--threads {threads}: {error}")))?;
    // One pool for the whole run: no work is submitted per frame.
    pool.install(|| {
        let scene = Scene::from_desc(&arguments.scene, desc, directory.as_deref(), models).map_err(faulty)?;
        let (run, device) = start(arguments, scene)?;
        for unused in asked.unused() {
            eprint_line(format_args!("note: {unused}"));
        }
        simulate(arguments, run, frames, threads, device)
    })
}

/// Rejects invalid combinations of options before anything is read or computed.
fn check(arguments: &Arguments) -> Result<(), Failure> {
    super::thread_count(arguments.threads)?;
    if arguments.checkpoint_every == Some(0) {
        return Err(Failure::Input("--checkpoint-every must be at least 1".into()));
    }
    if arguments.every == 0 {
        return Err(Failure::Input("--every must be at least 1".into()));
    }
    let files = [&arguments.positions, &arguments.checkpoint, &arguments.trace];
    let files: Vec<&PathBuf> = files.into_iter().flatten().collect();
    for (k, path) in files.iter().enumerate() {
        if files[..k].contains(path) {
            return Err(Failure::file(path, "is named as the file of two outputs"));
        }
        check_writable(path)?;
    }
    Ok(())
}

/// Checks before the simulation that output files can be written.
pub(crate) fn check_writable(path: &Path) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(Failure::file(path, "is a directory"));
    }
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !parent.is_dir() {
        return Err(Failure::file(path, format!("the directory {} does not exist", parent.display())));
    }
    let probe = parent.join(format!(".pd-probe-{}", std::process::id()));
    std::fs::write(&probe, b"")
        .and_then(|()| std::fs::remove_file(&probe))
        .map_err(|e| Failure::file(path, e))
}

/// The keys that the command line sets: those of `--set`, and options that are spelled as keys.
fn settings(arguments: &Arguments) -> Result<Vec<Setting>, Failure> {
    let mut settings = vec![];
    for set in &arguments.set {
        settings.push(Setting::parse(set).map_err(Failure::Input)?);
    }
    let names = [
        ("--stepper", "solver.stepper", &arguments.stepper),
        ("--global", "solver.global", &arguments.global),
        ("--coupling", "coupling.scheme", &arguments.coupling),
        ("--rigid", "rigid.solver", &arguments.rigid),
        ("--particles", "unified.solver", &arguments.particles),
    ];
    for (flag, key, name) in names {
        settings.extend(name.iter().map(|name| Setting::flag(flag, key, name.as_str())));
    }
    let count = |k| i64::try_from(k).unwrap_or(i64::MAX);
    settings.extend(arguments.contact.map(|mode| Setting::flag("--contact", "contact.mode", mode.name())));
    settings.extend(arguments.iterations.map(|k| Setting::flag("--iterations", "step.iterations", count(k))));
    settings.extend(arguments.dt.map(|dt| Setting::flag("--dt", "step.dt", dt)));
    Ok(settings)
}

/// A scene without a contact method falls back to the thesis' if the default is not supported, and prints a note.
fn settle_contact(arguments: &Arguments, desc: &mut SceneDesc) {
    // Scenes with other matter have "project" by default.
    let others = desc.bodies.len() + desc.urdf.len() + desc.particles.len() + desc.fluids.len();
    if desc.contact.mode.is_some() || desc.objects.is_empty() || others > 0 {
        return;
    }
    let on_device = matches!(arguments.device, device::Choice::Cuda | device::Choice::CudaF64);
    if on_device {
        desc.contact.mode = Some(ContactMode::Project);
    }
    if desc.contact_mode() == ContactMode::Project {
        let what = if on_device {
            "a CUDA device".to_owned()
        } else {
            format!("the stepper {}", desc.solver.stepper)
        };
        eprint_line(format_args!("note: {what} does not support contact \"guard\"; using \"project\""));
    }
}

fn parse_contact(name: &str) -> Result<ContactMode, String> {
    let known = || ContactMode::NAMES.map(|(name, _)| name).join(", ");
    ContactMode::by_name(name).ok_or_else(|| format!("known are {}", known()))
}

/// The run and the name of its device.
fn start(arguments: &Arguments, scene: Scene) -> Result<(SceneRun, String), Failure> {
    let solver = &scene.desc.solver;
    let (stepper, global, options) = (&solver.stepper, &solver.global, solver.options());
    let mut registry = Registry::standard();
    registry.verify_contact = arguments.verify;
    let on_cpu = registry.for_scene(&scene).map_err(|error| Failure::of_scene(error, &scene.desc))?;
    let on_device = if matches!(scene.matter, Matter::Elastic) && !scene.desc.contact_mode().keeps_apart() {
        device::stepper(arguments.device, stepper, global, &options)?
    } else if matches!(arguments.device, device::Choice::Cuda | device::Choice::CudaF64) {
        let what = "a CUDA device supports only deformable bodies with contact \"project\" or \"off\"";
        return Err(Failure::Input(what.to_owned()));
    } else {
        None
    };
    let (stepper, name) = on_device.map_or((on_cpu, "cpu".to_owned()), |on| (on.stepper, on.device));
    let run = match &arguments.resume {
        Some(path) => SceneRun::resume(scene, stepper, Checkpoint::read(path)?)
            .map_err(|error| Failure::Input(error.to_string()))?,
        None => SceneRun::with_stepper(scene, stepper)?,
    };
    Ok((run, name))
}

fn simulate(
    arguments: &Arguments,
    mut run: SceneRun,
    frames: u64,
    threads: usize,
    device: String,
) -> Result<(), Failure> {
    let named = arguments.format.map(|_| Path::new("frames"));
    let out = arguments.out.as_deref().or(named);
    let choice = Choice {
        format: arguments.format.unwrap_or(Format::Obj),
        surface: arguments.surface,
        every: arguments.every,
        frames: frames.saturating_sub(run.frame()),
        overwrite: arguments.overwrite,
    };
    let start = (&run.scene, &run.sim.state, run.frame());
    let mut writer = out.map(|dir| Frames::new(dir, choice, start)).transpose()?;
    let (edges, rest) = (run.scene.edges(), run.scene.rest());
    let started = Instant::now();
    run.prepare()?;
    let mut stats = RunStats {
        device,
        prepare: started.elapsed(),
        frame_ms: Vec::with_capacity(frames.min(1 << 20) as usize),
        stages: Stages::default(),
        measures: None,
        missing: Vec::with_capacity(frames.min(1 << 20) as usize),
        contact: None,
        failure: None,
    };
    let mut trace = Trace::new(&run);
    let mut audit = Audit::new(&run, arguments.verify)?;
    let mut progress = Progress::new(frames.saturating_sub(run.frame()), arguments.json);
    let interrupt = Interrupt::listen()?;
    while run.frame() < frames && interrupt.signal().is_none() {
        run.sim.params.measure = arguments.trace.is_some() || run.frame() + 1 == frames;
        let report: StepReport = match run.advance() {
            Ok(report) => report,
            Err(error) => {
                stats.failure = Some(error);
                break;
            }
        };
        stats.frame_ms.push(report.stages.total().as_secs_f64() * 1e3);
        stats.stages.add(&report.stages);
        stats.measures = report.measures.or(stats.measures);
        stats.missing.extend(report.missing);
        stats.contact = match (stats.contact, report.contact) {
            (Some(before), Some(contact)) => Some(before.followed_by(&contact)),
            (before, contact) => contact.or(before),
        };
        audit.observe(&run, &report)?;
        if arguments.trace.is_some() {
            let strain = run.sim.max_edge_strain(&edges, &rest);
            trace.push(&run, strain, &report, &audit);
        }
        if let Some(writer) = &mut writer {
            writer.write(run.frame(), &run.scene, &run.sim.state)?;
        }
        if let (Some(path), Some(every)) = (&arguments.checkpoint, arguments.checkpoint_every)
            && run.frame().is_multiple_of(every)
        {
            run.checkpoint().write(path)?;
        }
        progress.advance();
    }
    progress.finish();
    if !arguments.json {
        run.scene.matter.rigid().iter().flat_map(|rigid| &rigid.notices).for_each(eprint_line);
    }
    if let Some(writer) = writer
        && let Some(written) = writer.finish(&run.scene)?.filter(|_| !arguments.json)
    {
        eprint_line(written);
    }
    write_files(arguments, &run, &trace)?;
    let max_edge_strain = run.sim.max_edge_strain(&edges, &rest);
    audit.finish(&run)?;
    let audit = audit.report(&run);
    if arguments.json {
        print_line(summary(&run, &stats, &audit, threads, max_edge_strain))?;
    } else {
        describe(&run, &stats, &audit, threads, max_edge_strain)?;
    }
    if let Some(signal) = interrupt.signal().filter(|_| stats.failure.is_none()) {
        return Err(interrupted(arguments, &run, signal)?);
    }
    match stats.failure {
        None if arguments.verify && !audit.is_good() => Err(failed(&audit)),
        None => Ok(()),
        Some(error) => {
            let after = run.frame();
            Err(Failure::Simulation(format!(
                "stopped after frame {after}: {error}; the last good state is kept"
            )))
        }
    }
}

/// The failure of a run whose audit is bad.
fn failed(audit: &AuditReport) -> Failure {
    let texts: Vec<&str> = audit.faults.iter().map(|fault| fault.text.as_str()).collect();
    Failure::Simulation(format!("the audit found what cannot be true: {}", texts.join("; ")))
}

/// Writes the state of an interrupted run to the file of `--checkpoint` or a default file.
fn interrupted(arguments: &Arguments, run: &SceneRun, signal: u8) -> Result<Failure, Failure> {
    let own = PathBuf::from("interrupted.pdc");
    let path = arguments.checkpoint.as_ref().unwrap_or(&own);
    run.checkpoint().write(path)?;
    let (frame, path) = (run.frame(), path.display());
    Ok(Failure::Interrupted(format!("stopped after frame {frame}; continue with --resume {path}"), signal))
}

fn write_files(arguments: &Arguments, run: &SceneRun, trace: &Trace) -> Result<(), Failure> {
    if let Some(path) = &arguments.positions {
        let write = |out: &mut dyn Write| {
            run.sim.state.x.iter().try_for_each(|p| writeln!(out, "{:.16e} {:.16e} {:.16e}", p.x, p.y, p.z))
        };
        write_atomically(path, |out| {
            let mut out = std::io::BufWriter::new(out);
            write(&mut out)?;
            out.flush()
        })
        .map_err(|error| Failure::file(path, error))?;
    }
    if let Some(path) = &arguments.checkpoint {
        run.checkpoint().write(path)?;
    }
    if let Some(path) = &arguments.trace {
        write_atomically(path, |out| trace.write(out)).map_err(|error| Failure::file(path, error))?;
    }
    Ok(())
}
