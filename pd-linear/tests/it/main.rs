//! Solvers against the dense oracle, against their theory, and on bad input.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests stop at the first surprise and say what they saw"
)]

mod all;
mod direct;
mod jacobi;
mod low_rank;
mod matrices;
mod matrix_market;
mod scenes;
