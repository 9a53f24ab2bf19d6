//! Dry sand: Hencky elasticity (`hencky`) with a Drucker–Prager yield cone (Klár et al. 2016).
//!
//! With ε̂ the deviator of ε and tr ε < 0:
//!
//! - γ = ‖ε̂‖ + (3λ + 2μ)/(2μ) tr ε · α ≤ 0: inside the cone, nothing happens;
//! - else ε → ε − γ ε̂/‖ε̂‖: it slides at constant volume;
//!
//! α = √(2/3) · 2 sin φ/(3 − sin φ) for the friction angle φ in triaxial compression. Under other stresses the cone is stronger than
//! friction of this angle: see [`MohrCoulomb`](super::MohrCoulomb).

use super::{Sand, YieldSurface};
use pd_core::{Real, Vec3};

/// Sand of Drucker and Prager, whose friction angle is that in triaxial compression; see the module's formula.
pub type DruckerPrager = Sand<DruckerPragerCone>;

/// The cone of [`DruckerPrager`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DruckerPragerCone {
    alpha: Real,
}

impl YieldSurface for DruckerPragerCone {
    const NAME: &'static str = "drucker-prager";

    fn of_sine(sine: Real) -> Self {
        Self { alpha: (2.0 / 3.0 as Real).sqrt() * 2.0 * sine / (3.0 - sine) }
    }
    fn kept(&self, mu: Real, lambda: Real, deviator: &Vec3, trace: Real) -> Real {
        -(3.0 * lambda + 2.0 * mu) / (2.0 * mu) * trace * self.alpha / deviator.norm()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::hencky::logarithms;
    use crate::law::{Lame, Law, Strains};
    use pd_constraints::svd3;
    use pd_core::Mat3;
    use proptest::prelude::*;

    /// Mohr–Coulomb in triaxial compression, which the cone goes through: (τ₃ − τ₁)/(τ₃ + τ₁) = sin φ.
    #[test]
    fn compressed_sand_fails_at_its_friction_angle() {
        for degrees in [20.0, 30.0, 40.0] {
            let angle = Real::to_radians(degrees);
            let sand = DruckerPrager::new(1600.0, 1e6, 0.3, angle).unwrap();
            // Squeezed far more along y than the cone allows.
            let mut f = [Mat3::from_diagonal(&Vec3::new(1.02, 0.95, 1.02))];
            sand.plastic_return(&mut f, &mut [0.0]);
            let mut tau = [Mat3::zeros()];
            sand.stress(Strains { j: &[0.0], f: &f, gradient: &[Mat3::zeros()] }, &mut tau);
            let (across, along) = (-tau[0][(0, 0)], -tau[0][(1, 1)]);
            assert!(((along - across) / (along + across) - angle.sin()).abs() < 1e-9, "{degrees}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_return_ends_on_the_cone_and_stays(a in proptest::array::uniform9(-0.3..0.3f64)) {
            let sand = DruckerPrager::new(1600.0, 1e6, 0.3, 0.6).unwrap();
            let start = Mat3::identity() + Mat3::from_row_slice(&a);
            let (mut f, mut v) = ([start], [0.0]);
            sand.plastic_return(&mut f, &mut v);
            let strain = logarithms(&svd3(&f[0]).sigma);
            let size = strain.add_scalar(-strain.sum() / 3.0).norm();
            let Lame { mu, lambda } = sand.lame;
            let beyond = size + (3.0 * lambda + 2.0 * mu) / (2.0 * mu) * strain.sum() * DruckerPragerCone::of_sine(Real::sin(0.6)).alpha;
            prop_assert!(beyond < 1e-12 && strain.sum() < 1e-12);
            // Volume is kept or remembered.
            let before = logarithms(&svd3(&start).sigma).sum();
            prop_assert!((strain.sum() + v[0] - before).abs() < 1e-10);
            let once = f[0];
            sand.plastic_return(&mut f, &mut [0.0]);
            prop_assert!((f[0] - once).amax() < 1e-12);
        }
    }
}
