//! Parameters of rigid bodies.

use pd_core::{Real, StepError};

/// Parameters of a [`RigidStepper`](crate::RigidStepper). Time step, gravity and a common damping are in
/// [`StepParams`](pd_core::StepParams).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RigidParams {
    /// Substeps of a time step. Default 4: contacts and accuracy want small steps; joints of `direct` hold with one.
    pub substeps: usize,
    /// Newton steps on the joints in a substep of `direct` with contacts, soft joints or great tension. Default 2, which holds an end 10⁶ times as heavy as the links of a
    /// chain in one substep of 1/60 s; one suffices up to 10³.
    pub joint_iterations: usize,
    /// How often contacts and joints take turns in a substep where bodies have both. Default 2.
    pub turns: usize,
    /// Distance below which contacts are looked for, m. Default 0.02.
    pub margin: Real,
    /// Frequency of the springs that push overlap out, Hz, where a quarter of the substeps can follow it. A body that bears n
    /// times its weight sinks in by n g/(2πf)². Default 60.
    pub contact_frequency: Real,
    /// Damping ratio of these springs. Default 1. Larger values make contacts harder; sweeps then no longer calm a stack that
    /// leans: five boxes begin to sway at 10 with the default frequency.
    pub contact_damping: Real,
    /// Fastest push-out, m/s. Default 3.
    pub push_out_speed: Real,
    /// Slowest approach that bounces, m/s. Default 0.5.
    pub bounce_speed: Real,
    /// Whether islands at rest fall asleep. Default true.
    pub sleep: bool,
    /// Speed below which a body counts as at rest, m/s (and rad/s times its size). Default 0.05.
    pub sleep_speed: Real,
    /// Time at rest after which an island falls asleep, s. Default 0.5.
    pub sleep_time: Real,
}

impl Default for RigidParams {
    fn default() -> Self {
        Self {
            substeps: 4,
            joint_iterations: 2,
            turns: 2,
            margin: 0.02,
            contact_frequency: 60.0,
            contact_damping: 1.0,
            push_out_speed: 3.0,
            bounce_speed: 0.5,
            sleep: true,
            sleep_speed: 0.05,
            sleep_time: 0.5,
        }
    }
}

impl RigidParams {
    /// Most substeps.
    pub const MOST_SUBSTEPS: usize = 10_000;

    /// Names the first parameter that is out of range.
    ///
    /// # Errors
    /// [`StepError::Parameter`].
    pub fn check(&self) -> Result<(), StepError> {
        let wrong = |name, value, expected| Err(StepError::Parameter { name, value, expected });
        if !(1..=Self::MOST_SUBSTEPS).contains(&self.substeps) {
            return wrong("substeps", self.substeps as Real, "it must be from 1 to 10000");
        }
        let positive =
            [("contact_frequency", self.contact_frequency), ("contact_damping", self.contact_damping)];
        for (name, value) in positive {
            if !(value > 0.0 && value.is_finite()) {
                return wrong(name, value, "it must be positive and finite");
            }
        }
        let rest = [
            ("margin", self.margin),
            ("push_out_speed", self.push_out_speed),
            ("bounce_speed", self.bounce_speed),
            ("sleep_speed", self.sleep_speed),
            ("sleep_time", self.sleep_time),
        ];
        for (name, value) in rest {
            if !(value >= 0.0 && value.is_finite()) {
                return wrong(name, value, "it must be zero or positive and finite");
            }
        }
        Ok(())
    }
}
