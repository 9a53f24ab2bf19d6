//! Vectors of given length between two vertices, four at a time from positions to residuals and forces, without a stop in
//! memory: for edges, whose arithmetic is so short that moving numbers to lanes and back costs more.
//!
//! A row (x, y, z) of memory stays a row; only the squared lengths are transposed. This exists only for AVX2 with FMA. It is
//! bitwise identical to the block version (`length_lanes.rs`), which all other processors use.

use super::Level;
use crate::length_lanes::Scale;
use pd_core::{Real, Vec3};

/// Edges and what they should be.
#[derive(Clone, Copy)]
pub(crate) struct Springs<'a> {
    /// Ends.
    pub(crate) edges: &'a [[u32; 2]],
    /// Wanted lengths, m, as many.
    pub(crate) lengths: &'a [Real],
    /// Weights ω, N/m, as many.
    pub(crate) weights: &'a [Real],
    /// Positions.
    pub(crate) x: &'a [Vec3],
    /// Which lengths are ordinary.
    pub(crate) scale: Scale,
}

impl Level {
    /// Whether the way below does anything.
    pub(crate) fn has_springs(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => true,
            _ => false,
        }
    }
}

impl Springs<'_> {
    /// r = d (1 − l/|d|) of the first edges; how many were done. It stops before an edge that is not ordinary or ends at
    /// the last vertex, and where less than four are left.
    pub(crate) fn residual(&self, level: Level, r: &mut [Vec3]) -> usize {
        match level {
            // SAFETY: the level proves that the instructions are there.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(_) => unsafe { fast::residual(self, r) },
            _ => 0,
        }
    }

    /// −ω r and ω r of the first edges, and their energy, J, alike.
    pub(crate) fn forces(&self, level: Level, ends: &mut [[Vec3; 2]]) -> (usize, Real) {
        match level {
            // SAFETY: the level proves that the instructions are there.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(_) => unsafe { fast::forces(self, ends) },
            _ => (0, 0.0),
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod fast {
    use super::super::Arithmetic;
    use super::super::x86_avx2::Quad;
    use super::{Real, Springs, Vec3};
    use std::arch::x86_64::*;

    /// Four edges.
    struct Four {
        /// d, one row each; the last number of a row is not used.
        rows: [__m256d; 4],
        /// |d|².
        square: Quad,
        /// 1 − l/|d|.
        factor: Quad,
    }

    /// The four edges from the k-th on. Part of the loops below, and so without its own list of instructions, which would
    /// keep it from being inlined.
    ///
    /// # Safety
    /// AVX2 and FMA are there.
    #[inline(always)]
    unsafe fn four(springs: &Springs<'_>, last: __m256i, k: usize) -> Option<Four> {
        let &[[i0, j0], [i1, j1], [i2, j2], [i3, j3]] = springs.edges[k..].first_chunk::<4>()?;
        let length = springs.lengths[k..].first_chunk::<4>()?;
        let x: *const Real = springs.x.as_ptr().cast();
        // SAFETY: the caller's promise; four edges have eight numbers of four bytes; no vector is the last, so that four
        // numbers can be read from its start on.
        unsafe {
            let ends = _mm256_loadu_si256(springs.edges[k..].as_ptr().cast());
            let beyond = _mm256_cmpeq_epi32(_mm256_max_epu32(ends, last), ends);
            if _mm256_movemask_epi8(beyond) != 0 {
                return None;
            }
            let a = _mm256_sub_pd(
                _mm256_loadu_pd(x.add(3 * i0 as usize)),
                _mm256_loadu_pd(x.add(3 * j0 as usize)),
            );
            let b = _mm256_sub_pd(
                _mm256_loadu_pd(x.add(3 * i1 as usize)),
                _mm256_loadu_pd(x.add(3 * j1 as usize)),
            );
            let c = _mm256_sub_pd(
                _mm256_loadu_pd(x.add(3 * i2 as usize)),
                _mm256_loadu_pd(x.add(3 * j2 as usize)),
            );
            let d = _mm256_sub_pd(
                _mm256_loadu_pd(x.add(3 * i3 as usize)),
                _mm256_loadu_pd(x.add(3 * j3 as usize)),
            );
            let (ab, cd) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d)); // x₀ x₁ z₀ z₁
            let (ab_y, cd_y) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
            let lanes = [
                Quad(_mm256_permute2f128_pd::<0x20>(ab, cd)),
                Quad(_mm256_permute2f128_pd::<0x20>(ab_y, cd_y)),
                Quad(_mm256_permute2f128_pd::<0x31>(ab, cd)),
            ];
            let length = Quad(_mm256_loadu_pd(length.as_ptr()));
            let square = springs.scale.square(&lanes);
            if springs.scale.some_unsound(square, length) {
                return None;
            }
            Some(Four { rows: [a, b, c, d], square, factor: springs.scale.factor(square, length) })
        }
    }

    /// The number of the last vertex, in all lanes; all are beyond it where numbers of four bytes do not reach.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn last(x: &[Vec3]) -> __m256i {
        _mm256_set1_epi32(x.len().checked_sub(1).and_then(|last| u32::try_from(last).ok()).unwrap_or(0) as i32)
    }

    /// The rows times their lanes of `by`.
    ///
    /// # Safety
    /// AVX2 is there.
    #[inline(always)]
    unsafe fn times(rows: &[__m256d; 4], by: Quad) -> [__m256d; 4] {
        // SAFETY: the caller's promise.
        unsafe {
            [
                _mm256_mul_pd(rows[0], _mm256_permute4x64_pd::<0x00>(by.0)),
                _mm256_mul_pd(rows[1], _mm256_permute4x64_pd::<0x55>(by.0)),
                _mm256_mul_pd(rows[2], _mm256_permute4x64_pd::<0xAA>(by.0)),
                _mm256_mul_pd(rows[3], _mm256_permute4x64_pd::<0xFF>(by.0)),
            ]
        }
    }

    /// Writes three numbers.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn put(row: __m256d, to: &mut Vec3) {
        let to: *mut Real = to.as_mut_ptr();
        // SAFETY: there is room for three numbers.
        unsafe {
            _mm_storeu_pd(to, _mm256_castpd256_pd128(row));
            _mm_storel_pd(to.add(2), _mm256_extractf128_pd::<1>(row));
        }
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn residual(springs: &Springs<'_>, r: &mut [Vec3]) -> usize {
        let (mut done, last) = (0, last(springs.x));
        for r in r.as_chunks_mut::<4>().0 {
            // SAFETY: this function has the instructions.
            let Some(four) = (unsafe { four(springs, last, done) }) else { break };
            // SAFETY: likewise.
            let rows = unsafe { times(&four.rows, four.factor) };
            let to: *mut Real = r.as_mut_ptr().cast();
            for (l, row) in rows.into_iter().enumerate().take(3) {
                // SAFETY: 12 numbers. The fourth written here is overwritten by the next row.
                unsafe { _mm256_storeu_pd(to.add(3 * l), row) }
            }
            put(rows[3], &mut r[3]);
            done += 4;
        }
        done
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn forces(springs: &Springs<'_>, ends: &mut [[Vec3; 2]]) -> (usize, Real) {
        let (mut done, mut energy) = (0, _mm256_setzero_pd());
        let (sign, last) = (_mm256_set1_pd(-0.0), last(springs.x));
        for ends in ends.as_chunks_mut::<4>().0 {
            let Some(weights) = springs.weights[done..].first_chunk::<4>() else { break };
            // SAFETY: this function has the instructions.
            let Some(four) = (unsafe { four(springs, last, done) }) else { break };
            // SAFETY: four numbers.
            let weight = Quad(unsafe { _mm256_loadu_pd(weights.as_ptr()) });
            // SAFETY: this function has the instructions.
            let rows = unsafe { times(&times(&four.rows, four.factor), weight) };
            let to: *mut Real = ends.as_mut_ptr().cast();
            for (l, row) in rows.into_iter().enumerate() {
                // SAFETY: 24 numbers. The fourth written here is overwritten by what follows.
                unsafe {
                    _mm256_storeu_pd(to.add(6 * l), _mm256_xor_pd(row, sign));
                    if l < 3 {
                        _mm256_storeu_pd(to.add(6 * l + 3), row);
                    }
                }
            }
            put(rows[3], &mut ends[3][1]);
            let half = four.square * four.factor * four.factor * weight * weight.fill(0.5);
            energy = _mm256_add_pd(energy, half.0);
            done += 4;
        }
        let mut parts = [0.0; 4];
        // SAFETY: four numbers.
        unsafe { _mm256_storeu_pd(parts.as_mut_ptr(), energy) }
        (done, (parts[0] + parts[1]) + (parts[2] + parts[3]))
    }
}
