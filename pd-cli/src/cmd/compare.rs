//! `pd compare`: error against a converged reference over wall time and over iterations.

use crate::failure::Failure;
use crate::print_line::{eprint_line, print_line};
use pd_mesh::io::write_atomically;
use pd_sim::ModelPaths;
use pd_sim::scene::read_desc;
use pd_tables::compare::course::{self, Course, Courses};
use pd_tables::compare::{self, Curve, Limits, Reference};
use pd_tables::plot::Plot;
use pd_tables::{Contender, Effort, Lab, SolverOptions};
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  pd compare cloth-100 --with pd/cholesky,pd/panels,pd-lbfgs/panels,fused-jacobi\n  pd compare bar \
    --with pd/pcg,pd/a-jacobi-2 --inner-tolerance 0.1 --out comparison\n  pd compare mixed --with newton/cholesky,vbd,xpbd+sub10 --run 60 \\\n    \
    --out race\n\n`pd doctor` lists steppers and solvers."
)]
pub(crate) struct Arguments {
    /// Name of a built-in scene or path of a .toml file.
    scene: String,
    /// Steppers with their global solvers, separated by commas.
    #[arg(
        long,
        value_name = "STEPPER/GLOBAL",
        value_delimiter = ',',
        default_value = "pd/cholesky,pd/panels,pd-anderson/panels,pd-lbfgs/panels,fused-jacobi"
    )]
    with: Vec<String>,
    /// The frame after this one is compared.
    #[arg(long, value_name = "N", default_value_t = 20)]
    frame: u64,
    /// Compare whole runs of this many frames instead: distance to the converged run, energy, momentum, stretch.
    #[arg(long, value_name = "FRAMES")]
    run: Option<usize>,
    /// Iterations per step of whole runs; default: those of the scene.
    #[arg(long, value_name = "N", requires = "run")]
    iterations: Option<usize>,
    /// Stepper and solver of the converged reference.
    #[arg(long, value_name = "STEPPER/GLOBAL", default_value = "newton/cholesky")]
    reference: String,
    /// Threads; default 1.
    #[arg(long, value_name = "T", default_value_t = 1)]
    threads: usize,
    /// Time limit per stepper and solver, s.
    #[arg(long, value_name = "S", default_value_t = 3.0)]
    seconds: f64,
    /// Error, relative to the motion of the frame, at which a curve ends.
    #[arg(long, value_name = "E", default_value_t = 1e-6)]
    error: f64,
    /// Relative residual at which iterative global solvers stop; default: that of the solver.
    #[arg(long, value_name = "R")]
    inner_tolerance: Option<f64>,
    /// Directory for compare.csv and two plots, each as SVG and PNG; default: CSV on stdout.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print exactly one JSON object on stdout.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, models: &ModelPaths) -> Result<(), Failure> {
    let threads = super::thread_count(Some(arguments.threads))?;
    for (name, value) in [("--seconds", arguments.seconds), ("--error", arguments.error)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(Failure::Input(format!("{name} must be positive and finite")));
        }
    }
    let (desc, directory) = read_desc(&arguments.scene)?;
    let mut options = desc.solver.options();
    options.tolerance = arguments.inner_tolerance.or(options.tolerance);
    let contenders = contenders(arguments, options)?;
    let progress = |words: &str| {
        if !arguments.json {
            eprint_line(words);
        }
    };
    let lab = Lab::new(models, Effort::FULL, threads, &progress)?;
    // A misspelt name is found before anything is simulated.
    for contender in &contenders {
        lab.registry.stepper_with(&contender.stepper, &contender.global, &contender.options)?;
    }
    if let Some(out) = &arguments.out {
        std::fs::create_dir_all(out).map_err(|error| Failure::file(out, error))?;
    }
    let by = Contender::parse(&arguments.reference, options)?;
    lab.registry.stepper_with(&by.stepper, &by.global, &by.options)?;
    if let Some(frames) = arguments.run {
        let iterations = arguments.iterations.unwrap_or(desc.step.iterations);
        let courses = Courses { name: arguments.scene.clone(), desc, directory, frames, iterations };
        return deliver_runs(arguments, &courses.run(&lab, &by, &contenders)?);
    }
    let reference = Reference::beside(&lab, &arguments.scene, desc, directory, arguments.frame, &by)?;
    let limits = Limits { seconds: arguments.seconds, error: arguments.error, iterations: 20_000 };
    let curves = contenders
        .iter()
        .map(|contender| reference.curve(&lab, contender, threads, limits))
        .collect::<Result<Vec<Curve>, _>>()?;
    deliver(arguments, &reference, &curves)
}

fn contenders(arguments: &Arguments, options: SolverOptions) -> Result<Vec<Contender>, Failure> {
    if arguments.with.is_empty() {
        return Err(Failure::Input("--with needs at least one stepper/global".into()));
    }
    Ok(arguments.with.iter().map(|name| Contender::parse(name, options)).collect::<Result<_, _>>()?)
}

fn deliver(arguments: &Arguments, reference: &Reference, curves: &[Curve]) -> Result<(), Failure> {
    let files = arguments.out.as_deref().map_or(Ok(vec![]), |out| write(out, &arguments.scene, curves))?;
    if arguments.json {
        return print_line(summary(arguments, reference, curves, &files));
    }
    for curve in curves {
        eprint_line(format_args!("{:<28} {}", curve.name, compare::describe(curve)));
    }
    if files.is_empty() {
        return print_line(compare::csv(curves).trim_end());
    }
    files.iter().try_for_each(|file| print_line(file.display()))
}

fn deliver_runs(arguments: &Arguments, courses: &[Course]) -> Result<(), Failure> {
    let (csv, plots) = (course::csv(courses), course::plots(&arguments.scene, courses));
    let plots = plots.iter().map(|(name, plot)| (*name, plot));
    let files = arguments.out.as_deref().map_or(Ok(vec![]), |out| write_all(out, "run.csv", &csv, plots))?;
    if arguments.json {
        let course = |course: &Course| {
            let frames = course.moments.iter().map(|m| {
                json!({"frame": m.frame, "ms": m.ms, "error_m": m.error, "energy_j": m.energy,
                    "momentum_error_ns": m.momentum, "stretch": m.stretch})
            });
            json!({
                "name": course.name,
                "outcome": course.outcome.as_ref().map_or("ran".to_owned(), ToString::to_string),
                "frames": frames.collect::<Vec<_>>(),
            })
        };
        return print_line(json!({
            "scene": arguments.scene,
            "runs": courses.iter().map(course).collect::<Vec<_>>(),
            "files": files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>(),
        }));
    }
    for course in courses {
        let end = course.outcome.as_ref().map(ToString::to_string);
        let last = course.moments.last().map(|m| {
            format!(
                "error {:.1e} m, energy {:+.2e} J, momentum {:.1e} N·s off, stretch {:.3}",
                m.error, m.energy, m.momentum, m.stretch
            )
        });
        eprint_line(format_args!("{:<28} {}", course.name, end.or(last).unwrap_or_default()));
    }
    if files.is_empty() {
        return print_line(csv.trim_end());
    }
    files.iter().try_for_each(|file| print_line(file.display()))
}

fn write(directory: &Path, scene: &str, curves: &[Curve]) -> Result<Vec<PathBuf>, Failure> {
    let plots = compare::plots(scene, curves);
    let named = ["error-over-time", "error-over-iterations"].into_iter().zip(&plots);
    write_all(directory, "compare.csv", &compare::csv(curves), named)
}

/// A table, and pictures as SVG and PNG.
fn write_all<'a>(
    directory: &Path,
    table: &str,
    csv: &str,
    plots: impl Iterator<Item = (&'a str, &'a Plot)>,
) -> Result<Vec<PathBuf>, Failure> {
    let mut files = vec![(table.to_owned(), csv.as_bytes().to_vec())];
    for (name, plot) in plots {
        let drawing = plot.drawing();
        files.push((format!("{name}.svg"), drawing.svg().into_bytes()));
        let png = drawing.png().map_err(|error| Failure::file(&directory.join(name), error))?;
        files.push((format!("{name}.png"), png));
    }
    let mut written = vec![];
    for (name, bytes) in files {
        let path = directory.join(name);
        write_atomically(&path, |out| out.write_all(&bytes)).map_err(|error| Failure::file(&path, error))?;
        written.push(path);
    }
    Ok(written)
}

fn summary(
    arguments: &Arguments,
    reference: &Reference,
    curves: &[Curve],
    files: &[PathBuf],
) -> serde_json::Value {
    let curve = |curve: &Curve| {
        let points = curve.points.iter();
        json!({
            "name": curve.name,
            "prepare_ms": curve.prepare_ms,
            "outcome": curve.outcome.as_ref().map_or("ran".to_owned(), ToString::to_string),
            "points": points.map(|p| json!({"iterations": p.iterations, "ms": p.ms, "error": p.error})).collect::<Vec<_>>(),
        })
    };
    json!({
        "scene": arguments.scene,
        "frame": arguments.frame + 1,
        "threads": arguments.threads,
        "reference": {"iterations": reference.converged.0, "reduction": reference.converged.1},
        "curves": curves.iter().map(curve).collect::<Vec<_>>(),
        "files": files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>(),
    })
}
