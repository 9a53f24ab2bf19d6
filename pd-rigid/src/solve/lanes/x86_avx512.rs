//! AVX-512: a register of eight numbers.
//!
//! Every `unsafe` block here calls instructions that `Avx512` proves to be there: registers are made by its methods or from
//! other registers only.

use super::{Eight, Instructions, Kernel, LANES, Lanes};
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
        #[target_feature(enable = "avx512f,avx512dq")]
        fn compiled(proof: Avx512, kernel: impl Kernel) {
            kernel.run(proof);
        }
        // SAFETY: `self` proves that the instructions are there.
        unsafe { compiled(self, kernel) }
    }
}

impl Instructions for Avx512 {
    type Lanes = Octet;

    #[inline(always)]
    fn load(self, from: &Eight) -> Octet {
        // SAFETY: eight numbers at an address that is a multiple of 64; `self` proves the instruction.
        Octet(unsafe { _mm512_load_pd(from.0.as_ptr()) })
    }

    #[inline(always)]
    fn fill(self, value: Real) -> Octet {
        // SAFETY: see the top.
        Octet(unsafe { _mm512_set1_pd(value) })
    }
}

/// Eight numbers in one register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Octet(__m512d);

impl Add for Octet {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm512_add_pd(self.0, b.0) })
    }
}

impl Sub for Octet {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm512_sub_pd(self.0, b.0) })
    }
}

impl Mul for Octet {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm512_mul_pd(self.0, b.0) })
    }
}

impl Neg for Octet {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm512_xor_pd(self.0, _mm512_set1_pd(-0.0)) })
    }
}

impl Lanes for Octet {
    #[inline(always)]
    fn store(self, to: &mut Eight) {
        // SAFETY: eight numbers at an address that is a multiple of 64; see the top.
        unsafe { _mm512_store_pd(to.0.as_mut_ptr(), self.0) }
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
    fn over(self, b: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm512_div_pd(self.0, b.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm512_sqrt_pd(self.0) })
    }

    #[inline(always)]
    fn if_above(self, limit: Self, yes: Self, no: Self) -> Self {
        // SAFETY: see the top.
        Self(unsafe { _mm512_mask_blend_pd(_mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.0, limit.0), no.0, yes.0) })
    }

    #[inline(always)]
    fn some_above(self, limit: Self) -> bool {
        // SAFETY: see the top.
        unsafe { _mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.0, limit.0) != 0 }
    }

    #[inline(always)]
    fn transposed(r: [Self; LANES]) -> [Self; LANES] {
        // Numbers 2k and 2k + 1 of two rows side by side, then of four rows, then of eight.
        let ([a, e], [b, f]) = (beside(r[0], r[1]), beside(r[2], r[3]));
        let ([c, g], [d, h]) = (beside(r[4], r[5]), beside(r[6], r[7]));
        let ([ab, xab], [cd, xcd]) = (quarters(a, b), quarters(c, d));
        let ([ef, xef], [gh, xgh]) = (quarters(e, f), quarters(g, h));
        let ([r0, r4], [r1, r5]) = (quarters(ab, cd), quarters(ef, gh));
        let ([r2, r6], [r3, r7]) = (quarters(xab, xcd), quarters(xef, xgh));
        [r0, r1, r2, r3, r4, r5, r6, r7]
    }
}

/// The even numbers of two registers in turn, and the odd ones.
#[inline(always)]
fn beside(a: Octet, b: Octet) -> [Octet; 2] {
    // SAFETY: see the top.
    unsafe { [Octet(_mm512_unpacklo_pd(a.0, b.0)), Octet(_mm512_unpackhi_pd(a.0, b.0))] }
}

/// The even quarters of two registers, and the odd ones.
#[inline(always)]
fn quarters(a: Octet, b: Octet) -> [Octet; 2] {
    // SAFETY: see the top.
    unsafe { [Octet(_mm512_shuffle_f64x2::<0x88>(a.0, b.0)), Octet(_mm512_shuffle_f64x2::<0xdd>(a.0, b.0))] }
}
