//! Why particles could not be built.

use pd_core::Real;

/// Faults of the input of a [`ParticleModelBuilder`](crate::ParticleModelBuilder) or a [`BodyShape`](crate::BodyShape).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParticleError {
    /// No particles.
    #[error("there are no particles")]
    Empty,
    /// More particles than 32-bit indices reach.
    #[error("{count} particles exceed the 32-bit index range")]
    TooMany {
        /// How many.
        count: usize,
    },
    /// A number of a set is out of its range.
    #[error("set {set:?}: {what} is {value}; {expected}")]
    Parameter {
        /// Name of the set.
        set: String,
        /// Which number.
        what: &'static str,
        /// Its value.
        value: Real,
        /// What it must be.
        expected: &'static str,
    },
    /// A position that is not finite.
    #[error("set {set:?}: particle {particle} is at ({}, {}, {})", at[0], at[1], at[2])]
    Position {
        /// Name of the set.
        set: String,
        /// Number of the particle within the set.
        particle: usize,
        /// Where it is.
        at: [Real; 3],
    },
    /// Columns of a shape that have different lengths.
    #[error("{what}: expected {expected} entries, got {got}")]
    Length {
        /// Which column.
        what: &'static str,
        /// Length needed.
        expected: usize,
        /// Length given.
        got: usize,
    },
    /// A shape so small, or so thin, that no particle of this spacing lies in it.
    #[error("no particle of spacing {spacing} m fits into a shape of {} × {} × {} m", size[0], size[1], size[2])]
    TooThin {
        /// Distance of neighbouring particles, m.
        spacing: Real,
        /// Sides of the shape's box, m.
        size: [Real; 3],
    },
    /// A part of a mesh that is too thin to get particles.
    #[error(
        "the mesh at ({:.4}, {:.4}, {:.4}) is {distance:.4} m from the nearest particle of spacing {spacing} m: that part \
         is too thin; take a smaller spacing, or accept a larger cover",
        at[0], at[1], at[2]
    )]
    Uncovered {
        /// Distance of neighbouring particles, m.
        spacing: Real,
        /// Distance to the nearest particle, m.
        distance: Real,
        /// A vertex of the part.
        at: [Real; 3],
    },
    /// A number that says how a mesh is sampled is out of its range.
    #[error("{what} is {value}; {expected}")]
    Sampling {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: Real,
        /// What it must be.
        expected: &'static str,
    },
}
