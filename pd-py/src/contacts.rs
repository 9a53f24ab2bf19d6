//! Contacts as a dictionary of arrays.

use crate::arrays::{to_array, to_elements};
use numpy::PyArray1;
use pd_collide::contact::Contacts;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Vertices nearer to an obstacle than this, m, touch it. A vertex that rests lifts off by a fraction of it between pushes.
const TOUCH: f64 = 1e-3;

/// Where vertices touch obstacles.
pub(crate) fn contacts<'py>(py: Python<'py>, sim: &pd_sim::Simulation) -> PyResult<Bound<'py, PyDict>> {
    let mut guarded = Contacts::default();
    if sim.contacts(&mut guarded) {
        return guarded_contacts(py, &guarded);
    }
    let (x, mut surfaces) = (&sim.state.x, vec![pd_core::Surface::default(); sim.state.vertices()]);
    let (mut vertices, mut colliders, mut distances) = (vec![], vec![], vec![]);
    let (mut points, mut normals) = (vec![], vec![]);
    for (number, collider) in sim.colliders.iter().enumerate() {
        collider.sample(x, sim.state.time, &mut surfaces);
        for (vertex, surface) in surfaces.iter().enumerate().filter(|(_, surface)| surface.distance <= TOUCH)
        {
            vertices.push(vertex as i64);
            colliders.push(number as i64);
            distances.push(surface.distance);
            points.push(x[vertex]);
            normals.push(surface.normal);
        }
    }
    let dict = PyDict::new(py);
    dict.set_item("vertices", PyArray1::from_vec(py, vertices))?;
    dict.set_item("colliders", PyArray1::from_vec(py, colliders))?;
    dict.set_item("distances", PyArray1::from_vec(py, distances))?;
    dict.set_item("points", to_array(py, &points)?)?;
    dict.set_item("normals", to_array(py, &normals)?)?;
    Ok(dict)
}

/// Contacts of surfaces with each other and with obstacles.
fn guarded_contacts<'py>(py: Python<'py>, found: &Contacts) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("bodies", to_elements(py, &found.bodies)?)?;
    dict.set_item("vertices", to_elements(py, &found.vertices)?)?;
    dict.set_item("distances", PyArray1::from_slice(py, &found.gaps))?;
    dict.set_item("points", to_array(py, &found.points)?)?;
    dict.set_item("normals", to_array(py, &found.normals)?)?;
    dict.set_item("normal_forces", PyArray1::from_slice(py, &found.normal_forces))?;
    dict.set_item("friction", to_array(py, &found.friction)?)?;
    dict.set_item("slips", to_array(py, &found.slips)?)?;
    Ok(dict)
}
