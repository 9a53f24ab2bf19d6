//! Errors of the libraries as exceptions.

use pd_core::{LinearError, StepError};
use pd_sim::SceneError;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::fmt::Display;

pyo3::create_exception!(projdyn, ProjdynError, PyRuntimeError, "A simulation that failed.");
pyo3::create_exception!(
    projdyn,
    Diverged,
    ProjdynError,
    "Positions are no longer finite; the state is the last good one."
);

/// Input that cannot be used.
pub(crate) fn bad(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A step that failed.
pub(crate) fn of_step(error: &StepError) -> PyErr {
    match error {
        StepError::NotFinite { vertex } => diverged(error, Some(*vertex)),
        StepError::BodyNotFinite { .. }
        | StepError::Diverged { .. }
        | StepError::Linear(LinearError::NotFinite { .. } | LinearError::Diverged { .. }) => {
            diverged(error, None)
        }
        StepError::Parameter { .. } | StepError::Size { .. } | StepError::Unsupported { .. } => bad(error),
        _ => ProjdynError::new_err(error.to_string()),
    }
}

/// A `Diverged` with its attribute `vertex`.
fn diverged(error: &StepError, vertex: Option<usize>) -> PyErr {
    let exception = Diverged::new_err(error.to_string());
    let set = Python::attach(|py| exception.value(py).setattr("vertex", vertex));
    set.err().unwrap_or(exception)
}

/// A scene that cannot be read or run.
pub(crate) fn of_scene(error: &SceneError) -> PyErr {
    match error {
        SceneError::Step(error) => of_step(error),
        SceneError::Io { .. } => PyOSError::new_err(error.to_string()),
        SceneError::ModelNotPresent { .. } => PyFileNotFoundError::new_err(error.to_string()),
        _ => bad(error),
    }
}
