//! Lanes in portable Rust.

use super::{Four, Instructions, LANES, Lanes};
use pd_core::Real;
use std::ops::{Add, Mul, Neg, Sub};

/// Needs no special instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl Instructions for Portable {
    type Lanes = Four;

    #[inline(always)]
    fn load(self, from: &Four) -> Four {
        *from
    }

    #[inline(always)]
    fn gather(self, from: [Real; LANES]) -> Four {
        Four(from)
    }
}

/// One result for each lane.
#[inline(always)]
fn each(f: impl Fn(usize) -> Real) -> Four {
    Four([f(0), f(1), f(2), f(3)])
}

impl Add for Four {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        each(|k| self.0[k] + b.0[k])
    }
}

impl Sub for Four {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        each(|k| self.0[k] - b.0[k])
    }
}

impl Mul for Four {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        each(|k| self.0[k] * b.0[k])
    }
}

impl Neg for Four {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        each(|k| -self.0[k])
    }
}

impl Lanes for Four {
    #[inline(always)]
    fn store(self, to: &mut Four) {
        *to = self;
    }

    #[inline(always)]
    fn min(self, b: Self) -> Self {
        each(|k| if self.0[k] < b.0[k] { self.0[k] } else { b.0[k] })
    }

    #[inline(always)]
    fn max(self, b: Self) -> Self {
        each(|k| if self.0[k] > b.0[k] { self.0[k] } else { b.0[k] })
    }

    #[inline(always)]
    fn over(self, b: Self) -> Self {
        each(|k| self.0[k] / b.0[k])
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        each(|k| self.0[k].sqrt())
    }

    #[inline(always)]
    fn if_above(self, limit: Self, yes: Self, no: Self) -> Self {
        each(|k| if self.0[k] > limit.0[k] { yes.0[k] } else { no.0[k] })
    }
}
