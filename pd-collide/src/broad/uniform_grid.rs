//! A uniform grid with sorted cells (Green 2008).
//!
//! Every box enters each cell that it touches as (cell, id); sorted by cell, the boxes of a cell are adjacent, without a
//! hash table and in an order that does not depend on threads. Two boxes may meet in many cells: their pair is
//! reported by the one cell that both touch and that is least on every axis.
//!
//! The edge of a cell is twice the mean side of the boxes. A box that touches more than [`MOST_CELLS`] is kept in a list
//! of large ones, which are compared with all: a grid is for boxes of similar size.

use super::collect::Collector;
use super::{BroadPhase, is_empty, meet};
use pd_core::{Aabb, Vec3};
use rayon::prelude::*;

/// Grid of equal cells; for particles and other boxes of similar size.
#[derive(Clone, Debug, Default)]
pub struct UniformGrid {
    boxes: Vec<Aabb>,
    frame: Frame,
    /// (cell, id), sorted.
    entries: Vec<(u64, u32)>,
    /// Ids of boxes that touch too many cells, ascending.
    large: Vec<u32>,
    collector: Collector,
}

/// Cells that a box may enter.
const MOST_CELLS: u64 = 64;

/// Bits of a cell's coordinate.
const BITS: u32 = 21;

/// Entries, and boxes, handled by a task.
const TASK: usize = 1024;

/// Where cells are.
#[derive(Clone, Debug)]
struct Frame {
    origin: Vec3,
    /// Cells per metre.
    density: f64,
}

impl Default for Frame {
    fn default() -> Self {
        Self { origin: Vec3::zeros(), density: 1.0 }
    }
}

/// Coordinates of the first and the last cell that a box touches.
type Cells = [[u64; 3]; 2];

impl Frame {
    /// A grid that suits the boxes.
    fn new(boxes: &[Aabb]) -> Self {
        let finite = |b: &&Aabb| !is_empty(b) && b.min.iter().chain(&b.max).all(|x| x.abs() < 1e300);
        let (mut min, mut max) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        let (mut sides, mut count) = (0.0, 0.0);
        for b in boxes.iter().filter(finite) {
            (min, max) = (min.inf(&b.min), max.sup(&b.max));
            sides += (b.max - b.min).sum() / 3.0;
            count += 1.0;
        }
        if count == 0.0 {
            return Self::default();
        }
        // Points have no side: as many cells as boxes, then. Never more than coordinates can count.
        let extent = (max - min).amax();
        let edge = if sides > 0.0 { 2.0 * sides / count } else { extent / f64::cbrt(count) };
        let density = 1.0 / edge.max(extent / f64::from(1u32 << (BITS - 1)));
        Self { origin: min, density: if density.is_finite() { density } else { 1.0 } }
    }

    /// The cell of a coordinate. Monotone and clamped to the grid, so nothing is missed outside of it.
    fn cell(&self, x: f64, a: usize) -> u64 {
        ((x - self.origin[a]) * self.density).clamp(0.0, f64::from((1u32 << BITS) - 1)) as u64
    }

    fn cells(&self, b: &Aabb) -> Cells {
        [&b.min, &b.max].map(|x| std::array::from_fn(|a| self.cell(x[a], a)))
    }
}

fn key([x, y, z]: [u64; 3]) -> u64 {
    x << (2 * BITS) | y << BITS | z
}

/// How many cells there are.
fn count([first, last]: &Cells) -> u64 {
    (0..3).map(|a| last[a] - first[a] + 1).product()
}

/// Whether two boxes report their pair in a cell: the least that both touch.
fn reports(cell: u64, a: &Cells, b: &Cells) -> bool {
    cell == key(std::array::from_fn(|k| a[0][k].max(b[0][k])))
}

fn for_each_cell([first, last]: &Cells, mut f: impl FnMut(u64)) {
    for x in first[0]..=last[0] {
        for y in first[1]..=last[1] {
            for z in first[2]..=last[2] {
                f(key([x, y, z]));
            }
        }
    }
}

impl UniformGrid {
    /// Pairs within the cells whose entries begin in a range.
    fn pairs_in_cells(&self, range: std::ops::Range<usize>, found: &mut Vec<[u32; 2]>) {
        let mut begin = range.start;
        // A cell that began before belongs to the task before.
        while begin > 0 && begin < range.end && self.entries[begin].0 == self.entries[begin - 1].0 {
            begin += 1;
        }
        while begin < range.end {
            let cell = self.entries[begin].0;
            let entries = &self.entries[begin..];
            let in_cell = &entries[..entries.iter().take_while(|entry| entry.0 == cell).count()];
            for (k, &(_, i)) in in_cell.iter().enumerate() {
                let b = &self.boxes[i as usize];
                for &(_, j) in &in_cell[k + 1..] {
                    let other = &self.boxes[j as usize];
                    if meet(b, other) && reports(cell, &self.frame.cells(b), &self.frame.cells(other)) {
                        found.push([i, j]); // ids ascend within a cell
                    }
                }
            }
            begin += in_cell.len();
        }
    }

    /// Boxes in cells that overlap a query.
    fn query(&self, query: &Aabb, mut hit: impl FnMut(u32)) {
        let cells = self.frame.cells(query);
        if count(&cells) > self.entries.len() as u64 {
            let small = (0..self.boxes.len() as u32).filter(|i| self.large.binary_search(i).is_err());
            return small
                .filter(|&i| !is_empty(&self.boxes[i as usize]) && meet(query, &self.boxes[i as usize]))
                .for_each(hit);
        }
        for_each_cell(&cells, |cell| {
            let first = self.entries.partition_point(|entry| entry.0 < cell);
            for &(_, i) in self.entries[first..].iter().take_while(|entry| entry.0 == cell) {
                let b = &self.boxes[i as usize];
                if meet(query, b) && reports(cell, &cells, &self.frame.cells(b)) {
                    hit(i);
                }
            }
        });
    }
}

impl BroadPhase for UniformGrid {
    fn name(&self) -> &'static str {
        "uniform grid"
    }

    fn build(&mut self, boxes: &[Aabb]) {
        self.boxes.clear();
        self.boxes.extend_from_slice(boxes);
        self.frame = Frame::new(boxes);
        self.entries.clear();
        self.large.clear();
        for (b, id) in boxes.iter().zip(0..).filter(|(b, _)| !is_empty(b)) {
            let cells = self.frame.cells(b);
            if count(&cells) > MOST_CELLS {
                self.large.push(id);
            } else {
                for_each_cell(&cells, |cell| self.entries.push((cell, id)));
            }
        }
        self.entries.par_sort_unstable();
    }

    fn self_pairs(&mut self, out: &mut Vec<[u32; 2]>) {
        let mut collector = std::mem::take(&mut self.collector);
        let (n, entries) = (self.boxes.len(), self.entries.len());
        let tasks = n.max(entries).div_ceil(TASK);
        collector.collect(tasks, [n; 2], out, |task, found| {
            self.pairs_in_cells(task * TASK..entries.min((task + 1) * TASK), found);
            for i in task * TASK..n.min((task + 1) * TASK) {
                let (i, b) = (i as u32, &self.boxes[i]);
                for &j in &self.large {
                    // Two large ones meet once, at the greater.
                    let twice = i >= j && self.large.binary_search(&i).is_ok();
                    if !twice && !is_empty(b) && meet(b, &self.boxes[j as usize]) {
                        found.push([i.min(j), i.max(j)]);
                    }
                }
            }
        });
        self.collector = collector;
    }

    fn pairs_with(&mut self, queries: &[Aabb], out: &mut Vec<[u32; 2]>) {
        let mut collector = std::mem::take(&mut self.collector);
        let n = queries.len();
        collector.collect(n.div_ceil(TASK), [n, self.boxes.len()], out, |task, found| {
            for q in task * TASK..n.min((task + 1) * TASK) {
                if is_empty(&queries[q]) {
                    continue;
                }
                self.query(&queries[q], |i| found.push([q as u32, i]));
                let large = self.large.iter().filter(|&&i| meet(&queries[q], &self.boxes[i as usize]));
                found.extend(large.map(|&i| [q as u32, i]));
            }
        });
        self.collector = collector;
    }
}
