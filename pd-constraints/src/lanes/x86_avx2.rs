//! AVX2 and FMA: registers of four numbers side by side.
//!
//! Every `unsafe` block here calls instructions that `Avx2` proves to be there: registers are made by
//! `Avx2::load` or from other registers only.

use super::pair::Pair;
use super::{
    Arithmetic, Instructions, Kernel, Lanes, MANTISSA, ROOT_HALF, RSQRT_GUESS, TO_ROOT_HALF, TWO_TO_52,
    TWO_TO_52_AND_BIAS,
};
use pd_core::Real;
use std::arch::x86_64::*;
use std::ops::{Add, Mul, Neg, Sub};

/// Proof that the instructions are there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// Asks the processor.
    pub(super) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Self(()))
    }

    /// Runs a kernel, compiled for these instructions.
    pub(super) fn run(self, kernel: impl Kernel) {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(proof: Avx2, kernel: impl Kernel) {
            kernel.run(proof);
        }
        // SAFETY: `self` proves that the instructions are there.
        unsafe { compiled(self, kernel) }
    }
}

impl Instructions for Avx2 {
    type Lanes = Quad;
    type Wide = Pair<Quad>;

    #[inline(always)]
    fn load(self, from: &[Real]) -> Quad {
        let from = &from[..Quad::COUNT];
        // SAFETY: the slice has the length, and `self` proves the instruction.
        Quad(unsafe { _mm256_loadu_pd(from.as_ptr()) })
    }

    #[inline(always)]
    fn load_wide(self, from: &[Real]) -> Pair<Quad> {
        let (first, second) = from[..2 * Quad::COUNT].split_at(Quad::COUNT);
        Pair(self.load(first), self.load(second))
    }
}

/// 4 numbers in one register. There are 16 registers, so that a matrix in twice as many would leave none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quad(pub(super) __m256d);

impl Quad {
    /// 1/√self to four percent.
    #[inline(always)]
    fn rsqrt_guess(self) -> Self {
        // SAFETY: see the top.
        unsafe {
            let half = _mm256_srli_epi64::<1>(_mm256_castpd_si256(self.0));
            Self(_mm256_castsi256_pd(_mm256_sub_epi64(_mm256_set1_epi64x(RSQRT_GUESS as i64), half)))
        }
    }
}

impl Add for Quad {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm256_add_pd(self.0, b.0) })
    }
}

impl Sub for Quad {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm256_sub_pd(self.0, b.0) })
    }
}

impl Mul for Quad {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm256_mul_pd(self.0, b.0) })
    }
}

impl Neg for Quad {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.flip(self.fill(-0.0))
    }
}

impl Arithmetic for Quad {
    #[inline(always)]
    fn fill(self, value: Real) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm256_set1_pd(value) })
    }

    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm256_fmadd_pd(self.0, b.0, c.0) })
    }

    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm256_fnmadd_pd(self.0, b.0, c.0) })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0) })
    }

    #[inline(always)]
    fn flip(self, sign: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm256_xor_pd(self.0, _mm256_and_pd(sign.0, _mm256_set1_pd(-0.0))) })
    }

    #[inline(always)]
    fn rsqrt(self) -> Self {
        self.rsqrt_step(self.rough_rsqrt())
    }
}

impl Lanes for Quad {
    const COUNT: usize = 4;

    #[inline(always)]
    fn store(self, to: &mut [Real]) {
        let to = &mut to[..Self::COUNT];
        // SAFETY: the slice has the length; see the top.
        unsafe { _mm256_storeu_pd(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn min(self, b: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm256_min_pd(self.0, b.0) })
    }

    #[inline(always)]
    fn max(self, b: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm256_max_pd(self.0, b.0) })
    }

    #[inline(always)]
    fn if_less(self, limit: Self, yes: Self, no: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm256_blendv_pd(no.0, yes.0, _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, limit.0)) })
    }

    #[inline(always)]
    fn any_not_above(self, limit: Real) -> bool {
        // SAFETY: see the top.
        unsafe { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_NGT_UQ>(self.0, _mm256_set1_pd(limit))) != 0 }
    }

    #[inline(always)]
    fn recip(self) -> Self {
        self.fill(1.0).over(self)
    }

    #[inline(always)]
    fn over(self, b: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm256_div_pd(self.0, b.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm256_sqrt_pd(self.0) })
    }

    #[inline(always)]
    fn rough_rsqrt(self) -> Self {
        self.rsqrt_step(self.rsqrt_guess())
    }
    #[inline(always)]
    fn exponent_and_mantissa(self) -> (Self, Self) {
        // SAFETY: see the top.
        unsafe {
            let shifted =
                _mm256_add_epi64(_mm256_castpd_si256(self.0), _mm256_set1_epi64x(TO_ROOT_HALF as i64));
            let exponent =
                _mm256_or_si256(_mm256_srli_epi64::<52>(shifted), _mm256_set1_epi64x(TWO_TO_52 as i64));
            let mantissa = _mm256_add_epi64(
                _mm256_and_si256(shifted, _mm256_set1_epi64x(MANTISSA as i64)),
                _mm256_set1_epi64x(ROOT_HALF as i64),
            );
            (
                Self(_mm256_castsi256_pd(exponent)) - self.fill(TWO_TO_52_AND_BIAS),
                Self(_mm256_castsi256_pd(mantissa)),
            )
        }
    }
}
