//! What can be set, and what a step tells.

use crate::{CoupleError, Layout, Scheme};
use pd_core::Real;

/// Settings of [`Coupled`](crate::Coupled).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoupledSettings {
    /// How kinds act on each other.
    pub scheme: Scheme,
    /// Sweeps over the rows, at most. Default 16.
    pub sweeps: usize,
    /// Change of a relative velocity that is small enough to end the sweeps, m/s. Default 1e-6.
    pub enough: Real,
    /// Fastest that an overlap of the start is parted, m/s. Default 1.
    pub push_speed: Real,
}

impl Default for CoupledSettings {
    fn default() -> Self {
        Self { scheme: Scheme::default(), sweeps: 16, enough: 1e-6, push_speed: 1.0 }
    }
}

impl CoupledSettings {
    /// Refuses numbers out of range, `admm-ipc`, and sheets too light for `staggered` before matter of which a cell weighs
    /// `pushed` kg/m².
    pub(super) fn check(&self, layout: &Layout, pushed: Real) -> Result<(), CoupleError> {
        let wrong = |name, value, expected| Err(CoupleError::Parameter { name, value, expected });
        if self.sweeps == 0 {
            return wrong("sweeps", 0.0, "it must be at least 1");
        }
        if self.scheme == Scheme::AdmmIpc {
            return Err(CoupleError::Unsupported {
                scheme: "admm-ipc",
                what: "rows; it has a stepper of its own",
            });
        }
        if self.push_speed.is_nan() || self.push_speed <= 0.0 {
            return wrong("push speed", self.push_speed, "it must be positive");
        }
        if self.scheme == Scheme::Staggered
            && let Some(light) = layout.sheets.iter().find(|sheet| sheet.mass_per_area < pushed)
        {
            let (name, own) = (light.name.clone(), light.mass_per_area);
            return Err(CoupleError::Light { name, own, pushed });
        }
        Ok(())
    }
}

/// What a step did beside what every stepper reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CoupledReport {
    /// Contacts between kinds that were looked at.
    pub rows: usize,
    /// Of these, those with an impulse.
    pub active: usize,
    /// Largest change of a relative velocity in the last sweep, m/s.
    pub left: Real,
    /// Sum of the sizes of all impulses, kg·m/s.
    pub impulse: Real,
    /// Points that the guard put back to their side.
    pub put_back: usize,
    /// Points between surfaces that close.
    pub stalled: usize,
    /// Vertices that contact with other kinds would have moved through their own surfaces, or those of other deformable bodies.
    pub held_back: usize,
    /// Largest distance of an attached vertex from its place on the body, m.
    pub gap: Real,
}
