//! `pd compare`: error against a converged reference over wall time and over iterations.

use crate::failure::Failure;
use crate::say::{say, say_aside};
use pd_mesh::io::write_atomically;
use pd_sim::ModelPaths;
use pd_sim::scene::read_desc;
use pd_tables::compare::{self, Curve, Limits, Reference};
use pd_tables::{Contender, Effort, Lab, SolverOptions};
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  pd compare cloth-100 --with pd/cholesky,pd/panels,pd-lbfgs/panels,fused-jacobi\n  pd compare bar \
    --with pd/pcg,pd/a-jacobi-2 --inner-tolerance 0.1 --out comparison\n\n`pd doctor` lists steppers and solvers."
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
    /// Frame after which one more frame is compared.
    #[arg(long, value_name = "N", default_value_t = 20)]
    frame: u64,
    /// Threads; default: 1, so that solvers rather than machines are compared.
    #[arg(long, value_name = "T", default_value_t = 1)]
    threads: usize,
    /// Seconds for each stepper and solver.
    #[arg(long, value_name = "S", default_value_t = 3.0)]
    seconds: f64,
    /// Error, relative to the motion of the frame, at which a curve ends.
    #[arg(long, value_name = "E", default_value_t = 1e-6)]
    error: f64,
    /// Residual at which an iterative global solver ends a solve; default: its own.
    #[arg(long, value_name = "R")]
    inner_tolerance: Option<f64>,
    /// Directory for compare.csv and two pictures, each as SVG and PNG; default: CSV on stdout.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON object on stdout and nothing else there.
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
            say_aside(words);
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
    let reference = Reference::beside(&lab, &arguments.scene, desc, directory, arguments.frame)?;
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
        return say(summary(arguments, reference, curves, &files));
    }
    for curve in curves {
        say_aside(format_args!("{:<28} {}", curve.name, compare::describe(curve)));
    }
    if files.is_empty() {
        return say(compare::csv(curves).trim_end());
    }
    files.iter().try_for_each(|file| say(file.display()))
}

fn write(directory: &Path, scene: &str, curves: &[Curve]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = vec![("compare.csv".to_owned(), compare::csv(curves).into_bytes())];
    for (plot, name) in compare::plots(scene, curves).iter().zip(["error-over-time", "error-over-iterations"])
    {
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
