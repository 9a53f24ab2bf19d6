//! Scaling with size: prepare and frame of cloth from 10² to 1000² and of solids from 1k to 1M tetrahedra, with
//! fitted exponents. Writes `scaling.md` and two SVGs.
//!
//! `cargo run --release -p benches --bin scaling_report -- [DIR] [--quick] [--global NAME]`, DIR being `docs` by default.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a report program")]

use benches::clock::cpu_seconds;
use benches::families::{cloth, solid};
use pd_sim::scene::{Scene, SceneDesc, SceneRun};
use pd_sim::{ModelPaths, Registry, SceneError};
use pd_tables::plot::{Line, Plot};
use std::fmt::Write;
use std::time::Instant;

/// Wall time of all sizes of a family, s. A size whose set-up would not fit what is left is named and left out.
const BUDGET: f64 = 240.0;

/// A family of scenes that differ in size alone.
struct Family {
    name: &'static str,
    unit: &'static str,
    sizes: &'static [usize],
    make: fn(usize) -> Result<SceneDesc, SceneError>,
    /// What theory says of prepare (the factor of a nested dissection) and of a frame (its fill).
    theory: &'static str,
}

const FAMILIES: [Family; 2] = [
    Family {
        name: "cloth",
        unit: "vertices",
        sizes: &[10, 20, 50, 100, 200, 400, 700, 1000],
        make: cloth,
        theory: "nested dissection of a plane graph: factor n^1.5, fill n log n",
    },
    Family {
        name: "solid",
        unit: "tetrahedra",
        sizes: &[6, 10, 16, 22, 32, 42, 58],
        make: solid,
        theory: "nested dissection of a solid: factor n^2, fill n^1.33",
    },
];

struct Sample {
    count: f64,
    /// From nothing: order, symbolic and numeric factor.
    prepare_ms: f64,
    /// With the analysis of the pattern kept, as after a change of weights or time step.
    again_ms: f64,
    frame_ms: f64,
}

fn measure(family: &Family, size: usize, global: &str) -> Result<Sample, SceneError> {
    let mut desc = (family.make)(size)?;
    desc.solver.global = global.into();
    let make = || -> Result<SceneRun, SceneError> {
        let scene = Scene::from_desc(family.name, desc.clone(), None, &ModelPaths::default())?;
        SceneRun::new(scene, &Registry::standard())
    };
    let mut run = make()?;
    let count = if family.unit == "vertices" { run.scene.vertices() } else { run.scene.elements() } as f64;
    let [mut prepare_ms, mut again_ms, mut frame_ms] = [f64::INFINITY; 3];
    // Processor time of the thread: the pool has one thread, this one, and other processes do not count.
    let timed = |run: &mut SceneRun| -> Result<f64, SceneError> {
        let started = cpu_seconds();
        run.prepare()?;
        Ok((cpu_seconds() - started) * 1e3)
    };
    let begun = Instant::now();
    loop {
        prepare_ms = timed(&mut run)?.min(prepare_ms);
        again_ms = timed(&mut run)?.min(again_ms);
        if begun.elapsed().as_secs_f64() > 1.0 {
            break;
        }
        run = make()?; // a stepper that knows nothing yet
    }
    let begun = Instant::now();
    while frame_ms.is_infinite() || begun.elapsed().as_secs_f64() < 1.0 {
        let started = cpu_seconds();
        run.advance()?;
        frame_ms = frame_ms.min((cpu_seconds() - started) * 1e3);
    }
    Ok(Sample { count, prepare_ms, again_ms, frame_ms })
}

/// Slope of the least-squares line through (log x, log y), over the larger half of the sizes.
fn exponent(samples: &[Sample], y: impl Fn(&Sample) -> f64) -> f64 {
    let tail = &samples[samples.len() / 2..];
    let points: Vec<(f64, f64)> = tail.iter().map(|s| (s.count.ln(), y(s).ln())).collect();
    let n = points.len() as f64;
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let (sxy, sxx) =
        points.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + (x - mx) * (y - my), b + (x - mx) * (x - mx)));
    sxy / sxx
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick = arguments.iter().any(|a| a == "--quick");
    let global_at = arguments.iter().position(|a| a == "--global");
    let global = global_at.and_then(|at| arguments.get(at + 1)).map_or("panels", String::as_str);
    let directory = arguments
        .iter()
        .enumerate()
        .find(|(k, a)| !a.starts_with("--") && Some(*k) != global_at.map(|at| at + 1))
        .map_or("docs", |(_, a)| a);
    std::fs::create_dir_all(format!("{directory}/images"))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut text = format!(
        "# Scaling with size\n\nMade by `cargo run --release -p benches --bin scaling_report`. One thread, 10 iterations, global \
         solver `{global}`, minimum CPU time of repeated measurements. Exponents are fitted over the larger half of the sizes.\n\nThis run: {}.\n",
        pd_tables::Machine::here().line()
    );
    for family in FAMILIES {
        let sizes = if quick { &family.sizes[..family.sizes.len() - 3] } else { family.sizes };
        let mut samples: Vec<Sample> = vec![];
        let (begun, mut left_out) = (Instant::now(), vec![]);
        for &size in sizes {
            // The next set-up from the last one, by the square of the number of unknowns.
            let growth = samples.last().map_or(0.0, |last| {
                let count = if family.unit == "vertices" { size.pow(2) } else { 5 * size.pow(3) } as f64;
                1e-3 * last.prepare_ms * (count / last.count).powi(2)
            });
            if begun.elapsed().as_secs_f64() + growth > BUDGET {
                left_out.push(size.to_string());
                continue;
            }
            eprintln!("{} {size}", family.name);
            samples.push(pool.install(|| measure(&family, size, global))?);
        }
        let prepare = exponent(&samples, |s| s.prepare_ms);
        let again = exponent(&samples, |s| s.again_ms);
        let frame = exponent(&samples, |s| s.frame_ms);
        let _ = write!(
            text,
            "\n## {}\n\nTime to prepare grows as n^{prepare:.2}, with known sparsity pattern as n^{again:.2}, a frame as n^{frame:.2} \
             ({}).\n\n| {} | prepare ms | pattern known, ms | frame ms |\n|---|---|---|---|\n",
            family.name, family.theory, family.unit
        );
        for s in &samples {
            let _ = writeln!(
                text,
                "| {} | {:.2} | {:.2} | {:.3} |",
                s.count, s.prepare_ms, s.again_ms, s.frame_ms
            );
        }
        if !left_out.is_empty() {
            let _ =
                writeln!(text, "\nLeft out, as longer than {BUDGET} s in all: side {}.", left_out.join(", "));
        }
        let file = format!("scaling-{}.svg", family.name);
        let _ = writeln!(text, "\n![Cost of {} over size](images/{file})", family.name);
        let line = |name: String, y: fn(&Sample) -> f64| Line {
            name,
            points: samples.iter().map(|s| (s.count, y(s))).collect(),
        };
        let plot = Plot {
            title: format!("{}: cost over size", family.name),
            x: family.unit.into(),
            y: "ms".into(),
            lines: vec![
                line(format!("prepare, n^{prepare:.2}"), |s| s.prepare_ms),
                line(format!("frame, n^{frame:.2}"), |s| s.frame_ms),
            ],
        };
        std::fs::write(format!("{directory}/images/{file}"), plot.svg())?;
    }
    std::fs::write(format!("{directory}/scaling.md"), text)?;
    println!("{directory}/scaling.md");
    Ok(())
}
