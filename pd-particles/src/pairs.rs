//! Pairs of near points, each once, in the order of a sorted grid.
//!
//! A point looks forward only: at the rest of its own cell and the next, the line above, and three lines of the next layer,
//! five ranges in all. So the pairs that a layer owns touch points of that layer and the next alone, and even layers can be
//! worked on side by side, then odd ones: that is the colouring of the sweeps, and each task's points are one slice.

use crate::Grid;
use crate::spots::Spots;
use pd_core::exec::VERTEX_CHUNK;
use pd_core::{Real, Vec3};
use std::ops::Range;

/// Pairs reserved per point: half of twelve touching neighbours, and as many again within the margin.
const PER_POINT: usize = 12;

/// Pairs of sorted places `[a, b]`, layer after layer.
///
/// ```
/// use pd_core::Vec3;
/// use pd_particles::{Axes, Grid, Pairs};
/// let points: Vec<Vec3> = (0..10).map(|i| Vec3::x() * i as f64).collect();
/// let (mut grid, mut pairs) = (Grid::default(), Pairs::default());
/// grid.build(&points, 1.5, Axes::default());
/// let sorted: Vec<Vec3> = grid.order().iter().map(|&i| points[i as usize]).collect();
/// pairs.build(&grid, |a, b| (sorted[a] - sorted[b]).norm() < 1.5);
/// assert_eq!(pairs.len(), 9);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    per_point: usize,
    pairs: Vec<[u32; 2]>,
    /// Pairs found in each layer.
    found: Vec<u32>,
    /// First sorted point of each layer, and the number of points at the end.
    first: Vec<u32>,
    spots: Spots,
}

impl Pairs {
    /// Makes room for the usual number of pairs of so many points in so many layers at most.
    pub fn reserve(&mut self, points: usize, layers: usize) {
        self.per_point = self.per_point.max(PER_POINT);
        self.pairs.reserve((points * self.per_point).saturating_sub(self.pairs.len()));
        self.found.reserve(layers);
        self.first.reserve(layers + 1);
    }

    /// All pairs of points in adjacent cells that `near(a, b)` (sorted places) accepts. Allocates only if there are more
    /// than were ever met; none is lost.
    pub fn build(&mut self, grid: &Grid, near: impl Fn(usize, usize) -> bool + Sync) {
        self.fill(grid, |_| true, |a, range, out| range.filter(|&b| near(a, b)).for_each(|b| out.push(a, b)));
    }

    /// All pairs of the grid's points `points` that are nearer than `reach` (m), which must not be above the reach of the grid.
    ///
    /// ```
    /// use pd_core::Vec3;
    /// use pd_particles::{Axes, Grid, Pairs};
    /// let points: Vec<Vec3> = (0..10).map(|i| Vec3::x() * i as f64).collect();
    /// let (mut grid, mut pairs) = (Grid::default(), Pairs::default());
    /// grid.build(&points, 2.5, Axes::default());
    /// pairs.within(&grid, &points, 2.5);
    /// assert_eq!(pairs.len(), 9 + 8);
    /// ```
    pub fn within(&mut self, grid: &Grid, points: &[Vec3], reach: Real) {
        let (order, mut spots) = (grid.order(), std::mem::take(&mut self.spots));
        let at = |a: usize| points[order[a] as usize];
        spots.set(
            &points.first().copied().unwrap_or_default(),
            (0..points.len()).map(|a| (at(a), 0.5 * reach)),
        );
        let near = |a: usize, b: usize| (at(a) - at(b)).norm_squared() < reach * reach;
        self.build_near(grid, &spots, |_| true, near);
        self.spots = spots;
    }

    /// As [`build`](Self::build), among the points that are `live`, with the distances of `spots` tested first.
    pub(crate) fn build_near(
        &mut self,
        grid: &Grid,
        spots: &Spots,
        live: impl Fn(usize) -> bool + Sync,
        accept: impl Fn(usize, usize) -> bool + Sync,
    ) {
        self.fill(grid, live, |a, range, out| {
            spots.scan(a, range, |b| {
                if accept(a, b) {
                    out.push(a, b);
                }
            });
        });
    }

    /// Lists for every live point what `scan(point, range, out)` finds in the ranges ahead of it.
    fn fill<S>(&mut self, grid: &Grid, live: impl Fn(usize) -> bool + Sync, scan: S)
    where
        S: Fn(usize, Range<usize>, &mut Found<'_>) + Sync,
    {
        let (points, layers) = (grid.order().len(), grid.layers());
        self.per_point = self.per_point.max(PER_POINT);
        self.first.clear();
        self.first.extend((0..layers).map(|layer| grid.layer(layer).start as u32));
        self.first.push(points as u32);
        self.found.clear();
        self.found.resize(layers, 0);
        loop {
            self.pairs.resize(points * self.per_point, [0; 2]);
            let job = Search { grid, live: &live, scan: &scan, per_point: self.per_point };
            job.run(0..layers, &mut self.pairs, &mut self.found);
            let full = |layer: usize| self.found[layer] as usize > self.room(layer).len();
            let Some(worst) = (0..layers).filter(|&layer| full(layer)).map(|layer| self.needed(layer)).max()
            else {
                return;
            };
            self.per_point = worst + worst / 4;
        }
    }

    fn needed(&self, layer: usize) -> usize {
        (self.found[layer] as usize).div_ceil((self.first[layer + 1] - self.first[layer]).max(1) as usize)
    }

    /// Where the pairs of a layer may lie among all slots; a column beside the pairs has [`slots`](Self::slots) entries.
    #[inline]
    pub(crate) fn room(&self, layer: usize) -> Range<usize> {
        self.first[layer] as usize * self.per_point..self.first[layer + 1] as usize * self.per_point
    }

    /// Slots for the pairs of each point.
    pub(crate) fn per_point(&self) -> usize {
        self.per_point
    }

    /// Slots that [`reserve`](Self::reserve) made room for.
    pub(crate) fn room_reserved(&self) -> usize {
        self.pairs.capacity()
    }

    /// Slots for pairs, used or not.
    pub(crate) fn slots(&self) -> usize {
        self.pairs.len()
    }

    /// Number of layers.
    pub fn layers(&self) -> usize {
        self.found.len()
    }

    /// The pairs whose first point is in a layer; the second is in the same layer or the next.
    #[inline]
    pub fn layer(&self, layer: usize) -> &[[u32; 2]] {
        &self.pairs[self.room(layer)][..self.found[layer] as usize]
    }

    /// The sorted points of a layer.
    #[inline]
    pub fn points(&self, layer: usize) -> Range<usize> {
        self.first[layer] as usize..self.first[layer + 1] as usize
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.found.iter().map(|&n| n as usize).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All pairs, layer after layer.
    pub fn iter(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        let pairs = (0..self.layers()).flat_map(|layer| self.layer(layer));
        pairs.map(|&[a, b]| [a as usize, b as usize])
    }
}

/// Pairs of a layer: written as long as there is room, and counted.
struct Found<'a> {
    out: &'a mut [[u32; 2]],
    count: usize,
}

impl Found<'_> {
    #[inline]
    fn push(&mut self, a: usize, b: usize) {
        if let Some(slot) = self.out.get_mut(self.count) {
            *slot = [a as u32, b as u32];
        }
        self.count += 1;
    }
}

struct Search<'a, L, S> {
    grid: &'a Grid,
    live: &'a L,
    scan: &'a S,
    per_point: usize,
}

impl<L, S> Search<'_, L, S>
where
    L: Fn(usize) -> bool + Sync,
    S: Fn(usize, Range<usize>, &mut Found<'_>) + Sync,
{
    /// Layers by halves, so that each task owns a slice of the pairs.
    fn run(&self, layers: Range<usize>, pairs: &mut [[u32; 2]], found: &mut [u32]) {
        let base = self.grid.layer(layers.start).start;
        if layers.len() > 1 && pairs.len() > VERTEX_CHUNK * self.per_point {
            let middle = layers.start.midpoint(layers.end);
            let cut = (self.grid.layer(middle).start - base) * self.per_point;
            let (pairs_a, pairs_b) = pairs.split_at_mut(cut);
            let (found_a, found_b) = found.split_at_mut(middle - layers.start);
            let (a, b) = (layers.start..middle, middle..layers.end);
            rayon::join(|| self.run(a, pairs_a, found_a), || self.run(b, pairs_b, found_b));
            return;
        }
        for (layer, found) in layers.zip(found) {
            let range = self.grid.layer(layer);
            let room = (range.start - base) * self.per_point..(range.end - base) * self.per_point;
            *found = self.layer(layer, &mut pairs[room]);
        }
    }

    /// Pairs of one layer; counts on where there is no room to write.
    fn layer(&self, slow: usize, out: &mut [[u32; 2]]) -> u32 {
        let (grid, lines, layers) = (self.grid, self.grid.lines(), self.grid.layers());
        let mut found = Found { out, count: 0 };
        for middle in 0..lines {
            let mut ranges = [const { 0..0 }; 4];
            for fast in 0..grid.width() {
                let cell = grid.line(fast..fast + 1, middle, slow);
                if cell.is_empty() {
                    continue;
                }
                let around = fast.saturating_sub(1)..fast + 2;
                let mut count = 0;
                let mut look = |m: usize, s: usize| {
                    let range = grid.line(around.clone(), m, s);
                    if !range.is_empty() {
                        ranges[count] = range;
                        count += 1;
                    }
                };
                if middle + 1 < lines {
                    look(middle + 1, slow);
                }
                if slow + 1 < layers {
                    (middle.saturating_sub(1)..(middle + 2).min(lines)).for_each(|m| look(m, slow + 1));
                }
                let end = grid.line(fast..fast + 2, middle, slow).end;
                for a in cell.filter(|&a| (self.live)(a)) {
                    (self.scan)(a, a + 1..end, &mut found);
                    ranges[..count].iter().for_each(|range| (self.scan)(a, range.clone(), &mut found));
                }
            }
        }
        found.count as u32
    }
}
