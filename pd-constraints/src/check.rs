//! Checks shared by the constructors.

use crate::ConstraintError;
use pd_core::{Real, Vec3};

/// Every position is finite.
pub(crate) fn positions(positions: &[Vec3]) -> Result<(), ConstraintError> {
    match positions.iter().position(|p| !is_finite(p)) {
        Some(vertex) => Err(ConstraintError::Position { vertex, position: positions[vertex] }),
        None => Ok(()),
    }
}

/// Every vertex of every element exists.
pub(crate) fn indices<const N: usize>(
    kind: &'static str,
    elements: &[[u32; N]],
    vertices: usize,
) -> Result<(), ConstraintError> {
    for (element, ids) in elements.iter().enumerate() {
        for &vertex in ids {
            index(kind, element, vertex, vertices)?;
        }
    }
    Ok(())
}

/// One vertex exists.
pub(crate) fn index(
    kind: &'static str,
    element: usize,
    vertex: u32,
    vertices: usize,
) -> Result<(), ConstraintError> {
    if vertex as usize >= vertices {
        return Err(ConstraintError::Vertex { kind, element, vertex, vertices });
    }
    Ok(())
}

/// A ratio range that contains the rest state.
pub(crate) fn range(kind: &'static str, axis: usize, min: Real, max: Real) -> Result<(), ConstraintError> {
    if min > 0.0 && min <= 1.0 && max >= 1.0 && max.is_finite() {
        return Ok(());
    }
    Err(ConstraintError::Range { kind, axis, min, max })
}

/// A parameter that must be positive and finite.
pub(crate) fn positive(name: &'static str, value: Real) -> Result<(), ConstraintError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(ConstraintError::Parameter { name, value, expected: "positive and finite" })
}

/// A vector parameter whose components must be finite.
pub(crate) fn finite(name: &'static str, value: &Vec3) -> Result<(), ConstraintError> {
    match value.iter().find(|c| !c.is_finite()) {
        Some(&value) => Err(ConstraintError::Parameter { name, value, expected: "finite" }),
        None => Ok(()),
    }
}

/// No component is NaN or infinite.
pub(crate) fn is_finite(p: &Vec3) -> bool {
    p.iter().all(|c| c.is_finite())
}
