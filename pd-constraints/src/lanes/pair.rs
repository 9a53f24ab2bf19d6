//! Two sets of lanes, interleaved to hide latency.
//!
//! For chains of dependent operations that the processor cannot overlap by itself, at the cost of twice the registers.

use super::{Arithmetic, Lanes};
use pd_core::Real;
use std::ops::{Add, Mul, Neg, Sub};

/// The lanes of the first, then those of the second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<T>(pub(super) T, pub(super) T);

impl<T: Lanes> Add for Pair<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self(self.0 + b.0, self.1 + b.1)
    }
}

impl<T: Lanes> Sub for Pair<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self(self.0 - b.0, self.1 - b.1)
    }
}

impl<T: Lanes> Mul for Pair<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self(self.0 * b.0, self.1 * b.1)
    }
}

impl<T: Lanes> Neg for Pair<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl<T: Lanes> Arithmetic for Pair<T> {
    #[inline(always)]
    fn fill(self, value: Real) -> Self {
        Self(self.0.fill(value), self.1.fill(value))
    }

    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Self(self.0.mul_add(b.0, c.0), self.1.mul_add(b.1, c.1))
    }

    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        Self(self.0.neg_mul_add(b.0, c.0), self.1.neg_mul_add(b.1, c.1))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs(), self.1.abs())
    }

    #[inline(always)]
    fn flip(self, sign: Self) -> Self {
        Self(self.0.flip(sign.0), self.1.flip(sign.1))
    }

    #[inline(always)]
    fn rsqrt(self) -> Self {
        Self(self.0.rsqrt(), self.1.rsqrt())
    }
}

impl<T: Lanes> Lanes for Pair<T> {
    const COUNT: usize = 2 * T::COUNT;

    #[inline(always)]
    fn store(self, to: &mut [Real]) {
        let (first, second) = to[..Self::COUNT].split_at_mut(T::COUNT);
        self.0.store(first);
        self.1.store(second);
    }

    #[inline(always)]
    fn min(self, b: Self) -> Self {
        Self(self.0.min(b.0), self.1.min(b.1))
    }

    #[inline(always)]
    fn max(self, b: Self) -> Self {
        Self(self.0.max(b.0), self.1.max(b.1))
    }

    #[inline(always)]
    fn if_less(self, limit: Self, yes: Self, no: Self) -> Self {
        Self(self.0.if_less(limit.0, yes.0, no.0), self.1.if_less(limit.1, yes.1, no.1))
    }

    #[inline(always)]
    fn any_not_above(self, limit: Real) -> bool {
        self.0.any_not_above(limit) | self.1.any_not_above(limit)
    }

    #[inline(always)]
    fn recip(self) -> Self {
        Self(self.0.recip(), self.1.recip())
    }

    #[inline(always)]
    fn over(self, b: Self) -> Self {
        Self(self.0.over(b.0), self.1.over(b.1))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt(), self.1.sqrt())
    }

    #[inline(always)]
    fn rough_rsqrt(self) -> Self {
        Self(self.0.rough_rsqrt(), self.1.rough_rsqrt())
    }
    #[inline(always)]
    fn exponent_and_mantissa(self) -> (Self, Self) {
        let ((k, m), (l, n)) = (self.0.exponent_and_mantissa(), self.1.exponent_and_mantissa());
        (Self(k, l), Self(m, n))
    }
}
