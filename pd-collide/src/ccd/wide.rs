//! Numbers of twice the precision, as unevaluated sums of two: what is needed where gaps are below the rounding of one.
//!
//! Sums and products after Dekker, A Floating-Point Technique for Extending the Available Precision (1971), with the
//! product's error by fused multiply–add. One operation is off by less than 2⁻¹⁰² of the sizes of its operands (sum) or
//! of its result (product); the difference of two plain numbers is exact.

use pd_core::{Real, Vec3};
use std::ops::{Add, Mul, Neg, Sub};

/// hi + lo, with |lo| at most half a unit in the last place of hi.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wide {
    pub(super) hi: Real,
    pub(super) lo: Real,
}

impl Wide {
    pub(super) const ZERO: Wide = Wide { hi: 0.0, lo: 0.0 };

    /// a − b, exactly.
    pub(super) fn difference(a: Real, b: Real) -> Self {
        two_sum(a, -b)
    }

    /// self / other, off by less than 2⁻¹⁰⁰ of itself.
    pub(super) fn over(self, other: Self) -> Self {
        let first = self.hi / other.hi;
        let rest = self - other * Wide::from(first);
        let second = rest.hi / other.hi;
        let rest = rest - other * Wide::from(second);
        two_sum(first, second) + Wide::from(rest.hi / other.hi)
    }

    pub(super) fn is_positive(self) -> bool {
        self.hi > 0.0
    }
}

/// a + b as a sum of a rounded number and its error (Knuth).
fn two_sum(a: Real, b: Real) -> Wide {
    let hi = a + b;
    let of_b = hi - a;
    Wide { hi, lo: (a - (hi - of_b)) + (b - of_b) }
}

impl From<Real> for Wide {
    fn from(hi: Real) -> Self {
        Wide { hi, lo: 0.0 }
    }
}

impl Add for Wide {
    type Output = Wide;
    fn add(self, other: Wide) -> Wide {
        let sum = two_sum(self.hi, other.hi);
        two_sum(sum.hi, sum.lo + (self.lo + other.lo))
    }
}

impl Neg for Wide {
    type Output = Wide;
    fn neg(self) -> Wide {
        Wide { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for Wide {
    type Output = Wide;
    fn sub(self, other: Wide) -> Wide {
        self + -other
    }
}

impl Mul for Wide {
    type Output = Wide;
    fn mul(self, other: Wide) -> Wide {
        let hi = self.hi * other.hi;
        let error = self.hi.mul_add(other.hi, -hi);
        two_sum(hi, error + (self.hi * other.lo + self.lo * other.hi))
    }
}

/// Three of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct WideVec(pub(super) [Wide; 3]);

impl WideVec {
    pub(super) const ZERO: WideVec = WideVec([Wide::ZERO; 3]);

    /// a − b, exactly.
    pub(super) fn difference(a: &Vec3, b: &Vec3) -> Self {
        WideVec(std::array::from_fn(|k| Wide::difference(a[k], b[k])))
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        WideVec(std::array::from_fn(|k| self.0[k] - other.0[k]))
    }

    pub(super) fn scaled(&self, factor: Wide) -> Self {
        WideVec(self.0.map(|c| c * factor))
    }

    pub(super) fn dot(&self, other: &Self) -> Wide {
        self.0[0] * other.0[0] + self.0[1] * other.0[1] + self.0[2] * other.0[2]
    }

    pub(super) fn cross(&self, other: &Self) -> Self {
        WideVec(std::array::from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            self.0[i] * other.0[j] - self.0[j] * other.0[i]
        }))
    }

    /// Sum of the absolute values of the leading parts.
    pub(super) fn length(&self) -> Real {
        self.0.iter().map(|c| c.hi.abs()).sum()
    }
}
