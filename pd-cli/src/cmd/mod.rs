//! One file per command.

pub(crate) mod check;
pub(crate) mod doctor;
pub(crate) mod mesh;
pub(crate) mod picture;
pub(crate) mod run;
pub(crate) mod scenes;
