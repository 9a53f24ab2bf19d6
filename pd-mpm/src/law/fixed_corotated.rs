//! Fixed corotated elasticity (Stomakhin et al. 2012): Ψ = μ‖F − R‖² + λ/2 (J − 1)², with F = RS;
//! τ = 2μ (F − R) Fᵀ + λ (J − 1) J I. Defined for every F, inverted ones included.

use super::{Lame, Law, Memory, Strains, positive};
use crate::MpmError;
use pd_constraints::svd3;
use pd_core::{Mat3, Real};

/// See the module's formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedCorotated {
    density: Real,
    lame: Lame,
}

impl FixedCorotated {
    /// A solid of this density (kg/m³), Young's modulus (Pa) and Poisson's ratio.
    pub fn new(density: Real, young: Real, poisson: Real) -> Result<Self, MpmError> {
        Ok(Self { density: positive("density", density)?, lame: Lame::new(young, poisson)? })
    }
}

/// τ of one particle, with Lamé's constants scaled by `hardening`.
pub(super) fn stress(lame: &Lame, hardening: Real, f: &Mat3) -> Mat3 {
    let svd = svd3(f);
    let r = svd.u * svd.v.transpose();
    let j = svd.sigma.product();
    ((f - r) * f.transpose() * (2.0 * lame.mu) + Mat3::from_diagonal_element(lame.lambda * (j - 1.0) * j))
        * hardening
}

/// Ψ of one particle, as [`stress`].
pub(super) fn energy(lame: &Lame, hardening: Real, f: &Mat3) -> Real {
    let sigma = svd3(f).sigma;
    let (stretch, j) = (sigma.add_scalar(-1.0).norm_squared(), sigma.product());
    hardening * (lame.mu * stretch + 0.5 * lame.lambda * (j - 1.0) * (j - 1.0))
}

impl Law for FixedCorotated {
    fn name(&self) -> &str {
        "fixed-corotated"
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
        for (tau, f) in tau.iter_mut().zip(points.f) {
            *tau = stress(&self.lame, 1.0, f);
        }
    }
    fn energy(&self, f: &Mat3, _: Real) -> Option<Real> {
        Some(energy(&self.lame, 1.0, f))
    }
}
