//! Times of the report's scenes: `cargo run --release -p pd-particles --example frame_times [SCENE…]`.
//!
//! Prints for every scene and solver the median and the mean time of a frame, with the neighbour search as part of it.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for the terminal")]

use pd_core::Stepper;
use pd_particles::scenes::{self, Scene};
use pd_particles::{SubstepSettings, Unified, UnifiedSettings, UnifiedSubstep};
use std::time::Instant;

fn measure(scene: &Scene, stepper: &mut dyn Stepper, frames: usize) -> [f64; 4] {
    stepper.prepare(scene.context()).unwrap();
    let mut state = scene.state();
    let (mut times, mut search) = (vec![], 0.0);
    for _ in 0..frames {
        let started = Instant::now();
        let report = stepper.step(scene.context(), &mut state).unwrap();
        times.push(started.elapsed().as_secs_f64() * 1e3);
        search += report.stages.collide.as_secs_f64() * 1e3;
    }
    let mean = times.iter().sum::<f64>() / frames as f64;
    times.sort_by(f64::total_cmp);
    [times[0], times[frames / 2], mean, search / frames as f64]
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let frames = std::env::var("FRAMES").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let threads = std::env::var("THREADS").ok().and_then(|n| n.parse().ok()).unwrap_or(2);
    let substeps = std::env::var("SUBSTEPS").ok().and_then(|n| n.parse().ok()).unwrap_or(8);
    println!("{frames} frames, {threads} threads, {substeps} substeps; ms: least, median, mean, search");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        for name in scenes::NAMES.iter().filter(|name| wanted.is_empty() || wanted.iter().any(|w| w == *name))
        {
            let scene = scenes::by_name(name).unwrap().unwrap();
            let settings = SubstepSettings { substeps, ..SubstepSettings::default() };
            let mut steppers: [Box<dyn Stepper>; 2] = [
                Box::new(UnifiedSubstep::new(scene.particles.clone(), settings)),
                Box::new(Unified::new(scene.particles.clone(), UnifiedSettings::default())),
            ];
            let both = if std::env::var("BOTH").is_ok() { 2 } else { 1 };
            for stepper in steppers.iter_mut().take(both) {
                let [least, median, mean, search] = measure(&scene, stepper.as_mut(), frames);
                println!("{name:22} {:16} {least:7.2} {median:7.2} {mean:7.2} {search:6.2}", stepper.name());
            }
        }
    });
}
