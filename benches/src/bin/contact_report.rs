//! What contact costs: frames of a folding sheet with contact, moving and at rest, over frames of the same state with
//! contact off (10 plain iterations), in one run; and where the time goes.
//!
//! `cargo run --release -p benches --bin contact_report -- [SCENE] [--frames N] [--size N] [--threads N] [--verify]`,
//! `--size` being the cells along a side of sheets.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a report program")]

use pd_core::StepReport;
use pd_sim::scene::desc::{ContactMode, ShapeDesc};
use pd_sim::scene::{Scene, SceneRun, read_desc};
use pd_sim::{ModelPaths, Registry, SceneError};
use std::sync::OnceLock;
use std::time::Instant;

/// Frames whose times are summed in one line.
const GROUP: usize = 30;

/// Frames with contact off that are summed, at least.
const PLAIN: usize = 8;

fn load(name: &str, mode: ContactMode) -> Result<SceneRun, SceneError> {
    let (mut desc, directory) = read_desc(name)?;
    desc.contact.mode = Some(mode);
    let size = number("--size", 0);
    for object in desc.objects.iter_mut().filter(|_| size > 0) {
        if let ShapeDesc::Grid { rows, columns, .. } = &mut object.shape {
            (*rows, *columns) = (size, size);
        }
    }
    let scene = Scene::from_desc(name, desc, directory.as_deref(), &ModelPaths::from_env([]))?;
    let mut registry = Registry::standard();
    registry.verify_contact = std::env::args().any(|arg| arg == "--verify");
    let mut run = SceneRun::new(scene, &registry)?;
    run.prepare()?;
    Ok(run)
}

fn number(flag: &str, default: usize) -> usize {
    let mut arguments = std::env::args().skip_while(|arg| arg != flag);
    arguments.nth(1).and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Processor time of this thread, s, where the system tells it and one thread does all the work; else wall time. On a busy
/// machine only the first says what a frame costs.
fn seconds() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let used = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let used = used.filter(|_| rayon::current_num_threads() == 1);
    let used = used.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    used.map_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64(), |ns| 1e-9 * ns)
}

/// A frame with contact off from the state of a run, ms. The clock of a thread may be as coarse as 4 ms, so many are summed;
/// of wall times the least of some such sums counts.
fn plain_frame(plain: &mut SceneRun, guarded: &SceneRun) -> Result<f64, SceneError> {
    // Meshes that move are vertices of the one model only, after all others.
    let n = plain.sim.state.vertices().min(guarded.sim.state.vertices());
    let frames = (200_000 / n).clamp(PLAIN, 400);
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        plain.sim.state.x[..n].copy_from_slice(&guarded.sim.state.x[..n]);
        plain.sim.state.v[..n].copy_from_slice(&guarded.sim.state.v[..n]);
        let started = seconds();
        for _ in 0..frames {
            plain.advance()?;
        }
        best = best.min((seconds() - started) / frames as f64);
    }
    Ok(1e3 * best)
}

fn run(name: &str) -> Result<(), SceneError> {
    let (mut guarded, mut plain) = (load(name, ContactMode::Guard)?, load(name, ContactMode::Off)?);
    let frames = number("--frames", 600);
    println!("{name}: {} vertices", guarded.sim.model.vertices());
    println!(
        "{:>11}  {:>7} {:>7} {:>6} | {:>6} {:>6} {:>6} {:>6} {:>6} | {:>5} {:>5} {:>5} {:>6} {:>7} {:>8} {:>9}",
        "frames",
        "ms",
        "plain",
        "ratio",
        "local",
        "global",
        "rows",
        "lists",
        "other",
        "iter",
        "solve",
        "built",
        "rounds",
        "rows",
        "min gap",
        "kinetic"
    );
    let mut done = 0;
    while done < frames {
        let (mut total, mut elapsed, mut sum) = (0.0, 0.0, StepReport::default());
        let (mut fastest, mut solves, mut lists, mut built, mut rounds) = (f64::INFINITY, 0, 0.0, 0, 0);
        let count = GROUP.min(frames - done);
        for _ in 0..count {
            let (started, wall) = (seconds(), Instant::now());
            let report = guarded.advance()?;
            let time = 1e3 * (seconds() - started);
            elapsed += 1e3 * wall.elapsed().as_secs_f64();
            total += time;
            fastest = fastest.min(time);
            if let Some(contact) = report.contact {
                solves += contact.solves;
                lists += 1e3 * contact.listing.as_secs_f64();
                built += contact.rebuilds;
                rounds += contact.rounds;
            }
            sum = sum.followed_by(&report);
        }
        let plain_ms = plain_frame(&mut plain, &guarded)?;
        let each = |value: f64| value / count as f64;
        // Stages are in wall time; they are shown as parts of the processor time.
        lists *= total / elapsed;
        let ms = |time: std::time::Duration| each(1e3 * time.as_secs_f64() * total / elapsed);
        let (local, global, collide) = (ms(sum.stages.local), ms(sum.stages.global), ms(sum.stages.collide));
        let contact = sum.contact.unwrap_or_default();
        let kinetic: f64 = guarded
            .sim
            .state
            .v
            .iter()
            .zip(guarded.sim.model.masses())
            .map(|(v, m)| 0.5 * m * v.norm_squared())
            .sum();
        println!(
            "{:>4} - {:>4}  {:7.1} {plain_ms:7.1} {:6.2} | {local:6.1} {global:6.1} {:6.1} {:6.1} {:6.1} | {:5.1} {:5.1} {built:>5} {:6.2} {:7} {:8.1e} {kinetic:9.1e}  (fastest {fastest:.1})",
            done + 1,
            done + count,
            each(total),
            each(total) / plain_ms,
            collide - each(lists),
            each(lists),
            each(total) - local - global - collide,
            each(sum.iterations as f64),
            each(solves as f64),
            each(rounds as f64),
            contact.rows,
            contact.min_gap,
        );
        done += count;
    }
    Ok(())
}

fn main() {
    let name = std::env::args().nth(1).filter(|arg| !arg.starts_with('-')).unwrap_or("fold-140".to_owned());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(number("--threads", 1)).build();
    let result = match pool {
        Ok(pool) => pool.install(|| run(&name)),
        Err(error) => return eprintln!("error: {error}"),
    };
    if let Err(error) = result {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}
