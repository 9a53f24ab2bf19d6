//! The renderer on the software driver, recordings, and the command.

mod command;
mod pictures;
mod recordings;
mod snapshots;
mod stage;
