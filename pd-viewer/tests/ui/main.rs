//! The whole window without a display: clicks, drags and keys go in, the program's state and its pictures come out.
//!
//! A graphics adapter is needed and its absence fails the tests; the software Vulkan driver will do
//! (`mesa-vulkan-drivers` on Debian).

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod common;
mod counted;
mod device;
mod display;
mod edit;
mod interact;
mod look;
mod objects;
mod orders;
mod problems;
mod recording;
mod scenes;
mod settings;
mod soak;

#[global_allocator]
static ALLOCATOR: counted::Counted = counted::Counted;
