//! Deterministic parallel loops.
//!
//! Work is divided by size, never by the number of threads, and sums follow a fixed tree. Results are therefore bitwise
//! independent of the pool. All loops run in the current rayon pool (`ThreadPool::install` chooses one) and allocate
//! nothing.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Elements handled by one task of a loop over elements.
pub const ELEMENT_CHUNK: usize = 256;

/// Vertices handled by one task of a loop over vertices.
pub const VERTEX_CHUNK: usize = 1024;

/// Runs `f(first index, chunk)` over chunks of `size` items.
pub fn for_each_chunk<T: Send>(items: &mut [T], size: usize, f: impl Fn(usize, &mut [T]) + Sync) {
    use rayon::prelude::*;
    if items.len() <= size {
        if !items.is_empty() {
            f(0, items);
        }
        return;
    }
    items.par_chunks_mut(size).enumerate().for_each(|(k, chunk)| f(k * size, chunk));
}

/// Combines `leaf(range)` over ranges of at most `size` indices, by a binary tree that depends only on `range`.
///
/// ```
/// let sum = pd_core::exec::reduce(0..1000, 64, &|r| r.sum::<usize>(), &|a, b| a + b);
/// assert_eq!(sum, 499_500);
/// ```
pub fn reduce<T: Send>(
    range: Range<usize>,
    size: usize,
    leaf: &(impl Fn(Range<usize>) -> T + Sync),
    combine: &(impl Fn(T, T) -> T + Sync),
) -> T {
    if range.len() <= size.max(1) {
        return leaf(range);
    }
    // Split at a multiple of `size`, so that leaves are full chunks.
    let chunks = range.len().div_ceil(size);
    let middle = range.start + chunks / 2 * size;
    let (a, b) = rayon::join(
        || reduce(range.start..middle, size, leaf, combine),
        || reduce(middle..range.end, size, leaf, combine),
    );
    combine(a, b)
}

/// Maximum number of threads, besides the caller's, that [`keep_workers_spinning`] keeps spinning.
const AWAKE: usize = 7;

/// How long a thread spins without work before it sleeps.
const PATIENCE: Duration = Duration::from_micros(500);

/// Runs `f` while the other threads of the pool spin, waiting for its work, instead of sleeping.
///
/// An iteration is a sequence of loops of about ten microseconds each, and waking a thread takes as long: without this, the
/// second thread would arrive late in every loop. Which thread runs a task does not affect results, see above. Long work of
/// another kind (a factorisation in the background) needs a separate pool: a spinning thread might steal
/// part of it, and this function waits for that thread.
pub fn keep_workers_spinning<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    let others = (rayon::current_num_threads() - 1).min(AWAKE);
    if others == 0 {
        return f();
    }
    let (done, caller) = (AtomicBool::new(false), AtomicUsize::new(usize::MAX));
    let (mut f, mut result) = (Some(f), None);
    let mut run = || {
        let _end = End(&done); // set even if `f` panics, so that the others do not wait forever
        caller.store(rayon::current_thread_index().unwrap_or(usize::MAX), Ordering::SeqCst);
        result = f.take().map(|f| f());
    };
    beside(others, &done, &caller, &mut run);
    match result {
        Some(result) => result,
        None => unreachable!("the task ran once"),
    }
}

/// Runs a task while `others` threads spin. The spinning jobs are pushed to the pool before any work of the task, and
/// threads steal the oldest job first, so a thread that already works for the task does not start to spin in the middle of
/// it. (If several tasks share a pool, it may.)
fn beside(others: usize, done: &AtomicBool, caller: &AtomicUsize, run: &mut (dyn FnMut() + Send)) {
    match others {
        0 => run(),
        _ => {
            rayon::join(|| beside(others - 1, done, caller, run), || stand_by(done, caller));
        }
    }
}

/// Marks the end of a task when dropped.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Executes work of the pool until the task is done. The thread that runs the task must not be caught here.
fn stand_by(done: &AtomicBool, caller: &AtomicUsize) {
    let mut last = Instant::now();
    while !done.load(Ordering::Acquire)
        && rayon::current_thread_index() != Some(caller.load(Ordering::SeqCst))
    {
        if rayon::yield_now() == Some(rayon::Yield::Executed) {
            last = Instant::now();
        } else if last.elapsed() > PATIENCE {
            return;
        }
        std::hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_the_same_bits_in_any_pool() {
        let values: Vec<f64> = (0..10_007).map(|i| (i as f64 * 0.7).sin() * 1e3).collect();
        let sum = || reduce(0..values.len(), 256, &|r| values[r].iter().sum::<f64>(), &|a, b| a + b);
        let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        let one = pool(1).install(sum);
        for threads in [2, 3, 8] {
            assert_eq!(pool(threads).install(sum).to_bits(), one.to_bits());
        }
        assert!((one - values.iter().sum::<f64>()).abs() < 1e-6);
    }

    #[test]
    fn threads_that_stay_awake_change_nothing_and_let_go() {
        let values: Vec<f64> = (0..10_007).map(|i| (i as f64 * 0.7).sin() * 1e3).collect();
        let sum = || reduce(0..values.len(), 256, &|r| values[r].iter().sum::<f64>(), &|a, b| a + b);
        let alone = sum();
        for threads in [1, 2, 3, 9] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for _ in 0..200 {
                let nested = || keep_workers_spinning(|| (keep_workers_spinning(sum), sum()));
                assert_eq!(pool.install(nested), (alone, alone));
            }
            let panics =
                std::panic::AssertUnwindSafe(|| pool.install(|| keep_workers_spinning(|| panic!("inside"))));
            assert!(std::panic::catch_unwind(panics).is_err());
            assert_eq!(pool.install(|| keep_workers_spinning(sum)), alone, "the pool works after a panic");
        }
        assert_eq!(keep_workers_spinning(sum), alone, "from a thread outside every pool");
    }

    #[test]
    fn chunks_visit_every_item_once_with_its_index() {
        for n in [0, 1, 5, 6, 7, 100] {
            let mut items = vec![0usize; n];
            for_each_chunk(&mut items, 6, |first, chunk| {
                for (k, item) in chunk.iter_mut().enumerate() {
                    *item += first + k;
                }
            });
            assert_eq!(items, (0..n).collect::<Vec<_>>());
        }
    }
}
