//! A small random generator (SplitMix64, Steele et al. 2014): the same numbers everywhere from one seed, so that a
//! property test shrinks over the seed and a failure can be run again.

use pd_core::{Real, Vec3};

/// The generator.
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [low, high).
    pub fn within(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * (self.bits() >> 11) as Real / (1u64 << 53) as Real
    }

    /// Uniform among 0 … count − 1.
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    /// Each coordinate uniform in [−size, size).
    pub fn vector(&mut self, size: Real) -> Vec3 {
        Vec3::new(self.within(-size, size), self.within(-size, size), self.within(-size, size))
    }

    /// The points, each moved by up to `size` along every axis.
    pub fn shaken(&mut self, points: &[Vec3], size: Real) -> Vec<Vec3> {
        points.iter().map(|p| p + self.vector(size)).collect()
    }
}
