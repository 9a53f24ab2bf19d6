//! `pd doctor`: what this machine and this build offer.

use crate::{device, failure::Failure, machine, say::say};
use pd_mesh::tetrahedralize::{TETGEN_LINKED, TetGen};

pub(crate) fn run() -> Result<(), Failure> {
    let registry = pd_sim::Registry::standard();
    say(format_args!("pd {}", env!("CARGO_PKG_VERSION")))?;
    say(format_args!("threads          {}", machine::threads()))?;
    say(format_args!("simd             {}", machine::simd()))?;
    say(format_args!("steppers         {}", registry.stepper_names().join(", ")))?;
    say(format_args!("global solvers   {}", registry.solvers.names().collect::<Vec<_>>().join(", ")))?;
    say(format_args!("cuda             {}", device::describe()))?;
    say(format_args!("tetgen           {}", tetgen()))
}

/// TetGen is AGPL, so it matters whether it is linked or a program of its own.
fn tetgen() -> String {
    let linked = if TETGEN_LINKED { "linked: this program is under the AGPL" } else { "not linked" };
    match TetGen::find(None) {
        Some(path) => format!("{} as a program of its own; {linked}", path.display()),
        None => format!("no program tetgen on PATH; {linked}"),
    }
}
