//! Error messages and hints.

use pd_core::{LinearError, StepError};
use pd_sim::SceneError;

/// A problem to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// One sentence.
    pub what: String,
    /// The error message, with file, location and numbers.
    pub details: String,
    /// What to do.
    pub advice: String,
}

impl Problem {
    /// A problem with its details and no specific advice.
    pub fn words(what: impl Into<String>, details: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            details: details.into(),
            advice: "Undo the last change, or load another scene.".into(),
        }
    }

    fn new(what: &str, details: impl ToString, advice: &str) -> Self {
        Self { what: what.into(), details: details.to_string(), advice: advice.into() }
    }

    /// An internal error.
    pub fn internal(during: &str) -> Self {
        Self::new(
            "The program made a mistake.",
            format!("An internal error happened during {during}."),
            "Save the scene, and restart the program if anything looks wrong. Please report it with the scene file.",
        )
    }

    /// A preparation that is no longer needed.
    pub(crate) fn cancelled() -> Self {
        Self::new("Cancelled.", "", "")
    }

    /// A thread pool that could not be created.
    pub(crate) fn threads(threads: usize, details: &str) -> Self {
        Self::new(
            "The threads could not be started.",
            format!("{threads} threads: {details}"),
            "Choose fewer threads in the solver panel.",
        )
    }

    /// A device that does not support the scene.
    pub(crate) fn device(device: &str, details: &str) -> Self {
        Self::new(
            "The scene cannot run on that device; it runs on the CPU.",
            format!("{device}: {details}"),
            "For CUDA: install NVIDIA's display driver and start the program again, or choose another stepper and solver. \
             Without a device keep the choice cpu; `pd doctor` says what is found.",
        )
    }

    /// A file that could not be written.
    pub fn not_written(path: &std::path::Path, details: impl ToString) -> Self {
        Self::new(
            "The file could not be written.",
            format!("{}: {}", path.display(), details.to_string()),
            "Choose a directory that exists and that you may write to, and see whether the disk is full.",
        )
    }

    /// An error of scenes and steps.
    pub fn of(error: &SceneError) -> Self {
        match error {
            SceneError::Unknown { .. } => Self::new(
                "There is no such scene.",
                error,
                "Choose one from the list of scenes, or give the path of a .toml file.",
            ),
            SceneError::Io { .. } => Self::new(
                "The file could not be read.",
                error,
                "See whether the path is right and whether you may read the file.",
            ),
            SceneError::Syntax { .. } => Self::new(
                "The scene file is not understood.",
                error,
                "Open it in a text editor at the line and column named; docs/scenes.md lists all keys.",
            ),
            SceneError::ModelNotPresent { .. } => Self::new(
                "A model file is missing.",
                error,
                "Put the file into a directory named in PD_MODELS, or take the scene of the same name with -twin, which needs no file.",
            ),
            SceneError::Mesh(_) => Self::new(
                "The mesh file is not understood.",
                error,
                "`pd check FILE` names all defects and `pd mesh` repairs many; formats are listed by `pd mesh --help`.",
            ),
            SceneError::Value { .. } => {
                Self::new("A value is not possible.", error, "Correct the value named, or undo the change.")
            }
            SceneError::Registry(_) => Self::new(
                "There is no such solver.",
                error,
                "Choose a stepper and a solver from the lists of the solver panel.",
            ),
            SceneError::Step(step) => Self::of_step(step),
            _ => Self::words("Something went wrong.", error.to_string()),
        }
    }

    /// An error of a step.
    pub fn of_step(error: &StepError) -> Self {
        const DIVERGED: &str = "Choose the solver cholesky or panels, a smaller time step, or more substeps, then press R to restart.";
        match error {
            StepError::NotFinite { .. } | StepError::BodyNotFinite { .. } => {
                Self::new("The simulation diverged and was paused.", error, DIVERGED)
            }
            StepError::Linear(LinearError::Diverged { .. }) => Self::new(
                "The global solver diverged and the simulation was paused.",
                error,
                "Set gamma and rho to auto, lower them, or choose the solver cholesky; then press Space to continue.",
            ),
            StepError::Linear(LinearError::NotPositiveDefinite { .. }) => Self::new(
                "The matrix cannot be factored.",
                error,
                "A weight or a mass is too large or too small for the others. Undo the last change.",
            ),
            StepError::Linear(LinearError::TooLarge { .. }) => Self::new(
                "The solver needs more memory than allowed.",
                error,
                "Choose the solver cholesky or panels.",
            ),
            StepError::Backend { .. } | StepError::Linear(LinearError::Backend { .. }) => Self::new(
                "The device failed and the simulation was paused.",
                error,
                "Choose the device cpu in the solver panel, then press Space to continue.",
            ),
            StepError::Parameter { .. } => {
                Self::new("A parameter is out of range.", error, "Correct it in the solver or physics panel.")
            }
            _ => Self::new("The step failed and the simulation was paused.", error, DIVERGED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_says_what_to_do() {
        let errors = [
            SceneError::Unknown { name: "x".into(), known: "cloth".into() },
            SceneError::Io { path: "a".into(), what: "no".into() },
            SceneError::Syntax { file: "a".into(), line: 1, column: 2, what: "no".into() },
            SceneError::Value { file: "a".into(), field: "b".into(), what: "no".into() },
            SceneError::ModelNotPresent { file: "a".into(), wanted: "b".into(), searched: "c".into() },
            SceneError::Mesh("bad".into()),
            SceneError::Registry("none".into()),
            SceneError::Step(StepError::NotFinite { vertex: 3 }),
            SceneError::Step(StepError::Linear(LinearError::Diverged { iteration: 3, residual: 1e9 })),
        ];
        for error in errors {
            let problem = Problem::of(&error);
            assert!(!problem.what.is_empty() && problem.advice.ends_with('.'), "{problem:?}");
            assert_eq!(problem.details, error.to_string(), "the program's own words are kept");
        }
    }
}
