//! Many states advanced by one simulation.

use crate::errors::bad;
use crate::simulation::Simulation;
use crate::state::State;
use numpy::{PyArray1, PyArray4, PyArrayMethods};
use pd_core::StepReport;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

/// Advances every state by n steps, with one factorisation; returns positions (states, n, vertices, 3). The state of the
/// simulation is as before.
#[pyfunction]
#[pyo3(signature = (sim, states, n))]
pub(crate) fn rollout<'py>(
    py: Python<'py>,
    sim: &Simulation,
    states: Vec<PyRef<'py, State>>,
    n: usize,
) -> PyResult<Bound<'py, PyArray4<f64>>> {
    let mut inner = sim.inner()?;
    let kept = inner.sim.state.clone();
    let vertices = sim.recipe.positions.len();
    let mut flat: Vec<f64> = vec![];
    let count = [states.len(), n, vertices, 3].iter().try_fold(1_usize, |product, &k| product.checked_mul(k));
    if count.is_none_or(|count| flat.try_reserve_exact(count).is_err()) {
        let states = states.len();
        return Err(PyMemoryError::new_err(format!(
            "{states} states × {n} steps × {vertices} vertices do not fit"
        )));
    }
    let mut outcome = Ok(StepReport::default());
    for (k, start) in states.iter().enumerate() {
        if start.state.vertices() != vertices {
            outcome =
                Err(bad(format!("state {k}: {} vertices, the model has {vertices}", start.state.vertices())));
            break;
        }
        inner.sim.state = start.state.clone();
        outcome =
            sim.advance(py, &mut inner, n, |sim| flat.extend_from_slice(pd_core::as_flat(&sim.state.x)));
        if outcome.is_err() {
            break;
        }
    }
    inner.sim.state = kept;
    outcome?;
    PyArray1::from_vec(py, flat).reshape([states.len(), n, vertices, 3])
}
