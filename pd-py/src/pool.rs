//! Threads of a simulation.

use crate::errors::bad;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Upper limit of threads.
const MOST: usize = 1024;

/// A pool of `threads`; by default as many as the machine has, or as `RAYON_NUM_THREADS` says. Results do not depend on it.
pub(crate) fn pool(threads: Option<usize>) -> PyResult<ThreadPool> {
    if threads.is_some_and(|threads| !(1..=MOST).contains(&threads)) {
        return Err(bad(format!("threads must be from 1 to {MOST}")));
    }
    ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build().map_err(bad)
}
