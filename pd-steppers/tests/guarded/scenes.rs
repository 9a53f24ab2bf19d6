//! Scenes with a dense factor.

use crate::dense::Dense;
pub(crate) use crate::worlds::*;
use pd_core::{CpuLocal, Stepper};
use pd_steppers::GuardedPd;

impl Scene {
    pub(crate) fn stepper(&self) -> GuardedPd {
        let local = Box::new(CpuLocal::default());
        let mut stepper = GuardedPd::new(local, Box::new(Dense::default()), self.options);
        stepper.prepare(self.context()).unwrap();
        stepper
    }
}
