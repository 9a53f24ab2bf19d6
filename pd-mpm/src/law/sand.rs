//! Dry sand: Hencky elasticity (`hencky`) and friction, with flow at constant volume. What differs between laws of sand is the surface
//! on which it yields.

use super::{Lame, Law, Memory, Strains, friction_angle, hencky, positive};
use crate::MpmError;
use pd_core::{Mat3, Real, Vec3};

/// Which deviators sand bears under pressure: a cone in the space of stresses, with its tip at zero.
pub trait YieldSurface: Copy + std::fmt::Debug + Send + Sync + 'static {
    /// Name of the law.
    const NAME: &'static str;

    /// The surface for the sine of a friction angle.
    fn of_sine(sine: Real) -> Self;

    /// Largest part k of a deviator of the strain logarithms ε̂ that sand bears at this trace tr ε < 0, so that stress with k ε̂ is on
    /// the surface; at most 1 counts. `mu` and `lambda` are Lamé's constants, Pa.
    fn kept(&self, mu: Real, lambda: Real, deviator: &Vec3, trace: Real) -> Real;
}

/// Sand that yields on such a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sand<Y> {
    density: Real,
    pub(super) lame: Lame,
    surface: Y,
}

impl<Y: YieldSurface> Sand<Y> {
    /// Sand of this density (kg/m³), Young's modulus (Pa), Poisson's ratio and friction angle (rad).
    pub fn new(density: Real, young: Real, poisson: Real, angle: Real) -> Result<Self, MpmError> {
        let surface = Y::of_sine(friction_angle(angle)?.sin());
        Ok(Self { density: positive("density", density)?, lame: Lame::new(young, poisson)?, surface })
    }
}

impl<Y: YieldSurface> Law for Sand<Y> {
    fn name(&self) -> &str {
        Y::NAME
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
    fn initial(&self) -> Real {
        0.0 // v_c
    }
    fn stress(&self, points: Strains<'_>, tau: &mut [Mat3]) {
        hencky::stress(&self.lame, points, tau);
    }
    fn is_plastic(&self) -> bool {
        true
    }
    fn plastic_return(&self, f: &mut [Mat3], corrections: &mut [Real]) {
        let Lame { mu, lambda } = self.lame;
        hencky::plastic_return(f, corrections, |deviator, trace| {
            self.surface.kept(mu, lambda, deviator, trace)
        });
    }
    fn energy(&self, f: &Mat3, _: Real) -> Option<Real> {
        Some(hencky::energy(&self.lame, f))
    }
}
