//! Sorted positions in single precision, for a first test of distances.
//!
//! Lists of pairs are made with a margin anyway, so the test may be coarse as long as it misses none: every reach is longer by
//! more than the rounding of the position. Columns of floats let eight points be tested at a time, by AVX2 where the processor
//! has it; products and sums are rounded alike, so the answers are the same.

use pd_core::{Real, Vec3};
use std::ops::Range;

/// Points tested at a time.
const LANES: usize = 8;
/// Points tested by one call, one bit each.
const GROUP: usize = 64;
/// Rounding of a position, a difference and a sum of squares, in units of the largest coordinate; some to spare.
const ROUNDING: f32 = 1e-6;

/// Positions and reaches, in the order of a grid.
///
/// Columns are longer than the points by [`LANES`], so that groups may be read to their end.
#[derive(Clone, Debug)]
pub(crate) struct Spots {
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    reach: Vec<f32>,
    /// Whether the processor has AVX2.
    wide: bool,
}

impl Default for Spots {
    fn default() -> Self {
        Self { x: vec![], y: vec![], z: vec![], reach: vec![], wide: has_avx2() }
    }
}

/// Whether the processor has AVX2.
pub(crate) fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

impl Spots {
    pub(crate) fn reserve(&mut self, points: usize) {
        for column in [&mut self.x, &mut self.y, &mut self.z, &mut self.reach] {
            column.reserve((points + LANES).saturating_sub(column.len()));
        }
    }

    /// Takes over points: position (m) and how far each reaches (m). Two are near if their distance is below the sum.
    pub(crate) fn set(&mut self, origin: &Vec3, points: impl Iterator<Item = (Vec3, Real)>) {
        for column in [&mut self.x, &mut self.y, &mut self.z, &mut self.reach] {
            column.clear();
        }
        for (p, reach) in points {
            let p = (p - origin).map(|c| c as f32);
            self.x.push(p.x);
            self.y.push(p.y);
            self.z.push(p.z);
            self.reach.push(reach as f32 * (1.0 + ROUNDING) + ROUNDING * p.amax());
        }
        for column in [&mut self.x, &mut self.y, &mut self.z, &mut self.reach] {
            column.resize(column.len() + LANES, 0.0);
        }
    }

    /// Calls `take` with every point of `range` that is near to point `a`.
    #[inline]
    pub(crate) fn scan(&self, a: usize, range: Range<usize>, mut take: impl FnMut(usize)) {
        let mut first = range.start;
        while first < range.end {
            let len = (range.end - first).min(GROUP);
            let mut bits = self.near(a, first, len);
            while bits != 0 {
                take(first + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
            first += len;
        }
    }

    /// One bit for each of up to [`GROUP`] points from `first` on: whether it is near to point `a`.
    #[inline]
    fn near(&self, a: usize, first: usize, len: usize) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if self.wide {
            // SAFETY: `wide` says that the processor has the instructions.
            return unsafe { self.near_avx2(a, first, len) };
        }
        self.near_portable(a, first, len)
    }

    fn near_portable(&self, a: usize, first: usize, len: usize) -> u64 {
        let (px, py, pz, pr) = (self.x[a], self.y[a], self.z[a], self.reach[a]);
        let mut bits = 0;
        for k in 0..len {
            let at = first + k;
            let (dx, dy, dz, r) = (self.x[at] - px, self.y[at] - py, self.z[at] - pz, self.reach[at] + pr);
            bits |= u64::from(dx * dx + dy * dy + dz * dz < r * r) << k;
        }
        bits
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn near_avx2(&self, a: usize, first: usize, len: usize) -> u64 {
        use std::arch::x86_64::*;
        // Rounded up to whole groups, which the columns have room for.
        let range = first..first + len.next_multiple_of(LANES);
        let [xs, ys] = [&self.x[range.clone()], &self.y[range.clone()]];
        let [zs, reaches] = [&self.z[range.clone()], &self.reach[range]];
        let (px, py) = (_mm256_set1_ps(self.x[a]), _mm256_set1_ps(self.y[a]));
        let (pz, pr) = (_mm256_set1_ps(self.z[a]), _mm256_set1_ps(self.reach[a]));
        let mut bits = 0;
        for k in (0..len).step_by(LANES) {
            // SAFETY: each slice has `LANES` numbers from k on: k is a multiple of `LANES` below their length, which is one too.
            let (x, y, z, reach) = unsafe {
                (
                    _mm256_loadu_ps(xs.as_ptr().add(k)),
                    _mm256_loadu_ps(ys.as_ptr().add(k)),
                    _mm256_loadu_ps(zs.as_ptr().add(k)),
                    _mm256_loadu_ps(reaches.as_ptr().add(k)),
                )
            };
            let (dx, dy, dz) = (_mm256_sub_ps(x, px), _mm256_sub_ps(y, py), _mm256_sub_ps(z, pz));
            let flat = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
            let square = _mm256_add_ps(flat, _mm256_mul_ps(dz, dz));
            let r = _mm256_add_ps(reach, pr);
            let near = _mm256_cmp_ps::<_CMP_LT_OQ>(square, _mm256_mul_ps(r, r));
            bits |= u64::from(_mm256_movemask_ps(near) as u32) << k;
        }
        // What lies beyond the last point is not asked for.
        if len < GROUP { bits & ((1 << len) - 1) } else { bits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn none_is_missed_and_few_are_taken_in_vain(
            points in prop::collection::vec([-2.0..2.0, -2.0..2.0, -2.0..2.0_f64], 1..90), far in 0.0..300.0_f64, reach in 0.01..0.8_f64,
        ) {
            let at: Vec<Vec3> = points.iter().map(|p| Vec3::from(*p) + Vec3::x() * far).collect();
            let mut spots = Spots::default();
            spots.set(&Vec3::zeros(), at.iter().map(|p| (*p, reach)));
            for a in 0..at.len() {
                let mut taken = vec![];
                spots.scan(a, 0..at.len(), |b| taken.push(b));
                for first in 0..at.len() {
                    let len = (at.len() - first).min(GROUP);
                    prop_assert_eq!(spots.near(a, first, len), spots.near_portable(a, first, len));
                }
                for b in 0..at.len() {
                    let distance = (at[a] - at[b]).norm();
                    prop_assert!(distance >= 2.0 * reach || taken.contains(&b));
                    prop_assert!(distance < 2.0 * reach + 1e-5 * (1.0 + far) || !taken.contains(&b));
                }
            }
        }
    }
}
