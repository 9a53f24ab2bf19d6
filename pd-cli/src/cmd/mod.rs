//! One file per command.

pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod doctor;
pub(crate) mod mesh;
pub(crate) mod picture;
pub(crate) mod run;
pub(crate) mod scenes;
pub(crate) mod sweep;
pub(crate) mod tables;

use crate::failure::Failure;

/// More threads than any machine has only cost their stacks; a slip of the finger should not.
const MOST_THREADS: usize = 1024;

/// The threads asked for with `--threads`, or all the machine has.
pub(crate) fn thread_count(asked: Option<usize>) -> Result<usize, Failure> {
    let threads = asked.unwrap_or_else(crate::machine::threads);
    if !(1..=MOST_THREADS).contains(&threads) {
        return Err(Failure::Input(format!("--threads must be from 1 to {MOST_THREADS}")));
    }
    Ok(threads)
}
