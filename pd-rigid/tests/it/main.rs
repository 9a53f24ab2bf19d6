//! Physics of bodies and joints against closed forms, references and conservation laws.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod chain;
mod contacts;
mod fast;
mod joints;
mod masses;
mod meshes;
mod pendulum;
mod repeat;
mod world;
