//! Meshes, what is made of them and other solids, against brute force and closed forms.
#![allow(clippy::unwrap_used, reason = "a strategy that builds a bad mesh is a failed test")]

mod mesh;
mod sdf;
mod solids;
