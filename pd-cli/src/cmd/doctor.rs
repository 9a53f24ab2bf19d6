//! `pd doctor`: what this machine and this build support.

use crate::{device, failure::Failure, machine, print_line::print_line};
use pd_mesh::tetrahedralize::{TETGEN_LINKED, TetGen};

pub(crate) fn run() -> Result<(), Failure> {
    let registry = pd_sim::Registry::standard();
    print_line(format_args!("pd {}", env!("CARGO_PKG_VERSION")))?;
    print_line(format_args!("threads          {}", machine::threads()))?;
    print_line(format_args!("simd             {}", machine::simd()))?;
    print_line(format_args!("steppers         {}", registry.stepper_names().join(", ")))?;
    print_line(format_args!("global solvers   {}", registry.solvers.names().collect::<Vec<_>>().join(", ")))?;
    print_line(format_args!("cuda             {}", device::describe()))?;
    print_line(format_args!("tetgen           {}", tetgen()))
}

/// TetGen is under the AGPL, so it matters whether it is linked or a separate program.
fn tetgen() -> String {
    let linked = if TETGEN_LINKED { "linked: this program is under the AGPL" } else { "not linked" };
    match TetGen::find(None) {
        Some(path) => format!("{} as a separate program; {linked}", path.display()),
        None => format!("no program tetgen on PATH; {linked}"),
    }
}
