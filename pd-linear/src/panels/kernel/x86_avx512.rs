//! AVX-512 (F and BW): registers of 16 f32 or 8 f64, 32 of them, so groups of 8 columns keep 24 sums.

use super::lanes::Lanes;
use super::{Kernel, Row, ends, ends_avx2, sweeps};
use crate::panels::storage::{Half, Storage, ThreeBytes};
use crate::panels::stream::{Shape, Stream};
use std::arch::x86_64::*;

/// f32 arithmetic.
struct Single;
/// f64 arithmetic.
struct Double;

fn available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("f16c")
}

/// Panels of the formats that widen to f32.
pub(super) fn single<S: Widen>() -> Option<Kernel<S>> {
    available().then_some(Kernel {
        name: "avx512",
        shape: Shape { lanes: 16, group: 8 },
        forward: forward::<S, Single>,
        backward: backward::<S, Single>,
        load: ends_avx2::load,
        unload: ends_avx2::unload,
    })
}

/// f64 panels.
pub(super) fn double() -> Option<Kernel<f64>> {
    available().then_some(Kernel {
        name: "avx512",
        shape: Shape { lanes: 8, group: 8 },
        forward: forward::<f64, Double>,
        backward: backward::<f64, Double>,
        load: ends::load::<f64>,
        unload: ends::unload::<f64>,
    })
}

fn forward<S: Storage, K: Lanes<S>>(
    stream: &Stream<S>,
    vector: &mut [Row<S>],
    scratch: &mut [S::Arithmetic],
) {
    #[target_feature(enable = "avx512f,avx512bw,avx2,fma,f16c")]
    unsafe fn inner<S: Storage, K: Lanes<S>>(s: &Stream<S>, v: &mut [Row<S>], scratch: &mut [S::Arithmetic]) {
        // SAFETY: passed on.
        unsafe { sweeps::forward::<S, K>(s, v, scratch) }
    }
    // SAFETY: a kernel with this function exists only where `available` holds, and `Kernel` checked the lengths.
    unsafe { inner::<S, K>(stream, vector, scratch) }
}

fn backward<S: Storage, K: Lanes<S>>(
    stream: &Stream<S>,
    vector: &mut [Row<S>],
    scratch: &mut [S::Arithmetic],
) {
    #[target_feature(enable = "avx512f,avx512bw,avx2,fma,f16c")]
    unsafe fn inner<S: Storage, K: Lanes<S>>(s: &Stream<S>, v: &mut [Row<S>], scratch: &mut [S::Arithmetic]) {
        // SAFETY: passed on.
        unsafe { sweeps::backward::<S, K>(s, v, scratch) }
    }
    // SAFETY: as in `forward`.
    unsafe { inner::<S, K>(stream, vector, scratch) }
}

/// Loads of the formats that widen to f32.
pub(super) trait Widen: Storage<Arithmetic = f32> {
    /// # Safety
    /// 16 values can be read.
    unsafe fn widen(from: *const Self) -> __m512;
}

impl Widen for f32 {
    #[inline(always)]
    unsafe fn widen(from: *const Self) -> __m512 {
        // SAFETY: the caller's promise.
        unsafe { _mm512_loadu_ps(from) }
    }
}

impl Widen for ThreeBytes {
    #[inline(always)]
    unsafe fn widen(from: *const Self) -> __m512 {
        // SAFETY: the caller's promise; 64 bytes are read, 48 used, and the stream ends with room for that.
        unsafe {
            // Three words to each quarter, then every three bytes to the upper ones of four.
            let words = _mm512_setr_epi32(0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11);
            let quarters = _mm512_permutexvar_epi32(words, _mm512_loadu_si512(from.cast()));
            let bytes =
                _mm512_broadcast_i32x4(_mm_setr_epi8(-1, 0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11));
            _mm512_cvtepi32_ps(_mm512_shuffle_epi8(quarters, bytes))
        }
    }
}

impl Widen for Half {
    #[inline(always)]
    unsafe fn widen(from: *const Self) -> __m512 {
        // SAFETY: the caller's promise.
        unsafe { _mm512_cvtph_ps(_mm256_loadu_si256(from.cast())) }
    }
}

/// A row of four numbers.
///
/// # Safety
/// The index can be read, and its row lies inside the vector.
#[inline(always)]
unsafe fn row(vector: *const [f32; 4], index: *const u32) -> __m128 {
    // SAFETY: the caller's promise.
    unsafe { _mm_loadu_ps(vector.add(*index as usize).cast()) }
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

/// Rows k and k + 4 of f64 in the halves.
///
/// # Safety
/// The two indices can be read, and their rows lie inside the vector.
#[inline(always)]
unsafe fn pair_of_rows(vector: *const [f64; 4], index: *const u32) -> __m512d {
    // SAFETY: the caller's promise.
    unsafe {
        let low = _mm256_loadu_pd(vector.add(*index as usize).cast());
        let high = _mm256_loadu_pd(vector.add(*index.add(4) as usize).cast());
        _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(low), high)
    }
}

/// Four rows, one in each quarter.
///
/// # Safety
/// The indices can be read at steps of four, and their rows lie inside the vector.
#[inline(always)]
unsafe fn four_rows(vector: *const [f32; 4], index: *const u32) -> __m512 {
    // SAFETY: the caller's promise.
    unsafe {
        let rows = _mm512_castps128_ps512(row(vector, index));
        let rows = _mm512_insertf32x4::<1>(rows, row(vector, index.add(4)));
        let rows = _mm512_insertf32x4::<2>(rows, row(vector, index.add(8)));
        _mm512_insertf32x4::<3>(rows, row(vector, index.add(12)))
    }
}

/// Rows (x, y, z, 0), one per quarter, from components whose quarters hold (x₀ x₁ x₂ x₃) …: the four rows of each
/// quarter in turn.
#[inline(always)]
unsafe fn rows_of(x: __m512, y: __m512, z: __m512) -> [__m512; 4] {
    // SAFETY: arithmetic on registers only.
    unsafe {
        let zero = _mm512_setzero_ps();
        let (xy01, xy23) = (_mm512_unpacklo_ps(x, y), _mm512_unpackhi_ps(x, y));
        let (z01, z23) = (_mm512_unpacklo_ps(z, zero), _mm512_unpackhi_ps(z, zero));
        [
            _mm512_shuffle_ps::<0x44>(xy01, z01),
            _mm512_shuffle_ps::<0xee>(xy01, z01),
            _mm512_shuffle_ps::<0x44>(xy23, z23),
            _mm512_shuffle_ps::<0xee>(xy23, z23),
        ]
    }
}

/// Sums of the four quarters of four registers, one sum per quarter. (Not a closure: those do not inherit the
/// instruction set, and every instruction would become a call.)
#[inline(always)]
unsafe fn fold_four(a: __m512, b: __m512, c: __m512, d: __m512) -> __m512 {
    // SAFETY: arithmetic on registers only.
    unsafe {
        let p = _mm512_add_ps(_mm512_shuffle_f32x4::<0x44>(a, b), _mm512_shuffle_f32x4::<0xee>(a, b));
        let q = _mm512_add_ps(_mm512_shuffle_f32x4::<0x44>(c, d), _mm512_shuffle_f32x4::<0xee>(c, d));
        _mm512_add_ps(_mm512_shuffle_f32x4::<0x88>(p, q), _mm512_shuffle_f32x4::<0xdd>(p, q))
    }
}

/// The sums over lanes of four columns, as four rows in the quarters.
#[inline(always)]
unsafe fn sum_four(a: [__m512; 3], b: [__m512; 3], c: [__m512; 3], d: [__m512; 3]) -> __m512 {
    // SAFETY: arithmetic on registers only.
    unsafe {
        let x = fold_four(a[0], b[0], c[0], d[0]);
        let y = fold_four(a[1], b[1], c[1], d[1]);
        let z = fold_four(a[2], b[2], c[2], d[2]);
        let zero = _mm512_setzero_ps();
        let xy = _mm512_add_ps(_mm512_unpacklo_ps(x, y), _mm512_unpackhi_ps(x, y));
        let z0 = _mm512_add_ps(_mm512_unpacklo_ps(z, zero), _mm512_unpackhi_ps(z, zero));
        _mm512_add_ps(_mm512_shuffle_ps::<0x44>(xy, z0), _mm512_shuffle_ps::<0xee>(xy, z0))
    }
}

/// The sum of the two halves.
#[inline(always)]
unsafe fn halves(v: __m512d) -> __m256d {
    // SAFETY: arithmetic on registers only.
    unsafe { _mm256_add_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd::<1>(v)) }
}

impl<S: Widen> Lanes<S> for Single {
    const LANES: usize = 16;
    const GROUP: usize = 8;
    type Register = __m512;

    #[inline(always)]
    unsafe fn zero() -> __m512 {
        // SAFETY: the caller's promise, here and below.
        unsafe { _mm512_setzero_ps() }
    }
    #[inline(always)]
    unsafe fn splat(value: f32) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_set1_ps(value) }
    }
    #[inline(always)]
    unsafe fn multiply_add(a: __m512, b: __m512, c: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_fmadd_ps(a, b, c) }
    }
    #[inline(always)]
    unsafe fn load(from: *const S) -> __m512 {
        // SAFETY: as above.
        unsafe { S::widen(from) }
    }
    #[inline(always)]
    unsafe fn read(from: *const f32) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_loadu_ps(from) }
    }
    #[inline(always)]
    unsafe fn write(to: *mut f32, value: __m512) {
        // SAFETY: as above.
        unsafe { _mm512_storeu_ps(to, value) }
    }

    #[inline(always)]
    unsafe fn gather(vector: *const [f32; 4], index: *const u32) -> [__m512; 3] {
        // SAFETY: as above.
        unsafe {
            let (a, b) = (four_rows(vector, index), four_rows(vector, index.add(1)));
            let (c, d) = (four_rows(vector, index.add(2)), four_rows(vector, index.add(3)));
            let (ab, cd) = (_mm512_unpacklo_ps(a, b), _mm512_unpacklo_ps(c, d));
            let z = _mm512_shuffle_ps::<0x44>(_mm512_unpackhi_ps(a, b), _mm512_unpackhi_ps(c, d));
            [_mm512_shuffle_ps::<0x44>(ab, cd), _mm512_shuffle_ps::<0xee>(ab, cd), z]
        }
    }

    #[inline(always)]
    unsafe fn scatter(vector: *mut [f32; 4], index: *const u32, count: usize, sums: [__m512; 3], scale: f32) {
        // SAFETY: as above.
        unsafe {
            let (mask, scale) = (((1u32 << count) - 1) as u16, _mm_set1_ps(scale));
            let [x, y, z] = sums;
            let rows = rows_of(
                _mm512_maskz_mov_ps(mask, x),
                _mm512_maskz_mov_ps(mask, y),
                _mm512_maskz_mov_ps(mask, z),
            );
            for k in 0..4 {
                subtract(vector, index.add(k), _mm512_castps512_ps128(rows[k]), scale);
                subtract(vector, index.add(k + 4), _mm512_extractf32x4_ps::<1>(rows[k]), scale);
                subtract(vector, index.add(k + 8), _mm512_extractf32x4_ps::<2>(rows[k]), scale);
                subtract(vector, index.add(k + 12), _mm512_extractf32x4_ps::<3>(rows[k]), scale);
            }
        }
    }

    #[inline(always)]
    unsafe fn add(a: __m512, b: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_add_ps(a, b) }
    }

    #[inline(always)]
    unsafe fn store(rows: *mut [f32; 4], count: usize, sums: [__m512; 3], scale: f32) {
        // SAFETY: as above; the mask keeps stores inside the rows.
        unsafe {
            let (minus, [x, y, z]) = (_mm512_set1_ps(-scale), sums);
            let (x, y, z) = (_mm512_mul_ps(minus, x), _mm512_mul_ps(minus, y), _mm512_mul_ps(minus, z));
            // Row k holds rows k, k + 4, k + 8, k + 12: a transpose of quarters brings neighbours together.
            let [a, b, c, d] = rows_of(x, y, z);
            let (ab, cd) = (_mm512_shuffle_f32x4::<0x44>(a, b), _mm512_shuffle_f32x4::<0x44>(c, d));
            let (ab_late, cd_late) = (_mm512_shuffle_f32x4::<0xee>(a, b), _mm512_shuffle_f32x4::<0xee>(c, d));
            let quads = [
                _mm512_shuffle_f32x4::<0x88>(ab, cd),
                _mm512_shuffle_f32x4::<0xdd>(ab, cd),
                _mm512_shuffle_f32x4::<0x88>(ab_late, cd_late),
                _mm512_shuffle_f32x4::<0xdd>(ab_late, cd_late),
            ];
            let mask = u64::MAX >> (64 - 4 * count);
            for k in 0..4 {
                _mm512_mask_storeu_ps(rows.add(4 * k).cast(), (mask >> (16 * k)) as u16, quads[k]);
            }
        }
    }

    #[inline(always)]
    unsafe fn reduce<const G: usize>(sums: &[[__m512; 3]; G], rows: *mut [f32; 4], scale: f32) {
        // SAFETY: as above.
        unsafe {
            let zero = [_mm512_setzero_ps(); 3];
            let mut k = 0;
            while k < G {
                let b = if k + 1 < G { sums[k + 1] } else { zero };
                let c = if k + 2 < G { sums[k + 2] } else { zero };
                let d = if k + 3 < G { sums[k + 3] } else { zero };
                let total = _mm512_mul_ps(_mm512_set1_ps(-scale), sum_four(sums[k], b, c, d));
                let to = rows.add(k).cast::<f32>();
                if k + 4 <= G {
                    _mm512_storeu_ps(to, total);
                } else {
                    _mm512_mask_storeu_ps(to, (1u32 << (4 * (G - k))).wrapping_sub(1) as u16, total);
                }
                k += 4;
            }
        }
    }
}

impl Lanes<f64> for Double {
    const LANES: usize = 8;
    const GROUP: usize = 8;
    type Register = __m512d;

    #[inline(always)]
    unsafe fn zero() -> __m512d {
        // SAFETY: the caller's promise, here and below.
        unsafe { _mm512_setzero_pd() }
    }
    #[inline(always)]
    unsafe fn splat(value: f64) -> __m512d {
        // SAFETY: as above.
        unsafe { _mm512_set1_pd(value) }
    }
    #[inline(always)]
    unsafe fn multiply_add(a: __m512d, b: __m512d, c: __m512d) -> __m512d {
        // SAFETY: as above.
        unsafe { _mm512_fmadd_pd(a, b, c) }
    }
    #[inline(always)]
    unsafe fn load(from: *const f64) -> __m512d {
        // SAFETY: as above.
        unsafe { _mm512_loadu_pd(from) }
    }
    #[inline(always)]
    unsafe fn read(from: *const f64) -> __m512d {
        // SAFETY: as above.
        unsafe { _mm512_loadu_pd(from) }
    }
    #[inline(always)]
    unsafe fn write(to: *mut f64, value: __m512d) {
        // SAFETY: as above.
        unsafe { _mm512_storeu_pd(to, value) }
    }

    #[inline(always)]
    unsafe fn gather(vector: *const [f64; 4], index: *const u32) -> [__m512d; 3] {
        // SAFETY: as above.
        unsafe {
            // Lanes end up as rows 0 1 2 3 | 4 5 6 7.
            let (a, b) = (pair_of_rows(vector, index), pair_of_rows(vector, index.add(1)));
            let (c, d) = (pair_of_rows(vector, index.add(2)), pair_of_rows(vector, index.add(3)));
            // (x₀ x₁ z₀ z₁ | x₄ x₅ z₄ z₅) and so on.
            let (ab, cd) = (_mm512_unpacklo_pd(a, b), _mm512_unpacklo_pd(c, d));
            let (ab_y, cd_y) = (_mm512_unpackhi_pd(a, b), _mm512_unpackhi_pd(c, d));
            let low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
            let high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
            let x = _mm512_permutex2var_pd(ab, low, cd);
            let y = _mm512_permutex2var_pd(ab_y, low, cd_y);
            [x, y, _mm512_permutex2var_pd(ab, high, cd)]
        }
    }

    #[inline(always)]
    unsafe fn scatter(
        vector: *mut [f64; 4],
        index: *const u32,
        count: usize,
        sums: [__m512d; 3],
        scale: f64,
    ) {
        // SAFETY: as above.
        unsafe {
            let mut spilled = [[0f64; 8]; 3];
            for (to, sum) in spilled.iter_mut().zip(sums) {
                _mm512_storeu_pd(to.as_mut_ptr(), sum);
            }
            for k in 0..count {
                let to = vector.add(*index.add(k) as usize).cast::<f64>();
                let row = _mm256_setr_pd(spilled[0][k], spilled[1][k], spilled[2][k], 0.0);
                _mm256_storeu_pd(to, _mm256_fnmadd_pd(row, _mm256_set1_pd(scale), _mm256_loadu_pd(to)));
            }
        }
    }

    #[inline(always)]
    unsafe fn add(a: __m512d, b: __m512d) -> __m512d {
        // SAFETY: as above.
        unsafe { _mm512_add_pd(a, b) }
    }

    #[inline(always)]
    unsafe fn store(rows: *mut [f64; 4], count: usize, sums: [__m512d; 3], scale: f64) {
        // SAFETY: as above.
        unsafe {
            let mut spilled = [[0f64; 8]; 3];
            for (to, sum) in spilled.iter_mut().zip(sums) {
                _mm512_storeu_pd(to.as_mut_ptr(), _mm512_mul_pd(_mm512_set1_pd(-scale), sum));
            }
            for k in 0..count {
                *rows.add(k) = [spilled[0][k], spilled[1][k], spilled[2][k], 0.0];
            }
        }
    }

    #[inline(always)]
    unsafe fn reduce<const G: usize>(sums: &[[__m512d; 3]; G], rows: *mut [f64; 4], scale: f64) {
        // SAFETY: as above.
        unsafe {
            for k in 0..G {
                let [x, y, z] = [halves(sums[k][0]), halves(sums[k][1]), halves(sums[k][2])];
                let xy = _mm256_hadd_pd(x, y);
                let z0 = _mm256_hadd_pd(z, _mm256_setzero_pd());
                let sum = _mm256_add_pd(
                    _mm256_permute2f128_pd::<0x20>(xy, z0),
                    _mm256_permute2f128_pd::<0x31>(xy, z0),
                );
                _mm256_storeu_pd(rows.add(k).cast(), _mm256_mul_pd(_mm256_set1_pd(-scale), sum));
            }
        }
    }
}
