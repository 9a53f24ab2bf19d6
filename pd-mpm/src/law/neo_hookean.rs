//! Neo-Hookean elasticity: Ψ = μ/2 (‖F‖² − 3) − μ ln J + λ/2 ln²J; τ = μ (FFᵀ − I) + λ ln J I.
//!
//! Undefined for J ≤ 0: energy and stress are then NaN, and the step reports positions that are not finite. Where
//! matter may be turned inside out take [`FixedCorotated`](crate::FixedCorotated).

use super::{Lame, Law, Memory, Strains, positive};
use crate::MpmError;
use pd_core::{Mat3, Real};

/// See the module's formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeoHookean {
    density: Real,
    lame: Lame,
}

impl NeoHookean {
    /// A solid of this density (kg/m³), Young's modulus (Pa) and Poisson's ratio.
    pub fn new(density: Real, young: Real, poisson: Real) -> Result<Self, MpmError> {
        Ok(Self { density: positive("density", density)?, lame: Lame::new(young, poisson)? })
    }
}

impl Law for NeoHookean {
    fn name(&self) -> &str {
        "neo-hookean"
    }
    fn density(&self) -> Real {
        self.density
    }
    fn sound_speed(&self) -> Real {
        self.lame.sound_speed(self.density)
    }
    fn memory(&self) -> Memory {
        Memory::Deformation
    }
    fn stress(&self, points: Strains<'_>, tau: &mut [Mat3]) {
        let Lame { mu, lambda } = self.lame;
        for (tau, f) in tau.iter_mut().zip(points.f) {
            let log = f.determinant().ln();
            *tau = f * f.transpose() * mu + Mat3::from_diagonal_element(lambda * log - mu);
        }
    }
    fn energy(&self, f: &Mat3, _: Real) -> Option<Real> {
        let (Lame { mu, lambda }, log) = (self.lame, f.determinant().ln());
        Some(0.5 * mu * (f.norm_squared() - 3.0) - mu * log + 0.5 * lambda * log * log)
    }
}
