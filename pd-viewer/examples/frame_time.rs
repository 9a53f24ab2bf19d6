//! Does the window slow the simulation down? Time of a frame of a scene, stepped in a plain loop as `pd run` does, and by the
//! window's simulation thread while another thread takes every frame and computes normals from it as the window does.
//!
//! `cargo run --release -p pd-viewer --example frame_time [SCENE [ROUNDS]]`

#![allow(clippy::print_stdout, reason = "it prints its figures")]

use pd_sim::scene::{Scene, SceneRun, read_desc};
use pd_sim::{ModelPaths, Registry, SceneError};
use pd_viewer::app::worker::{Command, Event, Request, Worker};
use pd_viewer::draw::Drawing;
use std::time::{Duration, Instant};

/// Frames of a block; blocks of both kinds alternate, so that both meet the same noise.
const FRAMES: u64 = 40;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "cloth-140".into());
    let rounds: usize = arguments.next().map_or(Ok(6), |text| text.parse())?;
    let mut plain = plain(&name)?;
    let window = Windowed::start(&name)?;
    // As `pd run` has it: one pool, into which a whole run goes.
    let pool = rayon::ThreadPoolBuilder::new().build()?;
    pool.install(|| plain.advance())?;
    window.block(1);
    let (mut a, mut b) = (vec![], vec![]);
    for _ in 0..rounds {
        let started = Instant::now();
        pool.install(|| (0..FRAMES).try_for_each(|_| plain.advance().map(|_| ())))?;
        a.push(started.elapsed().as_secs_f64() * 1e3 / FRAMES as f64);
        b.push(window.block(FRAMES).as_secs_f64() * 1e3 / FRAMES as f64);
    }
    a.sort_by(f64::total_cmp);
    b.sort_by(f64::total_cmp);
    let (a, b) = (a[a.len() / 2], b[b.len() / 2]);
    println!("{name}: {a:.3} ms a frame in a loop, {b:.3} ms in the window's thread, ratio {:.3}", b / a);
    Ok(())
}

fn plain(name: &str) -> Result<SceneRun, SceneError> {
    let mut run = SceneRun::new(Scene::load(name, &ModelPaths::from_env([]))?, &Registry::standard())?;
    run.prepare()?;
    Ok(run)
}

/// The window's simulation with a reader.
struct Windowed {
    worker: Worker,
}

impl Windowed {
    fn start(name: &str) -> Result<Self, Box<dyn std::error::Error>> {
        let worker = Worker::start(ModelPaths::from_env([]), || {})?;
        worker.send(Command::RealTime(false));
        let (desc, directory) = read_desc(name)?;
        let request = Request {
            number: 1,
            name: name.to_owned(),
            desc,
            directory,
            fresh: true,
            place: Default::default(),
        };
        worker.send(Command::Describe(Box::new(request)));
        let loaded = loop {
            match worker.message().map(|message| message.event) {
                Some(Event::Ready(loaded)) => break loaded,
                Some(Event::Refused(problem)) => return Err(problem.details.into()),
                _ => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        let frames = worker.frames();
        std::thread::spawn(move || {
            let mut drawing = Drawing::new(loaded.topology.clone());
            let mut seen = 0;
            // Sixty pictures a second, as a screen shows them.
            loop {
                let frame = frames.latest();
                if frame.serial != seen {
                    seen = frame.serial;
                    drawing.set_positions(&frame.x);
                }
                std::thread::sleep(Duration::from_millis(16));
            }
        });
        Ok(Self { worker })
    }

    /// Time of so many frames.
    fn block(&self, frames: u64) -> Duration {
        let goal = self.worker.frame().frame + frames;
        let started = Instant::now();
        self.worker.send(Command::Step(frames));
        while self.worker.frame().frame < goal {
            std::thread::sleep(Duration::from_micros(200));
        }
        started.elapsed()
    }
}
