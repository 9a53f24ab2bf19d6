//! A tree of packets over boxes in a given order, shared by the trees that differ in how they order.
//!
//! Eight neighbours in the order make a [`Packet`], the hulls of eight packets make the next one, and so on to the root:
//! a tree without pointers, all of whose leaves are at the same depth. A search of the tree in itself therefore meets
//! pairs of packets of one level only, and tests 8 × 8 boxes at once.

use super::collect::Collector;
use super::packet::{Kernel, LANES, Mapped, MovingKernel, Overlaps, Packet, kernel, moving_kernel, search};
use super::{is_empty, meet};
use pd_core::{Aabb, Vec3, exec};
use rayon::prelude::*;

/// Boxes in packets of eight, packets in packets.
#[derive(Clone, Debug, Default)]
pub(crate) struct PacketTree {
    /// Box at each place.
    order: Vec<u32>,
    /// By id, for ties.
    boxes: Vec<Aabb>,
    /// Of all levels, leaves first.
    packets: Vec<Packet>,
    /// The same where boxes go to; not used if they stay.
    ends: Vec<Packet>,
    moving: bool,
    /// First packet of each level, and the end.
    levels: Vec<usize>,
    /// Subtracted from coordinates before they are rounded.
    origin: Vec3,
    tops: Tops,
    collector: Collector,
}

/// Pairs of nodes of one level, by place in the level: the tasks of a search of the tree in itself.
#[derive(Clone, Debug, Default)]
struct Tops {
    level: usize,
    pairs: Vec<[u32; 2]>,
    next: Vec<[u32; 2]>,
}

/// Such a search goes down from the root until it has so many pairs of nodes.
const TOPS: usize = 512;

/// Tasks of it, at most.
pub(crate) const TASKS: usize = 64;

/// Queries of a task.
const QUERIES: usize = 512;

/// Packets fitted by a task.
const FIT: usize = 64;

/// Pairs i ≤ j, and i < j, of a packet with itself.
const UPPER: u64 = triangle(0);
const STRICTLY_UPPER: u64 = triangle(1);

const fn triangle(above: usize) -> u64 {
    let (mut bits, mut i) = (0, 0);
    while i < LANES {
        let mut j = i + above;
        while j < LANES {
            bits |= 1 << (LANES * i + j);
            j += 1;
        }
        i += 1;
    }
    bits
}

impl PacketTree {
    /// Number of boxes.
    pub(crate) fn len(&self) -> usize {
        self.boxes.len()
    }

    /// Takes in boxes; `arrange` puts ids, which come ascending, in the order of the tree.
    pub(crate) fn build(&mut self, boxes: &[Aabb], arrange: impl FnOnce(&[Aabb], &mut Vec<u32>)) {
        self.boxes.clear();
        self.boxes.extend_from_slice(boxes);
        self.order.clear();
        self.order.extend(0..boxes.len() as u32);
        arrange(boxes, &mut self.order);
        self.lay_out();
        self.fit();
    }

    /// Takes in moved boxes, of the same number.
    pub(crate) fn refit(&mut self, boxes: &[Aabb]) {
        self.boxes.copy_from_slice(boxes);
        self.fit();
    }

    /// Takes in boxes that go straight to others, of the same number.
    pub(crate) fn refit_moving(&mut self, boxes: &[Aabb], ends: &[Aabb]) {
        self.refit(boxes);
        self.ends.resize(self.packets.len(), Packet::EMPTY);
        fit(&self.order, ends, &self.origin, &self.levels, &mut self.ends);
        self.moving = true;
    }

    /// The tests of this processor.
    fn tests() -> Tests {
        Tests { still: kernel(), moving: moving_kernel() }
    }

    /// Which boxes below two nodes of a level meet.
    #[inline]
    fn overlaps(&self, tests: Tests, level: usize, a: u32, b: u32) -> Overlaps {
        let [a, b] = [a, b].map(|node| self.levels[level] + node as usize);
        if self.moving {
            let ends = |k: usize| [&self.packets[k], &self.ends[k]];
            Overlaps { hit: (tests.moving)(ends(a), ends(b)), tie: 0 }
        } else {
            (tests.still)(&self.packets[a], &self.packets[b])
        }
    }

    /// Makes the levels for the number of boxes.
    fn lay_out(&mut self) {
        self.levels.clear();
        self.levels.push(0);
        let (mut count, mut end) = (self.order.len().div_ceil(LANES), 0);
        while count > 0 {
            end += count;
            self.levels.push(end);
            count = if count == 1 { 0 } else { count.div_ceil(LANES) };
        }
        self.packets.clear();
        self.packets.resize(end, Packet::EMPTY);
        // The last expansion starts from fewer than TOPS pairs, and there are no more than of leaves.
        let leaves = self.order.len().div_ceil(LANES);
        let most = (TOPS * LANES * LANES).min(leaves.saturating_mul(leaves));
        self.tops.pairs.reserve(most);
        self.tops.next.reserve(most);
    }

    /// Fits all levels to the boxes.
    fn fit(&mut self) {
        self.origin = middle(&self.boxes);
        self.moving = false;
        fit(&self.order, &self.boxes, &self.origin, &self.levels, &mut self.packets);
    }

    /// Calls `visit(&mut out[task], i, j)`, i < j, for all pairs of boxes that overlap, tasks in parallel.
    pub(crate) fn visit_pairs<T: Send + Default>(
        &mut self,
        out: &mut Vec<T>,
        visit: impl Fn(&mut T, u32, u32) + Sync,
    ) {
        if out.len() < TASKS {
            out.resize_with(TASKS, T::default);
        }
        self.visit_in(&mut out[..TASKS], visit);
    }

    /// [`Self::visit_pairs`] with as many tasks as there are places.
    fn visit_in<T: Send>(&mut self, out: &mut [T], visit: impl Fn(&mut T, u32, u32) + Sync) {
        let tests = Self::tests();
        let mut tops = std::mem::take(&mut self.tops);
        self.expand(tests, &mut tops);
        let share = tops.pairs.len().div_ceil(out.len());
        out.par_iter_mut().enumerate().for_each(|(task, out)| {
            for &[a, b] in tops.pairs.iter().skip(task * share).take(share) {
                self.descend(tests, tops.level, a, b, &mut |i, j| visit(out, i, j));
            }
        });
        self.tops = tops;
    }

    /// Expands pairs of nodes from the root down until there are enough for tasks.
    fn expand(&self, tests: Tests, tops: &mut Tops) {
        tops.pairs.clear();
        let Some(root) = self.levels.len().checked_sub(2) else { return };
        tops.level = root;
        tops.pairs.push([0, 0]);
        while tops.level > 0 && tops.pairs.len() < TOPS {
            tops.next.clear();
            for &[a, b] in &tops.pairs {
                let overlaps = self.overlaps(tests, tops.level, a, b);
                for_each_child(overlaps.hit & among(a, b, UPPER), a, b, |a, b| tops.next.push([a, b]));
            }
            std::mem::swap(&mut tops.pairs, &mut tops.next);
            tops.level -= 1;
        }
    }

    /// Visits all pairs of boxes below a pair of nodes.
    fn descend(&self, tests: Tests, level: usize, a: u32, b: u32, visit: &mut impl FnMut(u32, u32)) {
        let overlaps = self.overlaps(tests, level, a, b);
        if level > 0 {
            for_each_child(overlaps.hit & among(a, b, UPPER), a, b, |a, b| {
                self.descend(tests, level - 1, a, b, visit);
            });
            return;
        }
        let hit = overlaps.hit & among(a, b, STRICTLY_UPPER);
        for_each_child(hit & !overlaps.tie, a, b, |a, b| {
            let (i, j) = self.pair(a, b);
            visit(i, j);
        });
        for_each_child(hit & overlaps.tie, a, b, |a, b| {
            let (i, j) = self.pair(a, b);
            if meet(&self.boxes[i as usize], &self.boxes[j as usize]) {
                visit(i, j);
            }
        });
    }

    /// Ids at two places, the lesser first.
    #[inline]
    fn pair(&self, a: u32, b: u32) -> (u32, u32) {
        let (i, j) = (self.order[a as usize], self.order[b as usize]);
        if i < j { (i, j) } else { (j, i) }
    }

    /// All pairs in ascending order.
    pub(crate) fn self_pairs(&mut self, out: &mut Vec<[u32; 2]>) {
        let mut collector = std::mem::take(&mut self.collector);
        self.visit_in(collector.tasks(TASKS), |found, i, j| found.push([i, j]));
        collector.sort(TASKS, [self.len(); 2], out);
        self.collector = collector;
    }

    /// All pairs with other boxes in ascending order.
    pub(crate) fn pairs_with(&mut self, queries: &[Aabb], out: &mut Vec<[u32; 2]>) {
        let mut collector = std::mem::take(&mut self.collector);
        let n = queries.len();
        collector.collect(n.div_ceil(QUERIES), [n, self.len()], out, |task, found| {
            for q in task * QUERIES..n.min((task + 1) * QUERIES) {
                self.query(&queries[q], |i| found.push([q as u32, i]));
            }
        });
        self.collector = collector;
    }

    /// Calls `hit` with every box that overlaps another one.
    fn query(&self, b: &Aabb, mut hit: impl FnMut(u32)) {
        if is_empty(b) {
            return;
        }
        search(&self.packets, &self.levels, &Mapped::new(b, &self.origin), |place| {
            let id = self.order[place as usize];
            if meet(b, &self.boxes[id as usize]) {
                hit(id);
            }
        });
    }
}

/// Tests of eight boxes against eight.
#[derive(Clone, Copy)]
struct Tests {
    still: Kernel,
    moving: MovingKernel,
}

/// Fits packets of all levels to the boxes.
fn fit(order: &[u32], boxes: &[Aabb], origin: &Vec3, levels: &[usize], packets: &mut [Packet]) {
    for level in 1..levels.len() {
        let (lower, rest) = packets.split_at_mut(levels[level - 1]);
        let below = level.checked_sub(2).map(|k| &lower[levels[k]..]);
        let packets = &mut rest[..levels[level] - levels[level - 1]];
        exec::for_each_chunk(packets, FIT, |first, packets| {
            for (k, packet) in packets.iter_mut().enumerate() {
                let children = (first + k) * LANES;
                for lane in 0..LANES {
                    let child = children + lane;
                    let fitted = match below {
                        None => order.get(child).map(|&id| Mapped::new(&boxes[id as usize], origin)),
                        Some(below) => below.get(child).map(Packet::hull),
                    };
                    packet.set(lane, &fitted.unwrap_or(Mapped::NOTHING));
                }
            }
        });
    }
}

/// The mask for a pair of nodes: that of a node with itself, all for two.
#[inline]
fn among(a: u32, b: u32, same: u64) -> u64 {
    if a == b { same } else { u64::MAX }
}

/// Calls `f` with the places, one level down, of every pair in a mask.
#[inline]
fn for_each_child(mut mask: u64, a: u32, b: u32, mut f: impl FnMut(u32, u32)) {
    while mask != 0 {
        let bit = mask.trailing_zeros();
        mask &= mask - 1;
        f(a * LANES as u32 + bit / LANES as u32, b * LANES as u32 + bit % LANES as u32);
    }
}

/// Centre of a box; zero along an axis that is infinite or no number.
pub(crate) fn centre(b: &Aabb) -> Vec3 {
    let c = (b.min * 0.5) + (b.max * 0.5); // no overflow
    c.map(|x| if x.is_finite() { x } else { 0.0 })
}

/// Middle of the finite coordinates of all boxes. Minima and maxima do not depend on the order of evaluation.
fn middle(boxes: &[Aabb]) -> Vec3 {
    let leaf = |range: std::ops::Range<usize>| {
        let mut hull = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        for b in &boxes[range] {
            for a in 0..3 {
                for x in [b.min[a], b.max[a]] {
                    if x.abs() <= f64::MAX {
                        hull.0[a] = if x < hull.0[a] { x } else { hull.0[a] };
                        hull.1[a] = if x > hull.1[a] { x } else { hull.1[a] };
                    }
                }
            }
        }
        hull
    };
    let (min, max) = exec::reduce(0..boxes.len(), 4096, &leaf, &|p, q| (p.0.inf(&q.0), p.1.sup(&q.1)));
    centre(&Aabb { min, max })
}
