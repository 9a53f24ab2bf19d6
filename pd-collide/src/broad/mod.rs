//! Broad phase: which boxes overlap.
//!
//! Every method answers the same question with the same pairs in the same order, so one may be exchanged for another
//! without a bit of a simulation changing; they differ in time alone. [`BruteForce`] is the definition.
//!
//! - Boxes are closed: boxes that touch overlap.
//! - An *empty* box, with a minimum above its maximum or a coordinate that is not a number, overlaps nothing.
//! - A box may be infinite.
//!
//! ```
//! use pd_collide::broad::{BroadPhase, FixedBvh};
//! use pd_core::{Aabb, Vec3};
//! let unit = |x: f64| Aabb { min: Vec3::new(x, 0.0, 0.0), max: Vec3::new(x + 1.0, 1.0, 1.0) };
//! let mut boxes = [unit(0.0), unit(5.0), unit(1.0)];
//!
//! let (mut tree, mut pairs) = (FixedBvh::default(), Vec::new());
//! tree.build(&boxes);
//! tree.self_pairs(&mut pairs);
//! assert_eq!(pairs, [[0, 2]]); // they touch at x = 1
//!
//! boxes[1] = unit(1.5); // moved: a new fit is cheaper than a new tree
//! tree.refit(&boxes);
//! tree.self_pairs(&mut pairs);
//! assert_eq!(pairs, [[0, 2], [1, 2]]);
//! ```

mod brute;
mod collect;
mod fixed_bvh;
mod linear_bvh;
mod packet;
mod sparse_grid;
mod sweep;
mod tree;
mod uniform_grid;

pub use brute::BruteForce;
pub use fixed_bvh::FixedBvh;
pub use linear_bvh::LinearBvh;
pub use sparse_grid::SparseGrid;
pub use sweep::SweepAndPrune;
pub(crate) use tree::TASKS;
pub use uniform_grid::UniformGrid;

use pd_core::Aabb;

/// A method that finds the boxes which overlap.
///
/// Ids are places in the slice of boxes given last to [`build`](Self::build) or [`refit`](Self::refit). Searches run in
/// the current rayon pool; their results do not depend on it. They use scratch kept in `self` and the capacity of the
/// output, and allocate only when these do not suffice.
pub trait BroadPhase: Send + Sync {
    /// Name of the method, for reports.
    fn name(&self) -> &'static str;

    /// Takes in a set of boxes, at most 2³² − 1 of them.
    fn build(&mut self, boxes: &[Aabb]);

    /// Takes in boxes that moved. What the method keeps from the last `build` (an order, a tree) decides how fast
    /// searches are, never what they find. Another number of boxes is a `build`.
    fn refit(&mut self, boxes: &[Aabb]) {
        self.build(boxes);
    }

    /// Replaces `out` by all pairs `[i, j]`, i < j, of boxes that overlap, in ascending order.
    fn self_pairs(&mut self, out: &mut Vec<[u32; 2]>);

    /// Replaces `out` by all `[q, i]` such that `queries[q]` overlaps box i, in ascending order.
    fn pairs_with(&mut self, queries: &[Aabb], out: &mut Vec<[u32; 2]>);
}

/// Whether a box contains no point.
pub fn is_empty(b: &Aabb) -> bool {
    // Written so that a coordinate that is not a number makes the box empty.
    !(0..3).all(|a| b.min[a] <= b.max[a])
}

/// Whether two boxes have a point in common.
///
/// ```
/// use pd_collide::broad::overlap;
/// use pd_core::{Aabb, Vec3};
/// let unit = |x: f64| Aabb { min: Vec3::repeat(x), max: Vec3::repeat(x + 1.0) };
/// assert!(overlap(&unit(0.0), &unit(1.0)) && !overlap(&unit(0.0), &unit(1.1)));
/// ```
pub fn overlap(a: &Aabb, b: &Aabb) -> bool {
    !is_empty(a) && !is_empty(b) && meet(a, b)
}

/// [`overlap`] of boxes that are not empty.
#[inline]
fn meet(a: &Aabb, b: &Aabb) -> bool {
    (0..3).all(|k| a.min[k] <= b.max[k] && b.min[k] <= a.max[k])
}
