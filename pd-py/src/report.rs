//! What a step did, as a dictionary.

use pd_core::StepReport;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Counts and times of a step; energies too where they were asked for.
pub(crate) fn report_dict<'py>(py: Python<'py>, report: &StepReport) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("iterations", report.iterations)?;
    dict.set_item("linear_iterations", report.linear_iterations)?;
    dict.set_item("collisions", report.collisions)?;
    dict.set_item("ms", report.stages.total().as_secs_f64() * 1e3)?;
    if let Some(measures) = report.measures {
        dict.set_item("objective", measures.objective)?;
        dict.set_item("residual", measures.residual)?;
        dict.set_item("kinetic", measures.kinetic)?;
        dict.set_item("elastic", measures.elastic)?;
        dict.set_item("potential", measures.potential)?;
        dict.set_item("strain", measures.strain.worst)?;
        dict.set_item("inverted", measures.strain.inverted)?;
    }
    if let Some(contact) = report.contact {
        dict.set_item("contacts", contact.contacts)?;
        dict.set_item("min_gap", contact.min_gap)?;
    }
    Ok(dict)
}
