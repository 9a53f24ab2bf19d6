//! The window does not slow the simulation down: a frame of the large cloth takes as long on the simulation's thread, whose
//! frames the window shows, as in a plain loop beside a window that shows nothing new. Both have one thread and leave the
//! other core to the window, so that what two busy cores take from each other (caches, memory, clock) is in both. Times are
//! the least of several blocks in turn, since whatever else the machine does only adds to them. It is a program of its own
//! because tests of one program run side by side. A release build against an otherwise idle machine, with pictures drawn,
//! is measured by the example `frame_time`.

#![allow(clippy::unwrap_used, reason = "a test")]

use egui_kittest::Harness;
use pd_sim::ModelPaths;
use pd_sim::scene::{Scene, SceneRun};
use pd_viewer::app::{App, Command, Settings};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const SCENE: &str = "cloth-140";

/// Most that a frame may take, as a multiple of one in the loop.
const BOUND: f64 = 1.15;

/// Frames of a block: one that measures energies is among them, as the window has it by default.
const FRAMES: u64 = 10;

/// Blocks after which the machine is not to blame.
const MOST: usize = 25;

/// Most time to wait for the scene.
const LIMIT: Duration = Duration::from_secs(120);

#[test]
fn the_simulation_keeps_its_speed_beside_the_window() {
    let builder = Harness::builder().with_size([1280.0, 720.0]).with_max_steps(4).wgpu();
    let mut window = builder.build_eframe(|creation| {
        let mut app = App::new(creation, Some(SCENE), ModelPaths::default()).unwrap();
        app.settings = Settings { real_time: false, ..Settings::default() };
        app.worker.send(Command::RealTime(false));
        app.worker.send(Command::Threads(1));
        app
    });
    let started = Instant::now();
    while !(window.state().loaded.is_some() && window.state().is_settled()) {
        window.step();
        assert!(started.elapsed() < LIMIT, "the scene is not ready: {:?}", window.state().problem);
    }
    let mut pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let scene = Scene::load(SCENE, &ModelPaths::default()).unwrap();
    let mut plain = SceneRun::new(scene, &pd_sim::Registry::standard()).unwrap();
    // The first frame of each prepares.
    pool.install(|| plain.advance()).unwrap();
    simulate(&mut window, 1);

    let (mut loops, mut windows, mut passes) = (Duration::MAX, Duration::MAX, 0);
    for _ in 0..MOST {
        let block = std::thread::spawn(move || {
            let started = Instant::now();
            pool.install(|| {
                for _ in 0..FRAMES {
                    plain.advance().unwrap();
                }
            });
            (started.elapsed(), pool, plain)
        });
        while_drawn(&mut window, &block);
        let time;
        (time, pool, plain) = block.join().unwrap();
        loops = loops.min(time);
        let (time, shown) = simulate(&mut window, FRAMES);
        (windows, passes) = (windows.min(time), passes + shown);
        if windows.as_secs_f64() < BOUND * loops.as_secs_f64() {
            break;
        }
    }
    assert!(passes > 3, "the window goes on meanwhile: {passes} passes");
    let frame = window.state().worker.frames().latest();
    assert_eq!(frame.frame, plain.frame());
    assert!(frame.x == plain.sim.state.x, "both compute the same");
    let ratio = windows.as_secs_f64() / loops.as_secs_f64();
    assert!(ratio < BOUND, "{windows:?} beside the window, {loops:?} in the loop: {ratio:.3}");
}

/// Time of so many frames on the simulation's thread, and the passes of the window meanwhile.
fn simulate(window: &mut Harness<'_, App>, count: u64) -> (Duration, usize) {
    let (frames, commands) = (window.state().worker.frames(), window.state().worker.commands());
    let goal = frames.latest().frame + count;
    let block = std::thread::spawn(move || {
        let started = Instant::now();
        commands.send(Command::Step(count)).unwrap();
        while frames.latest().frame < goal {
            std::thread::sleep(Duration::from_micros(100));
        }
        started.elapsed()
    });
    let passes = while_drawn(window, &block);
    (block.join().unwrap(), passes)
}

/// Draws the window over and over until a block ends; returns how often.
fn while_drawn<T>(window: &mut Harness<'_, App>, block: &JoinHandle<T>) -> usize {
    let mut passes = 0;
    while !block.is_finished() {
        window.step();
        passes += 1;
    }
    passes
}
