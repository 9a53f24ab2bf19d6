//! What contact costs: frames of a folding sheet with contact, moving and at rest, over frames of the same state with
//! contact off (10 plain iterations), in one run; and where the time goes.
//!
//! `cargo run --release -p benches --bin contact_report -- [SCENE] [--frames N] [--size N] [--threads N] [--verify]`,
//! `--size` being the cells along a side of sheets. `--plot FILE` measures the first frames at sizes from 20² to 500² instead,
//! prints a table and draws it.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a report program")]

use pd_core::StepReport;
use pd_sim::scene::desc::{ContactMode, ShapeDesc};
use pd_sim::scene::{Scene, SceneRun, read_desc};
use pd_sim::{ModelPaths, Registry, SceneError};
use pd_tables::plot::{Line, Plot};
use std::sync::OnceLock;
use std::time::Instant;

/// Frames whose times are summed in one line.
const GROUP: usize = 30;

/// Frames with contact off that are summed, at least.
const PLAIN: usize = 8;

/// Cells along a side of the sheets of a plot, and the frames that are measured.
const SIZES: [usize; 8] = [20, 40, 60, 80, 140, 200, 300, 500];
const PLOTTED: usize = 6;

fn load(name: &str, mode: ContactMode, size: usize) -> Result<SceneRun, SceneError> {
    let (mut desc, directory) = read_desc(name)?;
    desc.contact.mode = Some(mode);
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
    for _ in 0..if n > 50_000 { 1 } else { 3 } {
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
    let size = number("--size", 0);
    let (mut guarded, mut plain) =
        (load(name, ContactMode::Guard, size)?, load(name, ContactMode::Off, size)?);
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

/// Cost of the first frames over the number of vertices.
fn plot(name: &str, file: &str) -> Result<(), SceneError> {
    println!("| cells | vertices | plain, ms | with contact, ms | ratio |\n|---:|---:|---:|---:|---:|");
    let [mut with, mut without] =
        ["with contact", "contact off"].map(|name| Line { name: name.to_owned(), points: vec![] });
    for size in SIZES {
        let (mut guarded, mut plain) =
            (load(name, ContactMode::Guard, size)?, load(name, ContactMode::Off, size)?);
        let started = seconds();
        for _ in 0..PLOTTED {
            guarded.advance()?;
        }
        let ms = 1e3 * (seconds() - started) / PLOTTED as f64;
        let plain_ms = plain_frame(&mut plain, &guarded)?;
        let n = guarded.sim.model.vertices();
        println!("| {size}² | {n} | {plain_ms:.1} | {ms:.1} | {:.1} |", ms / plain_ms);
        with.points.push((n as f64, ms));
        without.points.push((n as f64, plain_ms));
    }
    let plot = Plot {
        title: format!("{name}: a frame with contact and without"),
        x: "vertices".to_owned(),
        y: "ms per frame".to_owned(),
        lines: vec![with, without],
    };
    if let Err(error) = std::fs::write(file, plot.svg()) {
        eprintln!("error: {file}: {error}");
    }
    Ok(())
}

fn main() {
    let file = std::env::args().skip_while(|arg| arg != "--plot").nth(1);
    let name = std::env::args().nth(1).filter(|arg| !arg.starts_with('-')).unwrap_or("fold-140".to_owned());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(number("--threads", 1)).build();
    let result = match pool {
        Ok(pool) => pool.install(|| file.map_or_else(|| run(&name), |file| plot(&name, &file))),
        Err(error) => return eprintln!("error: {error}"),
    };
    if let Err(error) = result {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}
