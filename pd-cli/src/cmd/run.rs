//! `pd run`: simulate a scene.

use crate::device;
use crate::failure::Failure;
use crate::frames::{Choice, Format, Frames, Surface};
use crate::interrupt::Interrupt;
use crate::machine;
use crate::progress::Progress;
use crate::say::{say, say_aside};
use crate::trace::Trace;
use pd_core::{Measures, Stages, StepReport};
use pd_mesh::io::write_atomically;
use pd_sim::scene::desc::ContactMode;
use pd_sim::scene::{Matter, Scene, SceneDesc, SceneRun, read_desc, set_key};
use pd_sim::{Checkpoint, ModelPaths, Registry, SceneError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  pd run cloth\n  pd run bar --frames 120 --out frames --format vtk --every 10\n  \
    pd run cloth --out film --format html\n  \
    pd run cloth-140 --threads 2 --json\n  pd run my_scene.toml --trace energy.csv"
)]
pub(crate) struct Arguments {
    /// Name of a built-in scene (`pd scenes` lists them) or path of a .toml file.
    scene: String,
    /// Frames to simulate; default: as the scene says.
    #[arg(long, value_name = "N")]
    frames: Option<u64>,
    /// Stepper by name.
    #[arg(long)]
    stepper: Option<String>,
    /// Global solver by name (`pd doctor` lists them).
    #[arg(long)]
    global: Option<String>,
    /// How bodies touch: `off`, `project` (out of obstacles, without friction) or `guard` (surfaces never cross).
    #[arg(long, value_parser = parse_contact)]
    contact: Option<ContactMode>,
    /// Test every accepted frame by exact predicates; a run of contact `guard` whose bodies cross fails.
    #[arg(long)]
    verify: bool,
    /// Solver of rigid bodies by name: direct, rattle, tgs-soft, xpbd.
    #[arg(long, value_name = "NAME")]
    rigid: Option<String>,
    /// Solver of particles by name: unified-substep.
    #[arg(long, value_name = "NAME")]
    particles: Option<String>,
    /// Local/global iterations per step.
    #[arg(long, value_name = "K")]
    iterations: Option<usize>,
    /// Threads; default: all the machine has. The result does not depend on it.
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// Where to run. `cuda` is in single precision; `auto` takes a CUDA device where there is one.
    #[arg(long, value_enum, default_value = "cpu")]
    device: device::Choice,
    /// Time of a frame, s.
    #[arg(long, value_name = "H")]
    dt: Option<f64>,
    /// Directory for the files of the frames; default: `frames`, if --format is given.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Sets a key of the scene, as in `--set object.cloth.edge.weight=300`; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Format of these files; gltf, npz, pc2, usd and html write one file for the whole run.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Surface of bodies that were filled with tetrahedra: the one they were filled from, or the simulated one.
    #[arg(long, value_enum, default_value = "skin")]
    surface: Surface,
    /// Write every K-th frame.
    #[arg(long, value_name = "K", default_value_t = 1)]
    every: u64,
    /// Write the final positions, one `x y z` a line with 17 digits.
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Write the final state, to go on from.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Write the checkpoint every N frames too, so that a run that is killed loses no more than these.
    #[arg(long, value_name = "N", requires = "checkpoint")]
    checkpoint_every: Option<u64>,
    /// Go on from a checkpoint of the same scene; --frames counts from its start.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Write energies, residual, strain and times of every frame as CSV.
    #[arg(long, value_name = "FILE.csv")]
    trace: Option<PathBuf>,
    /// Print one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, models: &ModelPaths) -> Result<(), Failure> {
    check(arguments)?;
    let (mut desc, directory) = read_desc(&arguments.scene)?;
    for set in &arguments.set {
        let (key, value) = set.split_once('=').ok_or_else(|| {
            Failure::Input(format!("--set {set}: KEY=VALUE was expected, as step.damping=0.5"))
        })?;
        desc = set_key(&arguments.scene, &desc, key.trim(), value.trim())?;
    }
    apply(arguments, &mut desc);
    let frames = arguments.frames.unwrap_or(desc.frames as u64);
    let threads = super::thread_count(arguments.threads)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Failure::Input(format!("--threads {threads}: {error}")))?;
    // One pool for the whole run: no work is handed over per frame.
    pool.install(|| {
        let scene = Scene::from_desc(&arguments.scene, desc, directory.as_deref(), models)?;
        let (run, device) = start(arguments, scene)?;
        simulate(arguments, run, frames, threads, device)
    })
}

/// Refuses what cannot work before anything is read or computed.
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

/// An output file that could not be written is found before the simulation, not after it.
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

fn apply(arguments: &Arguments, desc: &mut SceneDesc) {
    if let Some(stepper) = &arguments.stepper {
        desc.solver.stepper.clone_from(stepper);
    }
    if let Some(global) = &arguments.global {
        desc.solver.global.clone_from(global);
    }
    if let Some(mode) = arguments.contact {
        desc.contact.mode = mode;
    }
    if let Some(rigid) = &arguments.rigid {
        desc.rigid.solver.clone_from(rigid);
    }
    if let Some(particles) = &arguments.particles {
        desc.unified.solver.clone_from(particles);
    }
    desc.step.iterations = arguments.iterations.unwrap_or(desc.step.iterations);
    desc.step.dt = arguments.dt.unwrap_or(desc.step.dt);
}

fn parse_contact(name: &str) -> Result<ContactMode, String> {
    let known = || ContactMode::NAMES.map(|(name, _)| name).join(", ");
    ContactMode::by_name(name).ok_or_else(|| format!("known are {}", known()))
}

/// The run, and the name of what it runs on.
fn start(arguments: &Arguments, scene: Scene) -> Result<(SceneRun, String), Failure> {
    let solver = &scene.desc.solver;
    let (stepper, global, options) = (&solver.stepper, &solver.global, solver.options());
    // Unknown names are found here, whatever runs them.
    let mut registry = Registry::standard();
    registry.verify_contact = arguments.verify;
    let on_cpu = registry.for_scene(&scene).map_err(|error| error.in_scene(&scene.name))?;
    let on_device =
        if matches!(scene.matter, Matter::Elastic) && scene.desc.contact.mode != ContactMode::Guard {
            device::stepper(arguments.device, stepper, global, &options)?
        } else if matches!(arguments.device, device::Choice::Cuda | device::Choice::CudaF64) {
            let what = "a CUDA device takes deformable bodies with contact \"project\" or \"off\" only";
            return Err(Failure::Input(what.to_owned()));
        } else {
            None
        };
    let (stepper, name) = on_device.map_or((on_cpu, "cpu".to_owned()), |on| (on.stepper, on.device));
    let run = match &arguments.resume {
        Some(path) => SceneRun::resume(scene, stepper, Checkpoint::read(path)?)?,
        None => SceneRun::with_stepper(scene, stepper)?,
    };
    Ok((run, name))
}

/// What a run measured.
struct Tally {
    device: String,
    prepare: Duration,
    frame_ms: Vec<f64>,
    stages: Stages,
    /// Of the last step that measured; some steppers do not.
    measures: Option<Measures>,
    failure: Option<SceneError>,
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
    };
    let start = (&run.scene, &run.sim.state, run.frame());
    let mut writer = out.map(|dir| Frames::new(dir, choice, start)).transpose()?;
    let (edges, rest) = (run.scene.edges(), run.scene.rest());
    let started = Instant::now();
    run.prepare()?;
    let mut tally = Tally {
        device,
        prepare: started.elapsed(),
        frame_ms: Vec::with_capacity(frames.min(1 << 20) as usize),
        stages: Stages::default(),
        measures: None,
        failure: None,
    };
    let mut trace = Trace::default();
    let mut progress = Progress::new(frames.saturating_sub(run.frame()), arguments.json);
    let interrupt = Interrupt::listen()?;
    while run.frame() < frames && interrupt.signal().is_none() {
        run.sim.params.measure = arguments.trace.is_some() || run.frame() + 1 == frames;
        let report: StepReport = match run.advance() {
            Ok(report) => report,
            Err(error) => {
                tally.failure = Some(error);
                break;
            }
        };
        tally.frame_ms.push(report.stages.total().as_secs_f64() * 1e3);
        tally.stages.add(&report.stages);
        tally.measures = report.measures.or(tally.measures);
        if arguments.trace.is_some() {
            let strain = run.sim.max_edge_strain(&edges, &rest);
            trace.push(run.frame(), run.sim.state.time, strain, &report);
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
    if let Some(writer) = writer
        && let Some(written) = writer.finish(&run.scene)?.filter(|_| !arguments.json)
    {
        say_aside(written);
    }
    write_files(arguments, &run, &trace)?;
    let max_edge_strain = run.sim.max_edge_strain(&edges, &rest);
    if arguments.json {
        say(summary(&run, &tally, threads, max_edge_strain))?;
    } else {
        describe(&run, &tally, threads, max_edge_strain)?;
    }
    if let Some(signal) = interrupt.signal().filter(|_| tally.failure.is_none()) {
        return Err(interrupted(arguments, &run, signal)?);
    }
    match tally.failure {
        None => Ok(()),
        Some(error) => {
            let after = run.frame();
            Err(Failure::Simulation(format!(
                "stopped after frame {after}: {error}; the last good state is kept"
            )))
        }
    }
}

/// Keeps the state of a run that was asked to stop, under the name of `--checkpoint` or one of its own.
fn interrupted(arguments: &Arguments, run: &SceneRun, signal: u8) -> Result<Failure, Failure> {
    let own = PathBuf::from("interrupted.pdc");
    let path = arguments.checkpoint.as_ref().unwrap_or(&own);
    run.checkpoint().write(path)?;
    let (frame, path) = (run.frame(), path.display());
    Ok(Failure::Interrupted(format!("stopped after frame {frame}; go on with --resume {path}"), signal))
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

/// Median, smallest and 95th percentile; zeros when nothing ran.
fn statistics(samples: &[f64]) -> [f64; 3] {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |q: f64| sorted.get(((sorted.len() as f64 - 1.0) * q).round() as usize).copied().unwrap_or(0.0);
    [at(0.5), at(0.0), at(0.95)]
}

fn outcome(tally: &Tally) -> &'static str {
    use pd_core::{LinearError, StepError};
    match &tally.failure {
        None => "ran",
        Some(SceneError::Step(StepError::Linear(LinearError::TooLarge { .. }))) => "too large",
        Some(_) => "diverged",
    }
}

fn summary(run: &SceneRun, tally: &Tally, threads: usize, max_edge_strain: f64) -> serde_json::Value {
    let [median, min, p95] = statistics(&tally.frame_ms);
    let mean = |d: Duration| d.as_secs_f64() * 1e3 / tally.frame_ms.len().max(1) as f64;
    let mut summary = serde_json::json!({
        "scene": run.scene.name,
        "stepper": run.sim.stepper().name(),
        "global": run.sim.stepper().global_name(),
        "device": tally.device,
        "threads": threads,
        "frames": run.frame(),
        "vertices": run.scene.vertices(),
        "elements": run.scene.elements(),
        "constraints": run.sim.model.constraints(),
        "colliders": run.sim.colliders.len(),
        "prepare_ms": tally.prepare.as_secs_f64() * 1e3,
        "ms_per_frame": { "median": median, "min": min, "p95": p95 },
        "local_ms": mean(tally.stages.local),
        "global_ms": mean(tally.stages.global),
        "collide_ms": mean(tally.stages.collide),
        "peak_bytes": machine::peak_bytes(),
        "residual": tally.measures.map(|measures| measures.residual),
        "max_edge_strain": max_edge_strain,
        "inverted": tally.measures.map(|measures| measures.strain.inverted),
        "outcome": outcome(tally),
        "state_hash": format!("{:016x}", run.sim.state.hash()),
    });
    // Keys that do not apply are absent.
    match &run.scene.matter {
        Matter::Rigid(rigid) => {
            let bodies = &run.sim.state.bodies;
            let [kinetic, potential] = rigid.model.energy(bodies, &run.sim.params.gravity);
            let [momentum, angular] = rigid.model.momentum(bodies);
            summary["bodies"] = bodies.len().into();
            summary["energy"] = serde_json::json!({ "kinetic": kinetic, "potential": potential });
            summary["momentum"] = serde_json::json!(momentum.as_slice());
            summary["angular_momentum"] = serde_json::json!(angular.as_slice());
        }
        Matter::Particles(_) | Matter::Grid(_) => summary["particles"] = run.scene.vertices().into(),
        _ => {}
    }
    summary
}

fn describe(run: &SceneRun, tally: &Tally, threads: usize, max_edge_strain: f64) -> Result<(), Failure> {
    let [median, min, p95] = statistics(&tally.frame_ms);
    let (sim, scene) = (&run.sim, &run.scene);
    say(format_args!("{}: {}", scene.name, scene.desc.title))?;
    let elastic = matches!(scene.matter, Matter::Elastic);
    if elastic {
        say(format_args!(
            "  {} vertices, {} elements, {} constraints, {} colliders",
            scene.vertices(),
            scene.elements(),
            sim.model.constraints(),
            sim.colliders.len()
        ))?;
        say(format_args!(
            "  {} with {}, {} iterations, {threads} thread(s), on {}",
            sim.stepper().name(),
            sim.stepper().global_name().unwrap_or("no global solver"),
            sim.params.iterations,
            tally.device
        ))?;
    } else {
        let (bodies, points) = (scene.matter.bodies(), scene.matter.points());
        let colliders = sim.colliders.len();
        say(format_args!("  {bodies} rigid bodies, {points} particles, {colliders} colliders"))?;
        say(format_args!("  {}, {threads} thread(s), on {}", sim.stepper().name(), tally.device))?;
    }
    say(format_args!("  prepared in {:.1} ms", tally.prepare.as_secs_f64() * 1e3))?;
    say(format_args!("  frame {}: {:.3} s simulated", run.frame(), sim.state.time))?;
    say(format_args!("  {median:.3} ms a frame (median; least {min:.3}, 95 % below {p95:.3})"))?;
    match tally.measures {
        Some(measures) if elastic => say(format_args!(
            "  worst edge strain {:.2} %, {} inverted elements, force imbalance {:.2e} N",
            max_edge_strain * 100.0,
            measures.strain.inverted,
            measures.residual
        ))?,
        None if elastic => say(format_args!("  worst edge strain {:.2} %", max_edge_strain * 100.0))?,
        _ => {}
    }
    say(format_args!("  state hash {:016x}", sim.state.hash()))
}
