//! Errors and output shared by the subcommands.

pub(crate) mod figures;
pub(crate) mod gallery;
pub(crate) mod look;
pub(crate) mod render;

use pd_sim::SceneError;
use pd_viewer::record::RecordError;
use pd_viewer::render::RenderError;
use std::fmt::{self, Display};
use std::io::{self, Write};
use std::process::ExitCode;

/// A failed command.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Wrong usage, unreadable input, unwritable output, no graphics: exit code 2.
    Input(String),
    /// The simulation itself failed: exit code 1.
    Simulation(String),
}

impl Failure {
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Input(_) => 2,
            Self::Simulation(_) => 1,
        })
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(what) | Self::Simulation(what) => f.write_str(what),
        }
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        match error {
            // A parameter out of range is a usage error; all other step errors are simulation failures.
            SceneError::Step(pd_core::StepError::Parameter { .. }) => Self::Input(error.to_string()),
            SceneError::Step(_) => Self::Simulation(error.to_string()),
            _ => Self::Input(error.to_string()),
        }
    }
}

impl From<RenderError> for Failure {
    fn from(error: RenderError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        Self::Input(error.to_string())
    }
}

/// Writes a line to stdout. A closed pipe is not an error.
pub(crate) fn print_line(text: impl Display) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Input(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a line to stderr; errors are ignored.
pub(crate) fn eprint_line(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}
