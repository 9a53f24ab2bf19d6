//! Eight boxes side by side, in single precision, and the test of eight against eight.
//!
//! Coordinates are mapped by f(x) = x − c, rounded to single precision, with one origin c for a whole set of boxes.
//! Rounding is monotone: x ≤ y implies f(x) ≤ f(y), and f(x) < f(y) implies x < y. So no box has to be enlarged, an
//! overlap is never missed, and f decides all but ties f(x) = f(y), which are left to the exact boxes. Differences of
//! floating-point numbers have the sign of the exact difference and vanish only between equals; so with
//!
//! m = max over axes of (a.min − b.max, b.min − a.max)
//!
//! two boxes overlap if m < 0, are apart if m > 0, and m = 0 is a tie.

use super::is_empty;
use pd_core::{Aabb, Vec3};

/// Boxes in a packet.
pub(crate) const LANES: usize = 8;

/// Eight boxes by axis and lane; 192 bytes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Packet {
    pub(crate) min: [[f32; LANES]; 3],
    pub(crate) max: [[f32; LANES]; 3],
}

/// Which of 8 × 8 pairs overlap: bit 8 i + j is box i of the one packet with box j of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overlaps {
    /// Overlap, or tie.
    pub(crate) hit: u64,
    /// Only the exact boxes can tell.
    pub(crate) tie: u64,
}

/// The test of eight boxes against eight.
pub(crate) type Kernel = fn(&Packet, &Packet) -> Overlaps;

/// The test of eight boxes that move straight from one place to another against eight such: those that are apart along an
/// axis at both ends, on the same side, are apart on the whole way. Bits as in [`Overlaps::hit`], ties included.
pub(crate) type MovingKernel = fn([&Packet; 2], [&Packet; 2]) -> u64;

/// A single box mapped like those of a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mapped {
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
}

impl Mapped {
    /// Apart from everything, itself too: its differences with finite numbers and with its own are +∞.
    pub(crate) const NOTHING: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// The box relative to an origin.
    pub(crate) fn new(b: &Aabb, origin: &Vec3) -> Self {
        if is_empty(b) {
            return Self::NOTHING;
        }
        // Finite, so that no difference is undefined, even if the box is infinite.
        let map = |x: f64, a: usize| ((x - origin[a]) as f32).clamp(f32::MIN, f32::MAX);
        Self {
            min: std::array::from_fn(|a| map(b.min[a], a)),
            max: std::array::from_fn(|a| map(b.max[a], a)),
        }
    }
}

impl Packet {
    /// No boxes.
    pub(crate) const EMPTY: Self =
        Self { min: [[f32::INFINITY; LANES]; 3], max: [[f32::NEG_INFINITY; LANES]; 3] };

    /// Puts a box into a lane.
    pub(crate) fn set(&mut self, lane: usize, b: &Mapped) {
        for a in 0..3 {
            self.min[a][lane] = b.min[a];
            self.max[a][lane] = b.max[a];
        }
    }

    /// The box around all.
    pub(crate) fn hull(&self) -> Mapped {
        let least =
            |x: &[f32; LANES]| x.iter().copied().fold(f32::INFINITY, |a, b| if b < a { b } else { a });
        let most =
            |x: &[f32; LANES]| x.iter().copied().fold(f32::NEG_INFINITY, |a, b| if b > a { b } else { a });
        Mapped { min: self.min.each_ref().map(least), max: self.max.each_ref().map(most) }
    }

    /// Lanes whose box overlaps a single one, or ties with it.
    fn hits(&self, b: &Mapped) -> u8 {
        let mut apart = [false; LANES];
        for a in 0..3 {
            for lane in 0..LANES {
                apart[lane] |= (self.min[a][lane] > b.max[a]) | (b.min[a] > self.max[a][lane]);
            }
        }
        (0..LANES).fold(0, |bits, lane| bits | u8::from(!apart[lane]) << lane)
    }
}

/// Levels of a tree of packets, at most: 8¹¹ > 2³².
const LEVELS: usize = 11;

/// Calls `found` with the place of every box in a tree of packets that overlaps a single one, or ties with it.
///
/// Level l is `packets[levels[l]..levels[l + 1]]`, leaves first; the boxes of packet k are the hulls of packets 8 k to
/// 8 k + 7 of the level below.
pub(crate) fn search(packets: &[Packet], levels: &[usize], b: &Mapped, found: impl FnMut(u32)) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2; the function has no other requirement.
        return unsafe { x86::search(packets, levels, b, found) };
    }
    walk(packets, levels, |packet| packet.hits(b), found);
}

/// The body of [`search`], for any test of a packet. Always inlined, to be compiled for the instructions of the test.
#[inline(always)]
fn walk(packets: &[Packet], levels: &[usize], hits: impl Fn(&Packet) -> u8, mut found: impl FnMut(u32)) {
    let Some(root) = levels.len().checked_sub(2) else { return };
    // At most eight nodes of each level wait.
    let (mut waiting, mut count) = ([(0, 0); LANES * LEVELS], 1);
    waiting[0] = (root, 0);
    while count > 0 {
        count -= 1;
        let (level, node) = waiting[count];
        let mut lanes = hits(&packets[levels[level] + node]);
        while lanes != 0 {
            let child = node * LANES + lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            if level == 0 {
                found(child as u32);
            } else {
                waiting[count] = (level - 1, child);
                count += 1;
            }
        }
    }
}

/// The fastest test that this processor has.
pub(crate) fn kernel() -> Kernel {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        return x86::overlaps;
    }
    portable
}

/// The fastest test of boxes that move.
pub(crate) fn moving_kernel() -> MovingKernel {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        return x86::overlaps_moving;
    }
    portable_moving
}

/// The test of boxes that move, for any processor.
fn portable_moving(a: [&Packet; 2], b: [&Packet; 2]) -> u64 {
    let mut hit = 0;
    for i in 0..LANES {
        for j in 0..LANES {
            let apart = (0..3).any(|axis| {
                let ahead = |k: usize| a[k].min[axis][i] > b[k].max[axis][j];
                let behind = |k: usize| b[k].min[axis][j] > a[k].max[axis][i];
                ahead(0) && ahead(1) || behind(0) && behind(1)
            });
            hit |= u64::from(!apart) << (LANES * i + j);
        }
    }
    hit
}

/// The test for any processor, and the one that special instructions are tested against.
fn portable(a: &Packet, b: &Packet) -> Overlaps {
    let larger = |x: f32, y: f32| if x > y { x } else { y };
    let (mut hit, mut tie) = (0, 0);
    for i in 0..LANES {
        let mut apart = [f32::MIN; LANES];
        for axis in 0..3 {
            for j in 0..LANES {
                apart[j] = larger(apart[j], a.min[axis][i] - b.max[axis][j]);
                apart[j] = larger(apart[j], b.min[axis][j] - a.max[axis][i]);
            }
        }
        for j in 0..LANES {
            hit |= u64::from(apart[j] <= 0.0) << (LANES * i + j);
            tie |= u64::from(apart[j] == 0.0) << (LANES * i + j);
        }
    }
    Overlaps { hit, tie }
}

/// The tests with 256-bit registers: several times as fast, because a mask is one instruction.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{LANES, Mapped, Overlaps, Packet, walk};
    use std::arch::x86_64::{
        __m256, _CMP_EQ_OQ, _CMP_GT_OQ, _CMP_LE_OQ, _mm256_and_ps, _mm256_cmp_ps, _mm256_max_ps,
        _mm256_movemask_ps, _mm256_or_ps, _mm256_set1_ps, _mm256_setr_ps, _mm256_setzero_ps, _mm256_sub_ps,
    };

    /// Only handed out by [`super::kernel`], where AVX2 was found.
    pub(super) fn overlaps(a: &Packet, b: &Packet) -> Overlaps {
        debug_assert!(is_x86_feature_detected!("avx2"));
        // SAFETY: the processor has AVX2, see above; the function has no other requirement.
        unsafe { overlaps_avx2(a, b) }
    }

    /// Only handed out by [`super::moving_kernel`], where AVX2 was found.
    pub(super) fn overlaps_moving(a: [&Packet; 2], b: [&Packet; 2]) -> u64 {
        debug_assert!(is_x86_feature_detected!("avx2"));
        // SAFETY: the processor has AVX2, see above; the function has no other requirement.
        unsafe { overlaps_moving_avx2(a, b) }
    }

    #[target_feature(enable = "avx2")]
    fn overlaps_moving_avx2(a: [&Packet; 2], b: [&Packet; 2]) -> u64 {
        let mut hit = 0u64;
        for i in 0..LANES {
            let mut apart = _mm256_setzero_ps();
            for axis in 0..3 {
                let ahead = |k: usize| {
                    _mm256_cmp_ps::<_CMP_GT_OQ>(_mm256_set1_ps(a[k].min[axis][i]), load(&b[k].max[axis]))
                };
                let behind = |k: usize| {
                    _mm256_cmp_ps::<_CMP_GT_OQ>(load(&b[k].min[axis]), _mm256_set1_ps(a[k].max[axis][i]))
                };
                let side =
                    _mm256_or_ps(_mm256_and_ps(ahead(0), ahead(1)), _mm256_and_ps(behind(0), behind(1)));
                apart = _mm256_or_ps(apart, side);
            }
            hit |= (!_mm256_movemask_ps(apart) as u32 as u64 & 0xff) << (LANES * i);
        }
        hit
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(x: &[f32; LANES]) -> __m256 {
        _mm256_setr_ps(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7])
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn search(packets: &[Packet], levels: &[usize], b: &Mapped, found: impl FnMut(u32)) {
        let (min, max) = (b.min.map(|x| _mm256_set1_ps(x)), b.max.map(|x| _mm256_set1_ps(x)));
        let hits = |packet: &Packet| {
            let meet = |a: usize| {
                let below = _mm256_cmp_ps::<_CMP_LE_OQ>(load(&packet.min[a]), max[a]);
                _mm256_and_ps(below, _mm256_cmp_ps::<_CMP_LE_OQ>(min[a], load(&packet.max[a])))
            };
            _mm256_movemask_ps(_mm256_and_ps(_mm256_and_ps(meet(0), meet(1)), meet(2))) as u8
        };
        walk(packets, levels, hits, found);
    }

    #[target_feature(enable = "avx2")]
    fn overlaps_avx2(a: &Packet, b: &Packet) -> Overlaps {
        let b_min = [load(&b.min[0]), load(&b.min[1]), load(&b.min[2])];
        let b_max = [load(&b.max[0]), load(&b.max[1]), load(&b.max[2])];
        let (mut below, mut tie) = (0u64, 0u64);
        for i in 0..LANES {
            let mut apart = _mm256_sub_ps(_mm256_set1_ps(a.min[0][i]), b_max[0]);
            apart = _mm256_max_ps(apart, _mm256_sub_ps(b_min[0], _mm256_set1_ps(a.max[0][i])));
            for axis in 1..3 {
                apart = _mm256_max_ps(apart, _mm256_sub_ps(_mm256_set1_ps(a.min[axis][i]), b_max[axis]));
                apart = _mm256_max_ps(apart, _mm256_sub_ps(b_min[axis], _mm256_set1_ps(a.max[axis][i])));
            }
            // The difference of equals is +0, so the sign bit says "less".
            below |= (_mm256_movemask_ps(apart) as u32 as u64) << (LANES * i);
            let zero = _mm256_cmp_ps::<_CMP_EQ_OQ>(apart, _mm256_setzero_ps());
            tie |= (_mm256_movemask_ps(zero) as u32 as u64) << (LANES * i);
        }
        Overlaps { hit: below | tie, tie }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Few distinct coordinates, so that boxes touch; some infinite, some empty.
    fn packet() -> impl Strategy<Value = (Packet, Vec<Aabb>)> {
        let coordinate =
            || prop_oneof![8 => (0..6i32).prop_map(f64::from), 1 => Just(f64::INFINITY), 1 => -9.0..9.0];
        let one =
            (prop::array::uniform3(coordinate()), prop::array::uniform3(coordinate())).prop_map(|(a, b)| {
                let (a, b) = (Vec3::from(a), Vec3::from(b));
                Aabb { min: -a, max: b }
            });
        prop::collection::vec(one, LANES).prop_map(|boxes| {
            let mut packet = Packet::EMPTY;
            for (lane, b) in boxes.iter().enumerate() {
                packet.set(lane, &Mapped::new(b, &Vec3::repeat(0.3)));
            }
            (packet, boxes)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn boxes_that_move_are_apart_only_if_they_never_meet(
            (a, a_boxes) in packet(), (b, b_boxes) in packet(),
            (c, c_boxes) in packet(), (d, d_boxes) in packet(), when in 0.0..1.0f64,
        ) {
            let hit = portable_moving([&a, &c], [&b, &d]);
            prop_assert_eq!(moving_kernel()([&a, &c], [&b, &d]), hit);
            let finite = |b: &Aabb| (b.max - b.min).amax() < 1e9 && (b.max - b.min).min() >= 0.0;
            let between = |p: &Aabb, q: &Aabb| Aabb {
                min: p.min * (1.0 - when) + q.min * when,
                max: p.max * (1.0 - when) + q.max * when,
            };
            for i in 0..LANES {
                for j in 0..LANES {
                    let all = [&a_boxes[i], &c_boxes[i], &b_boxes[j], &d_boxes[j]];
                    if hit >> (LANES * i + j) & 1 == 0 && all.iter().all(|b| finite(b)) {
                        let (p, q) = (between(all[0], all[1]), between(all[2], all[3]));
                        prop_assert!(!crate::broad::overlap(&p, &q));
                    }
                }
            }
        }

        #[test]
        fn kernels_agree_and_only_ties_are_open((a, a_boxes) in packet(), (b, b_boxes) in packet()) {
            let overlaps = portable(&a, &b);
            prop_assert_eq!(kernel()(&a, &b), overlaps);
            for i in 0..LANES {
                let (one, mut lanes) = (Mapped::new(&a_boxes[i], &Vec3::repeat(0.3)), 0u8);
                prop_assert_eq!(b.hits(&one), (overlaps.hit >> (LANES * i)) as u8);
                search(&[b], &[0, 1], &one, |lane| lanes |= 1 << lane);
                prop_assert_eq!(b.hits(&one), lanes);
                for j in 0..LANES {
                    let bit = 1 << (LANES * i + j);
                    let exact = crate::broad::overlap(&a_boxes[i], &b_boxes[j]);
                    if overlaps.tie & bit == 0 {
                        prop_assert_eq!(overlaps.hit & bit != 0, exact);
                    } else {
                        prop_assert!(overlaps.hit & bit != 0);
                    }
                }
            }
        }
    }
}
