//! A tree of boxes whose shape is made once and which is fitted anew to boxes that move.
//!
//! The boxes are ordered by cuts across the longest side of their centres, down to packets of eight. Triangles that are
//! neighbours at rest stay neighbours, so the order of the rest shape serves as long as the mesh.

use super::BroadPhase;
use super::packet::LANES;
use super::tree::{PacketTree, centre};
use pd_core::{Aabb, Vec3};

/// Tree of fixed shape, eight children a node; the fastest here for meshes that keep their triangles.
///
/// Build it from the boxes of the rest shape, then refit.
#[derive(Clone, Debug, Default)]
pub struct FixedBvh {
    tree: PacketTree,
}

impl FixedBvh {
    /// Calls `visit(&mut out[task], i, j)` for every pair i < j of boxes that overlap, tasks in parallel; for those who
    /// filter or count pairs at once, or do not need them in order, this is several times as fast as
    /// [`self_pairs`](BroadPhase::self_pairs).
    ///
    /// Which task visits which pairs in which order depends on the boxes and the last `build` alone. `out` is extended
    /// to a fixed number of tasks where it is shorter; what it contains is left as it is.
    ///
    /// ```
    /// use pd_collide::broad::{BroadPhase, FixedBvh};
    /// use pd_core::{Aabb, Vec3};
    /// let unit = |x: f64| Aabb { min: Vec3::new(x, 0.0, 0.0), max: Vec3::new(x + 1.0, 1.0, 1.0) };
    /// let mut tree = FixedBvh::default();
    /// tree.build(&[unit(0.0), unit(5.0), unit(0.5), unit(0.8)]);
    /// let mut counts = Vec::new();
    /// tree.visit_pairs(&mut counts, |count: &mut usize, _i, _j| *count += 1);
    /// assert_eq!(counts.iter().sum::<usize>(), 3);
    /// ```
    pub fn visit_pairs<T: Send + Default>(
        &mut self,
        out: &mut Vec<T>,
        visit: impl Fn(&mut T, u32, u32) + Sync,
    ) {
        self.tree.visit_pairs(out, visit);
    }
}

impl FixedBvh {
    /// Fits the tree to boxes that go straight from one place to another, as many as it was built from. Until the next
    /// fit, [`visit_pairs`](Self::visit_pairs) visits pairs that are not apart along an axis, on the same side, at both ends:
    /// all that can meet on the way. What flies together does not meet, however fast; swept boxes would.
    pub fn refit_moving(&mut self, start: &[Aabb], end: &[Aabb]) {
        debug_assert!(start.len() == self.tree.len() && end.len() == self.tree.len());
        self.tree.refit_moving(start, end);
    }
}

impl BroadPhase for FixedBvh {
    fn name(&self) -> &'static str {
        "fixed tree"
    }

    fn build(&mut self, boxes: &[Aabb]) {
        self.tree.build(boxes, |boxes, order| {
            let centres: Vec<Vec3> = boxes.iter().map(centre).collect();
            let mut capacity = LANES;
            while capacity < boxes.len() {
                capacity *= LANES;
            }
            cut(&centres, order, capacity / 2);
        });
    }

    fn refit(&mut self, boxes: &[Aabb]) {
        if boxes.len() == self.tree.len() {
            self.tree.refit(boxes);
        } else {
            self.build(boxes);
        }
    }

    fn self_pairs(&mut self, out: &mut Vec<[u32; 2]>) {
        self.tree.self_pairs(out);
    }

    fn pairs_with(&mut self, queries: &[Aabb], out: &mut Vec<[u32; 2]>) {
        self.tree.pairs_with(queries, out);
    }
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
