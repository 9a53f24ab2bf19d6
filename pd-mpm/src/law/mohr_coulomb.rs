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

use super::{Sand, YieldSurface};
use pd_core::{Real, Vec3};

/// Sand of Mohr and Coulomb; see the module's formula.
pub type MohrCoulomb = Sand<MohrCoulombSurface>;

/// The surface of [`MohrCoulomb`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MohrCoulombSurface {
    sine: Real,
}

impl YieldSurface for MohrCoulombSurface {
    const NAME: &'static str = "mohr-coulomb";

    fn of_sine(sine: Real) -> Self {
        Self { sine }
    }
    fn kept(&self, mu: Real, lambda: Real, deviator: &Vec3, trace: Real) -> Real {
        let pressure = -(lambda + 2.0 / 3.0 * mu) * trace;
        let (most, least) = (2.0 * mu * deviator.max(), 2.0 * mu * deviator.min());
        2.0 * pressure * self.sine / ((most - least) + (most + least) * self.sine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::{Law, Strains, hencky};
    use pd_constraints::svd3;
    use pd_core::Mat3;
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
