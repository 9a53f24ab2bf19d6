//! Registers of 256 bits: 8 f32 or 4 f64.

use super::lanes::Lanes;
use crate::panels::storage::{Half, Storage, ThreeBytes};
use std::arch::x86_64::*;

/// f32 arithmetic, `N` columns in a group.
pub(super) struct Single<const N: usize>;
/// f64 arithmetic. A group of more columns would span two blocks of rows.
pub(super) struct Double;

/// Loads of the formats that widen to f32.
pub(super) trait Widen: Storage<Arithmetic = f32> {
    /// # Safety
    /// 8 values can be read.
    unsafe fn widen(from: *const Self) -> __m256;
}

impl Widen for f32 {
    #[inline(always)]
    unsafe fn widen(from: *const Self) -> __m256 {
        // SAFETY: the caller's promise.
        unsafe { _mm256_loadu_ps(from) }
    }
}

impl Widen for ThreeBytes {
    #[inline(always)]
    unsafe fn widen(from: *const Self) -> __m256 {
        // SAFETY: the caller's promise; 28 bytes are read, 24 used, and the stream ends with room for that.
        unsafe {
            let (low, high) = (_mm_loadu_si128(from.cast()), _mm_loadu_si128(from.add(4).cast()));
            let halves = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high);
            // Every three bytes to the upper ones of four.
            let bytes = _mm256_broadcastsi128_si256(_mm_setr_epi8(
                -1, 0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11,
            ));
            _mm256_cvtepi32_ps(_mm256_shuffle_epi8(halves, bytes))
        }
    }
}

impl Widen for Half {
    #[inline(always)]
    unsafe fn widen(from: *const Self) -> __m256 {
        // SAFETY: the caller's promise.
        unsafe { _mm256_cvtph_ps(_mm_loadu_si128(from.cast())) }
    }
}

/// Rows k and k + 4 in the halves.
///
/// # Safety
/// The two indices can be read, and their rows lie inside the vector.
#[inline(always)]
unsafe fn two_rows(vector: *const [f32; 4], index: *const u32) -> __m256 {
    // SAFETY: the caller's promise.
    unsafe {
        let low = _mm_loadu_ps(vector.add(*index as usize).cast());
        let high = _mm_loadu_ps(vector.add(*index.add(4) as usize).cast());
        _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high)
    }
}

/// Rows (x, y, z, 0), one per half, from components whose halves hold (x₀ x₁ x₂ x₃): the four rows of each half in
/// turn.
#[inline(always)]
unsafe fn rows_of(x: __m256, y: __m256, z: __m256) -> [__m256; 4] {
    // SAFETY: arithmetic on registers only.
    unsafe {
        let zero = _mm256_setzero_ps();
        let (xy01, xy23) = (_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y));
        let (z01, z23) = (_mm256_unpacklo_ps(z, zero), _mm256_unpackhi_ps(z, zero));
        [
            _mm256_shuffle_ps::<0x44>(xy01, z01),
            _mm256_shuffle_ps::<0xee>(xy01, z01),
            _mm256_shuffle_ps::<0x44>(xy23, z23),
            _mm256_shuffle_ps::<0xee>(xy23, z23),
        ]
    }
}

/// Sums of the two halves of two registers, one sum per half. (Not a closure: those do not inherit the instruction
/// set, and every instruction would become a call.)
#[inline(always)]
unsafe fn fold_two(a: __m256, b: __m256) -> __m256 {
    // SAFETY: arithmetic on registers only.
    unsafe { _mm256_add_ps(_mm256_permute2f128_ps::<0x20>(a, b), _mm256_permute2f128_ps::<0x31>(a, b)) }
}

/// The sums over lanes of two columns, as two rows in the halves.
#[inline(always)]
unsafe fn sum_two(a: [__m256; 3], b: [__m256; 3]) -> __m256 {
    // SAFETY: arithmetic on registers only.
    unsafe {
        let (x, y, z) = (fold_two(a[0], b[0]), fold_two(a[1], b[1]), fold_two(a[2], b[2]));
        let zero = _mm256_setzero_ps();
        _mm256_hadd_ps(_mm256_hadd_ps(x, y), _mm256_hadd_ps(z, zero))
    }
}

/// Subtracts a multiple from a row.
///
/// # Safety
/// The index can be read, and its row lies inside the vector.
#[inline(always)]
unsafe fn subtract(vector: *mut [f32; 4], index: *const u32, value: __m128, scale: __m128) {
    // SAFETY: the caller's promise.
    unsafe {
        let to = vector.add(*index as usize).cast::<f32>();
        _mm_storeu_ps(to, _mm_fnmadd_ps(value, scale, _mm_loadu_ps(to)));
    }
}

/// A row of f64.
///
/// # Safety
/// The index can be read, and its row lies inside the vector.
#[inline(always)]
unsafe fn row(vector: *const [f64; 4], index: *const u32) -> __m256d {
    // SAFETY: the caller's promise.
    unsafe { _mm256_loadu_pd(vector.add(*index as usize).cast()) }
}

impl<S: Widen, const N: usize> Lanes<S> for Single<N> {
    const LANES: usize = 8;
    const GROUP: usize = N;
    type Register = __m256;

    #[inline(always)]
    unsafe fn zero() -> __m256 {
        // SAFETY: the caller's promise, here and below.
        unsafe { _mm256_setzero_ps() }
    }
    #[inline(always)]
    unsafe fn splat(value: f32) -> __m256 {
        // SAFETY: as above.
        unsafe { _mm256_set1_ps(value) }
    }
    #[inline(always)]
    unsafe fn multiply_add(a: __m256, b: __m256, c: __m256) -> __m256 {
        // SAFETY: as above.
        unsafe { _mm256_fmadd_ps(a, b, c) }
    }
    #[inline(always)]
    unsafe fn load(from: *const S) -> __m256 {
        // SAFETY: as above.
        unsafe { S::widen(from) }
    }
    #[inline(always)]
    unsafe fn read(from: *const f32) -> __m256 {
        // SAFETY: as above.
        unsafe { _mm256_loadu_ps(from) }
    }
    #[inline(always)]
    unsafe fn write(to: *mut f32, value: __m256) {
        // SAFETY: as above.
        unsafe { _mm256_storeu_ps(to, value) }
    }

    #[inline(always)]
    unsafe fn gather(vector: *const [f32; 4], index: *const u32) -> [__m256; 3] {
        // SAFETY: as above.
        unsafe {
            let (a, b) = (two_rows(vector, index), two_rows(vector, index.add(1)));
            let (c, d) = (two_rows(vector, index.add(2)), two_rows(vector, index.add(3)));
            let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
            let z = _mm256_shuffle_ps::<0x44>(_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
            [_mm256_shuffle_ps::<0x44>(ab, cd), _mm256_shuffle_ps::<0xee>(ab, cd), z]
        }
    }

    #[inline(always)]
    unsafe fn scatter(vector: *mut [f32; 4], index: *const u32, count: usize, sums: [__m256; 3], scale: f32) {
        // SAFETY: as above.
        unsafe {
            let lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            let mask = _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), lane));
            let (scale, [x, y, z]) = (_mm_set1_ps(scale), sums);
            let rows = rows_of(_mm256_and_ps(mask, x), _mm256_and_ps(mask, y), _mm256_and_ps(mask, z));
            for k in 0..4 {
                subtract(vector, index.add(k), _mm256_castps256_ps128(rows[k]), scale);
                subtract(vector, index.add(k + 4), _mm256_extractf128_ps::<1>(rows[k]), scale);
            }
        }
    }

    #[inline(always)]
    unsafe fn add(a: __m256, b: __m256) -> __m256 {
        // SAFETY: as above.
        unsafe { _mm256_add_ps(a, b) }
    }

    #[inline(always)]
    unsafe fn store(rows: *mut [f32; 4], count: usize, sums: [__m256; 3], scale: f32) {
        // SAFETY: as above.
        unsafe {
            let (minus, [x, y, z]) = (_mm256_set1_ps(-scale), sums);
            let [a, b, c, d] =
                rows_of(_mm256_mul_ps(minus, x), _mm256_mul_ps(minus, y), _mm256_mul_ps(minus, z));
            let pairs = [
                _mm256_permute2f128_ps::<0x20>(a, b),
                _mm256_permute2f128_ps::<0x20>(c, d),
                _mm256_permute2f128_ps::<0x31>(a, b),
                _mm256_permute2f128_ps::<0x31>(c, d),
            ];
            for k in 0..count / 2 {
                _mm256_storeu_ps(rows.add(2 * k).cast(), pairs[k]);
            }
            if count % 2 == 1 {
                _mm_storeu_ps(rows.add(count - 1).cast(), _mm256_castps256_ps128(pairs[count / 2]));
            }
        }
    }

    #[inline(always)]
    unsafe fn reduce<const G: usize>(sums: &[[__m256; 3]; G], rows: *mut [f32; 4], scale: f32) {
        // SAFETY: as above.
        unsafe {
            let mut k = 0;
            while k < G {
                let both = sum_two(sums[k], sums[if k + 1 < G { k + 1 } else { k }]);
                let total = _mm256_mul_ps(_mm256_set1_ps(-scale), both);
                let to = rows.add(k).cast::<f32>();
                if k + 2 <= G {
                    _mm256_storeu_ps(to, total);
                } else {
                    _mm_storeu_ps(to, _mm256_castps256_ps128(total));
                }
                k += 2;
            }
        }
    }
}

impl Lanes<f64> for Double {
    const LANES: usize = 4;
    const GROUP: usize = 4;
    type Register = __m256d;

    #[inline(always)]
    unsafe fn zero() -> __m256d {
        // SAFETY: the caller's promise, here and below.
        unsafe { _mm256_setzero_pd() }
    }
    #[inline(always)]
    unsafe fn splat(value: f64) -> __m256d {
        // SAFETY: as above.
        unsafe { _mm256_set1_pd(value) }
    }
    #[inline(always)]
    unsafe fn multiply_add(a: __m256d, b: __m256d, c: __m256d) -> __m256d {
        // SAFETY: as above.
        unsafe { _mm256_fmadd_pd(a, b, c) }
    }
    #[inline(always)]
    unsafe fn load(from: *const f64) -> __m256d {
        // SAFETY: as above.
        unsafe { _mm256_loadu_pd(from) }
    }
    #[inline(always)]
    unsafe fn read(from: *const f64) -> __m256d {
        // SAFETY: as above.
        unsafe { _mm256_loadu_pd(from) }
    }
    #[inline(always)]
    unsafe fn write(to: *mut f64, value: __m256d) {
        // SAFETY: as above.
        unsafe { _mm256_storeu_pd(to, value) }
    }

    #[inline(always)]
    unsafe fn gather(vector: *const [f64; 4], index: *const u32) -> [__m256d; 3] {
        // SAFETY: as above.
        unsafe {
            let (a, b) = (row(vector, index), row(vector, index.add(1)));
            let (c, d) = (row(vector, index.add(2)), row(vector, index.add(3)));
            let (ab, cd) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d)); // (x₀ x₁ z₀ z₁)
            let (ab_y, cd_y) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
            [
                _mm256_permute2f128_pd::<0x20>(ab, cd),
                _mm256_permute2f128_pd::<0x20>(ab_y, cd_y),
                _mm256_permute2f128_pd::<0x31>(ab, cd),
            ]
        }
    }

    #[inline(always)]
    unsafe fn scatter(
        vector: *mut [f64; 4],
        index: *const u32,
        count: usize,
        sums: [__m256d; 3],
        scale: f64,
    ) {
        // SAFETY: as above.
        unsafe {
            let mut spilled = [[0f64; 4]; 3];
            for (to, sum) in spilled.iter_mut().zip(sums) {
                _mm256_storeu_pd(to.as_mut_ptr(), sum);
            }
            for k in 0..count {
                let to = vector.add(*index.add(k) as usize).cast::<f64>();
                let row = _mm256_setr_pd(spilled[0][k], spilled[1][k], spilled[2][k], 0.0);
                _mm256_storeu_pd(to, _mm256_fnmadd_pd(row, _mm256_set1_pd(scale), _mm256_loadu_pd(to)));
            }
        }
    }

    #[inline(always)]
    unsafe fn add(a: __m256d, b: __m256d) -> __m256d {
        // SAFETY: as above.
        unsafe { _mm256_add_pd(a, b) }
    }

    #[inline(always)]
    unsafe fn store(rows: *mut [f64; 4], count: usize, sums: [__m256d; 3], scale: f64) {
        // SAFETY: as above.
        unsafe {
            let mut spilled = [[0f64; 4]; 3];
            for (to, sum) in spilled.iter_mut().zip(sums) {
                _mm256_storeu_pd(to.as_mut_ptr(), _mm256_mul_pd(_mm256_set1_pd(-scale), sum));
            }
            for k in 0..count {
                *rows.add(k) = [spilled[0][k], spilled[1][k], spilled[2][k], 0.0];
            }
        }
    }

    #[inline(always)]
    unsafe fn reduce<const G: usize>(sums: &[[__m256d; 3]; G], rows: *mut [f64; 4], scale: f64) {
        // SAFETY: as above.
        unsafe {
            for k in 0..G {
                let xy = _mm256_hadd_pd(sums[k][0], sums[k][1]);
                let z0 = _mm256_hadd_pd(sums[k][2], _mm256_setzero_pd());
                let sum = _mm256_add_pd(
                    _mm256_permute2f128_pd::<0x20>(xy, z0),
                    _mm256_permute2f128_pd::<0x31>(xy, z0),
                );
                _mm256_storeu_pd(rows.add(k).cast(), _mm256_mul_pd(_mm256_set1_pd(-scale), sum));
            }
        }
    }
}
