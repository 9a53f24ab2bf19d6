//! Dry sand: Hencky elasticity (`hencky`) with the yield surface of Mohr and Coulomb and flow at constant volume.
//!
//! With principal stresses τ₁ ≥ τ₂ ≥ τ₃ sand holds while τ₁ − τ₃ ≤ −(τ₁ + τ₃) sin φ: on no plane is the shear stress more
//! than tan φ of the pressure, so a slope holds up to φ. With mean p = tr τ/3 and deviator s the part
//!
//! k = −2 p sin φ / ((s₁ − s₃) + (s₁ + s₃) sin φ)
//!
//! of s is on the surface. The return s → k s for k < 1 keeps the volume and the direction of s (its Lode angle), so it ends
//! exactly on the surface. In triaxial compression this is the cone of [`DruckerPrager`](super::DruckerPrager); in plane
//! strain, that of a long heap, the cone takes shear of an angle with sin φ' = 2√3 sin φ/(3 − sin φ): 55° for 35°.

use super::{Lame, Law, Memory, Strains, friction_angle, hencky, positive};
use crate::MpmError;
use pd_core::{Mat3, Real, Vec3};

/// See the module's formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MohrCoulomb {
    density: Real,
    lame: Lame,
    sine: Real,
}

impl MohrCoulomb {
    /// Sand of this density (kg/m³), Young's modulus (Pa), Poisson's ratio and friction angle (rad).
    pub fn new(density: Real, young: Real, poisson: Real, angle: Real) -> Result<Self, MpmError> {
        let sine = friction_angle(angle)?.sin();
        Ok(Self { density: positive("density", density)?, lame: Lame::new(young, poisson)?, sine })
    }

    /// k of the module's formula, for a deviator and a trace of ε.
    fn kept(&self, deviator: &Vec3, trace: Real) -> Real {
        let Lame { mu, lambda } = self.lame;
        let pressure = -(lambda + 2.0 / 3.0 * mu) * trace;
        let (most, least) = (2.0 * mu * deviator.max(), 2.0 * mu * deviator.min());
        2.0 * pressure * self.sine / ((most - least) + (most + least) * self.sine)
    }
}

impl Law for MohrCoulomb {
    fn name(&self) -> &str {
        "mohr-coulomb"
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
        hencky::plastic_return(f, corrections, |deviator, trace| self.kept(deviator, trace));
    }
    fn energy(&self, f: &Mat3, _: Real) -> Option<Real> {
        Some(hencky::energy(&self.lame, f))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_constraints::svd3;
    use proptest::prelude::*;

    /// Principal Kirchhoff stresses, largest first.
    fn principal(sand: &MohrCoulomb, f: &Mat3) -> [Real; 3] {
        let mut tau = [Mat3::zeros()];
        sand.stress(Strains { j: &[0.0], f: &[*f], gradient: &[Mat3::zeros()] }, &mut tau);
        let mut values: [Real; 3] = tau[0].symmetric_eigenvalues().into();
        values.sort_unstable_by(|a, b| b.total_cmp(a));
        values
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_plane_bears_more_shear_than_friction_holds(
            a in proptest::array::uniform9(-0.3..0.3f64),
            degrees in 10.0..50.0f64,
        ) {
            let sand = MohrCoulomb::new(1600.0, 1e6, 0.3, degrees.to_radians()).unwrap();
            let start = Mat3::identity() + Mat3::from_row_slice(&a);
            let (mut f, mut v) = ([start], [0.0]);
            sand.plastic_return(&mut f, &mut v);
            let [most, _, least] = principal(&sand, &f[0]);
            let (shear, bound) = (most - least, -(most + least) * degrees.to_radians().sin());
            prop_assert!(shear <= bound + 1e-6, "{shear} of {bound}");
            if f[0] != start && v[0] == 0.0 {
                prop_assert!((shear - bound).abs() < 1e-6, "it ends on the surface: {shear}, {bound}");
            }
            // Volume is kept or remembered, and a second return does nothing.
            let volume = |f: &Mat3| hencky::logarithms(&svd3(f).sigma).sum();
            prop_assert!((volume(&f[0]) + v[0] - volume(&start)).abs() < 1e-10);
            let once = f[0];
            sand.plastic_return(&mut f, &mut [0.0]);
            prop_assert!((f[0] - once).amax() < 1e-12);
        }
    }
}
