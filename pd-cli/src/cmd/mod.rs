//! One file per command.

pub(crate) mod doctor;
pub(crate) mod picture;
pub(crate) mod run;
pub(crate) mod scenes;
