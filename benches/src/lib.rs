//! Cases shared by the benches and the reports; plots come from `pd_tables::plot`.
//!
//! Times are stated as ratios to a peer in the same run; see `README.md` for the commands.

pub mod cases;
pub mod clock;
pub mod families;
pub mod frames;
pub mod peers;
pub mod plain;

use pd_core::{Real, Vec3};

/// Moves each vertex by up to `size`, the same in every run.
pub fn shaken(x: &[Vec3], size: Real) -> Vec<Vec3> {
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as Real / (1u64 << 52) as Real - 1.0
    };
    x.iter().map(|p| p + Vec3::from_fn(|_, _| random()) * size).collect()
}
