//! The laws of this crate, vectorised: P/ω and ψ/ω of a block of elements from their deformation gradients.
//!
//! None of them needs singular values. With C = FᵀF, E = (C − 1)/2, J = det F and the cofactors cof F = J F⁻ᵀ:
//! - St. Venant–Kirchhoff: P = F (2μ E + λ tr E);
//! - Neo-Hookean: P = μ F + (λ ln J − μ)/J cof F;
//! - stable Neo-Hookean: P = μ̂ (1 − 1/(|F|² + 1)) F + λ̂ (J − α) cof F;
//! - corotated: P = 2μ (F − R) + λ (R : (F − R)) R with the nearest rotation R of `rotation_lanes.rs`.
//!
//! Lanes where this is not accurate, or where the law is not defined, are handed to the plain way by singular vectors, which is
//! also the oracle of the tests. Custom laws always take the plain way.

mod kernel;
mod laws;
#[cfg(test)]
mod tests;

use super::{Corotated, IsotropicLaw, NeoHookean, StVenantKirchhoff, StableNeoHookean};
use crate::lanes::{Aligned, BLOCK, Instructions, Level};
use crate::matrix_lanes::{Matrices, Scratch};
use crate::tet_frame::TetFrames;
use crate::tet_lanes::Fallback;
use kernel::Sweep;
use pd_core::{Real, Vec3};
use std::any::TypeId;
use std::ops::Range;

/// λ and μ of a block of elements, Pa.
pub(super) type LameBlock = Aligned<[[Real; BLOCK]; 2]>;

/// What is computed beside the energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// Nothing.
    Energy,
    /// P/ω: three vectors for each element.
    Residual,
    /// The forces on four corners of each element.
    Forces,
}

impl Output {
    /// Vectors for each element.
    pub(super) fn rows(self) -> usize {
        match self {
            Self::Energy => 0,
            Self::Residual => 3,
            Self::Forces => 4,
        }
    }
}

/// What a sweep works on.
pub(super) struct Task<'a> {
    pub(super) frames: &'a TetFrames,
    pub(super) lame: &'a [LameBlock],
    pub(super) elements: Range<usize>,
    pub(super) x: &'a [Vec3],
    pub(super) output: Output,
    pub(super) out: &'a mut [Vec3],
    pub(super) energy: &'a mut Real,
    pub(super) fallback: &'a mut Fallback,
}

/// What a law gives for a block.
#[repr(C, align(64))]
pub(super) struct Answer {
    /// P/ω.
    pull: Matrices,
    /// ψ/ω.
    density: [Real; BLOCK],
    /// 1 where both are accurate, else 0.
    valid: [Real; BLOCK],
    scratch: Scratch,
}

/// A law for many elements at once.
pub(super) trait LaneLaw: Copy {
    /// P/ω, ψ/ω and where they are accurate, with ω = 2μ + 3 max(λ, 0).
    fn answer<I: Instructions>(self, instructions: I, f: &Matrices, lame: &LameBlock, to: &mut Answer);
}

/// A law of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BuiltIn {
    Corotated,
    NeoHookean,
    StVenantKirchhoff,
    StableNeoHookean,
}

impl BuiltIn {
    /// The law that `L` is, if it is of this crate.
    pub(super) fn of<L: IsotropicLaw>() -> Option<Self> {
        let law = TypeId::of::<L>();
        [
            (TypeId::of::<Corotated>(), Self::Corotated),
            (TypeId::of::<NeoHookean>(), Self::NeoHookean),
            (TypeId::of::<StVenantKirchhoff>(), Self::StVenantKirchhoff),
            (TypeId::of::<StableNeoHookean>(), Self::StableNeoHookean),
        ]
        .into_iter()
        .find_map(|(id, built_in)| (id == law).then_some(built_in))
    }

    /// Computes at most `PIECE` elements, without those that it puts on the list.
    pub(super) fn sweep(self, level: Level, task: Task<'_>) {
        match self {
            Self::Corotated => level.run(Sweep { law: Corotated, task }),
            Self::NeoHookean => level.run(Sweep { law: NeoHookean, task }),
            Self::StVenantKirchhoff => level.run(Sweep { law: StVenantKirchhoff, task }),
            Self::StableNeoHookean => level.run(Sweep { law: StableNeoHookean, task }),
        }
    }
}
