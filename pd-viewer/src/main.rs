//! The `pd-viewer` command: the interactive window, and rendering without a window.

mod command;

use clap::{Parser, Subcommand};
use command::Failure;
use std::path::PathBuf;
use std::process::ExitCode;

/// View and edit scenes interactively, or render them to files.
#[derive(Parser)]
#[command(
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  pd-viewer cloth\n  pd-viewer --models ~/meshes bunny\n  pd-viewer render cloth --frame 60 --out cloth.png\n  pd-viewer render bar --frame 150 --every 2 --out bar.gif --colour strain\n  pd-viewer gallery --out docs/images/gallery"
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Scene to open in the window: a built-in one or a .toml file.
    scene: Option<String>,
    #[command(flatten)]
    models: ModelArguments,
}

/// Where models are.
#[derive(clap::Args)]
struct ModelArguments {
    /// Directory to search for model files, before PD_MODELS and models/; may be repeated.
    #[arg(long, value_name = "DIR")]
    models: Vec<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Simulate a scene and render frames to a file. Needs no display.
    Render(Box<command::render::Arguments>),
    /// Render the figures of the thesis and write the gallery page.
    Gallery(command::gallery::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match arguments.command {
        Some(Command::Render(arguments)) => command::render::run(&arguments),
        Some(Command::Gallery(arguments)) => command::gallery::run(&arguments),
        None => pd_viewer::app::run(arguments.scene, arguments.models.models)
            .map_err(|error| Failure::Input(error.to_string())),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            command::eprint_line(format_args!("pd-viewer: {failure}"));
            failure.exit_code()
        }
    }
}
