//! Parameters of a step.

use crate::{Real, StepError, Vec3};

/// Parameters of every stepper. The defaults are those of the thesis' program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepParams {
    /// Time step h, s. Default 1/60. The global matrix depends on it: changing it needs a new `prepare`.
    pub dt: Real,
    /// Maximum number of local/global iterations per step. Default 10. More iterations approach the implicit Euler step; fewer
    /// make bodies softer and more damped.
    pub iterations: usize,
    /// Acceleration of gravity, m/s². Default (0, −9.8, 0).
    pub gravity: Vec3,
    /// Velocity damping rate c, 1/s; velocities are divided by 1 + h·c each step, those of rigid bodies follow v' = a − c v
    /// exactly. Default 0: implicit Euler already has numerical damping.
    pub damping: Real,
    /// Whether the predictor does not move pinned vertices (as the thesis' program does), so that gravity
    /// does not pull on a pin. Default true.
    pub hold_pinned: bool,
    /// Stop iterating once the force imbalance ‖∇objective‖ has fallen to this fraction of its value at the first
    /// iterate. Default 0: always do all iterations.
    pub tolerance: Real,
    /// Stop iterating once the [estimate](crate::missing) of the part of the step's motion that is missing has fallen to this: 0.01 leaves
    /// 1 %. Followed by plain projective dynamics, which reports it ([`StepReport::missing`](crate::StepReport::missing)); at least three iterations are
    /// done. Default 0: always do all iterations.
    pub accuracy: Real,
    /// Whether each step also measures energies, residual and strain (one more local step; accelerated steppers one
    /// more per iteration). Default false.
    pub measure: bool,
}

impl Default for StepParams {
    fn default() -> Self {
        Self {
            dt: 1.0 / 60.0,
            iterations: 10,
            gravity: Vec3::new(0.0, -9.8, 0.0),
            damping: 0.0,
            hold_pinned: true,
            tolerance: 0.0,
            accuracy: 0.0,
            measure: false,
        }
    }
}

impl StepParams {
    /// Largest allowed number of iterations: steppers reserve one number per iteration.
    pub const MAX_ITERATIONS: usize = 1_000_000;

    /// Returns the first parameter that is out of range as an error.
    pub fn check(&self) -> Result<(), StepError> {
        let wrong = |name, value, expected| Err(StepError::Parameter { name, value, expected });
        // The matrix contains m/h², so the square must be finite too.
        if !(self.dt > 0.0 && (self.dt * self.dt).is_normal()) {
            return wrong("dt", self.dt, "it and its square must be positive and finite, in seconds");
        }
        if !(1..=Self::MAX_ITERATIONS).contains(&self.iterations) {
            return wrong("iterations", self.iterations as Real, "it must be from 1 to 1000000");
        }
        if let Some(&g) = self.gravity.iter().find(|g| !g.is_finite()) {
            return wrong("gravity", g, "it must be finite, in m/s²");
        }
        if !(self.damping >= 0.0 && self.damping.is_finite()) {
            return wrong("damping", self.damping, "it must be zero or positive and finite, in 1/s");
        }
        if !(self.tolerance >= 0.0 && self.tolerance < 1.0) {
            return wrong("tolerance", self.tolerance, "it must be at least 0 and below 1");
        }
        if !(self.accuracy >= 0.0 && self.accuracy < 1.0) {
            return wrong("accuracy", self.accuracy, "it must be at least 0 and below 1");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_parameters_are_named() {
        let good = StepParams::default();
        assert_eq!(good.check(), Ok(()));
        let name = |params: StepParams| match params.check() {
            Err(StepError::Parameter { name, .. }) => name,
            other => panic!("{other:?}"),
        };
        for dt in [0.0, -1.0, Real::NAN, Real::INFINITY, 1e-200, 1e200] {
            assert_eq!(name(StepParams { dt, ..good }), "dt");
        }
        for iterations in [0, StepParams::MAX_ITERATIONS + 1, usize::MAX] {
            assert_eq!(name(StepParams { iterations, ..good }), "iterations");
        }
        assert_eq!(name(StepParams { gravity: Vec3::new(0.0, Real::NAN, 0.0), ..good }), "gravity");
        assert_eq!(name(StepParams { damping: -0.1, ..good }), "damping");
        assert_eq!(name(StepParams { tolerance: 1.0, ..good }), "tolerance");
        assert_eq!(name(StepParams { accuracy: -0.1, ..good }), "accuracy");
    }
}
