//! Sweep and prune (Baraff 1992; Cohen et al. 1995).
//!
//! Boxes sorted by their minimum along one axis; a box can only overlap those that follow until one begins after its
//! end. The axis is the one along which centres vary most. Simple, and fast to build; but boxes that are apart on the
//! other axes alone are still visited, so the time grows like n^(5/3) for boxes spread in space.

use super::collect::Collector;
use super::tree::centre;
use super::{BroadPhase, is_empty, meet};
use pd_core::{Aabb, Vec3};
use rayon::prelude::*;

/// Boxes sorted along one axis.
#[derive(Clone, Debug, Default)]
pub struct SweepAndPrune {
    axis: usize,
    count: usize,
    boxes: Vec<(Aabb, u32)>,
    queries: Vec<(Aabb, u32)>,
    collector: Collector,
}

/// Boxes swept by a task.
const SWEEP: usize = 256;

impl BroadPhase for SweepAndPrune {
    fn name(&self) -> &'static str {
        "sweep and prune"
    }

    fn build(&mut self, boxes: &[Aabb]) {
        self.axis = variance(boxes).imax();
        self.count = boxes.len();
        sort(boxes, self.axis, &mut self.boxes);
    }

    fn self_pairs(&mut self, out: &mut Vec<[u32; 2]>) {
        let (boxes, axis) = (&self.boxes, self.axis);
        self.collector.collect(boxes.len().div_ceil(SWEEP), [self.count; 2], out, |task, found| {
            for k in task * SWEEP..boxes.len().min((task + 1) * SWEEP) {
                let (b, i) = boxes[k];
                let others = boxes[k + 1..].iter().take_while(|other| other.0.min[axis] <= b.max[axis]);
                let met = others.filter(|other| meet(&other.0, &b));
                found.extend(met.map(|&(_, j)| if i < j { [i, j] } else { [j, i] }));
            }
        });
    }

    fn pairs_with(&mut self, queries: &[Aabb], out: &mut Vec<[u32; 2]>) {
        sort(queries, self.axis, &mut self.queries);
        let (boxes, queries_sorted, axis) = (&self.boxes, &self.queries, self.axis);
        // Of two that overlap, one begins within the other. Equal beginnings count as the box within the query.
        let tasks = boxes.len().max(queries_sorted.len()).div_ceil(SWEEP);
        self.collector.collect(tasks, [queries.len(), self.count], out, |task, found| {
            for (q, query) in part(queries_sorted, task).map(|&(b, q)| (q, b)) {
                let first = boxes.partition_point(|b| b.0.min[axis] < query.min[axis]);
                let within = boxes[first..].iter().take_while(|b| b.0.min[axis] <= query.max[axis]);
                found.extend(within.filter(|b| meet(&b.0, &query)).map(|&(_, i)| [q, i]));
            }
            for (b, i) in part(boxes, task) {
                let first = queries_sorted.partition_point(|q| q.0.min[axis] <= b.min[axis]);
                let within = queries_sorted[first..].iter().take_while(|q| q.0.min[axis] <= b.max[axis]);
                found.extend(within.filter(|q| meet(&q.0, b)).map(|&(_, q)| [q, *i]));
            }
        });
    }
}

/// What a task sweeps.
fn part(boxes: &[(Aabb, u32)], task: usize) -> impl Iterator<Item = &(Aabb, u32)> {
    boxes.iter().skip(task * SWEEP).take(SWEEP)
}

/// The boxes that are not empty by their minimum along an axis.
fn sort(boxes: &[Aabb], axis: usize, out: &mut Vec<(Aabb, u32)>) {
    out.clear();
    out.extend(boxes.iter().copied().zip(0..).filter(|(b, _)| !is_empty(b)));
    out.par_sort_unstable_by(|(a, i), (b, j)| a.min[axis].total_cmp(&b.min[axis]).then(i.cmp(j)));
}

/// Variance of the centres, scaled so that squares do not overflow.
fn variance(boxes: &[Aabb]) -> Vec3 {
    let centres = || boxes.iter().filter(|b| !is_empty(b)).map(centre);
    let size = centres().fold(f64::MIN_POSITIVE, |size, c| size.max(c.amax()));
    let n = boxes.len().max(1) as f64;
    let mean = centres().map(|c| c / size).sum::<Vec3>() / n;
    centres().map(|c| (c / size - mean).map(|x| x * x)).sum::<Vec3>() / n
}
