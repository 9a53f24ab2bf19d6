//! Dry sand: Hencky elasticity with a Drucker–Prager yield cone (Klár et al. 2016), and the volume correction of
//! Tampubolon et al. 2017.
//!
//! With F = U Σ Vᵀ and ε = ln Σ: Ψ = μ tr ε² + λ/2 tr²ε, τ = U (2με + λ tr ε I) Uᵀ. The return, with ε̂ the deviator:
//!
//! - tr ε ≥ 0: sand bears no tension, ε → 0, and the volume gained is remembered in v_c;
//! - γ = ‖ε̂‖ + (3λ + 2μ)/(2μ) tr ε · α ≤ 0: inside the cone, nothing happens;
//! - else ε → ε − γ ε̂/‖ε̂‖: it slides at constant volume;
//!
//! α = √(2/3) · 2 sin φ/(3 − sin φ) for the friction angle φ. The remembered v_c is added to ε before, so sand that was
//! thrown up and falls together again takes the room it had.

use super::{Lame, Law, Memory, Strains, positive};
use crate::MpmError;
use pd_constraints::svd3;
use pd_core::{Mat3, Real, Vec3};

/// Singular values below this are taken for it: logarithms of a particle that was crushed stay finite.
const SMALLEST_STRETCH: Real = 1e-6;

/// See the module's formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DruckerPrager {
    density: Real,
    lame: Lame,
    alpha: Real,
}

impl DruckerPrager {
    /// Sand of this density (kg/m³), Young's modulus (Pa), Poisson's ratio and friction angle (rad).
    pub fn new(density: Real, young: Real, poisson: Real, angle: Real) -> Result<Self, MpmError> {
        if !(0.0..std::f64::consts::FRAC_PI_2).contains(&angle) {
            let expected = "it must be at least 0 and below π/2, in radians";
            return Err(MpmError::Parameter { name: "friction angle", value: angle, expected });
        }
        let alpha = (2.0 / 3.0 as Real).sqrt() * 2.0 * angle.sin() / (3.0 - angle.sin());
        Ok(Self { density: positive("density", density)?, lame: Lame::new(young, poisson)?, alpha })
    }

    /// The strain that the cone allows, and by how much the logarithm of the volume changed.
    fn project(&self, strain: &Vec3) -> (Vec3, Real) {
        let Lame { mu, lambda } = self.lame;
        let trace = strain.sum();
        let deviator = strain.add_scalar(-trace / 3.0);
        let size = deviator.norm();
        if trace >= 0.0 {
            return (Vec3::zeros(), trace);
        }
        let beyond = size + (3.0 * lambda + 2.0 * mu) / (2.0 * mu) * trace * self.alpha;
        if beyond <= 0.0 {
            return (*strain, 0.0);
        }
        (strain - deviator * (beyond / size), 0.0)
    }
}

fn logarithms(sigma: &Vec3) -> Vec3 {
    sigma.map(|s| s.max(SMALLEST_STRETCH).ln())
}

impl Law for DruckerPrager {
    fn name(&self) -> &str {
        "drucker-prager"
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
        let Lame { mu, lambda } = self.lame;
        for (tau, f) in tau.iter_mut().zip(points.f) {
            let svd = svd3(f);
            let strain = logarithms(&svd.sigma);
            let principal = (strain * (2.0 * mu)).add_scalar(lambda * strain.sum());
            *tau = svd.u * Mat3::from_diagonal(&principal) * svd.u.transpose();
        }
    }
    fn is_plastic(&self) -> bool {
        true
    }
    fn plastic_return(&self, f: &mut [Mat3], corrections: &mut [Real]) {
        for (f, correction) in f.iter_mut().zip(corrections) {
            let svd = svd3(f);
            let strain = logarithms(&svd.sigma).add_scalar(*correction / 3.0);
            let (allowed, gained) = self.project(&strain);
            *correction = gained;
            if allowed != strain || strain != logarithms(&svd.sigma) {
                *f = svd.with(&allowed.map(Real::exp));
            }
        }
    }
    fn energy(&self, f: &Mat3, _: Real) -> Option<Real> {
        let strain = logarithms(&svd3(f).sigma);
        Some(self.lame.mu * strain.norm_squared() + 0.5 * self.lame.lambda * strain.sum().powi(2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            let beyond = size + (3.0 * lambda + 2.0 * mu) / (2.0 * mu) * strain.sum() * sand.alpha;
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
