//! AVX2: two registers of four numbers.
//!
//! Every `unsafe` block here calls instructions that `Avx2` proves to be there: registers are made by its methods or from
//! other registers only.

use super::{Eight, Instructions, Kernel, LANES, Lanes};
use pd_core::Real;
use std::arch::x86_64::*;
use std::ops::{Add, Mul, Neg, Sub};

/// Proof that the instructions are there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// Asks the processor.
    pub(super) fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }

    /// Runs a kernel, compiled for these instructions.
    pub(super) fn run(self, kernel: impl Kernel) {
        #[target_feature(enable = "avx2")]
        fn compiled(proof: Avx2, kernel: impl Kernel) {
            kernel.run(proof);
        }
        // SAFETY: `self` proves that the instructions are there.
        unsafe { compiled(self, kernel) }
    }
}

impl Instructions for Avx2 {
    type Lanes = Pair;

    #[inline(always)]
    fn load(self, from: &Eight) -> Pair {
        // SAFETY: eight numbers at an address that is a multiple of 64; `self` proves the instruction.
        unsafe { Pair(_mm256_load_pd(from.0.as_ptr()), _mm256_load_pd(from.0.as_ptr().add(4))) }
    }

    #[inline(always)]
    fn fill(self, value: Real) -> Pair {
        // SAFETY: see the top.
        unsafe { Pair(_mm256_set1_pd(value), _mm256_set1_pd(value)) }
    }
}

/// Eight numbers in two registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair(__m256d, __m256d);

impl Add for Pair {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm256_add_pd(self.0, b.0), _mm256_add_pd(self.1, b.1)) }
    }
}

impl Sub for Pair {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm256_sub_pd(self.0, b.0), _mm256_sub_pd(self.1, b.1)) }
    }
}

impl Mul for Pair {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm256_mul_pd(self.0, b.0), _mm256_mul_pd(self.1, b.1)) }
    }
}

impl Neg for Pair {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: see the top.
        unsafe {
            let sign = _mm256_set1_pd(-0.0);
            Self(_mm256_xor_pd(self.0, sign), _mm256_xor_pd(self.1, sign))
        }
    }
}

/// Rows of a square of four.
#[inline(always)]
fn square(r: [__m256d; 4]) -> [__m256d; 4] {
    // SAFETY: see the top.
    unsafe {
        let (a, b) = (_mm256_unpacklo_pd(r[0], r[1]), _mm256_unpackhi_pd(r[0], r[1]));
        let (c, d) = (_mm256_unpacklo_pd(r[2], r[3]), _mm256_unpackhi_pd(r[2], r[3]));
        [
            _mm256_permute2f128_pd::<0x20>(a, c),
            _mm256_permute2f128_pd::<0x20>(b, d),
            _mm256_permute2f128_pd::<0x31>(a, c),
            _mm256_permute2f128_pd::<0x31>(b, d),
        ]
    }
}

impl Lanes for Pair {
    #[inline(always)]
    fn store(self, to: &mut Eight) {
        // SAFETY: eight numbers at an address that is a multiple of 64; see the top.
        unsafe {
            _mm256_store_pd(to.0.as_mut_ptr(), self.0);
            _mm256_store_pd(to.0.as_mut_ptr().add(4), self.1);
        }
    }

    #[inline(always)]
    fn min(self, b: Self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm256_min_pd(self.0, b.0), _mm256_min_pd(self.1, b.1)) }
    }

    #[inline(always)]
    fn max(self, b: Self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm256_max_pd(self.0, b.0), _mm256_max_pd(self.1, b.1)) }
    }

    #[inline(always)]
    fn over(self, b: Self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm256_div_pd(self.0, b.0), _mm256_div_pd(self.1, b.1)) }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm256_sqrt_pd(self.0), _mm256_sqrt_pd(self.1)) }
    }

    #[inline(always)]
    fn if_above(self, limit: Self, yes: Self, no: Self) -> Self {
        // SAFETY: see the top.
        unsafe {
            Self(
                _mm256_blendv_pd(no.0, yes.0, _mm256_cmp_pd::<_CMP_GT_OQ>(self.0, limit.0)),
                _mm256_blendv_pd(no.1, yes.1, _mm256_cmp_pd::<_CMP_GT_OQ>(self.1, limit.1)),
            )
        }
    }

    #[inline(always)]
    fn some_above(self, limit: Self) -> bool {
        // SAFETY: see the top.
        unsafe {
            let low = _mm256_cmp_pd::<_CMP_GT_OQ>(self.0, limit.0);
            _mm256_movemask_pd(_mm256_or_pd(low, _mm256_cmp_pd::<_CMP_GT_OQ>(self.1, limit.1))) != 0
        }
    }

    #[inline(always)]
    fn transposed(r: [Self; LANES]) -> [Self; LANES] {
        let [a, b, c, d] = square([r[0].0, r[1].0, r[2].0, r[3].0]);
        let [e, f, g, h] = square([r[4].0, r[5].0, r[6].0, r[7].0]);
        let [i, j, k, l] = square([r[0].1, r[1].1, r[2].1, r[3].1]);
        let [m, n, o, p] = square([r[4].1, r[5].1, r[6].1, r[7].1]);
        [Self(a, e), Self(b, f), Self(c, g), Self(d, h), Self(i, m), Self(j, n), Self(k, o), Self(l, p)]
    }
}
