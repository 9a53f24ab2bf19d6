//! AVX-512: two registers of eight numbers side by side.
//!
//! Every `unsafe` block here calls instructions that `Avx512` proves to be there: registers are made by
//! `Avx512::load` or from other registers only.

use super::{
    Arithmetic, Instructions, Kernel, Lanes, MANTISSA, ROOT_HALF, TO_ROOT_HALF, TWO_TO_52, TWO_TO_52_AND_BIAS,
};
use pd_core::Real;
use std::arch::x86_64::*;
use std::ops::{Add, Mul, Neg, Sub};

/// Proof that the instructions are there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// Asks the processor.
    pub(super) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq")).then_some(Self(()))
    }

    /// Runs a kernel, compiled for these instructions.
    pub(super) fn run(self, kernel: impl Kernel) {
        #[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
        fn compiled(proof: Avx512, kernel: impl Kernel) {
            kernel.run(proof);
        }
        // SAFETY: `self` proves that the instructions are there.
        unsafe { compiled(self, kernel) }
    }
}

impl Instructions for Avx512 {
    type Lanes = Doubles;
    type Wide = Doubles;

    #[inline(always)]
    fn load(self, from: &[Real]) -> Doubles {
        let from = &from[..Doubles::COUNT];
        let (first, second) = (from.as_ptr(), from[Doubles::COUNT / 2..].as_ptr());
        // SAFETY: the slice has the length, and `self` proves the instruction.
        unsafe { Doubles(_mm512_loadu_pd(first), _mm512_loadu_pd(second)) }
    }

    #[inline(always)]
    fn load_wide(self, from: &[Real]) -> Doubles {
        self.load(from)
    }
}

/// 16 numbers in two registers: while a result is awaited in the first, the second is worked on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Doubles(__m512d, __m512d);

impl Add for Doubles {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm512_add_pd(self.0, b.0), _mm512_add_pd(self.1, b.1)) }
    }
}

impl Sub for Doubles {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm512_sub_pd(self.0, b.0), _mm512_sub_pd(self.1, b.1)) }
    }
}

impl Mul for Doubles {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm512_mul_pd(self.0, b.0), _mm512_mul_pd(self.1, b.1)) }
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
        unsafe { Self(_mm512_set1_pd(value), _mm512_set1_pd(value)) }
    }

    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm512_fmadd_pd(self.0, b.0, c.0), _mm512_fmadd_pd(self.1, b.1, c.1)) }
    }

    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm512_fnmadd_pd(self.0, b.0, c.0), _mm512_fnmadd_pd(self.1, b.1, c.1)) }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm512_abs_pd(self.0), _mm512_abs_pd(self.1)) }
    }

    #[inline(always)]
    fn flip(self, sign: Self) -> Self {
        let bit = sign.fill(-0.0);
        // SAFETY: see the top.
        unsafe {
            Self(
                _mm512_xor_pd(self.0, _mm512_and_pd(sign.0, bit.0)),
                _mm512_xor_pd(self.1, _mm512_and_pd(sign.1, bit.1)),
            )
        }
    }

    #[inline(always)]
    fn rsqrt(self) -> Self {
        // SAFETY: see the top.
        let guess = unsafe { Self(_mm512_rsqrt14_pd(self.0), _mm512_rsqrt14_pd(self.1)) };
        // The guess is good to 2⁻¹⁴, so that one step is enough.
        self.rsqrt_step(guess)
    }
}

impl Lanes for Doubles {
    const COUNT: usize = 16;

    #[inline(always)]
    fn store(self, to: &mut [Real]) {
        let to = &mut to[..Self::COUNT];
        // SAFETY: the slice has the length; see the top.
        unsafe {
            _mm512_storeu_pd(to.as_mut_ptr(), self.0);
            _mm512_storeu_pd(to[Self::COUNT / 2..].as_mut_ptr(), self.1);
        }
    }

    #[inline(always)]
    fn min(self, b: Self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm512_min_pd(self.0, b.0), _mm512_min_pd(self.1, b.1)) }
    }

    #[inline(always)]
    fn max(self, b: Self) -> Self {
        // SAFETY: see the top.
        unsafe { Self(_mm512_max_pd(self.0, b.0), _mm512_max_pd(self.1, b.1)) }
    }

    #[inline(always)]
    fn if_less(self, limit: Self, yes: Self, no: Self) -> Self {
        // SAFETY: see the top.
        unsafe {
            let first = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, limit.0);
            let second = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.1, limit.1);
            Self(_mm512_mask_blend_pd(first, no.0, yes.0), _mm512_mask_blend_pd(second, no.1, yes.1))
        }
    }

    #[inline(always)]
    fn any_not_above(self, limit: Real) -> bool {
        // SAFETY: see the top.
        unsafe {
            let limit = _mm512_set1_pd(limit);
            let first = _mm512_cmp_pd_mask::<_CMP_NGT_UQ>(self.0, limit);
            (first | _mm512_cmp_pd_mask::<_CMP_NGT_UQ>(self.1, limit)) != 0
        }
    }

    #[inline(always)]
    fn recip(self) -> Self {
        // SAFETY: see the top.
        let mut y = unsafe { Self(_mm512_rcp14_pd(self.0), _mm512_rcp14_pd(self.1)) };
        // Two Newton steps from 2⁻¹⁴.
        for _ in 0..2 {
            y = y.mul_add(self.neg_mul_add(y, self.fill(1.0)), y);
        }
        y
    }

    #[inline(always)]
    fn over(self, b: Self) -> Self {
        self * b.recip()
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self * self.rsqrt()
    }

    #[inline(always)]
    fn rough_rsqrt(self) -> Self {
        self.rsqrt()
    }
    #[inline(always)]
    fn exponent_and_mantissa(self) -> (Self, Self) {
        let ((k, m), (l, n)) = (exponent_and_mantissa(self.0), exponent_and_mantissa(self.1));
        (Self(k, l) - self.fill(TWO_TO_52_AND_BIAS), Self(m, n))
    }
}

/// The biased exponent beside 2⁵², and the mantissa, of one register.
#[inline(always)]
fn exponent_and_mantissa(of: __m512d) -> (__m512d, __m512d) {
    // SAFETY: see the top.
    unsafe {
        let shifted = _mm512_add_epi64(_mm512_castpd_si512(of), _mm512_set1_epi64(TO_ROOT_HALF as i64));
        let exponent = _mm512_or_si512(_mm512_srli_epi64::<52>(shifted), _mm512_set1_epi64(TWO_TO_52 as i64));
        let mantissa = _mm512_and_si512(shifted, _mm512_set1_epi64(MANTISSA as i64));
        let mantissa = _mm512_add_epi64(mantissa, _mm512_set1_epi64(ROOT_HALF as i64));
        (_mm512_castsi512_pd(exponent), _mm512_castsi512_pd(mantissa))
    }
}
