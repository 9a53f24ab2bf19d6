//! A sparse grid of many levels, each twice as coarse as the last.
//!
//! Every box is entered once: on the finest level whose cells are no smaller than the box, in the cell of its least
//! corner. Cells exist where a box is entered: the entries are sorted by level and cell, and rows of cells along z are
//! found by bisection. A box of level l looks for partners on the levels l and coarser: one that begins no more than a
//! cell before it, on every axis, and no later than it ends. So sizes may differ by orders of magnitude.

use super::collect::Collector;
use super::{BroadPhase, is_empty, meet};
use pd_core::{Aabb, Vec3};
use rayon::prelude::*;

/// Levels of cells, each box on the one that fits; for boxes of very different sizes.
#[derive(Clone, Debug, Default)]
pub struct SparseGrid {
    boxes: Vec<Aabb>,
    /// Least corner of the boxes, m.
    origin: Vec3,
    /// Cells per metre of the finest level.
    density: f64,
    /// Sorted; empty boxes are left out.
    entries: Vec<Entry>,
    /// Where each level begins in the entries, and the end.
    starts: Vec<usize>,
    collector: Collector,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    level: u8,
    cell: u64,
    id: u32,
}

/// Bits of a cell's coordinate on the finest level, so on the coarsest there is a single cell.
const BITS: u8 = 20;

/// Boxes handled by a task.
const TASK: usize = 256;

/// A box fits a cell of which it fills less than this; the rest is for rounding.
const FILL: f64 = 0.999;

impl SparseGrid {
    /// The coordinates of the cell of a point. Monotone, and clamped to the grid.
    fn cell(&self, x: &Vec3, level: u8) -> [u64; 3] {
        std::array::from_fn(|a| {
            let cell = ((x[a] - self.origin[a]) * self.density).clamp(0.0, f64::from((1u32 << BITS) - 1));
            (cell as u64) >> level
        })
    }

    /// The finest level on which a box fits.
    fn level(&self, b: &Aabb) -> u8 {
        let side = (b.max - b.min).amax() * self.density;
        (0..BITS).find(|&level| side < FILL * f64::from(1u32 << level)).unwrap_or(BITS)
    }

    /// Calls `hit` with the entries of a level that overlap a box.
    fn search(&self, b: &Aabb, level: u8, hit: &mut impl FnMut(u32)) {
        let entries = &self.entries[self.starts[level as usize]..self.starts[level as usize + 1]];
        if entries.is_empty() {
            return;
        }
        let (first, last) = (self.cell(&b.min, level).map(|x| x.saturating_sub(1)), self.cell(&b.max, level));
        let mut test = |entry: &Entry| {
            if meet(b, &self.boxes[entry.id as usize]) {
                hit(entry.id);
            }
        };
        let rows = (last[0] - first[0] + 1) * (last[1] - first[1] + 1);
        if rows >= entries.len() as u64 {
            return entries.iter().for_each(test);
        }
        for x in first[0]..=last[0] {
            for y in first[1]..=last[1] {
                let end = key([x, y, last[2]]);
                let begin = entries.partition_point(|entry| entry.cell < key([x, y, first[2]]));
                entries[begin..].iter().take_while(|entry| entry.cell <= end).for_each(&mut test);
            }
        }
    }
}

fn key([x, y, z]: [u64; 3]) -> u64 {
    x << (2 * BITS) | y << BITS | z
}

impl BroadPhase for SparseGrid {
    fn name(&self) -> &'static str {
        "sparse grid"
    }

    fn build(&mut self, boxes: &[Aabb]) {
        self.boxes.clear();
        self.boxes.extend_from_slice(boxes);
        let finite = |b: &&Aabb| !is_empty(b) && b.min.iter().chain(&b.max).all(|x| x.abs() < 1e300);
        let (mut min, mut max) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        for b in boxes.iter().filter(finite) {
            (min, max) = (min.inf(&b.min), max.sup(&b.max));
        }
        let extent = (max - min).amax();
        let density = f64::from((1u32 << BITS) - 1) / extent;
        let sound = density.is_finite() && density > 0.0;
        (self.origin, self.density) = if sound { (min, density) } else { (Vec3::zeros(), 1.0) };
        let mut entries = std::mem::take(&mut self.entries);
        entries.clear();
        entries.extend(boxes.iter().zip(0..).filter(|(b, _)| !is_empty(b)).map(|(b, id)| {
            let level = self.level(b);
            Entry { level, cell: key(self.cell(&b.min, level)), id }
        }));
        entries.par_sort_unstable();
        self.starts.clear();
        self.starts.extend((0..=BITS + 1).map(|level| entries.partition_point(|entry| entry.level < level)));
        self.entries = entries;
    }

    fn self_pairs(&mut self, out: &mut Vec<[u32; 2]>) {
        let mut collector = std::mem::take(&mut self.collector);
        let n = self.entries.len();
        collector.collect(n.div_ceil(TASK), [self.boxes.len(); 2], out, |task, found| {
            for entry in &self.entries[task * TASK..n.min((task + 1) * TASK)] {
                let (i, b) = (entry.id, &self.boxes[entry.id as usize]);
                for level in entry.level..=BITS {
                    self.search(b, level, &mut |j| {
                        // On one level each finds the other, and itself.
                        if level > entry.level || i < j {
                            found.push([i.min(j), i.max(j)]);
                        }
                    });
                }
            }
        });
        self.collector = collector;
    }

    fn pairs_with(&mut self, queries: &[Aabb], out: &mut Vec<[u32; 2]>) {
        let mut collector = std::mem::take(&mut self.collector);
        let n = queries.len();
        let levels = if self.starts.is_empty() { 0 } else { BITS + 1 };
        collector.collect(n.div_ceil(TASK), [n, self.boxes.len()], out, |task, found| {
            for q in (task * TASK..n.min((task + 1) * TASK)).filter(|&q| !is_empty(&queries[q])) {
                for level in 0..levels {
                    self.search(&queries[q], level, &mut |i| found.push([q as u32, i]));
                }
            }
        });
        self.collector = collector;
    }
}
