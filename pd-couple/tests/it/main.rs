//! What coupling promises.

#![allow(clippy::unwrap_used, reason = "helpers of tests: one that fails here says where")]

mod admm;
mod attach;
mod immersion;
mod meet;
mod plates;
mod pressed;
mod sleep;
mod world;
