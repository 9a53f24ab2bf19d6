//! Milliseconds per frame of the seven scenes, beside the frame rates of the report.
//!
//! `cargo run --release -p pd-particles --example measure [scene|all] [frames] [substeps] [body sweeps]`
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program that prints")]

use pd_core::{Stepper, Vec3};
use pd_particles::{SubstepSettings, UnifiedSubstep, scenes};
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let frames: usize = args.get(1).map_or(300, |n| n.parse().unwrap());
    let only = args.first().filter(|name| *name != "all");
    println!(
        "scene                  particles   ms/frame (median)  worst  search  published ms   top m   speed m/s"
    );
    for name in scenes::NAMES.iter().filter(|name| only.is_none_or(|only| only == *name)) {
        let scene = scenes::by_name(name).unwrap().unwrap();
        let mut settings = SubstepSettings::default();
        let number = |k: usize, default: usize| args.get(k).map_or(default, |n| n.parse().unwrap());
        settings.substeps = number(2, settings.substeps);
        settings.body_sweeps = number(3, settings.body_sweeps);
        let mut stepper = UnifiedSubstep::new(scene.particles.clone(), settings);
        stepper.prepare(scene.context()).unwrap();
        let (mut state, mut times, mut search) = (scene.state(), vec![], 0.0);
        for frame in 0..frames {
            let start = Instant::now();
            let report = stepper.step(scene.context(), &mut state).unwrap();
            times.push(start.elapsed().as_secs_f64() * 1e3);
            search += report.stages.collide.as_secs_f64() * 1e3;
            if only.is_some() && (frame + 1) % 50 == 0 {
                let top = state.x.iter().map(|p| p.y).fold(f64::MIN, f64::max);
                let speed = state.v.iter().map(Vec3::norm).fold(0.0, f64::max);
                println!(
                    "  frame {:4}: top {top:.4} fastest {speed:.5} rows {} ms {:.2}",
                    frame + 1,
                    report.collisions,
                    times[frame]
                );
            }
        }
        times.sort_by(f64::total_cmp);
        let top = state.x.iter().map(|p| p.y).fold(f64::MIN, f64::max);
        let speed = state.v.iter().map(Vec3::norm).fold(0.0, f64::max);
        println!(
            "{name:22} {:9}   {:8.3}         {:8.3} {:7.3} {:9.2}      {top:8.4}  {speed:9.5}",
            state.x.len(),
            times[frames / 2],
            times[frames - 1],
            search / frames as f64,
            1e3 / scene.published_fps,
        );
    }
}
