//! Pairs found by many tasks, put in ascending order.
//!
//! A comparison sort of the pairs of a folded cloth takes several times as long as finding them. But ids are dense, so
//! two counting sorts do, by the second id and then, keeping that order, by the first. Each runs in parallel in two
//! stages: chunks of pairs are sorted by *band* (a run of ids), then every band is counted and placed in its own part of
//! the output. One thread takes all ids as one band and saves itself the first stage.

use rayon::prelude::*;
use std::ops::Range;

/// A pair of ids.
type Pair = [u32; 2];

/// Bands of ids, at most: enough for threads to share the work, few enough to sort into at once.
const BANDS: usize = 64;

/// Chunks of the second sort, at most.
const CHUNKS: usize = 64;

/// Scratch for collecting and sorting pairs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collector {
    /// What each task found.
    found: Vec<Vec<Pair>>,
    /// All pairs by their second id.
    by_second: Vec<Pair>,
    sorter: Sorter,
}

impl Collector {
    /// Runs `search(task, found)` for all tasks in parallel and replaces `out` by what they found, in ascending order.
    /// First ids must be below `rows` and second ids below `columns`.
    pub(crate) fn collect(
        &mut self,
        tasks: usize,
        [rows, columns]: [usize; 2],
        out: &mut Vec<Pair>,
        search: impl Fn(usize, &mut Vec<Pair>) + Sync,
    ) {
        let found = self.tasks(tasks);
        found.par_iter_mut().enumerate().for_each(|(task, found)| search(task, found));
        self.sort(tasks, [rows, columns], out);
    }

    /// Empty lists for so many tasks to fill.
    pub(crate) fn tasks(&mut self, tasks: usize) -> &mut [Vec<Pair>] {
        if self.found.len() < tasks {
            self.found.resize_with(tasks, Vec::new);
        }
        let found = &mut self.found[..tasks];
        found.iter_mut().for_each(Vec::clear);
        found
    }

    /// Replaces `out` by what so many tasks found, in ascending order.
    pub(crate) fn sort(&mut self, tasks: usize, [rows, columns]: [usize; 2], out: &mut Vec<Pair>) {
        let found = &self.found[..tasks];
        let total = found.iter().map(Vec::len).sum();
        // All of it is written below.
        self.by_second.resize(total, [0; 2]);
        out.resize(total, [0; 2]);
        self.sorter.sort::<1>(columns, tasks, |task| &found[task], &mut self.by_second);
        let (pairs, share) = (&self.by_second, total.div_ceil(CHUNKS).max(1));
        self.sorter.sort::<0>(
            rows,
            total.div_ceil(share),
            |k| &pairs[k * share..total.min((k + 1) * share)],
            out,
        );
    }
}

/// Scratch of a counting sort.
#[derive(Clone, Debug, Default)]
struct Sorter {
    banded: Vec<Banded>,
    /// For each id: how many pairs it has, then where its next pair goes.
    next: Vec<u32>,
}

/// A chunk of pairs sorted by band.
#[derive(Clone, Debug, Default)]
struct Banded {
    pairs: Vec<Pair>,
    /// Where each band ends.
    ends: Vec<usize>,
}

impl Sorter {
    /// Sorts the pairs of all chunks by id `K`, which is below `bound`, keeping the order of pairs with the same.
    fn sort<'a, const K: usize>(
        &mut self,
        bound: usize,
        chunks: usize,
        chunk: impl Fn(usize) -> &'a [Pair] + Sync,
        out: &mut [Pair],
    ) {
        self.next.clear();
        self.next.resize(bound, 0);
        if rayon::current_num_threads() == 1 {
            return place::<K>((0..chunks).map(&chunk), 0, &mut self.next, out);
        }
        // 2^shift ids a band.
        let shift = bound.div_ceil(BANDS).next_power_of_two().trailing_zeros();
        let bands = bound.div_ceil(1 << shift);
        if self.banded.len() < chunks {
            self.banded.resize_with(chunks, Banded::default);
        }
        let banded = &mut self.banded[..chunks];
        banded.par_iter_mut().enumerate().for_each(|(k, banded)| banded.fill::<K>(chunk(k), bands, shift));
        place_bands::<K>(banded, 0..bands, shift, &mut self.next, out);
    }
}

impl Banded {
    /// Takes in pairs, by band, keeping their order within.
    fn fill<const K: usize>(&mut self, pairs: &[Pair], bands: usize, shift: u32) {
        let mut starts = [0; BANDS + 1];
        for pair in pairs {
            starts[(pair[K] >> shift) as usize + 1] += 1;
        }
        for band in 0..bands {
            starts[band + 1] += starts[band];
        }
        self.ends.clear();
        self.ends.extend_from_slice(&starts[1..=bands]);
        self.pairs.resize(pairs.len(), [0; 2]);
        for pair in pairs {
            let start = &mut starts[(pair[K] >> shift) as usize];
            self.pairs[*start] = *pair;
            *start += 1;
        }
    }

    /// The pairs of some bands.
    fn bands(&self, bands: Range<usize>) -> &[Pair] {
        let before = |band: usize| band.checked_sub(1).map_or(0, |last| self.ends[last]);
        &self.pairs[before(bands.start)..before(bands.end)]
    }
}

/// Fills the part of the output that belongs to some bands; `next` has an entry for each of their ids.
fn place_bands<const K: usize>(
    banded: &[Banded],
    bands: Range<usize>,
    shift: u32,
    next: &mut [u32],
    out: &mut [Pair],
) {
    if out.is_empty() {
        return;
    }
    if bands.len() == 1 {
        let first = bands.start << shift;
        return place::<K>(banded.iter().map(|b| b.bands(bands.clone())), first, next, out);
    }
    let middle = bands.start + bands.len() / 2;
    let before = banded.iter().map(|b| b.bands(bands.start..middle).len()).sum();
    let (next_low, next_high) = next.split_at_mut((middle - bands.start) << shift);
    let (low, high) = out.split_at_mut(before);
    rayon::join(
        || place_bands::<K>(banded, bands.start..middle, shift, next_low, low),
        || place_bands::<K>(banded, middle..bands.end, shift, next_high, high),
    );
}

/// The counting sort itself, for ids from `first` on.
fn place<'a, const K: usize>(
    chunks: impl Iterator<Item = &'a [Pair]> + Clone,
    first: usize,
    next: &mut [u32],
    out: &mut [Pair],
) {
    for chunk in chunks.clone() {
        for pair in chunk {
            next[pair[K] as usize - first] += 1;
        }
    }
    let mut start = 0;
    for next in next.iter_mut() {
        start += std::mem::replace(next, start);
    }
    for chunk in chunks {
        for pair in chunk {
            let next = &mut next[pair[K] as usize - first];
            out[*next as usize] = *pair;
            *next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascending_for_any_number_of_rows_and_tasks() {
        let (mut out, mut collector) = (vec![[9, 9]], Collector::default());
        for (tasks, rows) in [(0, 0), (1, 1), (1, 9), (3, 63), (5, 64), (7, 65), (4, 1000), (2, 100_000)] {
            // A scrambled list without repetition: each task finds every `tasks`-th pair.
            let all: Vec<Pair> = (0..500u32.min(rows as u32 * 500))
                .map(|k| [k * k * 7919 % rows as u32, k * 131 % 509])
                .collect();
            let mut expected = all.clone();
            expected.sort_unstable();
            for threads in [1, 1, 2] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    collector.collect(tasks, [rows, 509], &mut out, |task, found| {
                        found.extend(all.iter().skip(task).step_by(tasks));
                    });
                });
                assert_eq!(out, expected, "{tasks} tasks, {rows} rows, {threads} threads");
            }
        }
    }
}
