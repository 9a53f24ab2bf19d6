//! The threads of the solver: one set to step, one to prepare.
//!
//! Both may work at once. In a shared pool, a thread that waits for the end of a step could steal part of a preparation,
//! which takes a hundred times as long, and the displayed scene would freeze.

use crate::app::advice::Problem;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::Arc;

/// Both pools, made when first needed.
#[derive(Default)]
pub(super) struct Pools {
    /// Threads of each; 0: all.
    threads: usize,
    stepping: Option<Arc<ThreadPool>>,
    preparing: Option<Arc<ThreadPool>>,
}

impl Pools {
    /// Another number of threads from now on; returns whether it is another.
    pub(super) fn set_threads(&mut self, threads: usize) -> bool {
        let other = threads != self.threads;
        if other {
            *self = Self { threads, ..Self::default() };
        }
        other
    }

    /// The threads that step.
    pub(super) fn stepping(&mut self) -> Result<Arc<ThreadPool>, Problem> {
        made(&mut self.stepping, self.threads)
    }

    /// The threads that prepare.
    pub(super) fn preparing(&mut self) -> Result<Arc<ThreadPool>, Problem> {
        made(&mut self.preparing, self.threads)
    }
}

fn made(pool: &mut Option<Arc<ThreadPool>>, threads: usize) -> Result<Arc<ThreadPool>, Problem> {
    if let Some(pool) = pool {
        return Ok(pool.clone());
    }
    let new = ThreadPoolBuilder::new().num_threads(threads).build();
    let new = Arc::new(new.map_err(|error| Problem::threads(threads, &error.to_string()))?);
    *pool = Some(new.clone());
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_are_two_and_stay_until_the_number_changes() {
        let mut pools = Pools::default();
        assert!(pools.set_threads(2));
        let (stepping, preparing) = (pools.stepping().unwrap(), pools.preparing().unwrap());
        assert!(!Arc::ptr_eq(&stepping, &preparing));
        assert_eq!((stepping.current_num_threads(), preparing.current_num_threads()), (2, 2));
        assert!(!pools.set_threads(2));
        assert!(Arc::ptr_eq(&stepping, &pools.stepping().unwrap()));
        assert!(pools.set_threads(1));
        assert_eq!(pools.stepping().unwrap().current_num_threads(), 1);
    }
}
