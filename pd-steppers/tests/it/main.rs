//! Every stepper against the others, against closed forms, and against itself over threads and resumption.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests fail the test and say what they saw"
)]

mod colours;
mod common;
mod conservation;
mod determinism;
mod drape;
mod drape_tester;
mod fused;
mod laws;
mod minimiser;
mod missing;
mod schemes;
mod stability;
mod stiffness;
mod unsupported;
