//! Properties of all obstacles, on random shapes and points, against independent formulas and brute force.
#![allow(clippy::unwrap_used, reason = "a strategy that builds a bad shape is a failed test")]

mod draw;
mod field;
mod moving;
mod nearest;
mod resolve;
