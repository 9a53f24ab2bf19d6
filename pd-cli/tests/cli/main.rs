//! The real binary: what it promises people and scripts, and how it rejects what it cannot use.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests fail loudly and say what they saw"
)]

mod audit;
mod bad_meshes;
mod bad_scenes;
mod bad_usage;
mod commands;
mod device;
mod films;
mod meshes;
mod readers;
mod readers_page;
mod sandbox;
mod sweeps;
mod tables;
