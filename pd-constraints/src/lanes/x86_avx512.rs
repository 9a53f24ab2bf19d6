//! AVX-512: registers of eight numbers.
//!
//! Every `unsafe` block here calls an instruction that `Avx512` proves to be there: a register type is made by
//! `Avx512::load` or from another register only.

use super::pair::Pair;
use super::{Instructions, Kernel, Lanes, RSQRT_MAGIC};
use pd_core::Real;
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

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
    type Lanes = Pair<Register>;

    #[inline(always)]
    fn load(self, from: &[Real]) -> Self::Lanes {
        let from = &from[..2 * Register::COUNT];
        let (first, second) = (from.as_ptr(), from[Register::COUNT..].as_ptr());
        // SAFETY: the slice has the length, and `self` proves the instruction.
        unsafe { Pair(Register(_mm512_loadu_pd(first)), Register(_mm512_loadu_pd(second))) }
    }
}

/// 8 numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Register(__m512d);

impl Add for Register {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm512_add_pd(self.0, b.0) })
    }
}

impl Sub for Register {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm512_sub_pd(self.0, b.0) })
    }
}

impl Mul for Register {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm512_mul_pd(self.0, b.0) })
    }
}

impl Div for Register {
    type Output = Self;
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm512_div_pd(self.0, b.0) })
    }
}

impl Neg for Register {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.flip(self.fill(-0.0))
    }
}

impl Lanes for Register {
    const COUNT: usize = 8;

    #[inline(always)]
    fn fill(self, value: Real) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm512_set1_pd(value) })
    }

    #[inline(always)]
    fn store(self, to: &mut [Real]) {
        let to = &mut to[..Self::COUNT];
        // SAFETY: the slice has the length; see the top.
        unsafe { _mm512_storeu_pd(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm512_fmadd_pd(self.0, b.0, c.0) })
    }

    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm512_fnmadd_pd(self.0, b.0, c.0) })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm512_abs_pd(self.0) })
    }

    #[inline(always)]
    fn min(self, b: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm512_min_pd(self.0, b.0) })
    }

    #[inline(always)]
    fn max(self, b: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm512_max_pd(self.0, b.0) })
    }

    #[inline(always)]
    fn flip(self, sign: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm512_xor_pd(self.0, _mm512_and_pd(sign.0, _mm512_set1_pd(-0.0))) })
    }

    #[inline(always)]
    fn if_less(self, limit: Self, yes: Self, no: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm512_mask_blend_pd(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, limit.0), no.0, yes.0) })
    }

    #[inline(always)]
    fn any_not_above(self, limit: Real) -> bool {
        // SAFETY: see the top.
        unsafe { _mm512_cmp_pd_mask::<_CMP_NGT_UQ>(self.0, _mm512_set1_pd(limit)) != 0 }
    }

    #[inline(always)]
    fn rsqrt_guess(self) -> Self {
        // SAFETY: see the top.
        Self(unsafe {
            let half = _mm512_srli_epi64::<1>(_mm512_castpd_si512(self.0));
            _mm512_castsi512_pd(_mm512_sub_epi64(_mm512_set1_epi64(RSQRT_MAGIC as i64), half))
        })
    }
}
