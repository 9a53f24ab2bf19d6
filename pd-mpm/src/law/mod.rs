//! What matter does when it is deformed: stress, and how much of the deformation it forgets.

mod drucker_prager;
mod fixed_corotated;
mod hencky;
mod mohr_coulomb;
mod neo_hookean;
mod sand;
mod snow;
mod water;

pub use drucker_prager::{DruckerPrager, DruckerPragerCone};
pub use fixed_corotated::FixedCorotated;
pub use mohr_coulomb::{MohrCoulomb, MohrCoulombSurface};
pub use neo_hookean::NeoHookean;
pub use sand::{Sand, YieldSurface};
pub use snow::Snow;
pub use water::Water;

use crate::MpmError;
use pd_core::{Mat3, Real};

/// What a law remembers of the deformation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// The volume ratio J alone, in the column `mpm.j`: fluids.
    Volume,
    /// The elastic deformation gradient F in `mpm.f`, and one number of the law's own in `mpm.j`: solids, sand.
    Deformation,
}

/// A slice of particles as a law sees them, all of one length; `f` is empty for laws of [`Memory::Volume`].
#[derive(Clone, Copy, Debug)]
pub struct Strains<'a> {
    /// Volume ratio J, or the law's own number.
    pub j: &'a [Real],
    /// Elastic deformation gradient.
    pub f: &'a [Mat3],
    /// Velocity gradient, 1/s.
    pub gradient: &'a [Mat3],
}

/// A constitutive law. Called per slice of particles, never per particle.
///
/// [`stress`](Self::stress) must be the derivative of [`energy`](Self::energy) where there is one: with the first
/// Piola–Kirchhoff stress P = ∂Ψ/∂F the Kirchhoff stress is τ = P Fᵀ; of a fluid, τ = J Ψ′(J) I. [`check_gradient`]
/// compares the two by central differences.
///
/// ```
/// use pd_core::{Mat3, Real};
/// use pd_mpm::{Law, Memory, Strains, check_gradient};
/// /// p = K (1 − J), the plainest fluid.
/// #[derive(Debug)]
/// struct Linear { k: Real }
/// impl Law for Linear {
///     fn name(&self) -> &str { "linear" }
///     fn density(&self) -> Real { 1000.0 }
///     fn sound_speed(&self) -> Real { (self.k / 1000.0).sqrt() }
///     fn memory(&self) -> Memory { Memory::Volume }
///     fn stress(&self, points: Strains<'_>, tau: &mut [Mat3]) {
///         for (tau, j) in tau.iter_mut().zip(points.j) { *tau = Mat3::identity() * (self.k * (j - 1.0) * j); }
///     }
///     fn energy(&self, _: &Mat3, j: Real) -> Option<Real> { Some(0.5 * self.k * (j - 1.0) * (j - 1.0)) }
/// }
/// let error = check_gradient(&Linear { k: 1e5 }, &Mat3::identity(), 0.97).unwrap();
/// assert!(error < 1e-8, "{error}");
/// ```
pub trait Law: Send + Sync + std::fmt::Debug {
    /// Name for reports.
    fn name(&self) -> &str;

    /// Density at rest ρ₀, kg/m³: a particle of mass m has the rest volume m/ρ₀.
    fn density(&self) -> Real;

    /// Speed of the fastest wave at rest, m/s; it bounds the substep.
    fn sound_speed(&self) -> Real;

    /// Kinematic viscosity, m²/s; it bounds the substep too.
    fn kinematic_viscosity(&self) -> Real {
        0.0
    }

    /// Whether [`stress`](Self::stress) reads the velocity gradient; else it is shown zeros.
    fn needs_gradient(&self) -> bool {
        self.kinematic_viscosity() > 0.0
    }

    /// What the law remembers.
    fn memory(&self) -> Memory;

    /// First value of the law's number in `mpm.j`.
    fn initial(&self) -> Real {
        1.0
    }

    /// Kirchhoff stress τ = J σ of every particle, Pa. `tau` has as many entries as there are particles; all are
    /// written.
    fn stress(&self, points: Strains<'_>, tau: &mut [Mat3]);

    /// Whether [`plastic_return`](Self::plastic_return) does anything.
    fn is_plastic(&self) -> bool {
        false
    }

    /// Moves the deformation to where the law allows it, after it was advanced with the flow.
    fn plastic_return(&self, _f: &mut [Mat3], _j: &mut [Real]) {}

    /// Time in which J is drawn to the density that the grid sees, s; `None` for laws that leave it alone.
    fn anchor_time(&self) -> Option<Real> {
        None
    }

    /// Stored energy per rest volume, J/m³, where the law has one.
    fn energy(&self, _f: &Mat3, _j: Real) -> Option<Real> {
        None
    }
}

/// Largest difference between a law's stress and the central differences of its energy, relative to the largest entry
/// of either; `None` for a law without energy.
pub fn check_gradient(law: &dyn Law, f: &Mat3, j: Real) -> Option<Real> {
    let zero = [Mat3::zeros()];
    let (mut found, fs, js) = ([Mat3::zeros()], [*f], [j]);
    let step = 1e-6;
    let expected = match law.memory() {
        Memory::Volume => {
            law.stress(Strains { j: &js, f: &[], gradient: &zero }, &mut found);
            let slope = (law.energy(f, j + step)? - law.energy(f, j - step)?) / (2.0 * step);
            Mat3::identity() * (j * slope)
        }
        Memory::Deformation => {
            law.stress(Strains { j: &js, f: &fs, gradient: &zero }, &mut found);
            let mut piola = Mat3::zeros();
            for k in 0..9 {
                let (mut more, mut less) = (*f, *f);
                more[k] += step;
                less[k] -= step;
                piola[k] = (law.energy(&more, j)? - law.energy(&less, j)?) / (2.0 * step);
            }
            piola * f.transpose()
        }
    };
    let scale = expected.amax().max(found[0].amax()).max(Real::MIN_POSITIVE);
    Some((found[0] - expected).amax() / scale)
}

/// Lamé's constants of Young's modulus (Pa) and Poisson's ratio: μ = E/(2(1 + ν)), λ = Eν/((1 + ν)(1 − 2ν)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lame {
    pub(crate) mu: Real,
    pub(crate) lambda: Real,
}

impl Lame {
    pub(crate) fn new(young: Real, poisson: Real) -> Result<Self, MpmError> {
        positive("Young's modulus", young)?;
        if !(poisson > -1.0 && poisson < 0.5) {
            let expected = "it must be above -1 and below 0.5";
            return Err(MpmError::Parameter { name: "Poisson's ratio", value: poisson, expected });
        }
        let mu = young / (2.0 * (1.0 + poisson));
        Ok(Self { mu, lambda: young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)) })
    }

    /// √((λ + 2μ)/ρ).
    pub(crate) fn sound_speed(&self, density: Real) -> Real {
        ((self.lambda + 2.0 * self.mu) / density).sqrt()
    }
}

/// A friction angle that sand can have, rad.
fn friction_angle(angle: Real) -> Result<Real, MpmError> {
    if (0.0..std::f64::consts::FRAC_PI_2).contains(&angle) {
        return Ok(angle);
    }
    let expected = "it must be at least 0 and below π/2, in radians";
    Err(MpmError::Parameter { name: "friction angle", value: angle, expected })
}

pub(crate) fn positive(name: &'static str, value: Real) -> Result<Real, MpmError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(MpmError::Parameter { name, value, expected: "it must be positive and finite" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Deformations well away from inversion.
    fn deformation() -> impl Strategy<Value = Mat3> {
        proptest::array::uniform9(-0.25..0.25f64).prop_map(|a| Mat3::identity() + Mat3::from_row_slice(&a))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn stress_is_the_derivative_of_energy(f in deformation(), j in 0.8..1.2f64) {
            let laws: [Box<dyn Law>; 6] = [
                Box::new(Water::new(1000.0, 20.0).unwrap()),
                Box::new(FixedCorotated::new(1000.0, 1e5, 0.3).unwrap()),
                Box::new(NeoHookean::new(1000.0, 1e5, 0.3).unwrap()),
                Box::new(DruckerPrager::new(1600.0, 1e6, 0.3, 0.6).unwrap()),
                Box::new(MohrCoulomb::new(1600.0, 1e6, 0.3, 0.6).unwrap()),
                Box::new(Snow::new(400.0, 1.4e5, 0.2).unwrap()),
            ];
            for law in laws {
                let error = check_gradient(law.as_ref(), &f, j).unwrap();
                prop_assert!(error < 1e-6, "{}: {error}", law.name());
            }
        }

        #[test]
        fn solids_are_objective_and_stress_free_at_rest(f in deformation(), axis in proptest::array::uniform3(-2.0..2.0f64)) {
            let r = nalgebra::Rotation3::from_scaled_axis(pd_core::Vec3::from(axis)).into_inner();
            let laws: [Box<dyn Law>; 3] = [
                Box::new(FixedCorotated::new(1000.0, 1e5, 0.3).unwrap()),
                Box::new(NeoHookean::new(1000.0, 1e5, 0.3).unwrap()),
                Box::new(DruckerPrager::new(1600.0, 1e5, 0.3, 0.6).unwrap()),
            ];
            for law in laws {
                let (fs, mut tau) = ([f, r * f, r], [Mat3::zeros(); 3]);
                law.stress(Strains { j: &[0.0; 3], f: &fs, gradient: &[Mat3::zeros(); 3] }, &mut tau);
                prop_assert!((tau[1] - r * tau[0] * r.transpose()).amax() < 1e-8 * 1e5, "{}", law.name());
                prop_assert!(tau[2].amax() < 1e-8 * 1e5, "{}", law.name());
            }
        }
    }

    #[test]
    fn bad_constants_are_named() {
        let name = |e: MpmError| match e {
            MpmError::Parameter { name, .. } => name,
            other => panic!("{other}"),
        };
        assert_eq!(name(Water::new(-1.0, 20.0).unwrap_err()), "density");
        assert_eq!(name(NeoHookean::new(1.0, Real::NAN, 0.3).unwrap_err()), "Young's modulus");
        assert_eq!(name(FixedCorotated::new(1.0, 1.0, 0.5).unwrap_err()), "Poisson's ratio");
        assert_eq!(name(MohrCoulomb::new(1.0, 1.0, 0.3, -0.1).unwrap_err()), "friction angle");
        assert_eq!(name(DruckerPrager::new(1.0, 1.0, 0.3, 1.6).unwrap_err()), "friction angle");
    }
}
