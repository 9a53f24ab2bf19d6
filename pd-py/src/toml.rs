//! Python values as TOML text, for keys of scenes.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString, PyTuple};

/// Text goes as it is: `set_key` reads it as TOML, or as a string if it is nothing else.
pub(crate) fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_cow()?.into_owned());
    }
    // A subclass of int: before numbers.
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(value.is_true().to_string());
    }
    if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
        // A numpy float is a float, and would show its type.
        return Ok(if value.is_instance_of::<PyInt>() {
            value.str()?.to_cow()?.into_owned()
        } else {
            let number: f64 = value.extract()?;
            if number.is_nan() { "nan".to_owned() } else { format!("{number:?}") }
        });
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let entries: Vec<String> = value.try_iter()?.map(|entry| text(&entry?)).collect::<PyResult<_>>()?;
        return Ok(format!("[{}]", entries.join(", ")));
    }
    // Arrays and scalars of numpy.
    if value.hasattr("tolist")? {
        return text(&value.call_method0("tolist")?);
    }
    let kind = value.get_type().name()?;
    Err(PyTypeError::new_err(format!("a key of a scene cannot be set to a {kind}")))
}
