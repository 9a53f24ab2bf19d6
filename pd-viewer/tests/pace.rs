//! The window does not slow the simulation down: from one frame of the large cloth to the next takes as long, with the window
//! being drawn over and over beside it, as the step alone takes with nobody looking, which is what `pd run` does. One thread
//! steps and the other core is the window's.
//!
//! All frames are of one simulation and have the same work; two simulations of one process, each with memory of its own, were
//! once seen to differ by a quarter throughout. The least times count, since whatever else the machine does only adds to
//! them. It is a program of its own because tests of one program run side by side. A release build, with pictures drawn and
//! against a loop of its own, is measured by the example `frame_time`.

#![allow(clippy::unwrap_used, reason = "a test")]

use egui_kittest::Harness;
use pd_sim::ModelPaths;
use pd_sim::scene::{Scene, SceneRun};
use pd_viewer::app::worker::Frames;
use pd_viewer::app::{App, Command, Settings};
use std::time::{Duration, Instant};

const SCENE: &str = "cloth-140";

/// Most that a frame may take beside the window, as a multiple of the step alone.
const BOUND: f64 = 1.15;

/// Frames of a block; in some of them energies are measured, as the window has it by default.
const FRAMES: u64 = 12;

/// Blocks after which the machine is not to blame.
const MOST: usize = 40;

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
    block(&mut window, false); // the first frames prepare and warm up
    let (mut alone, mut beside, mut passes) = (Duration::MAX, Duration::MAX, 0);
    for _ in 0..MOST {
        let (times, _) = block(&mut window, false);
        alone = alone.min(times.step);
        let (times, drawn) = block(&mut window, true);
        (beside, passes) = (beside.min(times.frame), passes + drawn);
        if beside.as_secs_f64() < BOUND * alone.as_secs_f64() {
            break;
        }
    }
    assert!(passes > 3, "the window goes on meanwhile: {passes} passes");
    let ratio = beside.as_secs_f64() / alone.as_secs_f64();
    assert!(ratio < BOUND, "{beside:?} beside the window, {alone:?} alone: {ratio:.3}");

    let frame = window.state().worker.frames().latest();
    let scene = Scene::load(SCENE, &ModelPaths::default()).unwrap();
    let mut plain = SceneRun::new(scene, &pd_sim::Registry::standard()).unwrap();
    while plain.frame() < frame.frame {
        plain.advance().unwrap();
    }
    assert!(frame.x == plain.sim.state.x, "the window's simulation is that of a plain loop");
}

/// Least times of a block.
struct Times {
    /// Of the step alone, as the simulation's thread has it.
    step: Duration,
    /// From one frame to the next.
    frame: Duration,
}

/// Steps a block of frames and draws the window meanwhile, or does not; returns how often it was drawn too.
fn block(window: &mut Harness<'_, App>, draw: bool) -> (Times, usize) {
    let frames = window.state().worker.frames();
    let before = frames.latest().computed;
    window.state().worker.send(Command::Step(FRAMES));
    let watch = std::thread::spawn(move || watch(&frames, before));
    let mut passes = 0;
    while draw && !watch.is_finished() {
        window.step();
        passes += 1;
    }
    (watch.join().unwrap(), passes)
}

/// Looks for frames until a block has ended; so many were computed before it.
fn watch(frames: &Frames, before: u64) -> Times {
    let mut times = Times { step: Duration::MAX, frame: Duration::MAX };
    let (mut computed, mut last, started) = (before, None, Instant::now());
    while computed < before + FRAMES {
        assert!(started.elapsed() < LIMIT, "{computed} frames after {before}");
        std::thread::sleep(Duration::from_micros(100));
        let frame = frames.latest();
        if frame.computed > computed {
            let now = Instant::now();
            times.step = times.step.min(frame.wall);
            if let Some(last) = last.replace(now).filter(|_| frame.computed == computed + 1) {
                times.frame = times.frame.min(now - last);
            }
            computed = frame.computed;
        }
    }
    times
}
