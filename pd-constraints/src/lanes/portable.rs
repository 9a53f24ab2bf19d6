//! Lanes in portable Rust: one number. Products and sums are rounded separately, since a fused multiply-add without hardware
//! support is a slow library call.

use super::{
    Arithmetic, Instructions, Lanes, MANTISSA, ROOT_HALF, RSQRT_GUESS, TO_ROOT_HALF, TWO_TO_52,
    TWO_TO_52_AND_BIAS,
};
use pd_core::Real;

/// Needs no special instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl Instructions for Portable {
    type Lanes = Real;
    type Wide = Real;

    #[inline(always)]
    fn load(self, from: &[Real]) -> Real {
        from[0]
    }

    #[inline(always)]
    fn load_wide(self, from: &[Real]) -> Real {
        from[0]
    }
}

impl Arithmetic for Real {
    #[inline(always)]
    fn fill(self, value: Real) -> Self {
        value
    }

    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        self * b + c
    }

    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        c - self * b
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Real::abs(self)
    }

    #[inline(always)]
    fn flip(self, sign: Self) -> Self {
        Real::from_bits(self.to_bits() ^ (sign.to_bits() & (1 << 63)))
    }

    #[inline(always)]
    fn rsqrt(self) -> Self {
        let guess = Real::from_bits(RSQRT_GUESS.wrapping_sub(self.to_bits() >> 1));
        self.rsqrt_step(self.rsqrt_step(guess))
    }
}

impl Lanes for Real {
    const COUNT: usize = 1;

    #[inline(always)]
    fn store(self, to: &mut [Real]) {
        to[0] = self;
    }

    #[inline(always)]
    fn min(self, b: Self) -> Self {
        if self < b { self } else { b }
    }

    #[inline(always)]
    fn max(self, b: Self) -> Self {
        if self > b { self } else { b }
    }

    #[inline(always)]
    fn if_less(self, limit: Self, yes: Self, no: Self) -> Self {
        if self < limit { yes } else { no }
    }

    #[inline(always)]
    fn any_not_above(self, limit: Real) -> bool {
        // Not `self <= limit`, which is false for NaN.
        let above = self > limit;
        !above
    }

    #[inline(always)]
    fn recip(self) -> Self {
        1.0 / self
    }

    #[inline(always)]
    fn over(self, b: Self) -> Self {
        self / b
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Real::sqrt(self)
    }

    #[inline(always)]
    fn rough_rsqrt(self) -> Self {
        self.rsqrt_step(Real::from_bits(RSQRT_GUESS.wrapping_sub(self.to_bits() >> 1)))
    }
    #[inline(always)]
    fn exponent_and_mantissa(self) -> (Self, Self) {
        let bits = self.to_bits().wrapping_add(TO_ROOT_HALF);
        let exponent = Real::from_bits(bits >> 52 | TWO_TO_52) - TWO_TO_52_AND_BIAS;
        (exponent, Real::from_bits((bits & MANTISSA) + ROOT_HALF))
    }
}
