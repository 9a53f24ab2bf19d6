//! States: everything that changes over time.

use crate::arrays::{to_array, to_quaternions, vectors};
use crate::errors::{bad, of_scene};
use numpy::PyArray2;
use pd_sim::Checkpoint;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;

/// Positions, velocities, rigid bodies, method data and time. Immutable; can be pickled and compared.
#[pyclass(module = "projdyn", frozen)]
pub(crate) struct State {
    pub(crate) state: pd_core::State,
}

impl State {
    fn checkpoint(&self) -> Checkpoint {
        Checkpoint { fingerprint: None, frame: 0, state: self.state.clone() }
    }
}

#[pymethods]
impl State {
    #[new]
    #[pyo3(signature = (positions, velocities=None, time=0.0))]
    fn new(positions: &Bound<'_, PyAny>, velocities: Option<&Bound<'_, PyAny>>, time: f64) -> PyResult<Self> {
        let x = vectors("positions", positions, None)?;
        let v = velocities.map(|v| vectors("velocities", v, Some(x.len()))).transpose()?;
        if !time.is_finite() {
            return Err(bad(format!("time: {time} is not finite")));
        }
        let mut state = match v {
            Some(v) => pd_core::State::new(x, v),
            None => pd_core::State::at_rest(x),
        };
        state.time = time;
        Ok(Self { state })
    }

    /// Positions (n, 3), m; a copy.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_array(py, &self.state.x)
    }

    /// Velocities (n, 3), m/s; a copy.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_array(py, &self.state.v)
    }

    /// Centres of mass (b, 3) of the rigid bodies, m.
    #[getter]
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_array(py, &self.state.bodies.p)
    }

    /// Rotations (b, 4) of the rigid bodies, quaternions x y z w.
    #[getter]
    fn body_rotations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_quaternions(py, &self.state.bodies.q)
    }

    /// Velocities (b, 3) of the centres of mass, m/s.
    #[getter]
    fn body_velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_array(py, &self.state.bodies.v)
    }

    /// Angular velocities (b, 3), rad/s.
    #[getter]
    fn body_angular_velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_array(py, &self.state.bodies.w)
    }

    /// Simulated time, s.
    #[getter]
    fn time(&self) -> f64 {
        self.state.time
    }

    /// Hash of the bits of the state, as `pd run` prints it.
    #[getter]
    fn hash(&self) -> String {
        format!("{:016x}", self.state.hash())
    }

    /// Writes a checkpoint.
    pub(crate) fn save(&self, path: PathBuf) -> PyResult<()> {
        self.checkpoint().write(&path).map_err(|error| of_scene(&error))
    }

    /// Reads a checkpoint, of this package or of `pd run --checkpoint`.
    #[staticmethod]
    pub(crate) fn load(path: PathBuf) -> PyResult<Self> {
        Ok(Self { state: Checkpoint::read(&path).map_err(|error| of_scene(&error))?.state })
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.state == other.state
    }

    fn __hash__(&self) -> u64 {
        self.state.hash()
    }

    /// For pickle and copy.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let made_by = py.import("projdyn._projdyn")?.getattr("_state_from_bytes")?;
        Ok((made_by, (PyBytes::new(py, &self.checkpoint().to_bytes()),)))
    }

    fn __repr__(&self) -> String {
        let (vertices, bodies, time) = (self.state.vertices(), self.state.bodies.len(), self.state.time);
        let bodies = if bodies == 0 { String::new() } else { format!(", {bodies} rigid bodies") };
        format!("<projdyn.State: {vertices} vertices{bodies} at {time} s>")
    }
}

/// A state from what pickle kept.
#[pyfunction]
pub(crate) fn _state_from_bytes(bytes: &[u8]) -> PyResult<State> {
    Ok(State { state: Checkpoint::from_bytes(bytes).map_err(bad)?.state })
}
