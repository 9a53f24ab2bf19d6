//! External forces: wind on surfaces and forces on chosen vertices. Gravity is a parameter of the step.

mod point;
mod wind;

pub use point::PointForce;
pub use wind::{Wind, WindModel};

use crate::ConstraintError;
use pd_core::Real;

/// When a force acts: from ≤ t < to, s.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    from: Real,
    to: Real,
}

impl Interval {
    const ALWAYS: Self = Self { from: Real::NEG_INFINITY, to: Real::INFINITY };

    fn new(from: Real, to: Real) -> Result<Self, ConstraintError> {
        if from < to { Ok(Self { from, to }) } else { Err(ConstraintError::Interval { from, to }) }
    }

    fn contains(&self, time: Real) -> bool {
        self.from <= time && time < self.to
    }
}
