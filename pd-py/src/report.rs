//! What a step did, as a dictionary.

use pd_core::StepReport;
use pd_sim::audit::AuditReport;
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

/// What an audit has found: whether it is good, its line, and its faults.
pub(crate) fn audit_dict<'py>(py: Python<'py>, audit: &AuditReport) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("good", audit.is_good())?;
    dict.set_item("line", audit.line())?;
    let faults = audit.faults.iter().map(|fault| {
        let dict = PyDict::new(py);
        dict.set_item("kind", fault.kind.name())?;
        dict.set_item("frame", fault.frame)?;
        dict.set_item("amount", fault.amount)?;
        dict.set_item("text", &fault.text)?;
        Ok(dict)
    });
    dict.set_item("faults", faults.collect::<PyResult<Vec<_>>>()?)?;
    dict.set_item("unjudged", audit.unjudged.clone())?;
    Ok(dict)
}
