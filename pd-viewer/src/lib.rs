//! The interactive viewer: edit a scene, run it, pull on bodies, render it off-screen.
//!
//! - [`draw`]: draw data without a GPU; camera, picking, colour fields.
//! - [`render`]: the renderer, with or without a window.
//! - [`record`]: image and animation files.
//! - [`film`]: frames of a scene, simulated first and rendered afterwards.
//! - [`app`]: the window.

pub mod app;
pub mod draw;
pub mod film;
pub mod record;
pub mod render;
