//! The real binary: what it promises people and scripts, and how it refuses what it cannot use.

mod bad_meshes;
mod bad_scenes;
mod bad_usage;
mod commands;
mod desk;
