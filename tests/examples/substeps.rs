//! What a guarded scene's motion loses in steps of a frame, and what fewer iterations in shorter steps cost: each against 8 steps a frame
//! of 100 iterations each.
//!
//! `cargo run --release -p tests --example substeps -- SCENE [FRAMES] [KEY=VALUE …]`. Printed are the distance from the reference as a
//! part of the motion, root mean square over vertices and frames; the same at some frames, with the kinetic energy; processor time.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a report program that stops where something is wrong"
)]

use pd_core::{Real, Vec3};
use pd_sim::scene::{Scene, SceneRun, read_desc, set_key};
use pd_sim::{ModelPaths, Registry};

/// Substeps and iterations; none is the scene's own. The last tells whether the iterations of the reference are at their end.
const CHOICES: [Option<[usize; 2]>; 9] = [
    None,
    Some([1, 10]),
    Some([1, 100]),
    Some([2, 10]),
    Some([4, 3]),
    Some([4, 5]),
    Some([4, 10]),
    Some([8, 5]),
    Some([8, 60]),
];

/// Frames between those that are printed.
const PRINTED: usize = 10;

struct Film {
    start: Vec<Vec3>,
    frames: Vec<Vec<Vec3>>,
    /// J.
    kinetic: Vec<Real>,
    /// Processor time of a frame, ms, mean and largest, without the first.
    times: [Real; 2],
    missing: Real,
    steps: [usize; 2],
}

/// Processor time of this thread, ms.
fn clock() -> Real {
    let used = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    1e-6 * used.split(' ').next().and_then(|text| text.parse::<Real>().ok()).unwrap_or(0.0)
}

fn film(name: &str, keys: &[String], choice: Option<[usize; 2]>, frames: usize) -> Film {
    let (mut desc, directory) = read_desc(name).unwrap();
    for (key, value) in keys.iter().filter_map(|key| key.split_once('=')) {
        desc = set_key(name, &desc, key, value).unwrap();
    }
    if let Some([substeps, iterations]) = choice {
        desc = set_key(name, &desc, "step.substeps", &substeps.to_string()).unwrap();
        desc = set_key(name, &desc, "step.iterations", &iterations.to_string()).unwrap();
        desc.contact.iterations = None;
    }
    let scene = Scene::from_desc(name, desc, directory.as_deref(), &ModelPaths::from_env([])).unwrap();
    let steps = [scene.steps_per_frame(), scene.params().iterations];
    let stepper = Registry::standard().for_scene(&scene).unwrap();
    let mut run = SceneRun::with_stepper(scene, stepper).unwrap();
    run.prepare().unwrap();
    let free: Vec<usize> = (0..run.sim.state.x.len()).filter(|&i| !run.sim.model.is_kinematic(i)).collect();
    let pick = |x: &[Vec3]| free.iter().map(|&i| x[i]).collect::<Vec<_>>();
    let mut film = Film {
        start: pick(&run.sim.state.x),
        frames: vec![],
        kinetic: vec![],
        times: [0.0; 2],
        missing: 0.0,
        steps,
    };
    for frame in 0..frames {
        let started = clock();
        let report = run.advance().unwrap();
        let time = clock() - started;
        if frame > 0 {
            film.times = [film.times[0] + time / (frames - 1) as Real, film.times[1].max(time)];
        }
        film.missing = film.missing.max(report.missing.unwrap_or(0.0));
        film.frames.push(pick(&run.sim.state.x));
        let (v, masses) = (&run.sim.state.v, run.sim.model.masses());
        film.kinetic.push(free.iter().map(|&i| 0.5 * masses[i] * v[i].norm_squared()).sum());
    }
    film
}

/// Σ |a − b|².
fn squared(a: &[Vec3], b: &[Vec3]) -> Real {
    a.iter().zip(b).map(|(a, b)| (a - b).norm_squared()).sum()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().map_or("cloth", String::as_str);
    let frames = arguments.get(1).and_then(|text| text.parse().ok()).unwrap_or(60);
    let keys = arguments.get(2..).unwrap_or_default();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let reference = film(name, keys, Some([8, 100]), frames);
        println!("{name}: reference {:.1} ms a frame, at most {:.1}", reference.times[0], reference.times[1]);
        for choice in CHOICES {
            let film = film(name, keys, choice, frames);
            let (mut apart, mut moved, mut line) = (0.0, 0.0, String::new());
            for (k, (a, b)) in film.frames.iter().zip(&reference.frames).enumerate() {
                let (d, m) = (squared(a, b), squared(b, &film.start));
                (apart, moved) = (apart + d, moved + m);
                if k % PRINTED == PRINTED - 1 {
                    line += &format!(
                        "  {}: {:.1} %, {:.1} of {:.1} mJ",
                        k + 1,
                        100.0 * (d / m).sqrt(),
                        1e3 * film.kinetic[k],
                        1e3 * reference.kinetic[k]
                    );
                }
            }
            let (rms, usual) =
                (100.0 * Real::sqrt(apart / moved), if choice.is_none() { " (default)" } else { "" });
            println!(
                "{} × {}{usual}: {rms:.1} %, {:.1} ms a frame, at most {:.1}, missing {:.1} %\n {line}",
                film.steps[0],
                film.steps[1],
                film.times[0],
                film.times[1],
                100.0 * film.missing
            );
        }
    });
}
