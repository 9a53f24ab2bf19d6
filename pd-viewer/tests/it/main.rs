//! The renderer on the software driver, recordings, and the command.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on must stop")]

mod command;
mod common;
mod pictures;
mod recordings;
mod snapshots;
