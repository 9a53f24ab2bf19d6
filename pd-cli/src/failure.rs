//! Errors of commands and their exit codes.

use pd_sim::SceneError;
use pd_sim::scene::SceneDesc;
use std::fmt;
use std::process::ExitCode;

/// A failed command.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Wrong usage, or a file that cannot be read or written: exit code 2.
    Input(String),
    /// The scene is wrong, or the simulation failed: exit code 1.
    Simulation(String),
    /// The program was stopped by a signal: exit code 128 plus the number of the signal.
    Interrupted(String, u8),
}

impl Failure {
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Input(_) => ExitCode::from(2),
            Self::Simulation(_) => ExitCode::from(1),
            Self::Interrupted(_, signal) => ExitCode::from(128 + signal),
        }
    }

    /// A file that could not be written or read.
    pub(crate) fn file(path: &std::path::Path, error: impl fmt::Display) -> Self {
        Self::Input(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(what) | Self::Simulation(what) | Self::Interrupted(what, _) => f.write_str(what),
        }
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        match error {
            SceneError::Syntax { .. }
            | SceneError::Value { .. }
            | SceneError::Mesh(_)
            | SceneError::Intersecting { .. }
            | SceneError::Step(_) => Self::Simulation(error.to_string()),
            _ => Self::Input(error.to_string()),
        }
    }
}

impl Failure {
    /// An error about a scene that the command line may have changed: what it gave itself is wrong usage.
    pub(crate) fn of_scene(error: SceneError, desc: &SceneDesc) -> Self {
        match &error {
            SceneError::Value { field, .. } if desc.given.is_from_caller(field, desc) => {
                Self::Input(error.to_string())
            }
            _ => error.into(),
        }
    }
}

impl From<pd_tables::TableError> for Failure {
    fn from(error: pd_tables::TableError) -> Self {
        match error {
            pd_tables::TableError::Scene(error) => error.into(),
            error => Self::Input(error.to_string()),
        }
    }
}
