//! A tree of boxes whose shape is made once and which is fitted anew to boxes that move.
//!
//! The boxes are ordered once, by cuts across the longest side of their centres. Eight neighbours in that order make a
//! [`Packet`], the hulls of eight packets make the next one, and so on to the root: a tree without pointers, all of
//! whose leaves are at the same depth. A search therefore meets pairs of packets of one level only, and tests 8 × 8
//! boxes at once. Triangles that are neighbours at rest stay neighbours, so the order of the rest shape serves as long
//! as the mesh.

use super::collect::Collector;
use super::packet::{Kernel, LANES, Mapped, Packet, kernel};
use super::{BroadPhase, is_empty, meet};
use pd_core::{Aabb, Vec3, exec};

/// Tree of fixed shape, eight children a node, in single precision with exact ties.
#[derive(Clone, Debug, Default)]
pub struct FixedBvh {
    /// Box at each place of the tree.
    order: Vec<u32>,
    /// By id, for ties.
    boxes: Vec<Aabb>,
    /// Of all levels, leaves first.
    packets: Vec<Packet>,
    /// First packet of each level, and the end.
    levels: Vec<usize>,
    /// Subtracted from coordinates before they are rounded.
    origin: Vec3,
    tops: Tops,
    collector: Collector,
}

/// Pairs of nodes of one level, by place in the level: the tasks of a search.
#[derive(Clone, Debug, Default)]
struct Tops {
    level: usize,
    pairs: Vec<[u32; 2]>,
    next: Vec<[u32; 2]>,
}

/// A search goes down from the root until it has so many pairs of nodes.
const TOPS: usize = 512;

/// Tasks of a search, at most.
const TASKS: usize = 64;

/// Queries of a task.
const QUERIES: usize = 256;

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

impl FixedBvh {
    /// Number of boxes.
    pub fn len(&self) -> usize {
        self.boxes.len()
    }

    /// Whether there are no boxes.
    pub fn is_empty(&self) -> bool {
        self.boxes.is_empty()
    }

    /// Packets of a level.
    fn level(&self, level: usize) -> &[Packet] {
        &self.packets[self.levels[level]..self.levels[level + 1]]
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
    }

    /// Fits all levels to `self.boxes`.
    fn fit(&mut self) {
        self.origin = middle(&self.boxes);
        let (order, boxes, origin) = (&self.order, &self.boxes, &self.origin);
        for level in 1..self.levels.len() {
            let (lower, rest) = self.packets.split_at_mut(self.levels[level - 1]);
            let below = level.checked_sub(2).map(|k| &lower[self.levels[k]..]);
            let packets = &mut rest[..self.levels[level] - self.levels[level - 1]];
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

    /// Expands pairs of nodes from the root down until there are enough for tasks.
    fn expand(&mut self, kernel: Kernel) {
        let mut tops = std::mem::take(&mut self.tops);
        tops.pairs.clear();
        if let Some(root) = self.levels.len().checked_sub(2) {
            tops.level = root;
            tops.pairs.push([0, 0]);
            while tops.level > 0 && tops.pairs.len() < TOPS {
                let packets = self.level(tops.level);
                tops.next.clear();
                for &[a, b] in &tops.pairs {
                    let overlaps = kernel(&packets[a as usize], &packets[b as usize]);
                    for_each_child(overlaps.hit & among(a, b, UPPER), a, b, |a, b| tops.next.push([a, b]));
                }
                std::mem::swap(&mut tops.pairs, &mut tops.next);
                tops.level -= 1;
            }
        }
        self.tops = tops;
    }

    /// All pairs of boxes below a pair of nodes.
    fn descend(&self, kernel: Kernel, level: usize, a: u32, b: u32, found: &mut Vec<[u32; 2]>) {
        let packets = self.level(level);
        let overlaps = kernel(&packets[a as usize], &packets[b as usize]);
        if level > 0 {
            for_each_child(overlaps.hit & among(a, b, UPPER), a, b, |a, b| {
                self.descend(kernel, level - 1, a, b, found);
            });
            return;
        }
        let hit = overlaps.hit & among(a, b, STRICTLY_UPPER);
        let tie = overlaps.tie & hit;
        for_each_child(hit & !tie, a, b, |a, b| found.push(self.pair(a, b)));
        for_each_child(tie, a, b, |a, b| {
            let [i, j] = self.pair(a, b);
            if meet(&self.boxes[i as usize], &self.boxes[j as usize]) {
                found.push([i, j]);
            }
        });
    }

    /// Ids at two places, the lesser first.
    #[inline]
    fn pair(&self, a: u32, b: u32) -> [u32; 2] {
        let (i, j) = (self.order[a as usize], self.order[b as usize]);
        if i < j { [i, j] } else { [j, i] }
    }

    /// All boxes below a node that overlap a query.
    fn query(&self, query: &Aabb, mapped: &Mapped, level: usize, node: usize, hit: &mut impl FnMut(u32)) {
        let mut lanes = self.level(level)[node].hits(mapped);
        while lanes != 0 {
            let child = node * LANES + lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            if level > 0 {
                self.query(query, mapped, level - 1, child, hit);
            } else if meet(query, &self.boxes[self.order[child] as usize]) {
                hit(self.order[child]);
            }
        }
    }
}

impl BroadPhase for FixedBvh {
    fn name(&self) -> &'static str {
        "fixed tree"
    }

    fn build(&mut self, boxes: &[Aabb]) {
        self.boxes.clear();
        self.boxes.extend_from_slice(boxes);
        self.order.clear();
        self.order.extend(0..boxes.len() as u32);
        let centres: Vec<Vec3> = boxes.iter().map(centre).collect();
        let mut capacity = LANES;
        while capacity < boxes.len() {
            capacity *= LANES;
        }
        cut(&centres, &mut self.order, capacity / 2);
        self.lay_out();
        self.fit();
    }

    fn refit(&mut self, boxes: &[Aabb]) {
        if boxes.len() != self.boxes.len() {
            return self.build(boxes);
        }
        self.boxes.copy_from_slice(boxes);
        self.fit();
    }

    fn self_pairs(&mut self, out: &mut Vec<[u32; 2]>) {
        let kernel = kernel();
        self.expand(kernel);
        let mut collector = std::mem::take(&mut self.collector);
        let (tops, share) = (&self.tops, self.tops.pairs.len().div_ceil(TASKS).max(1));
        collector.collect(tops.pairs.len().div_ceil(share), self.len(), out, |task, found| {
            for &[a, b] in tops.pairs.iter().skip(task * share).take(share) {
                self.descend(kernel, tops.level, a, b, found);
            }
        });
        self.collector = collector;
    }

    fn pairs_with(&mut self, queries: &[Aabb], out: &mut Vec<[u32; 2]>) {
        let mut collector = std::mem::take(&mut self.collector);
        let tasks = if self.is_empty() { 0 } else { queries.len().div_ceil(QUERIES) };
        collector.collect(tasks, queries.len(), out, |task, found| {
            for (q, query) in queries.iter().enumerate().skip(task * QUERIES).take(QUERIES) {
                if !is_empty(query) {
                    let mapped = Mapped::new(query, &self.origin);
                    self.query(query, &mapped, self.levels.len() - 2, 0, &mut |i| found.push([q as u32, i]));
                }
            }
        });
        self.collector = collector;
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
fn centre(b: &Aabb) -> Vec3 {
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

/// Orders ids so that those of every subtree are together: the first `half` ids go to the left, and so on down to
/// single packets. Halves are powers of two, so that every eighth part but the last is a full subtree.
fn cut(centres: &[Vec3], ids: &mut [u32], half: usize) {
    if half < LANES || ids.len() <= LANES {
        return;
    }
    if ids.len() <= half {
        return cut(centres, ids, half / 2);
    }
    let mut hull = (centres[ids[0] as usize], centres[ids[0] as usize]);
    for &id in ids.iter() {
        hull = (hull.0.inf(&centres[id as usize]), hull.1.sup(&centres[id as usize]));
    }
    let axis = (hull.1 - hull.0).imax();
    ids.select_nth_unstable_by(half, |&i, &j| {
        centres[i as usize][axis].total_cmp(&centres[j as usize][axis]).then(i.cmp(&j))
    });
    let (left, right) = ids.split_at_mut(half);
    rayon::join(|| cut(centres, left, half / 2), || cut(centres, right, half / 2));
}
