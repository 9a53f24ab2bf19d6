//! `pd doctor`: what this machine and this build offer.

use crate::{failure::Failure, machine, say::say};

pub(crate) fn run() -> Result<(), Failure> {
    let registry = pd_sim::Registry::standard();
    say(format_args!("pd {}", env!("CARGO_PKG_VERSION")))?;
    say(format_args!("threads          {}", machine::threads()))?;
    say(format_args!("simd             {}", machine::simd()))?;
    say(format_args!("steppers         {}", registry.stepper_names().join(", ")))?;
    say(format_args!("global solvers   {}", registry.solvers.names().collect::<Vec<_>>().join(", ")))?;
    say("cuda             not in this build")?;
    say("tetgen           not in this build")
}
