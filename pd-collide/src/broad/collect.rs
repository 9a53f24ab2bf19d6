//! Pairs found by many tasks, put in ascending order.
//!
//! A comparison sort of the pairs of a folded cloth would take longer than finding them. But first ids are dense and
//! rows short, so it is a counting sort by the first id, in two stages that both run in parallel: every task sorts
//! what it found by *band* (a run of first ids), then every band counts, places and sorts its rows in its own part of
//! the output.

use rayon::prelude::*;

/// A pair of ids.
type Pair = [u32; 2];

/// Bands of first ids, at most: enough for threads to share the work, few enough to sort into at once.
const BANDS: usize = 64;

/// Scratch for collecting and sorting pairs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collector {
    tasks: Vec<Found>,
    /// For each first id: how many pairs it has, then where its next pair goes.
    next: Vec<u32>,
}

/// What one task found.
#[derive(Clone, Debug, Default)]
struct Found {
    /// In the order of finding.
    pairs: Vec<Pair>,
    /// By band.
    banded: Vec<Pair>,
    /// Where each band ends in `banded`.
    ends: Vec<usize>,
}

impl Collector {
    /// Runs `search(task, found)` for all tasks in parallel and replaces `out` by what they found, in ascending order.
    /// First ids must be below `rows`.
    pub(crate) fn collect(
        &mut self,
        tasks: usize,
        rows: usize,
        out: &mut Vec<Pair>,
        search: impl Fn(usize, &mut Vec<Pair>) + Sync,
    ) {
        // 2^shift ids a band.
        let shift = rows.div_ceil(BANDS).next_power_of_two().trailing_zeros();
        let bands = rows.div_ceil(1 << shift);
        if self.tasks.len() < tasks {
            self.tasks.resize_with(tasks, Found::default);
        }
        let found = &mut self.tasks[..tasks];
        found.par_iter_mut().enumerate().for_each(|(task, found)| {
            found.pairs.clear();
            search(task, &mut found.pairs);
            found.by_band(bands, shift);
        });
        let total = found.iter().map(|found| found.pairs.len()).sum();
        out.clear();
        out.resize(total, [0; 2]);
        self.next.clear();
        self.next.resize(rows, 0);
        place(found, 0..bands, shift, &mut self.next, out);
    }
}

impl Found {
    /// Sorts the pairs by band, keeping their order within.
    fn by_band(&mut self, bands: usize, shift: u32) {
        let mut starts = [0; BANDS + 1];
        for pair in &self.pairs {
            starts[(pair[0] >> shift) as usize + 1] += 1;
        }
        for band in 0..bands {
            starts[band + 1] += starts[band];
        }
        self.ends.clear();
        self.ends.extend_from_slice(&starts[1..=bands]);
        self.banded.clear();
        self.banded.resize(self.pairs.len(), [0; 2]);
        for pair in &self.pairs {
            let start = &mut starts[(pair[0] >> shift) as usize];
            self.banded[*start] = *pair;
            *start += 1;
        }
    }

    /// The pairs of a band.
    fn band(&self, band: usize) -> &[Pair] {
        let start = if band == 0 { 0 } else { self.ends[band - 1] };
        &self.banded[start..self.ends[band]]
    }
}

/// Fills the part of the output that belongs to some bands; `next` has an entry for each of their ids.
fn place(found: &[Found], bands: std::ops::Range<usize>, shift: u32, next: &mut [u32], out: &mut [Pair]) {
    if out.is_empty() {
        return;
    }
    if bands.len() == 1 {
        return place_band(found, bands.start, shift, next, out);
    }
    let middle = bands.start + bands.len() / 2;
    let before =
        found.iter().map(|f| (bands.start..middle).map(|band| f.band(band).len()).sum::<usize>()).sum();
    let (next_low, next_high) = next.split_at_mut((middle - bands.start) << shift);
    let (low, high) = out.split_at_mut(before);
    rayon::join(
        || place(found, bands.start..middle, shift, next_low, low),
        || place(found, middle..bands.end, shift, next_high, high),
    );
}

/// Sorts the pairs of one band into its part of the output.
fn place_band(found: &[Found], band: usize, shift: u32, next: &mut [u32], out: &mut [Pair]) {
    let row = |pair: &Pair| pair[0] as usize - (band << shift);
    for pair in found.iter().flat_map(|f| f.band(band)) {
        next[row(pair)] += 1;
    }
    let mut start = 0;
    for next in next.iter_mut() {
        start += std::mem::replace(next, start);
    }
    for pair in found.iter().flat_map(|f| f.band(band)) {
        let next = &mut next[row(pair)];
        out[*next as usize] = *pair;
        *next += 1;
    }
    // Each entry of `next` is now the end of its row.
    let mut start = 0;
    for &end in next.iter() {
        out[start..end as usize].sort_unstable_by_key(|pair| pair[1]);
        start = end as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascending_for_any_number_of_rows_and_tasks() {
        for (tasks, rows) in [(0, 0), (1, 1), (3, 63), (5, 64), (7, 65), (4, 1000), (2, 100_000)] {
            // A scrambled list without repetition: each task finds every `tasks`-th pair.
            let all: Vec<Pair> =
                (0..500u32.min(rows as u32 * 9)).map(|k| [k * 7919 % rows as u32, k]).collect();
            let mut out = vec![[9, 9]];
            let mut collector = Collector::default();
            for _ in 0..2 {
                collector.collect(tasks, rows, &mut out, |task, found| {
                    found.extend(all.iter().skip(task).step_by(tasks));
                });
                let mut expected = all.clone();
                expected.sort_unstable();
                assert_eq!(out, expected, "{tasks} tasks, {rows} rows");
            }
        }
    }
}
