//! The `pd` command: simulation of cloth, soft bodies, rigid bodies, particles and fluids.

mod cmd;
mod device;
mod failure;
mod frames;
mod interrupt;
mod machine;
mod picture;
mod print_line;
mod progress;
mod raster;
mod trace;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Simulate cloth, soft bodies, rigid bodies, particles and fluids.
#[derive(Parser)]
#[command(
    name = "pd",
    version,
    after_help = "Examples:\n  pd run cloth --frames 120 --out frames\n  pd scenes\n  pd picture bar --frame 60 --out bar.png"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Directory to search for model files, before PD_MODELS and models/; may be repeated.
    #[arg(long, global = true, value_name = "DIR")]
    models: Vec<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// List the built-in scenes.
    Scenes(cmd::scenes::Arguments),
    /// Simulate a scene and write the requested files.
    Run(cmd::run::Arguments),
    /// Run a parameter sweep over the keys of a scene, on one machine or a cluster.
    Sweep(cmd::sweep::Arguments),
    /// Simulate a scene up to a frame and render it, without a window or a GPU.
    Picture(cmd::picture::Arguments),
    /// Reproduce the published tables: published and measured values side by side.
    Tables(cmd::tables::Arguments),
    /// Compare steppers and solvers: error against a converged reference over time and iterations.
    Compare(cmd::compare::Arguments),
    /// Inspect, convert, tetrahedralise, generate, decimate or repair a mesh.
    Mesh(cmd::mesh::Arguments),
    /// Check a scene or a mesh file for defects.
    Check(cmd::check::Arguments),
    /// List the keys of a scene: who takes them, and what they are for.
    Keys(cmd::keys::Arguments),
    /// Show what this machine and this build support.
    Doctor,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let models = pd_sim::ModelPaths::from_env(arguments.models);
    let outcome = match arguments.command {
        Command::Scenes(arguments) => cmd::scenes::run(&arguments, &models),
        Command::Run(arguments) => cmd::run::run(&arguments, &models),
        Command::Sweep(arguments) => cmd::sweep::run(&arguments, &models),
        Command::Picture(arguments) => cmd::picture::run(&arguments, &models),
        Command::Tables(arguments) => cmd::tables::run(&arguments, &models),
        Command::Compare(arguments) => cmd::compare::run(&arguments, &models),
        Command::Mesh(arguments) => cmd::mesh::run(&arguments, &models),
        Command::Check(arguments) => cmd::check::run(&arguments, &models),
        Command::Keys(arguments) => cmd::keys::run(&arguments),
        Command::Doctor => cmd::doctor::run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            print_line::eprint_line(format_args!("pd: {failure}"));
            failure.exit_code()
        }
    }
}
