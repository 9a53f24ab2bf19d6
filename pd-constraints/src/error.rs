//! Why a batch or a force could not be constructed. Every variant carries the numbers that locate the fault.

use pd_core::{Real, Vec3};

/// Invalid input of a constructor.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConstraintError {
    /// An element names a vertex that does not exist.
    #[error("{kind} {element} refers to vertex {vertex}, but there are {vertices}")]
    Vertex {
        /// Kind of the batch or force.
        kind: &'static str,
        /// The element.
        element: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// A position that is NaN or infinite.
    #[error("vertex {vertex} has the position ({}, {}, {})", position.x, position.y, position.z)]
    Position {
        /// The vertex.
        vertex: usize,
        /// Its position.
        position: Vec3,
    },
    /// A weight that is not positive and finite.
    #[error("{kind} {element} has weight {weight}; it must be positive and finite")]
    Weight {
        /// Kind of the batch.
        kind: &'static str,
        /// The element.
        element: usize,
        /// Its weight.
        weight: Real,
    },
    /// A list of weights whose length is not the number of elements.
    #[error("{kind}: {elements} elements, but {weights} weights")]
    WeightCount {
        /// Kind of the batch.
        kind: &'static str,
        /// Number of elements.
        elements: usize,
        /// Number of weights.
        weights: usize,
    },
    /// A rest element without area or volume.
    #[error("{kind} {element} (vertices {vertices:?}) is degenerate: its {measure} is {value:e} at rest")]
    Degenerate {
        /// Kind of the batch.
        kind: &'static str,
        /// The element.
        element: usize,
        /// Its vertices.
        vertices: Vec<u32>,
        /// "area" (m²) or "volume" (m³).
        measure: &'static str,
        /// The area or volume.
        value: Real,
    },
    /// A range of strain that is empty, not finite, or excludes the rest state 1.
    #[error("{kind}: range [{min}, {max}] of axis {axis}; 0 < min <= 1 <= max is needed, both finite")]
    Range {
        /// Kind of the batch.
        kind: &'static str,
        /// Which singular value, largest first; 0 for an area or volume ratio.
        axis: usize,
        /// Lower end.
        min: Real,
        /// Upper end.
        max: Real,
    },
    /// The flat ring arrays are inconsistent.
    #[error("ring {ring}: {what}")]
    Ring {
        /// Index of the ring.
        ring: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// A pin that does not exist.
    #[error("there is no pin {index}; the batch has {pins}")]
    Pin {
        /// The index given.
        index: usize,
        /// How many pins there are.
        pins: usize,
    },
    /// A scalar parameter out of its range.
    #[error("{name} is {value}; it must be {expected}")]
    Parameter {
        /// Name of the parameter.
        name: &'static str,
        /// Its value.
        value: Real,
        /// What it must be.
        expected: &'static str,
    },
    /// A time interval that is empty or not a number.
    #[error("the interval from {from} s to {to} s is empty")]
    Interval {
        /// Start, s.
        from: Real,
        /// End, s.
        to: Real,
    },
}
