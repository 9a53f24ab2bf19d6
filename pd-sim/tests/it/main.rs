//! Scenes of several kinds of matter.

#![allow(clippy::unwrap_used, reason = "helpers of tests: one that fails here says where")]

mod audit;
mod company;
mod guard;
mod matrix;
mod mixed;
mod settings;
