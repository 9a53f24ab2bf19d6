//! The `pd` command: cloth, shells and soft bodies by projective dynamics.

mod cmd;
mod device;
mod failure;
mod frames;
mod interrupt;
mod machine;
mod part_bar;
mod picture;
mod progress;
mod raster;
mod say;
mod trace;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Simulate cloth, shells and soft bodies by projective dynamics.
#[derive(Parser)]
#[command(
    version,
    after_help = "Examples:\n  pd run cloth --frames 120 --out frames\n  pd scenes\n  pd picture bar --frame 60 --out bar.png"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Directory searched first for model files; may be repeated. Then PD_MODELS, then models/.
    #[arg(long, global = true, value_name = "DIR")]
    models: Vec<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// List the built-in scenes.
    Scenes(cmd::scenes::Arguments),
    /// Simulate a scene and write what is asked for.
    Run(cmd::run::Arguments),
    /// Run a scene over many values of its keys, on one machine or many.
    Sweep(cmd::sweep::Arguments),
    /// Simulate a scene up to a frame and draw it, without a window or a GPU.
    Picture(cmd::picture::Arguments),
    /// Re-make the published tables: the published figure beside the one measured here.
    Tables(cmd::tables::Arguments),
    /// Error against a converged reference over time and iterations, for any steppers and solvers.
    Compare(cmd::compare::Arguments),
    /// Look at, convert, fill, make or thin out a mesh.
    Mesh(cmd::mesh::Arguments),
    /// Find what would spoil a run, in a scene or a mesh file.
    Check(cmd::check::Arguments),
    /// Say what this machine and this build offer.
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
        Command::Doctor => cmd::doctor::run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say::say_aside(format_args!("pd: {failure}"));
            failure.exit_code()
        }
    }
}
