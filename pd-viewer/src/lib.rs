//! The sandbox window for projective dynamics: build a scene, run it, pull it, draw it off-screen.
//!
//! - [`draw`]: what is seen, as plain data; camera, picking, fields of colour. No device.
//! - [`render`]: draws it, in a window or without one.
//! - [`record`]: pictures and recordings as files.
//! - [`film`]: frames of a scene, simulated first and drawn afterwards.
//! - [`app`]: the window.

pub mod app;
pub mod draw;
pub mod film;
pub mod record;
pub mod render;
