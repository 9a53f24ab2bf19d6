//! The narrow phase against independent formulas: optimality conditions, finite differences, rational arithmetic.
#![allow(clippy::unwrap_used, reason = "a strategy that draws bad input is a failed test")]

mod ccd;
mod difference;
mod distance;
mod draw;
mod intersect;
mod potentials;
mod queries;
mod zones;
