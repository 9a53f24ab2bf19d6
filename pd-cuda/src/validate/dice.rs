//! Repeatable numbers.

use pd_core::{Real, Vec3};

/// Xorshift (Marsaglia 2003): numbers in (−1, 1), the same on every machine.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn number(&mut self) -> Real {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as Real / (1u64 << 52) as Real - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }
}

/// Positions that both precisions represent, so that a comparison sees the kernel and not its input.
pub(crate) fn representable(points: &[Vec3]) -> Vec<Vec3> {
    points.iter().map(|p| p.map(|c| Real::from(c as f32))).collect()
}
