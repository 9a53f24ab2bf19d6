//! AVX2: a register of four numbers.
//!
//! Every `unsafe` block here calls instructions that `Avx2` proves to be there: registers are made by its methods or from
//! other registers only.

use super::{Four, Instructions, Kernel, LANES, Lanes};
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
    type Lanes = Quad;

    #[inline(always)]
    fn load(self, from: &Four) -> Quad {
        // SAFETY: four numbers at an address that is a multiple of 32; `self` proves the instruction.
        Quad(unsafe { _mm256_load_pd(from.0.as_ptr()) })
    }

    #[inline(always)]
    fn gather(self, from: [Real; LANES]) -> Quad {
        // SAFETY: see the top.
        Quad(unsafe { _mm256_setr_pd(from[0], from[1], from[2], from[3]) })
    }
}

/// Four numbers in one register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quad(__m256d);

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
        // SAFETY: see the top.
        Self(unsafe { _mm256_xor_pd(self.0, _mm256_set1_pd(-0.0)) })
    }
}

impl Lanes for Quad {
    #[inline(always)]
    fn store(self, to: &mut Four) {
        // SAFETY: four numbers at an address that is a multiple of 32; see the top.
        unsafe { _mm256_store_pd(to.0.as_mut_ptr(), self.0) }
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
    fn if_above(self, limit: Self, yes: Self, no: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm256_blendv_pd(no.0, yes.0, _mm256_cmp_pd::<_CMP_GT_OQ>(self.0, limit.0)) })
    }
}
