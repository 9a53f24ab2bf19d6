//! Tests of pd-mesh: one binary, one module per subject.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "the lint's exception for tests does not reach their helper functions"
)]

mod atomic;
mod bad_files;
mod checks;
mod formats;
mod generators;
mod groups;
mod mesher;
mod models;
mod round_trip;
mod topology;
