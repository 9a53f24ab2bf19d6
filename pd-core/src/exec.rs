//! Deterministic parallel loops.
//!
//! Work is cut by size, never by the number of threads, and sums follow a fixed tree; so the bits of a result do
//! not depend on the pool. All loops run in the current rayon pool (`ThreadPool::install` chooses one) and allocate
//! nothing.

use std::ops::Range;

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

/// Combines `leaf(range)` over ranges of at most `size` indices, by a binary tree that depends on `range` alone.
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
