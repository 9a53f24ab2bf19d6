//! Weights from material constants, and the effective material of given weights.
//!
//! Isotropic linear elasticity has the energy density Ψ = μ |ε|² + λ/2 (tr ε)² with Lamé's constants
//! μ = E/(2(1+ν)) and λ = Eν/((1+ν)(1−2ν)). For small strain ε of a tetrahedron, to leading order:
//! - [`TetStrain`](crate::TetStrain) with the range [1, 1] and weight ω has Ψ = ω/2 |F − R|² = ω/2 |ε|²: μ = ω/2, λ = 0;
//! - [`Volume`](crate::Volume) with the range [1, 1] and weight ω_v has Ψ = ω_v/2 (tr ε/√3)²: λ = ω_v/3, since the
//!   nearest matrix of determinant 1 is tr ε/√3 away.
//!
//! So ω = 2μ together with ω_v = 3λ is exactly linear elasticity at small strain (a corotated
//! material). ω = 2μ alone has the right shear modulus, but E/(1+ν) for Young's modulus and 0 for Poisson's ratio.
//! At finite strain the terms have no counterpart in a named hyperelastic law; the difference from the linear law
//! is of the order of the strain. As ν → ½ the weight 3λ grows without bound and the iteration slows down.
//!
//! A membrane of thickness t in plane stress has Ψ = t (μ |ε|² + λ'/2 (tr ε)²) per area, λ' = Eν/(1−ν²):
//! [`TriStrain`](crate::TriStrain) with ω = 2μt and [`Area`](crate::Area) with ω_a = 2λ't (tr ε/√2 away).
//!
//! Weights need not come from a material: the thesis gives plain numbers per constraint and the same mass to every
//! vertex. Pass such numbers directly to the constructors and to [`Model::with_masses`](pd_core::Model::with_masses).

use crate::{ConstraintError, check, tet_frame, tri_frame};
use pd_core::{Real, Vec3};

/// An isotropic elastic material.
///
/// ```
/// use pd_constraints::{Material, tet_weights};
/// let rubber = Material::new(1e6, 0.45, 1100.0)?;
/// let (with, without) = (tet_weights(&rubber, true)?, tet_weights(&rubber, false)?);
/// assert!(with.effective().poisson_error.abs() < 1e-12);
/// assert_eq!(without.effective().poisson, 0.0);
/// assert!((without.effective().young - 1e6 / 1.45).abs() < 1e-6);
/// # Ok::<(), pd_constraints::ConstraintError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Young's modulus E, Pa.
    pub young: Real,
    /// Poisson's ratio ν, −1 < ν < ½.
    pub poisson: Real,
    /// Density, kg/m³.
    pub density: Real,
}

impl Material {
    /// Checks the constants.
    pub fn new(young: Real, poisson: Real, density: Real) -> Result<Self, ConstraintError> {
        let material = Self { young, poisson, density };
        material.check()?;
        Ok(material)
    }

    fn check(&self) -> Result<(), ConstraintError> {
        check::positive("Young's modulus", self.young)?;
        check::positive("density", self.density)?;
        if self.poisson > -1.0 && self.poisson < 0.5 {
            return Ok(());
        }
        let expected = "greater than -1 and less than 0.5";
        Err(ConstraintError::Parameter { name: "Poisson's ratio", value: self.poisson, expected })
    }

    /// Lamé's constants (λ, μ), Pa.
    pub fn lame(&self) -> (Real, Real) {
        let (e, nu) = (self.young, self.poisson);
        (e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), e / (2.0 * (1.0 + nu)))
    }

    /// Flexural rigidity E t³/(12(1−ν²)) of a plate of the given thickness (m), J: the weight of
    /// [`Bending`](crate::Bending) with [`CotanVoronoi`](crate::BendingWeights::CotanVoronoi). The part of a plate's
    /// energy that depends on Gaussian curvature is omitted; it depends only on the boundary.
    pub fn bending_rigidity(&self, thickness: Real) -> Result<Real, ConstraintError> {
        check::positive("thickness", thickness)?;
        Ok(self.young * thickness.powi(3) / (12.0 * (1.0 - self.poisson.powi(2))))
    }
}

/// Effective elastic constants of weights at small strain, compared with the requested ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effective {
    /// Effective Young's modulus, Pa.
    pub young: Real,
    /// Poisson's ratio seen.
    pub poisson: Real,
    /// Effective Young's modulus over the requested one, minus 1.
    pub young_error: Real,
    /// Effective Poisson's ratio minus the requested one.
    pub poisson_error: Real,
}

impl Effective {
    fn new(young: Real, poisson: Real, requested: &Material) -> Self {
        let (young_error, poisson_error) = (young / requested.young - 1.0, poisson - requested.poisson);
        Self { young, poisson, young_error, poisson_error }
    }
}

/// Weights for tetrahedra, made by [`tet_weights`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TetWeights {
    /// Weight of [`TetStrain`](crate::TetStrain) with the range [1, 1], Pa.
    pub strain: Real,
    /// Weight of [`Volume`](crate::Volume) with the range [1, 1], Pa; `None` where there is no such term.
    pub volume: Option<Real>,
    /// The requested material.
    pub material: Material,
}

impl TetWeights {
    /// The effective material of these weights at small strain.
    pub fn effective(&self) -> Effective {
        let (mu, lambda) = (self.strain / 2.0, self.volume.unwrap_or(0.0) / 3.0);
        let young = mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu);
        Effective::new(young, lambda / (2.0 * (lambda + mu)), &self.material)
    }
}

/// Weights of tetrahedra: ω = 2μ, and with a volume term ω_v = 3λ.
///
/// A volume term needs ν ≥ 0, since a weight cannot be negative; at ν = 0 there is none to add.
pub fn tet_weights(material: &Material, with_volume: bool) -> Result<TetWeights, ConstraintError> {
    material.check()?;
    let (lambda, mu) = material.lame();
    let volume = volume_weight(material, with_volume, 3.0 * lambda)?;
    Ok(TetWeights { strain: 2.0 * mu, volume, material: *material })
}

/// Weights for the triangles of a membrane, made by [`membrane_weights`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MembraneWeights {
    /// Weight of [`TriStrain`](crate::TriStrain) with the range [1, 1], N/m.
    pub strain: Real,
    /// Weight of [`Area`](crate::Area) with the range [1, 1], N/m; `None` where there is no such term.
    pub area: Option<Real>,
    /// Thickness, m.
    pub thickness: Real,
    /// The requested material.
    pub material: Material,
}

impl MembraneWeights {
    /// The effective material of these weights at small strain, in plane stress.
    pub fn effective(&self) -> Effective {
        let (double_mu, lambda) =
            (self.strain / self.thickness, self.area.unwrap_or(0.0) / (2.0 * self.thickness));
        let poisson = lambda / (lambda + double_mu);
        Effective::new(double_mu * (1.0 + poisson), poisson, &self.material)
    }
}

/// Weights of a membrane of the given thickness (m): ω = 2μt, and with an area term ω_a = 2tEν/(1−ν²).
pub fn membrane_weights(
    material: &Material,
    thickness: Real,
    with_area: bool,
) -> Result<MembraneWeights, ConstraintError> {
    material.check()?;
    check::positive("thickness", thickness)?;
    let lambda = material.young * material.poisson / (1.0 - material.poisson.powi(2));
    let area = volume_weight(material, with_area, 2.0 * lambda * thickness)?;
    Ok(MembraneWeights { strain: 2.0 * material.lame().1 * thickness, area, thickness, material: *material })
}

fn volume_weight(material: &Material, wanted: bool, weight: Real) -> Result<Option<Real>, ConstraintError> {
    if wanted && material.poisson < 0.0 {
        let expected = "at least 0 for a volume or area term";
        return Err(ConstraintError::Parameter {
            name: "Poisson's ratio",
            value: material.poisson,
            expected,
        });
    }
    Ok((wanted && weight > 0.0).then_some(weight))
}

/// Mass of every vertex, kg: a quarter of the mass of each tetrahedron it belongs to. `density` in kg/m³.
///
/// A vertex of no tetrahedron gets mass 0, which [`ModelBuilder::build`](pd_core::ModelBuilder::build) rejects.
pub fn lumped_masses_tets(
    positions: &[Vec3],
    tets: &[[u32; 4]],
    density: Real,
) -> Result<Vec<Real>, ConstraintError> {
    check::positive("density", density)?;
    lump("tetrahedron", positions, tets, |tet| density * tet_frame::signed_volume(positions, tet).abs())
}

/// Mass of every vertex, kg: a third of the mass of each triangle it belongs to. `surface_density` in kg/m².
///
/// A vertex of no triangle gets mass 0, which [`ModelBuilder::build`](pd_core::ModelBuilder::build) rejects.
pub fn lumped_masses_triangles(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    surface_density: Real,
) -> Result<Vec<Real>, ConstraintError> {
    check::positive("surface density", surface_density)?;
    lump("triangle", positions, triangles, |triangle| surface_density * tri_frame::area(positions, triangle))
}

fn lump<const N: usize>(
    kind: &'static str,
    positions: &[Vec3],
    elements: &[[u32; N]],
    mass: impl Fn(&[u32; N]) -> Real,
) -> Result<Vec<Real>, ConstraintError> {
    check::positions(positions)?;
    check::indices(kind, elements, positions.len())?;
    let mut masses = vec![0.0; positions.len()];
    for element in elements {
        let share = mass(element) / N as Real;
        for &vertex in element {
            masses[vertex as usize] += share;
        }
    }
    Ok(masses)
}
