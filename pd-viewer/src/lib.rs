//! The sandbox window for projective dynamics: build a scene, run it, pull it, draw it off-screen.

pub mod app;
pub mod draw;
pub mod render;
