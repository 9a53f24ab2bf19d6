//! What the integration tests share: random bodies, a bare stepper with its parts in reach, and slow but obvious
//! versions of the global matrix and of the objective to compare with.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "helpers of tests fail loudly and say on stdout what they skip"
)]

pub mod attack;
mod body;
mod oracle;
mod random;
mod rig;

pub use body::{Body, Kind, OwnedRings, bending_rings};
pub use oracle::{dense_gradient, dense_matrix, dense_objective, predictor};
pub use random::Random;
pub use rig::Rig;

use pd_core::{Real, Vec3};
use std::path::PathBuf;

/// The directories of the environment variable `PD_MODELS`, and nothing else.
pub fn model_paths() -> pd_sim::ModelPaths {
    let list = std::env::var_os("PD_MODELS").unwrap_or_default();
    pd_sim::ModelPaths::new(std::env::split_paths(&list).filter(|p| !p.as_os_str().is_empty()))
}

/// A file in one of these directories; says so on stdout when it is in none of them.
pub fn find_model(file: &str) -> Option<PathBuf> {
    let found = model_paths().find(file, None);
    if found.is_none() {
        println!("skipped: {file} is in no directory of PD_MODELS, so this comparison did not run");
    }
    found
}

/// max_i |a_i − b_i|.
pub fn largest_distance(a: &[Vec3], b: &[Vec3]) -> Real {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |largest: Real, (a, b)| largest.max((a - b).norm()))
}
