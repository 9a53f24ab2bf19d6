//! The Python package `projdyn`: numpy arrays in, numpy arrays out.
//!
//! Arrays given are copied and checked, arrays returned are copies of the caller's own. Everything that may take a while runs
//! without the interpreter lock, in a pool of threads that belongs to the simulation. Errors of the libraries become
//! exceptions with the same words; an exception in a callback stops the step, which leaves the state as it was.

// A library that takes its symbols from the interpreter cannot be linked into a test program: `cargo test --lib` finds an empty
// crate here. The tests are in Python, pd-py/tests.
#![cfg(not(test))]

mod arrays;
mod called;
mod contacts;
mod errors;
mod film;
mod model;
mod obstacles;
mod pool;
mod report;
mod rollout;
mod scene;
mod simulation;
mod state;
mod toml;

use pyo3::prelude::*;

/// The native part of `projdyn`.
#[pymodule]
mod _projdyn {
    #[pymodule_export]
    use super::errors::{Diverged, ProjdynError};
    #[pymodule_export]
    use super::film::Film;
    #[pymodule_export]
    use super::model::{Model, ModelBuilder};
    #[pymodule_export]
    use super::rollout::rollout;
    #[pymodule_export]
    use super::scene::{Scene, SceneRun, scenes};
    #[pymodule_export]
    use super::simulation::Simulation;
    #[pymodule_export]
    use super::state::{_state_from_bytes, State};
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
