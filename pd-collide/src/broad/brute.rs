//! Every box against every other: the definition that the other methods are tested against.

use super::collect::Collector;
use super::{BroadPhase, is_empty, meet, overlap};
use pd_core::Aabb;

/// Compares all n(n − 1)/2 pairs. The right choice for fewer than about a hundred boxes.
#[derive(Clone, Debug, Default)]
pub struct BruteForce {
    boxes: Vec<Aabb>,
    collector: Collector,
}

/// Rows of the triangle of pairs per task.
const ROWS: usize = 64;

impl BroadPhase for BruteForce {
    fn name(&self) -> &'static str {
        "brute force"
    }

    fn build(&mut self, boxes: &[Aabb]) {
        self.boxes.clear();
        self.boxes.extend_from_slice(boxes);
    }

    fn self_pairs(&mut self, out: &mut Vec<[u32; 2]>) {
        let boxes = &self.boxes;
        self.collector.collect(boxes.len().div_ceil(ROWS), [boxes.len(); 2], out, |task, found| {
            for i in task * ROWS..boxes.len().min((task + 1) * ROWS) {
                if is_empty(&boxes[i]) {
                    continue;
                }
                let others =
                    (i + 1..boxes.len()).filter(|&j| !is_empty(&boxes[j]) && meet(&boxes[i], &boxes[j]));
                found.extend(others.map(|j| [i as u32, j as u32]));
            }
        });
    }

    fn pairs_with(&mut self, queries: &[Aabb], out: &mut Vec<[u32; 2]>) {
        let boxes = &self.boxes;
        self.collector.collect(
            queries.len().div_ceil(ROWS),
            [queries.len(), boxes.len()],
            out,
            |task, found| {
                for q in task * ROWS..queries.len().min((task + 1) * ROWS) {
                    let hit = (0..boxes.len()).filter(|&i| overlap(&queries[q], &boxes[i]));
                    found.extend(hit.map(|i| [q as u32, i as u32]));
                }
            },
        );
    }
}
