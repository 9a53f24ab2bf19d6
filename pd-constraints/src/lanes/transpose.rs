//! AoS ↔ SoA transposes of vectors (x, y, z), for edges. They cost more than the arithmetic.
//!
//! The scalar functions work on every processor and for remainders; AVX2 handles four edges at a time.

use super::BLOCK;
use pd_core::{Real, Vec3};

/// One component after another, lanes side by side.
pub(crate) type Components = [[Real; BLOCK]; 3];

/// x_i − x_j of up to a block of edges (i, j).
pub(crate) fn differences(edges: &[[u32; 2]], x: &[Vec3], to: &mut Components) {
    let done = fast::differences(edges, x, to);
    for (lane, &[i, j]) in edges.iter().enumerate().take(BLOCK).skip(done) {
        let difference = x[i as usize] - x[j as usize];
        for c in 0..3 {
            to[c][lane] = difference[c];
        }
    }
}

/// The vectors of the first lanes.
pub(crate) fn to_rows(from: &Components, rows: &mut [Vec3]) {
    let done = fast::to_rows(from, rows);
    for (lane, row) in rows.iter_mut().enumerate().take(BLOCK).skip(done) {
        *row = Vec3::new(from[0][lane], from[1][lane], from[2][lane]);
    }
}

/// −f and f for every lane's f = weight · vector: the forces on the two ends.
pub(crate) fn to_ends(from: &Components, weights: &[Real; BLOCK], ends: &mut [[Vec3; 2]]) {
    let done = fast::to_ends(from, weights, ends);
    for (lane, ends) in ends.iter_mut().enumerate().take(BLOCK).skip(done) {
        let force = Vec3::new(from[0][lane], from[1][lane], from[2][lane]) * weights[lane];
        *ends = [-force, force];
    }
}

#[cfg(target_arch = "x86_64")]
mod fast {
    //! What AVX2 does; each function says how many lanes it did.
    use super::{BLOCK, Components, Real, Vec3};
    use std::arch::x86_64::*;

    fn available() -> bool {
        is_x86_feature_detected!("avx2")
    }

    pub(super) fn differences(edges: &[[u32; 2]], x: &[Vec3], to: &mut Components) -> usize {
        // SAFETY: just checked.
        if available() { unsafe { differences_avx2(edges, x, to) } } else { 0 }
    }

    pub(super) fn to_rows(from: &Components, rows: &mut [Vec3]) -> usize {
        // SAFETY: just checked.
        if available() { unsafe { to_rows_avx2(from, rows) } } else { 0 }
    }

    pub(super) fn to_ends(from: &Components, weights: &[Real; BLOCK], ends: &mut [[Vec3; 2]]) -> usize {
        // SAFETY: just checked.
        if available() { unsafe { to_ends_avx2(from, weights, ends) } } else { 0 }
    }

    /// x_i − x_j, and in the fourth place something that is not used.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn difference(&[i, j]: &[u32; 2], x: &[Vec3]) -> __m256d {
        let (from, less) = (&x[i as usize..i as usize + 2], &x[j as usize..j as usize + 2]);
        // SAFETY: two vectors are six numbers, of which four are read.
        unsafe { _mm256_sub_pd(_mm256_loadu_pd(from.as_ptr().cast()), _mm256_loadu_pd(less.as_ptr().cast())) }
    }

    #[target_feature(enable = "avx2")]
    fn differences_avx2(edges: &[[u32; 2]], x: &[Vec3], to: &mut Components) -> usize {
        let last = x.len() as u64; // the last vector has no number behind it
        let mut done = 0;
        for (k, four) in edges.as_chunks::<4>().0.iter().enumerate().take(BLOCK / 4) {
            if four.as_flattened().iter().any(|&i| u64::from(i) + 1 >= last) {
                break;
            }
            let [a, b, c, d] = [
                difference(&four[0], x),
                difference(&four[1], x),
                difference(&four[2], x),
                difference(&four[3], x),
            ];
            let (ab, cd) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d)); // x₀ x₁ z₀ z₁
            let (ab_y, cd_y) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
            let parts = [
                _mm256_permute2f128_pd::<0x20>(ab, cd),
                _mm256_permute2f128_pd::<0x20>(ab_y, cd_y),
                _mm256_permute2f128_pd::<0x31>(ab, cd),
            ];
            for (to, part) in to.iter_mut().zip(parts) {
                // SAFETY: 4 k + 4 ≤ BLOCK.
                unsafe { _mm256_storeu_pd(to.as_mut_ptr().add(4 * k), part) }
            }
            done = 4 * k + 4;
        }
        done
    }

    /// Components of lanes 4 k to 4 k + 3.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn quad(from: &[Real; BLOCK], k: usize) -> __m256d {
        let four = &from[4 * k..4 * k + 4];
        // SAFETY: the slice has four numbers.
        unsafe { _mm256_loadu_pd(four.as_ptr()) }
    }

    /// Writes four vectors, `step` vectors apart.
    ///
    /// # Safety
    /// There is room for them.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn write(x: __m256d, y: __m256d, z: __m256d, to: *mut Real, step: usize) {
        let (even, odd) = (_mm256_unpacklo_pd(x, y), _mm256_unpackhi_pd(x, y)); // x₀ y₀ x₂ y₂
        let (z01, z23) = (_mm256_castpd256_pd128(z), _mm256_extractf128_pd::<1>(z));
        let pairs = [
            _mm256_castpd256_pd128(even),
            _mm256_castpd256_pd128(odd),
            _mm256_extractf128_pd::<1>(even),
            _mm256_extractf128_pd::<1>(odd),
        ];
        // SAFETY: the caller's promise.
        unsafe {
            for (k, pair) in pairs.into_iter().enumerate() {
                let to = to.add(3 * step * k);
                _mm_storeu_pd(to, pair);
                let z = if k < 2 { z01 } else { z23 };
                if k % 2 == 0 { _mm_storel_pd(to.add(2), z) } else { _mm_storeh_pd(to.add(2), z) }
            }
        }
    }

    #[target_feature(enable = "avx2")]
    fn to_rows_avx2(from: &Components, rows: &mut [Vec3]) -> usize {
        let mut done = 0;
        for (k, four) in rows.as_chunks_mut::<4>().0.iter_mut().enumerate().take(BLOCK / 4) {
            let [x, y, z] = [quad(&from[0], k), quad(&from[1], k), quad(&from[2], k)];
            // SAFETY: four vectors.
            unsafe { write(x, y, z, four.as_mut_ptr().cast(), 1) }
            done = 4 * k + 4;
        }
        done
    }

    #[target_feature(enable = "avx2")]
    fn to_ends_avx2(from: &Components, weights: &[Real; BLOCK], ends: &mut [[Vec3; 2]]) -> usize {
        let mut done = 0;
        let sign = _mm256_set1_pd(-0.0);
        for (k, four) in ends.as_chunks_mut::<4>().0.iter_mut().enumerate().take(BLOCK / 4) {
            let weight = quad(weights, k);
            let [x, y, z] = [
                _mm256_mul_pd(quad(&from[0], k), weight),
                _mm256_mul_pd(quad(&from[1], k), weight),
                _mm256_mul_pd(quad(&from[2], k), weight),
            ];
            let to: *mut Real = four.as_mut_ptr().cast();
            let [minus_x, minus_y, minus_z] =
                [_mm256_xor_pd(x, sign), _mm256_xor_pd(y, sign), _mm256_xor_pd(z, sign)];
            // SAFETY: eight vectors; the first of each pair, then the second.
            unsafe {
                write(minus_x, minus_y, minus_z, to, 2);
                write(x, y, z, to.add(3), 2);
            }
            done = 4 * k + 4;
        }
        done
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod fast {
    //! Nothing faster than the plain way is known here.
    use super::{BLOCK, Components, Real, Vec3};

    pub(super) fn differences(_: &[[u32; 2]], _: &[Vec3], _: &mut Components) -> usize {
        0
    }

    pub(super) fn to_rows(_: &Components, _: &mut [Vec3]) -> usize {
        0
    }

    pub(super) fn to_ends(_: &Components, _: &[Real; BLOCK], _: &mut [[Vec3; 2]]) -> usize {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_count_agrees_with_the_plain_way() {
        let x: Vec<Vec3> =
            (0..40).map(|k| Vec3::new(k as Real, 0.5 - k as Real, 1.0 / (1.0 + k as Real))).collect();
        // The last vector takes part, first in no edge of a whole quad, then in some.
        let edges: Vec<[u32; 2]> = (0..BLOCK as u32).map(|k| [(7 * k + 3) % 40, (11 * k) % 40]).collect();
        let weights: [Real; BLOCK] = std::array::from_fn(|k| 1.0 + k as Real);
        for count in 0..=BLOCK {
            let mut lanes = [[0.0; BLOCK]; 3];
            differences(&edges[..count], &x, &mut lanes);
            let mut rows = vec![Vec3::zeros(); count];
            to_rows(&lanes, &mut rows);
            let mut ends = vec![[Vec3::zeros(); 2]; count];
            to_ends(&lanes, &weights, &mut ends);
            for (k, &[i, j]) in edges[..count].iter().enumerate() {
                let plain = x[i as usize] - x[j as usize];
                assert_eq!(rows[k], plain, "{k} of {count}");
                assert_eq!(ends[k], [-plain * weights[k], plain * weights[k]], "{k} of {count}");
            }
            assert!(lanes.iter().all(|lane| lane[count..].iter().all(|&value| value == 0.0)), "{count}");
        }
    }
}
