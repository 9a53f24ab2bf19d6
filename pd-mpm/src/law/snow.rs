//! Snow (Stomakhin et al. 2013): fixed corotated elasticity whose singular values are kept in [1 − θ_c, 1 + θ_s]; what is
//! cut off goes into the plastic volume ratio J_p, and the stiffness is scaled by exp(ξ (1 − J_p)).

use super::{Lame, Law, Memory, Strains, fixed_corotated, positive};
use crate::MpmError;
use pd_constraints::svd3;
use pd_core::{Mat3, Real};

/// J_p is kept in this range, so that hardening stays within a factor of 50 of the rest value.
const PLASTIC_RANGE: [Real; 2] = [0.6, 20.0];

/// See the module's formula. The sound speed is that of fresh snow; packed snow is stiffer, so the bound on the substep
/// counts the most hardening that [`Snow`] allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snow {
    density: Real,
    lame: Lame,
    compression: Real,
    stretch: Real,
    hardening: Real,
}

impl Snow {
    /// Snow of this density (kg/m³), Young's modulus (Pa) and Poisson's ratio, with θ_c = 0.025, θ_s = 0.0075, ξ = 10.
    pub fn new(density: Real, young: Real, poisson: Real) -> Result<Self, MpmError> {
        let (density, lame) = (positive("density", density)?, Lame::new(young, poisson)?);
        Ok(Self { density, lame, compression: 0.025, stretch: 0.0075, hardening: 10.0 })
    }

    fn factor(&self, plastic: Real) -> Real {
        (self.hardening * (1.0 - plastic)).exp()
    }
}

impl Law for Snow {
    fn name(&self) -> &str {
        "snow"
    }
    fn density(&self) -> Real {
        self.density
    }
    fn sound_speed(&self) -> Real {
        self.lame.sound_speed(self.density) * self.factor(PLASTIC_RANGE[0]).sqrt()
    }
    fn memory(&self) -> Memory {
        Memory::Deformation
    }
    fn stress(&self, points: Strains<'_>, tau: &mut [Mat3]) {
        for ((tau, f), &plastic) in tau.iter_mut().zip(points.f).zip(points.j) {
            *tau = fixed_corotated::stress(&self.lame, self.factor(plastic), f);
        }
    }
    fn is_plastic(&self) -> bool {
        true
    }
    fn plastic_return(&self, f: &mut [Mat3], plastic: &mut [Real]) {
        for (f, plastic) in f.iter_mut().zip(plastic) {
            let svd = svd3(f);
            let kept = svd.sigma.map(|s| s.clamp(1.0 - self.compression, 1.0 + self.stretch));
            if kept != svd.sigma {
                let ratio = svd.sigma.product() / kept.product();
                *plastic = (*plastic * ratio).clamp(PLASTIC_RANGE[0], PLASTIC_RANGE[1]);
                *f = svd.with(&kept);
            }
        }
    }
    fn energy(&self, f: &Mat3, plastic: Real) -> Option<Real> {
        Some(fixed_corotated::energy(&self.lame, self.factor(plastic), f))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_snow_is_stiffer() {
        let snow = Snow::new(400.0, 1.4e5, 0.2).unwrap();
        let (mut f, mut plastic) = ([Mat3::from_diagonal_element(0.95)], [1.0]);
        snow.plastic_return(&mut f, &mut plastic);
        assert!((f[0][(0, 0)] - 0.975).abs() < 1e-12);
        assert!((plastic[0] - (0.95f64 / 0.975).powi(3)).abs() < 1e-12);
        assert!(snow.factor(plastic[0]) > 1.5);
    }
}
