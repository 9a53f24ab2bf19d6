//! Whole frames: the plain configuration against the fast one, one thread against two.

use benches::clock::{cpu_seconds, wall_seconds};
use benches::frames::{fast, plain, relative_distance};
use std::fmt::Write;

use super::Error;

/// Frames of one thread, then of two, that follow each other.
const RUN: usize = 10;

pub(super) fn report(choice: &super::Choice) -> Result<String, Error> {
    let mut text = String::from(
        "\nTen iterations per frame. *Plain* is a scalar loop with nalgebra's decomposition, stored rows of D, \
         and faer in f64; *fast* is the shipped local step and `panels`. Their frames alternate, and the minimum \
         of each counts. Frames of one and of two threads alternate by tens, and the median of their \
         frame-by-frame ratios counts, since both runs do the same work in each frame. Goals: 12 times on the \
         armadillo class, positions after 60 frames within 1e-5 of the scene's size; two threads 1.6 times, \
         bitwise identical.\n\n| scene | vertices | tetrahedra | plain, ms | fast, ms | \
         ratio | of which local, global | distance after 60 frames | two threads | same bits |\n|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for scene in ["armadillo-free-twin", "dragon-twin"] {
        if choice.takes(scene, scene == "armadillo-free-twin") {
            text += &row(scene, if choice.quick { 3 } else { 60 })?;
        }
    }
    Ok(text)
}

fn row(name: &str, frames: usize) -> Result<String, Error> {
    let scene = name.to_owned();
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let (one, two) = (pool(1)?, pool(2)?);
    let (mut slow, mut quick) = one.install(|| Ok::<_, Error>((plain(&scene)?, fast(&scene)?)))?;
    let (mut pair, mut alone) = (fast(&scene)?, fast(&scene)?);
    let mut best = [f64::INFINITY; 2];
    let mut stages = [0.0; 2];
    for _ in 0..frames {
        let times = one.install(|| {
            let start = cpu_seconds();
            slow.advance()?;
            let middle = cpu_seconds();
            let report = quick.advance()?;
            let end = cpu_seconds();
            Ok::<_, Error>((middle - start, end - middle, report.stages))
        })?;
        if times.1 < best[1] {
            stages = [times.2.local.as_secs_f64() * 1e3, times.2.global.as_secs_f64() * 1e3];
        }
        best = [best[0].min(times.0), best[1].min(times.1)];
    }
    // A run steps frame after frame: a second thread that has slept through the other runs comes late to its first one.
    let (mut single, mut double) = (vec![], vec![]);
    for first in (0..frames).step_by(RUN) {
        let length = RUN.min(frames - first);
        for (pool, run, times) in [(&one, &mut alone, &mut single), (&two, &mut pair, &mut double)] {
            pool.install(|| {
                for _ in 0..length {
                    let start = wall_seconds();
                    run.advance()?;
                    times.push(wall_seconds() - start);
                }
                Ok::<_, Error>(())
            })?;
        }
    }
    let mut gains: Vec<f64> = single.iter().zip(&double).map(|(one, two)| one / two).collect();
    gains.sort_by(f64::total_cmp);
    let model = &quick.sim.model;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "| {name} | {} | {} | {:.1} | {:.1} | {:.1} | {:.1}, {:.1} | {:.1e} | {:.2} times | {} |",
        model.vertices(),
        model.constraints(),
        1e3 * best[0],
        1e3 * best[1],
        best[0] / best[1],
        stages[0],
        stages[1],
        relative_distance(&slow.sim.state, &quick.sim.state),
        gains[gains.len() / 2],
        if pair.sim.state.x == quick.sim.state.x { "yes" } else { "no" },
    );
    Ok(out)
}
