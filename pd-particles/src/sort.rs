//! Stable counting sort of small keys, in parallel and without atomics.
//!
//! Two levels, both gathers: each chunk of the input sorts itself by bucket (a run of cells), then each bucket collects its
//! part of every chunk, in the order of the chunks, and sorts it by cell. Chunks and buckets depend on the numbers of points
//! and cells alone, so the order does too; being stable it is unique anyway.

use pd_core::exec;

/// Points sorted by one chunk.
const CHUNK: usize = 8192;
/// Most buckets: their counters should stay in L1.
const BUCKETS: usize = 512;

/// The sort and its scratch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sorter {
    order: Vec<u32>,
    /// `starts[c + 1]` is the end of cell c, `starts[0]` is 0.
    starts: Vec<u32>,
    /// Chunk after chunk: its indices by bucket.
    local: Vec<u32>,
    /// Chunk after chunk: the end of each bucket within it.
    ends: Vec<u32>,
    /// First place of each bucket in `order`.
    first: Vec<u32>,
}

impl Sorter {
    pub(crate) fn reserve(&mut self, points: usize, cells: usize) {
        let chunks = points.div_ceil(CHUNK);
        let room = |vec: &mut Vec<u32>, n: usize| vec.reserve(n.saturating_sub(vec.len()));
        room(&mut self.order, points);
        room(&mut self.starts, cells + 1);
        room(&mut self.local, points);
        room(&mut self.ends, chunks * BUCKETS);
        room(&mut self.first, BUCKETS + 1);
    }

    /// Indices of the keys, sorted by key and then by index.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Place of the first index whose key is at least `cell`.
    #[inline]
    pub(crate) fn start(&self, cell: usize) -> usize {
        self.starts[cell] as usize
    }

    /// Sorts; every key is below `cells`.
    pub(crate) fn sort(&mut self, keys: &[u32], cells: usize) {
        self.order.resize(keys.len(), 0);
        self.starts.clear();
        self.starts.resize(cells + 1, 0);
        if keys.len() <= CHUNK {
            place(keys, 0..keys.len() as u32, 0, 0, &mut self.order, &mut self.starts[1..]);
            return;
        }
        let (width, buckets) = widths(cells);
        self.by_chunk(keys, width, buckets);
        self.first.clear();
        self.first.push(0);
        for b in 0..buckets {
            let count: u32 =
                (0..keys.len().div_ceil(CHUNK)).map(|c| part(&self.ends, c, buckets, b).len() as u32).sum();
            self.first.push(self.first[b] + count);
        }
        let Self { order, starts, local, ends, first, .. } = self;
        let job = Buckets { keys, width, buckets, local, ends, first };
        job.run(0, buckets, order, &mut starts[1..]);
    }

    /// First level: `local` and `ends`.
    fn by_chunk(&mut self, keys: &[u32], width: usize, buckets: usize) {
        let chunks = keys.len().div_ceil(CHUNK);
        self.local.resize(keys.len(), 0);
        self.ends.clear();
        self.ends.resize(chunks * buckets, 0);
        use rayon::prelude::*;
        let jobs = self.local.par_chunks_mut(CHUNK).zip(self.ends.par_chunks_mut(buckets)).enumerate();
        jobs.for_each(|(k, (local, ends))| {
            let first = k * CHUNK;
            let range = first as u32..(first + local.len()) as u32;
            let bucket = |i: u32| keys[i as usize] as usize / width;
            count_and_place(range, bucket, 0, local, ends);
        });
    }
}

/// Cells per bucket, and buckets.
fn widths(cells: usize) -> (usize, usize) {
    let width = cells.div_ceil(BUCKETS).max(1);
    (width, cells.div_ceil(width))
}

/// Where a chunk's part of a bucket lies in the chunk.
fn part(ends: &[u32], chunk: usize, buckets: usize, bucket: usize) -> std::ops::Range<usize> {
    let row = &ends[chunk * buckets..(chunk + 1) * buckets];
    (if bucket == 0 { 0 } else { row[bucket - 1] as usize })..row[bucket] as usize
}

/// Second level.
struct Buckets<'a> {
    keys: &'a [u32],
    width: usize,
    buckets: usize,
    local: &'a [u32],
    ends: &'a [u32],
    first: &'a [u32],
}

impl Buckets<'_> {
    /// Sorts the buckets `from..to`, whose indices go to `order` and whose cells' ends go to `ends`.
    fn run(&self, from: usize, to: usize, order: &mut [u32], ends: &mut [u32]) {
        if to - from > 1 && order.len() > exec::VERTEX_CHUNK {
            let middle = from.midpoint(to);
            let (order_a, order_b) = order.split_at_mut((self.first[middle] - self.first[from]) as usize);
            let (ends_a, ends_b) = ends.split_at_mut((middle - from) * self.width);
            rayon::join(|| self.run(from, middle, order_a, ends_a), || self.run(middle, to, order_b, ends_b));
            return;
        }
        let chunks = self.ends.len() / self.buckets;
        let parts =
            (0..chunks).flat_map(|c| (from..to).map(move |b| (c, part(self.ends, c, self.buckets, b))));
        let indices = parts.flat_map(|(c, part)| self.local[c * CHUNK..][part].iter().copied());
        place(self.keys, indices, from * self.width, self.first[from], order, ends);
    }
}

/// Sorts `indices` by key: cell `base + c` ends at `ends[c]`, counted from the start of all, where `order` begins at `first`.
fn place(
    keys: &[u32],
    indices: impl Iterator<Item = u32> + Clone,
    base: usize,
    first: u32,
    order: &mut [u32],
    ends: &mut [u32],
) {
    count_and_place(indices, |i| keys[i as usize] as usize - base, first, order, ends);
}

fn count_and_place(
    indices: impl Iterator<Item = u32> + Clone,
    key: impl Fn(u32) -> usize,
    first: u32,
    order: &mut [u32],
    ends: &mut [u32],
) {
    for i in indices.clone() {
        ends[key(i)] += 1;
    }
    let mut sum = first;
    for end in ends.iter_mut() {
        (sum, *end) = (sum + *end, sum); // starts for now: placing moves each to its end
    }
    for i in indices {
        let slot = &mut ends[key(i)];
        order[(*slot - first) as usize] = i;
        *slot += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_a_library_sort_for_few_and_many_keys() {
        for (n, cells) in [(0, 1), (1, 1), (100, 7), (8193, 3), (20_000, 1_000), (50_000, 130_001)] {
            let keys: Vec<u32> =
                (0..n as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as u32 % cells).collect();
            let mut sorter = Sorter::default();
            for _ in 0..2 {
                sorter.sort(&keys, cells as usize);
            }
            let mut expected: Vec<u32> = (0..n as u32).collect();
            expected.sort_by_key(|&i| keys[i as usize]);
            assert_eq!(sorter.order(), expected);
            for cell in (0..=cells).step_by(1 + cells as usize / 100) {
                let below = keys.iter().filter(|&&k| k < cell).count();
                assert_eq!(sorter.start(cell as usize), below, "{n} keys, cell {cell}");
            }
        }
    }
}
