//! Does the window slow the simulation down? Time of a frame of a scene, stepped in a plain loop as `pd run` does, and by the
//! window's simulation thread while another thread shows every frame it can. Short blocks of both kinds alternate in one
//! process, with as many threads for both; the ratio is the median over neighbours, which the machine treats alike. It fails
//! if that is more than [`BOUND`].
//!
//! ```text
//! cargo run --release -p pd-viewer --example frame_time
//! cargo run --release -p pd-viewer --example frame_time -- --shown normals,pictures,window --write docs/viewer.md
//! ```
//!
//! `normals` reads every frame and computes its normals, which is the window's work on the CPU where a graphics processor
//! draws; `pictures` draws it off-screen as well; `window` opens the real window and needs a display. The software driver
//! takes whatever cores it finds, that of the simulation too; with `LP_NUM_THREADS=0` it has no threads of its own and draws
//! on the one that asks.

#![allow(clippy::print_stdout, reason = "it prints its figures")]

use clap::Parser;
use pd_sim::scene::{Scene, SceneRun, read_desc};
use pd_sim::{ModelPaths, Registry};
use pd_tables::Machine;
use pd_viewer::app::worker::{Command, Event, Frames, Loaded, Request, Worker};
use pd_viewer::app::{App, Settings};
use pd_viewer::draw::{Camera, Drawing, Options};
use pd_viewer::render::{Driver, Offscreen};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// Frames of a block: enough for several pictures. Every tenth measures energies, as the window has it by default.
const FRAMES: u64 = 40;

/// Most that a frame in the window may take, as a multiple of a frame in the loop.
const BOUND: f64 = 1.15;

/// Size of pictures drawn off-screen, pixels: the view of a window of 1280 × 720.
const PICTURE: [u32; 2] = [700, 640];

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Clone, Parser)]
struct Arguments {
    /// Scene.
    #[arg(default_value = "cloth-140")]
    scene: String,
    /// Blocks of each kind.
    #[arg(long, default_value_t = 21)]
    rounds: usize,
    /// Threads of the solver, of the loop and of the window alike.
    #[arg(long, value_delimiter = ',', default_value = "1")]
    threads: Vec<usize>,
    /// What is made of frames on the other thread.
    #[arg(long, value_delimiter = ',', value_enum, default_value = "normals")]
    shown: Vec<Shown>,
    /// File whose block `<!-- measured: frame time -->` gets the figures.
    #[arg(long)]
    write: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Shown {
    Normals,
    Pictures,
    Window,
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    let mut rows = vec![];
    for &shown in &arguments.shown {
        rows.extend(match shown {
            Shown::Window => in_the_window(&arguments)?,
            _ => without_a_window(&arguments, shown == Shown::Pictures)?,
        });
    }
    let mut text = String::from(
        "| shown by | threads | loop, ms: median (least) | window, ms: median (least) | median of their ratios | pictures a second |\n\
         |---|---:|---:|---:|---:|---:|\n",
    );
    rows.iter().for_each(|row| text += &row.line());
    println!("{text}");
    if let Some(path) = &arguments.write {
        write(path, &text, &arguments.scene)?;
    }
    match rows.iter().find(|row| row.ratio() > BOUND) {
        Some(row) => Err(format!("a frame takes {:.3} times as long in the window", row.ratio()).into()),
        None => Ok(()),
    }
}

/// Times of one frame, ms, one of each block.
struct Row {
    shown: String,
    threads: usize,
    plain: Vec<f64>,
    window: Vec<f64>,
    pictures: f64,
}

fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

impl Row {
    fn ratio(&self) -> f64 {
        let ratios: Vec<f64> =
            self.window.iter().zip(&self.plain).map(|(window, plain)| window / plain).collect();
        median(&ratios)
    }

    fn line(&self) -> String {
        let pair = |times: &[f64]| {
            format!("{:.2} ({:.2})", median(times), times.iter().copied().fold(f64::INFINITY, f64::min))
        };
        format!(
            "| {} | {} | {} | {} | {:.3} | {:.0} |\n",
            self.shown,
            self.threads,
            pair(&self.plain),
            pair(&self.window),
            self.ratio(),
            self.pictures
        )
    }
}

/// The simulation of a window, seen from another thread.
struct Simulated {
    commands: Sender<Command>,
    frames: Frames,
    /// Pictures so far.
    pictures: Arc<AtomicU64>,
    shown: String,
}

impl Simulated {
    /// Both kinds of blocks in turn, for every number of threads.
    fn compare(&self, arguments: &Arguments) -> Result<Vec<Row>, Failure> {
        let scene = Scene::load(&arguments.scene, &ModelPaths::from_env([]))?;
        let mut plain = SceneRun::new(scene, &Registry::standard())?;
        plain.prepare()?;
        let mut rows = vec![];
        for &threads in &arguments.threads {
            // As `pd run` has it: one pool, into which a whole run goes.
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
            let _ = self.commands.send(Command::Threads(threads));
            self.block(1);
            let (mut a, mut b, mut pictures, mut time) = (vec![], vec![], 0, 0.0);
            for _ in 0..arguments.rounds {
                pool.install(|| plain.advance())?;
                let started = Instant::now();
                pool.install(|| (0..FRAMES).try_for_each(|_| plain.advance().map(|_| ())))?;
                a.push(started.elapsed().as_secs_f64() * 1e3 / FRAMES as f64);
                let (block, shown) = self.block(FRAMES);
                b.push(block * 1e3 / FRAMES as f64);
                (pictures, time) = (pictures + shown, time + block);
            }
            let (shown, pictures) = (self.shown.clone(), pictures as f64 / time);
            rows.push(Row { shown, threads, plain: a, window: b, pictures });
        }
        Ok(rows)
    }

    /// Time of so many frames after a first one that is not timed, s, and pictures meanwhile. Afterwards the last one has been
    /// shown and nothing is running.
    fn block(&self, frames: u64) -> (f64, u64) {
        let first = self.frames.latest().frame + 1;
        let _ = self.commands.send(Command::Step(1 + frames));
        self.wait_for(first);
        let pictures = || self.pictures.load(Ordering::Relaxed);
        let (started, before) = (Instant::now(), pictures());
        self.wait_for(first + frames);
        let (time, mut shown) = (started.elapsed().as_secs_f64(), pictures());
        let meanwhile = shown - before;
        loop {
            std::thread::sleep(Duration::from_millis(300));
            match pictures() {
                same if same == shown => return (time, meanwhile),
                more => shown = more,
            }
        }
    }

    /// Looks for a frame every millisecond. Not more often: where all cores are busy, whoever wakes up takes one from somebody,
    /// and a look every tenth of a millisecond made frames in the window a fifth slower.
    fn wait_for(&self, frame: u64) {
        while self.frames.latest().frame < frame {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// The window's simulation with a reader in place of the window.
fn without_a_window(arguments: &Arguments, draw: bool) -> Result<Vec<Row>, Failure> {
    let worker = Worker::start(ModelPaths::from_env([]), || {})?;
    // As often as the window measures energies.
    worker.send(Command::Measure(Settings::default().measure_every));
    let (desc, directory) = read_desc(&arguments.scene)?;
    let (name, device_choice) = (arguments.scene.clone(), Default::default());
    let request = Request { number: 1, name, desc, directory, fresh: true, device_choice };
    worker.send(Command::Describe(Box::new(request)));
    let loaded = loop {
        match worker.message().map(|message| message.event) {
            Some(Event::Ready(loaded)) => break loaded,
            Some(Event::Refused(problem)) => return Err(problem.details.into()),
            _ => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let mut offscreen = if draw { Some(Offscreen::new(Driver::default(), 1)?) } else { None };
    let shown = offscreen.as_ref().map_or("nothing: normals alone".into(), |o| o.gpu().describe());
    let (frames, pictures) = (worker.frames(), Arc::new(AtomicU64::new(0)));
    let simulated =
        Simulated { commands: worker.commands(), frames: frames.clone(), pictures: pictures.clone(), shown };
    let end = Arc::new(AtomicBool::new(false));
    let until = end.clone();
    let screen = std::thread::spawn(move || show(&frames, &loaded, offscreen.as_mut(), &pictures, &until));
    let rows = simulated.compare(arguments);
    end.store(true, Ordering::Relaxed);
    let _ = screen.join();
    rows
}

/// Shows frames, at most sixty a second as a screen does, until the end.
fn show(
    frames: &Frames,
    loaded: &Loaded,
    mut offscreen: Option<&mut Offscreen>,
    pictures: &AtomicU64,
    end: &AtomicBool,
) {
    let mut drawing = Drawing::new(loaded.topology.clone());
    drawing.set_positions(&loaded.rest);
    drawing.set_obstacles(&loaded.desc.colliders, 0.0);
    let aspect = f64::from(PICTURE[0]) / f64::from(PICTURE[1]);
    let camera = Camera::framing(&drawing.bounds(), 35.0, 20.0, aspect);
    let mut seen = 0;
    while !end.load(Ordering::Relaxed) {
        let started = Instant::now();
        let frame = frames.latest();
        if frame.serial != seen {
            seen = frame.serial;
            drawing.set_positions(&frame.x);
            if let Some(offscreen) = &mut offscreen
                && offscreen.draw(&drawing, &Options::default(), &camera, PICTURE, None).is_err()
            {
                return;
            }
            pictures.fetch_add(1, Ordering::Relaxed);
        }
        std::thread::sleep(Duration::from_millis(16).saturating_sub(started.elapsed()));
    }
}

/// The window, counted.
struct Counted {
    app: App,
    pictures: Arc<AtomicU64>,
}

impl eframe::App for Counted {
    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        self.pictures.fetch_add(1, Ordering::Relaxed);
        eframe::App::ui(&mut self.app, ui, frame);
    }

    fn persist_egui_memory(&self) -> bool {
        false
    }
}

/// The whole window, with a thread beside it that steps both.
fn in_the_window(arguments: &Arguments) -> Result<Vec<Row>, Failure> {
    let (answer, rows) = std::sync::mpsc::channel();
    let arguments = arguments.clone();
    let create = move |creation: &eframe::CreationContext<'_>| {
        let app = App::new(creation, Some(&arguments.scene), ModelPaths::from_env([]))?;
        let (frames, pictures) = (app.worker.frames(), Arc::new(AtomicU64::new(0)));
        let info = creation.wgpu_render_state.as_ref().map(|state| state.adapter.get_info());
        let shown = info.map_or("window".into(), |info| format!("window, {}", info.name));
        let simulated =
            Simulated { commands: app.worker.commands(), frames, pictures: pictures.clone(), shown };
        let context = creation.egui_ctx.clone();
        std::thread::spawn(move || {
            while simulated.frames.latest().x.is_empty() {
                std::thread::sleep(Duration::from_millis(20));
            }
            // The first pictures make pipelines and fonts.
            std::thread::sleep(Duration::from_secs(2));
            let _ = answer.send(simulated.compare(&arguments));
            context.send_viewport_cmd(egui::ViewportCommand::Close);
            context.request_repaint();
        });
        Ok(Box::new(Counted { app, pictures }) as Box<dyn eframe::App>)
    };
    let viewport = egui::ViewportBuilder::default().with_inner_size([1280.0, 720.0]);
    let options = eframe::NativeOptions { viewport, ..Default::default() };
    eframe::run_native("pd-viewer frame time", options, Box::new(create)).map_err(|e| e.to_string())?;
    rows.recv().map_err(|_| "the window was closed before the end")?
}

/// Puts the figures into their block.
fn write(path: &Path, table: &str, scene: &str) -> Result<(), Failure> {
    let (begin, end) = ("<!-- measured: frame time -->\n", "<!-- /measured -->");
    let text = std::fs::read_to_string(path)?;
    let whole = text.split_once(begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
    let (before, after) = whole.ok_or_else(|| format!("{} has no block {begin}", path.display()))?;
    let line = Machine::here().line();
    let stamp = format!("Scene {scene}, measured by the example `frame_time` of pd-viewer: {line}.\n");
    std::fs::write(path, format!("{before}{begin}{table}\n{stamp}{end}{after}"))?;
    Ok(())
}
