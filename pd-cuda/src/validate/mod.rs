//! Validation of a device: the same comparisons with the host that the tests make in the interpreter, and the tables of the thesis. `pd-cuda-validate` runs all of it on a real device.

mod collisions;
mod dice;
mod laws;
mod linear;
mod runs;
mod sums;
mod tables;

pub use collisions::collisions;
pub use laws::laws;
pub use linear::linear_solvers;
pub use runs::{Run, mixed_mode, runs, whole_runs};
pub use sums::{reductions, sums};
pub use tables::{TableScale, tables};

use crate::DeviceReal;
use pd_core::Real;

/// Any error: a validation stops at the first one.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// One comparison with the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// What was compared.
    pub what: String,
    /// "f32" or "f64".
    pub precision: &'static str,
    /// The worst difference, relative to the size of what was compared.
    pub worst: Real,
    /// The difference allowed.
    pub allowed: Real,
}

impl Agreement {
    pub(crate) fn new<T: DeviceReal>(what: impl Into<String>, worst: Real, allowed: Real) -> Self {
        Self { what: what.into(), precision: T::NAME, worst, allowed }
    }

    /// Whether the difference is allowed; NaN is not.
    pub fn passes(&self) -> bool {
        self.worst <= self.allowed
    }
}

impl std::fmt::Display for Agreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let verdict = if self.passes() { "ok" } else { "FAILS" };
        let Self { what, precision, worst, allowed } = self;
        write!(f, "{what:<40} {precision}  {worst:9.2e}  (allowed {allowed:.0e})  {verdict}")
    }
}

/// Relative difference allowed between a kernel and the host.
pub(crate) fn kernel_tolerance<T: DeviceReal>() -> Real {
    if T::NAME == "f32" { 1e-5 } else { 1e-12 }
}
