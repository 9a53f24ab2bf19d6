//! Two registers as one: while a result is awaited in the first, the second is worked on.

use super::Arithmetic;
use pd_core::Real;
use std::ops::{Add, Mul, Neg, Sub};

/// Twice the lanes of `T`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<T>(pub(crate) T, pub(crate) T);

impl<T: Arithmetic> Add for Pair<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self(self.0 + b.0, self.1 + b.1)
    }
}

impl<T: Arithmetic> Sub for Pair<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self(self.0 - b.0, self.1 - b.1)
    }
}

impl<T: Arithmetic> Mul for Pair<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self(self.0 * b.0, self.1 * b.1)
    }
}

impl<T: Arithmetic> Neg for Pair<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl<T: Arithmetic> Arithmetic for Pair<T> {
    const TINY: Real = T::TINY;

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
    fn without_tiny(self) -> Self {
        Self(self.0.without_tiny(), self.1.without_tiny())
    }

    #[inline(always)]
    fn rsqrt(self) -> Self {
        Self(self.0.rsqrt(), self.1.rsqrt())
    }
}
