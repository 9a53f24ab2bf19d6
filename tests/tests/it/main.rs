//! The crates together: against an independent run, against beams and springs, against themselves on other threads.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests fail loudly and say what they saw"
)]

mod acceleration;
mod attack;
mod cantilever;
mod contact_scenes;
mod contact_shapes;
mod determinism;
mod documents;
mod energy;
mod increment;
mod kinematic;
mod laboratory;
mod memory;
mod model;
mod packages;
mod physics;
mod published;
mod reference;
mod scenes;
mod sliding;
