//! Arrays in and out. Whatever numpy can read as numbers is taken; shapes, ranges and finiteness are checked here, once.

use crate::errors::bad;
use nalgebra::UnitQuaternion;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pd_core::{Vec3, as_flat};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// `source` as a contiguous array of numbers of `kind`. Anything that is not a real number (text, complex numbers, objects) is rejected.
fn contiguous<'py>(
    what: &str,
    source: &Bound<'py, PyAny>,
    kinds: &str,
    kind: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let numpy = source.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (source,))?;
    let found = array.getattr("dtype")?;
    let empty = array.getattr("size")?.extract::<usize>()? == 0;
    if !empty && !kinds.contains(&found.getattr("kind")?.extract::<String>()?) {
        let wanted = if kind == "int64" { "whole numbers" } else { "numbers" };
        return Err(PyTypeError::new_err(format!("{what}: {wanted} were expected, got {found}")));
    }
    numpy.call_method1("ascontiguousarray", (array, kind))
}

/// An array of numbers that need not be finite.
fn raw<'py>(what: &str, source: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    contiguous(what, source, "biuf", "float64")?.extract()
}

/// Numbers of any shape, checked to be finite.
pub(crate) fn numbers(what: &str, source: &Bound<'_, PyAny>) -> PyResult<(Vec<f64>, Vec<usize>)> {
    let array = raw(what, source)?;
    let values = array.as_slice()?.to_vec();
    if let Some(at) = values.iter().position(|value| !value.is_finite()) {
        return Err(bad(format!("{what}: entry {at} is {}; finite numbers were expected", values[at])));
    }
    Ok((values, array.shape().to_vec()))
}

/// Points or directions, (n, 3); with `count` exactly so many.
pub(crate) fn vectors(what: &str, source: &Bound<'_, PyAny>, count: Option<usize>) -> PyResult<Vec<Vec3>> {
    let (values, shape) = numbers(what, source)?;
    let expected = count.map_or("(n, 3)".to_owned(), |n| format!("({n}, 3)"));
    if shape.len() != 2 || shape[1] != 3 || count.is_some_and(|n| shape[0] != n) {
        return Err(bad(format!("{what}: shape {expected} was expected, got {shape:?}")));
    }
    Ok(values.chunks_exact(3).map(|v| Vec3::new(v[0], v[1], v[2])).collect())
}

/// One vector.
pub(crate) fn vector(what: &str, source: &Bound<'_, PyAny>) -> PyResult<Vec3> {
    match &numbers(what, source)?.0[..] {
        &[x, y, z] => Ok(Vec3::new(x, y, z)),
        other => Err(bad(format!("{what}: three numbers were expected, got {}", other.len()))),
    }
}

/// Vertex numbers, `width` to an element.
pub(crate) fn indices(what: &str, source: &Bound<'_, PyAny>, width: usize) -> PyResult<Vec<u32>> {
    let array: PyReadonlyArrayDyn<'_, i64> = contiguous(what, source, "iu", "int64")?.extract()?;
    let empty = array.is_empty();
    let shape = array.shape();
    let fits = if width == 1 { shape.len() == 1 } else { shape.len() == 2 && shape[1] == width };
    if !fits && !empty {
        let expected = if width == 1 { "(m,)".to_owned() } else { format!("(m, {width})") };
        return Err(bad(format!("{what}: shape {expected} was expected, got {shape:?}")));
    }
    let number =
        |value: &i64| u32::try_from(*value).map_err(|_| bad(format!("{what}: {value} is no vertex number")));
    array.as_slice()?.iter().map(number).collect()
}

/// Elements of `W` vertex numbers.
pub(crate) fn elements<const W: usize>(what: &str, source: &Bound<'_, PyAny>) -> PyResult<Vec<[u32; W]>> {
    Ok(indices(what, source, W)?.as_chunks::<W>().0.to_vec())
}

/// A copy as an (n, 3) array.
pub(crate) fn to_array<'py>(py: Python<'py>, x: &[Vec3]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray1::from_slice(py, as_flat(x)).reshape([x.len(), 3])
}

/// A copy of rotations as an (n, 4) array, x y z w.
pub(crate) fn to_quaternions<'py>(
    py: Python<'py>,
    q: &[UnitQuaternion<f64>],
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let flat: Vec<f64> = q.iter().flat_map(|q| [q.i, q.j, q.k, q.w]).collect();
    PyArray1::from_vec(py, flat).reshape([q.len(), 4])
}

/// A copy of elements as an (m, W) array.
pub(crate) fn to_elements<'py, const W: usize>(
    py: Python<'py>,
    elements: &[[u32; W]],
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    PyArray1::from_slice(py, elements.as_flattened()).reshape([elements.len(), W])
}

/// Fills `out` from what a callback returned.
pub(crate) fn fill(what: &str, returned: &Bound<'_, PyAny>, out: &mut [Vec3]) -> PyResult<()> {
    let array = raw(what, returned)?;
    let values = array.as_slice()?;
    if values.len() != 3 * out.len() {
        let (got, expected) = (array.shape(), out.len());
        return Err(bad(format!(
            "{what} returned an array of shape {got:?}; {expected} vectors were expected"
        )));
    }
    for (out, v) in out.iter_mut().zip(values.chunks_exact(3)) {
        *out = Vec3::new(v[0], v[1], v[2]);
    }
    Ok(())
}
