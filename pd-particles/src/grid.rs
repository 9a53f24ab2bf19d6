//! A sorted uniform grid (Green 2008): points ordered by cell, cells as ranges of that order.
//!
//! Cells are at least as wide as the reach, so the points within reach of one lie in 27 cells; three cells in a line are
//! one range of the sorted points, which leaves nine ranges. The sort is a counting sort and stable: the order is a
//! function of the points alone, whatever the number of threads.
//!
//! Where the points would need more cells than [`CELLS_PER_POINT`] allows, the grid covers the bulk of them (by quantiles of
//! a sample) with cells wide enough, and points outside fall into its outermost cells. Cell numbers stay monotone in each
//! coordinate, so neighbours stay in adjacent cells, and a stray point costs nothing.

use crate::Axes;
use crate::sort::Sorter;
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Aabb, Real, Vec3};
use std::ops::Range;

/// Cells a grid may have for each of its points, beside [`LEAST_CELLS`].
const CELLS_PER_POINT: usize = 4;
const LEAST_CELLS: usize = 4096;

/// Points sampled for quantiles where the box of all points is too large.
const SAMPLE: usize = 512;

/// Cells are wider than the reach by this, so that rounding cannot part two neighbours by two cells.
const WIDEN: Real = 1.0 + 1e-6;

/// Points sorted by cell.
///
/// ```
/// use pd_core::Vec3;
/// use pd_particles::{Axes, Grid};
/// let points = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(5.0, 0.0, 0.0), Vec3::new(0.1, 0.0, 0.0)];
/// let mut grid = Grid::default();
/// grid.build(&points, 0.25, Axes::default());
/// assert_eq!(grid.order(), [0, 2, 1]);
/// let mut near = vec![];
/// grid.candidates(&points[0], |range| near.extend_from_slice(&grid.order()[range]));
/// assert_eq!(near, [0, 2]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Grid {
    axes: Axes,
    low: [Real; 3],
    inverse: Real,
    dims: [usize; 3],
    cells: Vec<u32>,
    sorter: Sorter,
    sample: Vec<Real>,
}

impl Grid {
    /// Makes room for so many points; `build` then allocates nothing.
    pub fn reserve(&mut self, points: usize) {
        self.cells.reserve(points.saturating_sub(self.cells.len()));
        self.sorter.reserve(points, most_cells(points));
        self.sample.reserve(SAMPLE + 1);
    }

    /// Sorts `points` into cells at least `reach` (m, positive) wide. Coordinates that are not numbers do no harm: such a
    /// point is put into some cell.
    pub fn build(&mut self, points: &[Vec3], reach: Real, axes: Axes) {
        self.axes = axes;
        self.place_cells(points, reach * WIDEN);
        self.cells.resize(points.len(), 0);
        let (low, inverse, dims) = (self.low, self.inverse, self.dims);
        exec::for_each_chunk(&mut self.cells, VERTEX_CHUNK * 4, |first, cells| {
            for (cell, point) in cells.iter_mut().zip(&points[first..]) {
                let c = locate(&axes.permute(point), &low, inverse, &dims);
                *cell = ((c[2] * dims[1] + c[1]) * dims[0] + c[0]) as u32;
            }
        });
        self.sorter.sort(&self.cells, dims[0] * dims[1] * dims[2]);
    }

    /// Chooses box, width and numbers of the cells.
    fn place_cells(&mut self, points: &[Vec3], width: Real) {
        let bounds = bounds(points);
        let (mut low, mut high) = (self.axes.permute(&bounds.min), self.axes.permute(&bounds.max));
        for k in 0..3 {
            if low[k] > high[k] {
                (low[k], high[k]) = (high[k], low[k]);
            }
        }
        let most = most_cells(points.len()) as Real;
        let mut width = width;
        if count(&low, &high, width) > most {
            for k in 0..3 {
                let (a, b) = self.bulk(points, k);
                let slack = 0.5 * (b - a) + width;
                (low[k], high[k]) = (low[k].max(a - slack), high[k].min(b + slack));
            }
            while count(&low, &high, width) > most {
                width *= 1.25;
            }
        }
        self.low = low;
        self.inverse = 1.0 / width;
        self.dims = [0, 1, 2].map(|k| 1 + (((high[k] - low[k]) / width) as usize).min(most as usize));
    }

    /// The range of coordinate `k` that holds all but the outermost fiftieths of a sample.
    fn bulk(&mut self, points: &[Vec3], k: usize) -> (Real, Real) {
        let stride = points.len().div_ceil(SAMPLE).max(1);
        self.sample.clear();
        let coordinates = points.iter().step_by(stride).map(|p| self.axes.permute(p)[k]);
        self.sample.extend(coordinates.filter(|c| c.is_finite()));
        self.sample.sort_unstable_by(Real::total_cmp);
        let n = self.sample.len();
        if n == 0 { (0.0, 0.0) } else { (self.sample[n / 50], self.sample[n - 1 - n / 50]) }
    }

    /// Indices of the points, cell after cell; within a cell ascending.
    pub fn order(&self) -> &[u32] {
        self.sorter.order()
    }

    /// Number of layers of cells along the slow axis.
    pub fn layers(&self) -> usize {
        self.dims[2]
    }

    /// The sorted points of a layer.
    #[inline]
    pub fn layer(&self, layer: usize) -> Range<usize> {
        let cells = self.dims[0] * self.dims[1];
        self.sorter.start(layer * cells)..self.sorter.start((layer + 1) * cells)
    }

    /// Numbers of the cell, fast, middle and slow, that `p` is in.
    #[inline]
    pub fn cell(&self, p: &Vec3) -> [usize; 3] {
        locate(&self.axes.permute(p), &self.low, self.inverse, &self.dims)
    }

    /// Sorted points in the cells `fast` (clipped to the grid) of one line.
    #[inline]
    pub(crate) fn line(&self, fast: Range<usize>, middle: usize, slow: usize) -> Range<usize> {
        let first = (slow * self.dims[1] + middle) * self.dims[0];
        let end = fast.end.min(self.dims[0]);
        self.sorter.start(first + fast.start)..self.sorter.start(first + end)
    }

    /// Number of cells of a line.
    pub(crate) fn width(&self) -> usize {
        self.dims[0]
    }

    /// Number of lines of a layer.
    pub(crate) fn lines(&self) -> usize {
        self.dims[1]
    }

    /// Calls `f` with the (up to nine) ranges of sorted points that hold every point within reach of `p`.
    pub fn candidates(&self, p: &Vec3, mut f: impl FnMut(Range<usize>)) {
        let [fast, middle, slow] = self.cell(p);
        for s in slow.saturating_sub(1)..(slow + 2).min(self.dims[2]) {
            for m in middle.saturating_sub(1)..(middle + 2).min(self.dims[1]) {
                f(self.line(fast.saturating_sub(1)..fast + 2, m, s));
            }
        }
    }
}

fn most_cells(points: usize) -> usize {
    (CELLS_PER_POINT * points).clamp(LEAST_CELLS, u32::MAX as usize / 2)
}

/// Cells of a box.
fn count(low: &[Real; 3], high: &[Real; 3], width: Real) -> Real {
    (0..3).map(|k| 1.0 + ((high[k] - low[k]) / width).floor()).product()
}

/// A float turned into an integer saturates, and NaN becomes 0: every point has a cell.
#[inline]
fn locate(p: &[Real; 3], low: &[Real; 3], inverse: Real, dims: &[usize; 3]) -> [usize; 3] {
    [0, 1, 2].map(|k| (((p[k] - low[k]) * inverse) as usize).min(dims[k] - 1))
}

/// Smallest box around all points; zero where there is none.
pub(crate) fn bounds(points: &[Vec3]) -> Aabb {
    let leaf = |range: Range<usize>| {
        let start = Aabb { min: Vec3::repeat(Real::INFINITY), max: Vec3::repeat(Real::NEG_INFINITY) };
        points[range].iter().fold(start, |b, p| Aabb { min: b.min.inf(p), max: b.max.sup(p) })
    };
    let join = |a: Aabb, b: Aabb| Aabb { min: a.min.inf(&b.min), max: a.max.sup(&b.max) };
    let all = exec::reduce(0..points.len(), VERTEX_CHUNK * 4, &leaf, &join);
    let clean = |v: Vec3| v.map(|c| if c.is_finite() { c } else { 0.0 });
    Aabb { min: clean(all.min), max: clean(all.max) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pairs;
    use proptest::prelude::*;

    fn search(points: &[Vec3], reach: Real, axes: Axes) -> Vec<[u32; 2]> {
        let (mut grid, mut pairs) = (Grid::default(), Pairs::default());
        grid.build(points, reach, axes);
        let order = grid.order();
        let at = |k: usize| points[order[k] as usize];
        pairs.build(&grid, |a, b| (at(a) - at(b)).norm_squared() < reach * reach);
        let mut found: Vec<[u32; 2]> = pairs.iter().map(|[a, b]| [order[a], order[b]]).collect();
        found.iter_mut().for_each(|pair| pair.sort_unstable());
        found.sort_unstable();
        let mut others = Pairs::default();
        others.within(&grid, points, reach);
        assert_eq!(others.iter().collect::<Vec<_>>(), pairs.iter().collect::<Vec<_>>());
        found
    }

    fn brute_force(points: &[Vec3], reach: Real) -> Vec<[u32; 2]> {
        let n = points.len() as u32;
        let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b]));
        let near = |a: u32, b: u32| (points[a as usize] - points[b as usize]).norm_squared() < reach * reach;
        pairs.filter(|&[a, b]| near(a, b)).collect()
    }

    prop_compose! {
        fn cloud()(n in 0usize..250, size in 0.1..30.0f64, flat in 0usize..4)(
            points in prop::collection::vec([-size..size, -size..size, -size..size], n), flat in Just(flat)
        ) -> Vec<Vec3> {
            points.into_iter().map(|mut p: [Real; 3]| { if flat < 3 { p[flat] *= 0.01; } p.into() }).collect()
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn pairs_equal_brute_force(
            mut points in cloud(), reach in 0.01..4.0, stray in prop::option::of(-1e7..1e7), slow in 0usize..3, flip: bool,
        ) {
            if let (Some(far), Some(point)) = (stray, points.last_mut()) {
                point[slow] = far;
            }
            let axes = Axes { order: [(slow + 1) % 3, (slow + 2) % 3, slow], flip };
            prop_assert_eq!(search(&points, reach, axes), brute_force(&points, reach));
        }

        #[test]
        fn nine_ranges_hold_every_point_within_reach(points in cloud(), reach in 0.01..4.0) {
            let mut grid = Grid::default();
            grid.build(&points, reach, Axes::default());
            for p in points.iter().take(20) {
                let (mut ranges, mut near) = (0, vec![]);
                grid.candidates(p, |range| {
                    ranges += 1;
                    let within = |i: &&u32| (points[**i as usize] - p).norm() < reach;
                    near.extend(grid.order()[range].iter().filter(within).copied());
                });
                near.sort_unstable();
                let all = (0..points.len() as u32).filter(|&i| (points[i as usize] - p).norm() < reach);
                prop_assert_eq!(near, all.collect::<Vec<_>>());
                prop_assert!(ranges <= 9);
            }
        }
    }

    #[test]
    fn points_that_are_no_numbers_and_points_in_one_place_do_no_harm() {
        let mut points = vec![Vec3::repeat(1.0); 50];
        points.extend([
            Vec3::repeat(Real::NAN),
            Vec3::repeat(Real::INFINITY),
            Vec3::new(-Real::INFINITY, 0.0, 1e300),
        ]);
        assert_eq!(search(&points, 0.1, Axes::default()).len(), 50 * 49 / 2);
        assert_eq!(search(&[], 0.1, Axes::default()), Vec::<[u32; 2]>::new());
    }

    #[test]
    fn the_order_is_the_same_for_any_number_of_threads() {
        let random = |k: u64| (k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as Real / (1u64 << 24) as Real;
        let points: Vec<Vec3> =
            (0..12_000).map(|i| Vec3::new(random(3 * i), random(3 * i + 1), random(3 * i + 2))).collect();
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (mut grid, mut pairs) = (Grid::default(), Pairs::default());
                grid.build(&points, 0.04, Axes::default());
                let at = |k: usize| points[grid.order()[k] as usize];
                pairs.build(&grid, |a, b| (at(a) - at(b)).norm_squared() < 0.0016);
                (grid.order().to_vec(), pairs.iter().collect::<Vec<_>>())
            })
        };
        let one = run(1);
        assert!(one.1.len() > 5_000);
        for threads in [2, 3, 8] {
            assert!(run(threads) == one, "{threads} threads");
        }
    }
}
