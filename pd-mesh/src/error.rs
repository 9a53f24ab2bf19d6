//! Errors of meshes and generator parameters, with the numbers that locate them.

/// A mesh that cannot be used, or generator parameters that describe no mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// There are no vertices.
    #[error("the mesh has no vertices; at least one element with its vertices was expected")]
    NoVertices,
    /// There are vertices but nothing connects them.
    #[error("the mesh has {vertices} vertices but no {element}; at least one was expected")]
    NoElements {
        /// "triangle" or "tetrahedron".
        element: &'static str,
        /// Number of vertices present.
        vertices: usize,
    },
    /// An element names a vertex that does not exist.
    #[error(
        "{element} {number}, corner {corner}: vertex {index} does not exist, there are {vertices} (0-based)"
    )]
    IndexOutOfRange {
        /// "triangle" or "tetrahedron".
        element: &'static str,
        /// 0-based number of the element.
        number: usize,
        /// 0-based corner of the element.
        corner: usize,
        /// The index found there.
        index: u32,
        /// Number of vertices present.
        vertices: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex}: coordinate {axis} is {value}, a finite number was expected")]
    NotFinite {
        /// 0-based vertex.
        vertex: usize,
        /// 0, 1, 2 for x, y, z.
        axis: usize,
        /// The value found.
        value: f64,
    },
    /// More vertices than 32-bit indices can name, or than a generator makes (2²⁶).
    #[error("{vertices} vertices are too many: indices have 32 bits, and generators stop at 67108864")]
    TooManyVertices {
        /// Number of vertices requested or present.
        vertices: u128,
    },
    /// A count given to a generator is too small.
    #[error("{parameter} is {value}, at least {least} was expected")]
    CountTooSmall {
        /// Name of the parameter.
        parameter: &'static str,
        /// The value given.
        value: usize,
        /// The least value that makes a mesh.
        least: usize,
    },
    /// A length or ratio given to a generator lies outside its range.
    #[error("{parameter} is {value}, {expected} was expected")]
    BadLength {
        /// Name of the parameter.
        parameter: &'static str,
        /// The value given.
        value: f64,
        /// What would be right.
        expected: &'static str,
    },
    /// No mesher has that name.
    #[error("no mesher is named {name:?}, there are: {}", crate::tetrahedralize::NAMES.join(", "))]
    UnknownMesher {
        /// The requested name.
        name: String,
    },
    /// A mesher could not make a solid.
    #[error("{reason}")]
    MesherFailed {
        /// Name of the mesher.
        mesher: &'static str,
        /// Why, in its own words.
        reason: String,
    },
    /// Every requested mesher failed.
    #[error("no mesher made a solid: {}", listed(.reasons))]
    NoMesher {
        /// Name and reason of each.
        reasons: Vec<(String, String)>,
    },
}

/// Names and reasons on one line.
fn listed(reasons: &[(String, String)]) -> String {
    let one = |(name, reason): &(String, String)| format!("{name}: {reason}");
    if reasons.is_empty() {
        "none was asked for".to_owned()
    } else {
        reasons.iter().map(one).collect::<Vec<_>>().join("; ")
    }
}
