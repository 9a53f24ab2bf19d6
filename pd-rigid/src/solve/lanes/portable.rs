//! Lanes in portable Rust.

use super::{Eight, Instructions, LANES, Lanes};
use pd_core::Real;
use std::ops::{Add, Mul, Neg, Sub};

/// Needs no special instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl Instructions for Portable {
    type Lanes = Eight;

    #[inline(always)]
    fn load(self, from: &Eight) -> Eight {
        *from
    }

    #[inline(always)]
    fn fill(self, value: Real) -> Eight {
        Eight([value; LANES])
    }
}

/// One result for each lane.
#[inline(always)]
fn each(f: impl Fn(usize) -> Real) -> Eight {
    Eight([f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)])
}

impl Add for Eight {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        each(|k| self.0[k] + b.0[k])
    }
}

impl Sub for Eight {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        each(|k| self.0[k] - b.0[k])
    }
}

impl Mul for Eight {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        each(|k| self.0[k] * b.0[k])
    }
}

impl Neg for Eight {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        each(|k| -self.0[k])
    }
}

impl Lanes for Eight {
    #[inline(always)]
    fn store(self, to: &mut Eight) {
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

    #[inline(always)]
    fn some_above(self, limit: Self) -> bool {
        (0..LANES).any(|k| self.0[k] > limit.0[k])
    }

    #[inline(always)]
    fn transposed(rows: [Self; LANES]) -> [Self; LANES] {
        [0, 1, 2, 3, 4, 5, 6, 7].map(|k: usize| each(|l| rows[l].0[k]))
    }
}
