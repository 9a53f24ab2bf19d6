//! Meshes and the distance fields made of them, against brute force and closed forms.
#![allow(clippy::unwrap_used, reason = "a strategy that builds a bad mesh is a failed test")]

mod mesh;
mod sdf;
