//! Typed errors.

use pd_core::Real;

/// Why kinds of matter cannot be coupled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CoupleError {
    /// A number out of its range.
    #[error("{name} is {value}; {expected}")]
    Parameter {
        /// Which.
        name: &'static str,
        /// Its value.
        value: Real,
        /// What it must be.
        expected: &'static str,
    },
    /// A set of points that does not follow the one before.
    #[error("points of {what} begin at {first}; they must begin at {expected}")]
    Order {
        /// Which points.
        what: &'static str,
        /// Where they begin.
        first: usize,
        /// Where they must begin.
        expected: usize,
    },
    /// A triangle of a sheet names a vertex that is not elastic.
    #[error("a triangle of sheet {sheet:?} has vertex {vertex}, but there are {vertices} elastic vertices")]
    Vertex {
        /// Name of the sheet.
        sheet: String,
        /// The vertex.
        vertex: usize,
        /// How many there are.
        vertices: usize,
    },
    /// A solid too light for the staggered scheme.
    #[error(
        "{name:?} weighs {own:.3} kg/m² and pushes a layer of {pushed:.3} kg/m² before it: the scheme \"staggered\" is unstable \
         for such light solids, take \"rows\""
    )]
    Light {
        /// Name of the solid.
        name: String,
        /// Its mass per area, kg/m².
        own: Real,
        /// Mass per area of one cell of the fluid, kg/m².
        pushed: Real,
    },
    /// A shape that other matter cannot meet.
    #[error("body {body}: {what}")]
    Shape {
        /// The body.
        body: usize,
        /// What is wrong.
        what: String,
    },
    /// A vertex that cannot be attached.
    #[error("vertex {vertex} cannot be attached to a body: {what}")]
    Attachment {
        /// The vertex.
        vertex: usize,
        /// What is wrong.
        what: String,
    },
    /// Matter that a scheme does not take.
    #[error("the scheme {scheme:?} does not take {what}")]
    Unsupported {
        /// Name of the scheme.
        scheme: &'static str,
        /// What it does not take.
        what: &'static str,
    },
}
