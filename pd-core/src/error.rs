//! Typed errors. Every variant carries the numbers that locate the fault.

use crate::Real;

/// Why a linear system could not be set up or solved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinearError {
    /// The matrix has no rows.
    #[error("the matrix is empty")]
    Empty,
    /// Row offsets or column indices are malformed.
    #[error("sparsity pattern, row {row}: {what}")]
    Pattern {
        /// The row.
        row: usize,
        /// What is wrong there.
        what: &'static str,
    },
    /// An array has the wrong length.
    #[error("{what}: expected {expected}, got {got}")]
    Dimension {
        /// Which array.
        what: &'static str,
        /// Length needed.
        expected: usize,
        /// Length given.
        got: usize,
    },
    /// A matrix entry or right-hand side value is NaN or infinite.
    #[error("entry ({row}, {column}) is {value}")]
    NotFinite {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// Its value.
        value: Real,
    },
    /// The matrix is not symmetric.
    #[error("the matrix is not symmetric: entry ({row}, {column}) is {value}, its transpose {transposed}")]
    NotSymmetric {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// Its value.
        value: Real,
        /// The value at (column, row).
        transposed: Real,
    },
    /// The matrix is not positive definite.
    #[error("the matrix is not positive definite: pivot {pivot} at row {row}")]
    NotPositiveDefinite {
        /// Row of the offending pivot.
        row: usize,
        /// The pivot: not positive (NaN if the solver does not report it).
        pivot: Real,
    },
    /// The solver would need more memory than allowed; nothing was allocated.
    #[error("{solver} would need {bytes} bytes, over the limit of {limit}")]
    TooLarge {
        /// Name of the solver.
        solver: String,
        /// Bytes needed.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The residual of an iteration grew, or became infinite or NaN.
    #[error("diverged at iteration {iteration} with relative residual {residual:.3e}")]
    Diverged {
        /// Iteration at which this was detected.
        iteration: usize,
        /// Relative residual there.
        residual: Real,
    },
    /// `solve` was called before a successful `factor`.
    #[error("{solver}: solve called before factor")]
    NotFactored {
        /// Name of the solver.
        solver: String,
    },
    /// A parameter of the solver is out of its range.
    #[error("{solver}: {what}")]
    Parameter {
        /// Name of the solver.
        solver: String,
        /// What is wrong and what is allowed.
        what: String,
    },
    /// An error of an underlying library.
    #[error("{solver}: {what}")]
    Backend {
        /// Name of the solver.
        solver: String,
        /// The report.
        what: String,
    },
}

/// Why a [`Model`](crate::Model) could not be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A particle set that does not fit the others.
    #[error("particle set {name:?} {what}")]
    Set {
        /// Name of the set.
        name: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A vertex with two prescribed motions.
    #[error("vertex {vertex} is made kinematic twice")]
    KinematicTwice {
        /// The vertex.
        vertex: usize,
    },
    /// A value of a contact material or surface out of its range.
    #[error("{what} is {value}; {expected}")]
    Material {
        /// Which value.
        what: &'static str,
        /// What was given.
        value: Real,
        /// What it must be.
        expected: &'static str,
    },
    /// A collision surface names a body that does not exist.
    #[error("the collision surface refers to body {body}, but there are {bodies}")]
    SurfaceBody {
        /// The body it names.
        body: usize,
        /// How many there are.
        bodies: usize,
    },
    /// Tables of a collision surface of different lengths.
    #[error("the collision surface has {expected} {what}, but bodies for {got}")]
    SurfaceTable {
        /// Which table.
        what: &'static str,
        /// Entries of the table.
        expected: usize,
        /// Entries that have a body.
        got: usize,
    },
    /// More vertices or entries than 32-bit indices can address.
    #[error("{what}: {count} exceed the 32-bit index range")]
    TooMany {
        /// What is too many.
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// A mass that is not positive and finite.
    #[error("vertex {vertex} has mass {mass}; it must be positive and finite")]
    Mass {
        /// The vertex.
        vertex: usize,
        /// Its mass.
        mass: Real,
    },
    /// A batch names a vertex that does not exist.
    #[error("batch {kind:?} refers to vertex {vertex}, but there are {vertices}")]
    Vertex {
        /// Kind of the batch.
        kind: String,
        /// The vertex it names.
        vertex: usize,
        /// How many there are.
        vertices: usize,
    },
    /// A weight that is not positive and finite.
    #[error("element {element} of batch {kind:?} has weight {weight}; it must be positive and finite")]
    Weight {
        /// Kind of the batch.
        kind: String,
        /// The element.
        element: usize,
        /// Its weight.
        weight: Real,
    },
    /// A stencil coefficient that is not finite.
    #[error("row {row} of batch {kind:?} has coefficient {value}")]
    Coefficient {
        /// Kind of the batch.
        kind: String,
        /// The row of its stencil.
        row: usize,
        /// The coefficient.
        value: Real,
    },
    /// An element was pushed with the wrong number of rows.
    #[error("element {element} of batch {kind:?} was given {got} rows; the batch has {expected} per element")]
    Rows {
        /// Kind of the batch.
        kind: String,
        /// The element.
        element: usize,
        /// Rows per element of the stencil.
        expected: usize,
        /// Rows given.
        got: usize,
    },
}

/// Why a step failed. The state is left as it was before the step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The global solve failed.
    #[error("global solve: {0}")]
    Linear(#[from] LinearError),
    /// A parameter is out of its range.
    #[error("parameter {name} is {value}; {expected}")]
    Parameter {
        /// Name of the parameter.
        name: &'static str,
        /// Its value.
        value: Real,
        /// What it must be.
        expected: &'static str,
    },
    /// The model and the state have different numbers of vertices.
    #[error("the model has {model} vertices, the state {state}")]
    Size {
        /// Vertices of the model.
        model: usize,
        /// Vertices of the state.
        state: usize,
    },
    /// A force acts on more vertices than the model has.
    #[error("the force {force:?} acts on {vertices} vertices, the model has {model}")]
    ForceSize {
        /// Kind of the force.
        force: &'static str,
        /// Vertices that it was built for.
        vertices: usize,
        /// Vertices of the model.
        model: usize,
    },
    /// The new positions are not finite; the step was not taken.
    #[error("positions are no longer finite (first at vertex {vertex})")]
    NotFinite {
        /// First vertex found.
        vertex: usize,
    },
    /// The new pose or velocity of a rigid body is not finite; the step was not taken.
    #[error("the pose of rigid body {body} is no longer finite")]
    BodyNotFinite {
        /// First body found.
        body: usize,
    },
    /// The energy exceeded any physical bound: the time step is beyond the stability limit of the method.
    #[error(
        "stepper {stepper:?} diverged: the energy has grown {growth:.3e} times; take a shorter time step"
    )]
    Diverged {
        /// Name of the stepper.
        stepper: String,
        /// Energy over the scale of the scene.
        growth: Real,
    },
    /// A stepper does not support a batch, collider or force of this kind.
    #[error("stepper {stepper:?} does not support {what}")]
    Unsupported {
        /// Name of the stepper.
        stepper: String,
        /// What it does not support.
        what: String,
    },
    /// A step needs more memory than `prepare` reserved; the state is unchanged, and calling `prepare` again reserves more.
    #[error("stepper {stepper:?} has room for {have} {what} and needs {needed}")]
    Capacity {
        /// Name of the stepper.
        stepper: String,
        /// What does not fit.
        what: &'static str,
        /// How many are needed.
        needed: usize,
        /// How many were reserved.
        have: usize,
    },
    /// Surfaces intersect where they must not.
    #[error("{pairs} pairs of triangles intersect, first {first} and {second}")]
    Intersecting {
        /// Number of pairs.
        pairs: usize,
        /// A triangle of the collision surface.
        first: usize,
        /// Another.
        second: usize,
    },
    /// Bodies begin inside of obstacles.
    #[error(
        "{places} vertices and triangles lie in obstacles, first vertex {vertex} in obstacle {obstacle} by {depth:.3e} m"
    )]
    Immersed {
        /// How many vertices, and triangles with all corners outside.
        places: usize,
        /// The first vertex, or a corner of the first triangle.
        vertex: usize,
        /// Number of its obstacle.
        obstacle: usize,
        /// How deep, m.
        depth: Real,
    },
    /// Prescribed motion would crush a body, and waiting was disabled.
    #[error(
        "what moves as prescribed would crush a body: only {fraction:.3} of its way is free in this step"
    )]
    Squeezed {
        /// Fraction of the motion that was possible.
        fraction: Real,
    },
    /// `step` was called before `prepare`, or after the model or a parameter that `prepare` depends on changed.
    #[error("stepper {stepper:?} is not prepared for this model and time step; call prepare")]
    NotPrepared {
        /// Name of the stepper.
        stepper: String,
    },
    /// A device or other back end failed.
    #[error("{backend}: {what}")]
    Backend {
        /// Its name.
        backend: String,
        /// What it reports.
        what: String,
    },
}
