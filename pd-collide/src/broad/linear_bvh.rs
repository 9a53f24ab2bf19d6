//! A tree of boxes in the order of a space-filling curve, made anew as cheaply as boxes are sorted.
//!
//! The centre of each box is rounded to 21 bits an axis within the hull of all centres; the bits of the three axes,
//! interleaved, are its Morton code (Lauterbach et al. 2009). Neighbours on the curve are near in space, if not always
//! the other way round: searches take a little longer than in a [`FixedBvh`](super::FixedBvh), building a fraction.

use super::BroadPhase;
use super::tree::{PacketTree, centre};
use pd_core::{Aabb, Vec3};
use rayon::prelude::*;

/// Tree over boxes sorted by Morton code of 63 bits; for boxes that come and go.
#[derive(Clone, Debug, Default)]
pub struct LinearBvh {
    tree: PacketTree,
    codes: Vec<(u64, u32)>,
}

impl LinearBvh {
    /// Calls `visit(&mut out[task], i, j)` for every pair i < j of boxes that overlap, tasks in parallel, as
    /// [`FixedBvh::visit_pairs`](super::FixedBvh::visit_pairs) does.
    pub fn visit_pairs<T: Send + Default>(
        &mut self,
        out: &mut Vec<T>,
        visit: impl Fn(&mut T, u32, u32) + Sync,
    ) {
        self.tree.visit_pairs(out, visit);
    }
}

impl BroadPhase for LinearBvh {
    fn name(&self) -> &'static str {
        "linear tree"
    }

    fn build(&mut self, boxes: &[Aabb]) {
        let codes = &mut self.codes;
        self.tree.build(boxes, |boxes, order| {
            let mut hull = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
            for c in boxes.iter().map(centre) {
                hull = (hull.0.inf(&c), hull.1.sup(&c));
            }
            codes.clear();
            codes.extend(boxes.iter().zip(0..).map(|(b, id)| (code(&centre(b), &hull), id)));
            codes.par_sort_unstable();
            order.clear();
            order.extend(codes.iter().map(|&(_, id)| id));
        });
    }

    /// Keeps the order of the last `build`.
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

/// Bits of a Morton code per axis.
const BITS: u32 = 21;

/// Morton code of a point within a hull. All axes have one scale, that of the longest: a flat cloth gets square cells.
fn code(p: &Vec3, hull: &(Vec3, Vec3)) -> u64 {
    let cells = f64::from(1u32 << BITS);
    let scale = cells / (hull.1 * 0.5 - hull.0 * 0.5).amax();
    let cell = |a: usize| match (0.5 * p[a] - 0.5 * hull.0[a]) * scale {
        x if x > cells - 1.0 => (1 << BITS) - 1,
        x => x as u64, // 0 · ∞ too, of a hull that is a point: not a number is cast to 0
    };
    spread(cell(0)) << 2 | spread(cell(1)) << 1 | spread(cell(2))
}

/// Puts two zeros between the 21 low bits.
fn spread(x: u64) -> u64 {
    let x = (x | x << 32) & 0x001f_0000_0000_ffff;
    let x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    let x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    let x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_spread() {
        for x in [0, 1, 2, 3, 0b1011, 0x1f_ffff, 0x15_5555, 0x10_0000] {
            let expected = (0..BITS).map(|bit| (x >> bit & 1) << (3 * bit)).sum();
            assert_eq!(spread(x), expected, "{x:b}");
        }
    }

    #[test]
    fn codes_follow_the_coordinates() {
        let hull = (Vec3::new(-1.0, 5.0, 0.0), Vec3::new(1.0, 5.0, 1.0));
        assert_eq!(code(&hull.0, &hull), 0);
        assert_eq!(code(&Vec3::new(1.0, 5.0, 0.0), &hull), spread(0x1f_ffff) << 2);
        assert_eq!(code(&Vec3::new(-1.0, 5.0, 1.0), &hull), spread(0x10_0000));
        let point = (Vec3::repeat(3.0), Vec3::repeat(3.0));
        assert_eq!(code(&point.0, &point), 0);
    }
}
