//! Contact of cloth and solids, as scenes small enough for tests.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "helpers of tests are not marked as tests"
)]

mod bad_input;
mod bodies;
mod concave;
mod dense;
mod friction;
mod never_cross;
mod obstacles;
mod overlap;
mod repeat;
mod rest;
mod scenes;
mod solids;
mod tangles;
mod worlds;
