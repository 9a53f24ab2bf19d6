//! Typed errors with the numbers that locate the fault.

use pd_core::{Real, StepError, Vec3};

/// Why a model of material points could not be built or stepped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MpmError {
    /// A constant is out of its range.
    #[error("{name} is {value}; {expected}")]
    Parameter {
        /// Name of the constant.
        name: &'static str,
        /// Its value.
        value: Real,
        /// What it must be.
        expected: &'static str,
    },
    /// The grid spacing is not positive and finite.
    #[error("the grid spacing is {dx} m; it must be positive and finite")]
    Spacing {
        /// The spacing, m.
        dx: Real,
    },
    /// The domain has no cells along an axis, or more than can be numbered.
    #[error("the domain has {cells:?} cells; each must be from 1 to {most}")]
    Domain {
        /// Cells along x, y and z.
        cells: [u32; 3],
        /// The most along an axis.
        most: u32,
    },
    /// There are no particles.
    #[error("there are no material points")]
    Empty,
    /// Sets of particles overlap, leave a gap or are not in order.
    #[error("set {set} begins at point {first}; sets follow one another, so it must begin at {expected}")]
    Sets {
        /// The set.
        set: usize,
        /// Where it begins.
        first: usize,
        /// Where it should.
        expected: usize,
    },
    /// The substep asked for is longer than sound or viscosity allows.
    #[error(
        "the substep of {substep:.3e} s is above the bound of {bound:.3e} s (CFL {cfl}, spacing {dx} m, fastest wave {speed} m/s)"
    )]
    Cfl {
        /// Substep asked for, s.
        substep: Real,
        /// Longest allowed, s.
        bound: Real,
        /// Fraction of a cell that a wave may travel.
        cfl: Real,
        /// Grid spacing, m.
        dx: Real,
        /// Speed of the fastest wave, that of the matter itself included, m/s.
        speed: Real,
    },
    /// One step would need more substeps than allowed.
    #[error("a step of {dt} s needs {needed} substeps of {substep:.3e} s, above the limit of {limit}")]
    Substeps {
        /// The step, s.
        dt: Real,
        /// Substep that the bounds allow, s.
        substep: Real,
        /// Substeps needed.
        needed: usize,
        /// Most allowed.
        limit: usize,
    },
    /// A particle is outside of the domain.
    #[error("point {point} at {position:?} is outside of the domain from {min:?} to {max:?}")]
    Outside {
        /// The point.
        point: usize,
        /// Its position, m.
        position: Vec3,
        /// Smallest corner of the domain, m.
        min: Vec3,
        /// Largest corner, m.
        max: Vec3,
    },
    /// A body is too light for the coupling `staggered`.
    #[error(
        "body {body} weighs {own} kg/m² along its thinnest side, less than the {pushed} kg/m² of matter in a cell before it; take the coupling `rows`"
    )]
    Light {
        /// The body.
        body: usize,
        /// Its mass per area, kg/m².
        own: Real,
        /// Mass per area of one cell of matter, kg/m².
        pushed: Real,
    },
    /// The model has a body that the state has not.
    #[error("the model refers to body {body}, the state has {bodies}")]
    Body {
        /// The body.
        body: usize,
        /// Bodies of the state.
        bodies: usize,
    },
    /// The state has fewer points than the model.
    #[error("the model has {model} material points up to point {end}, the state {state} points")]
    Size {
        /// Material points of the model.
        model: usize,
        /// One past the last of them.
        end: usize,
        /// Points of the state.
        state: usize,
    },
}

impl From<MpmError> for StepError {
    fn from(error: MpmError) -> Self {
        StepError::Backend { backend: "mpm".to_owned(), what: error.to_string() }
    }
}
