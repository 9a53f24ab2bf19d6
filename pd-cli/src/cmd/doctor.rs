//! `pd doctor`: what this machine and this build offer.

use crate::{failure::Failure, machine};

pub(crate) fn run() -> Result<(), Failure> {
    let registry = pd_sim::Registry::standard();
    println!("pd {}", env!("CARGO_PKG_VERSION"));
    println!("threads          {}", machine::threads());
    println!("simd             {}", machine::simd());
    println!("steppers         {}", registry.stepper_names().join(", "));
    println!("global solvers   {}", registry.solvers.names().collect::<Vec<_>>().join(", "));
    println!("cuda             not in this build");
    println!("tetgen           not in this build");
    Ok(())
}
