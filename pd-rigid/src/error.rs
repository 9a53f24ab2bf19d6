//! Typed errors. Every variant carries the numbers that locate the fault.

use pd_core::Real;

/// Why a shape, a body, a joint or a model of bodies could not be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RigidError {
    /// A parameter is out of its range.
    #[error("{what}: {name} is {value}; {expected}")]
    Parameter {
        /// What the parameter belongs to.
        what: &'static str,
        /// Name of the parameter.
        name: &'static str,
        /// Its value.
        value: Real,
        /// What it must be.
        expected: &'static str,
    },
    /// A hull of points that lie in one plane, on one line or in one place.
    #[error(
        "the hull of {points} points has no volume: its thickness is {thickness:.3e} m at a width of {width:.3e} m"
    )]
    FlatHull {
        /// Number of points given.
        points: usize,
        /// Largest distance of a point from the plane of the others, m.
        thickness: Real,
        /// Largest extent, m.
        width: Real,
    },
    /// A hull with more vertices than contacts are found for in reasonable time.
    #[error(
        "the hull has {vertices} vertices; at most {most} are allowed (simplify it, or use several parts)"
    )]
    LargeHull {
        /// Vertices of the hull.
        vertices: usize,
        /// Most allowed.
        most: usize,
    },
    /// A dynamic body without mass: no density, no part, or numbers that are not positive and finite.
    #[error("body {body} has mass {mass} kg; a dynamic body needs a positive and finite one")]
    Mass {
        /// The body.
        body: usize,
        /// Its mass, kg.
        mass: Real,
    },
    /// Principal moments that no distribution of mass has: each must be positive and at most the sum of the others.
    #[error(
        "body {body} has principal moments of inertia ({a}, {b}, {c}) kg·m²; each must be positive and at most the sum of the other two"
    )]
    Inertia {
        /// The body.
        body: usize,
        /// Moment about the first axis, kg·m².
        a: Real,
        /// Moment about the second axis, kg·m².
        b: Real,
        /// Moment about the third axis, kg·m².
        c: Real,
    },
    /// A pose or velocity that is not finite.
    #[error("body {body}: {what} is not finite")]
    NotFinite {
        /// The body.
        body: usize,
        /// Which quantity.
        what: &'static str,
    },
    /// A half-space has no volume, so it cannot move freely.
    #[error(
        "body {body} has an unbounded part and is dynamic; only static and kinematic bodies may have one"
    )]
    Unbounded {
        /// The body.
        body: usize,
    },
    /// Triangles of a mesh enclose nothing, so they cannot move freely.
    #[error(
        "body {body} has triangles of a mesh and is dynamic; only static and kinematic bodies may have them (use convex parts)"
    )]
    DynamicMesh {
        /// The body.
        body: usize,
    },
    /// A mesh that no shape can be made of.
    #[error("mesh: {what}")]
    Mesh {
        /// What is wrong with it.
        what: String,
    },
    /// A joint names a body that does not exist.
    #[error("joint {joint} refers to body {body}, but there are {bodies}")]
    MissingBody {
        /// The joint.
        joint: usize,
        /// The body it names.
        body: usize,
        /// How many there are.
        bodies: usize,
    },
    /// A joint that holds nothing: from a body to itself, or between bodies neither of which can move.
    #[error(
        "joint {joint} between {} and {} has no dynamic body to hold, or the same body twice", end(.a), end(.b)
    )]
    IdleJoint {
        /// The joint.
        joint: usize,
        /// First body; `None` is the world.
        a: Option<usize>,
        /// Second body; `None` is the world.
        b: Option<usize>,
    },
    /// A limit whose lower end is above its upper end.
    #[error("joint {joint}: the limit from {min} to {max} is empty")]
    Limit {
        /// The joint.
        joint: usize,
        /// Lower end, m or rad.
        min: Real,
        /// Upper end, m or rad.
        max: Real,
    },
    /// A joint of this kind has no such axis.
    #[error("joint {joint} of kind {kind:?} has no {axis} axis to limit or drive")]
    NoAxis {
        /// The joint.
        joint: usize,
        /// Kind of the joint.
        kind: &'static str,
        /// Which axis.
        axis: &'static str,
    },
    /// More bodies, parts or joints than 32-bit indices reach.
    #[error("{what}: {count} exceed the index range")]
    TooMany {
        /// What is too many.
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// No solver of this name.
    #[error("no rigid-body solver is called {name:?}; there are {known:?}")]
    UnknownSolver {
        /// The name given.
        name: String,
        /// Names there are.
        known: &'static [&'static str],
    },
}

/// Passes a positive finite value on.
pub(crate) fn positive(what: &'static str, name: &'static str, value: Real) -> Result<Real, RigidError> {
    let expected = "it must be positive and finite";
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(RigidError::Parameter { what, name, value, expected })
    }
}

/// Passes a finite value that is zero or more on.
pub(crate) fn not_negative(what: &'static str, name: &'static str, value: Real) -> Result<Real, RigidError> {
    let expected = "it must be finite and not negative";
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(RigidError::Parameter { what, name, value, expected })
    }
}

/// Passes a value that is zero or more, or infinite, on.
pub(crate) fn bound(what: &'static str, name: &'static str, value: Real) -> Result<Real, RigidError> {
    let expected = "it must not be negative or NaN";
    if value >= 0.0 { Ok(value) } else { Err(RigidError::Parameter { what, name, value, expected }) }
}

/// An end of a joint in words.
fn end(body: &Option<usize>) -> String {
    body.map_or_else(|| "the world".into(), |body| format!("body {body}"))
}
