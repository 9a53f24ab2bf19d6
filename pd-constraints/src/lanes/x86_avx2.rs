//! AVX2 and FMA: two registers of four numbers side by side.
//!
//! Every `unsafe` block here calls instructions that `Avx2` proves to be there: registers are made by
//! `Avx2::load` or from other registers only.

use super::{Arithmetic, Instructions, Kernel, Lanes, RSQRT_GUESS};
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
    type Lanes = Doubles;

    #[inline(always)]
    fn load(self, from: &[Real]) -> Doubles {
        let from = &from[..Doubles::COUNT];
        let (first, second) = (from.as_ptr(), from[Doubles::COUNT / 2..].as_ptr());
        // SAFETY: the slice has the length, and `self` proves the instruction.
        unsafe { Doubles(_mm256_loadu_pd(first), _mm256_loadu_pd(second)) }
    }
}

/// 8 numbers in two registers: while a result is awaited in the first, the second is worked on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Doubles(__m256d, __m256d);

impl Add for Doubles {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm256_add_pd(self.0, b.0), _mm256_add_pd(self.1, b.1)) }
    }
}

impl Sub for Doubles {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm256_sub_pd(self.0, b.0), _mm256_sub_pd(self.1, b.1)) }
    }
}

impl Mul for Doubles {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm256_mul_pd(self.0, b.0), _mm256_mul_pd(self.1, b.1)) }
    }
}

impl Neg for Doubles {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.flip(self.fill(-0.0))
    }
}

impl Arithmetic for Doubles {
    #[inline(always)]
    fn fill(self, value: Real) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm256_set1_pd(value), _mm256_set1_pd(value)) }
    }

    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm256_fmadd_pd(self.0, b.0, c.0), _mm256_fmadd_pd(self.1, b.1, c.1)) }
    }

    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm256_fnmadd_pd(self.0, b.0, c.0), _mm256_fnmadd_pd(self.1, b.1, c.1)) }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see the top.
        unsafe {
            Self(
                _mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0),
                _mm256_andnot_pd(_mm256_set1_pd(-0.0), self.1),
            )
        }
    }

    #[inline(always)]
    fn flip(self, sign: Self) -> Self {
        let bit = sign.fill(-0.0);
        // SAFETY: see the top.
        unsafe {
            Self(
                _mm256_xor_pd(self.0, _mm256_and_pd(sign.0, bit.0)),
                _mm256_xor_pd(self.1, _mm256_and_pd(sign.1, bit.1)),
            )
        }
    }

    #[inline(always)]
    fn rsqrt(self) -> Self {
        // SAFETY: see the top.
        let guess = unsafe {
            let magic = _mm256_set1_epi64x(RSQRT_GUESS as i64);
            let first = _mm256_srli_epi64::<1>(_mm256_castpd_si256(self.0));
            let second = _mm256_srli_epi64::<1>(_mm256_castpd_si256(self.1));
            Self(
                _mm256_castsi256_pd(_mm256_sub_epi64(magic, first)),
                _mm256_castsi256_pd(_mm256_sub_epi64(magic, second)),
            )
        };
        self.rsqrt_step(self.rsqrt_step(guess))
    }
}

impl Lanes for Doubles {
    const COUNT: usize = 8;

    #[inline(always)]
    fn store(self, to: &mut [Real]) {
        let to = &mut to[..Self::COUNT];
        // SAFETY: the slice has the length; see the top.
        unsafe {
            _mm256_storeu_pd(to.as_mut_ptr(), self.0);
            _mm256_storeu_pd(to[Self::COUNT / 2..].as_mut_ptr(), self.1);
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
    fn if_less(self, limit: Self, yes: Self, no: Self) -> Self {
        // SAFETY: see the top.
        unsafe {
            let first = _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, limit.0);
            let second = _mm256_cmp_pd::<_CMP_LT_OQ>(self.1, limit.1);
            Self(_mm256_blendv_pd(no.0, yes.0, first), _mm256_blendv_pd(no.1, yes.1, second))
        }
    }

    #[inline(always)]
    fn any_not_above(self, limit: Real) -> bool {
        // SAFETY: see the top.
        unsafe {
            let limit = _mm256_set1_pd(limit);
            let first = _mm256_cmp_pd::<_CMP_NGT_UQ>(self.0, limit);
            let second = _mm256_cmp_pd::<_CMP_NGT_UQ>(self.1, limit);
            _mm256_movemask_pd(_mm256_or_pd(first, second)) != 0
        }
    }

    #[inline(always)]
    fn recip(self) -> Self {
        // SAFETY: see the top.
        unsafe {
            let one = _mm256_set1_pd(1.0);
            Self(_mm256_div_pd(one, self.0), _mm256_div_pd(one, self.1))
        }
    }
}
