//! One file per command.

pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod doctor;
pub(crate) mod keys;
pub(crate) mod mesh;
pub(crate) mod picture;
pub(crate) mod run;
pub(crate) mod scenes;
pub(crate) mod sweep;
pub(crate) mod tables;

use crate::failure::Failure;

/// Upper limit of `--threads`, so that a typing error does not allocate thousands of stacks.
const MAX_THREADS: usize = 1024;

/// The number of threads of `--threads`; default: all hardware threads.
pub(crate) fn thread_count(asked: Option<usize>) -> Result<usize, Failure> {
    let threads = asked.unwrap_or_else(crate::machine::threads);
    if !(1..=MAX_THREADS).contains(&threads) {
        return Err(Failure::Input(format!("--threads must be from 1 to {MAX_THREADS}")));
    }
    Ok(threads)
}
