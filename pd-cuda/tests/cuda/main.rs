//! The whole back end in the interpreter: unchanged host code, the PTX that is shipped.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "tests fail loudly and say what they saw"
)]

mod agreement;
mod planted;
mod ptx;
mod solver;
mod stepper;
mod user_kernel;

use pd_cuda::Device;
use pd_cuda_emu::{Driver, Options};

/// The stand-in device with every check on.
fn device() -> Device {
    driver().set_options(Options::default());
    Device::open(0).unwrap()
}

/// Without the search for races, for long runs: the same kernels are searched in the short tests.
fn fast_device() -> Device {
    driver().set_options(Options { check_global_races: false, ..Options::default() });
    Device::open(0).unwrap()
}

fn driver() -> Driver {
    pd_cuda_emu::install().expect("the stand-in driver is built beside the tests")
}
