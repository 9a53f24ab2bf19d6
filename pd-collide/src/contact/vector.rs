//! Four numbers in single precision: a vector and one more. Written so that a compiler uses one register.

use pd_core::{Real, Vec3};
use std::ops::{Add, Mul, Sub};

/// x, y, z and a fourth number that sums and products carry along.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub struct Vec4(pub [f32; 4]);

impl Vec4 {
    /// A vector rounded to single precision, with zero beside it.
    #[inline(always)]
    pub fn from_f64(v: &Vec3) -> Self {
        Self([v.x as f32, v.y as f32, v.z as f32, 0.0])
    }

    /// The vector.
    #[inline(always)]
    pub fn to_f64(self) -> Vec3 {
        Vec3::new(Real::from(self.0[0]), Real::from(self.0[1]), Real::from(self.0[2]))
    }

    /// Product of the vectors, without the fourth numbers.
    #[inline(always)]
    pub fn dot3(self, other: Self) -> f32 {
        (self.0[0] * other.0[0] + self.0[1] * other.0[1]) + self.0[2] * other.0[2]
    }
}

impl Add for Vec4 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|a| self.0[a] + other.0[a]))
    }
}

impl Sub for Vec4 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|a| self.0[a] - other.0[a]))
    }
}

impl Mul<f32> for Vec4 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: f32) -> Self {
        Self(std::array::from_fn(|a| self.0[a] * factor))
    }
}
