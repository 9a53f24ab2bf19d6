//! Hyperelastic solids: tetrahedra with a law of the singular values of the deformation gradient.
//!
//! U = V₀ ψ(σ₁, σ₂, σ₃), F = U diag(σ) Vᵀ, with the first Piola–Kirchhoff stress P = U diag(∂ψ/∂σ) Vᵀ. These laws are not
//! squared distances: `project(F) = F − P/ω` with ω = 2μ + 3λ, the largest curvature at rest, so that projective dynamics becomes the
//! quasi-Newton method of Liu et al. 2017, "Quasi-Newton methods for real-time simulation of hyperelastic materials". Hessians
//! follow from [`isotropic`]; `prox` works in singular values as in Overby et al. 2017, "ADMM ⊇ projective
//! dynamics". Forces and energies of the laws in this module are vectorised (`lanes/`).

mod corotated;
mod lanes;
mod neo_hookean;
mod prox;
mod st_venant_kirchhoff;
mod stable_neo_hookean;

pub use corotated::Corotated;
pub use neo_hookean::NeoHookean;
pub use st_venant_kirchhoff::StVenantKirchhoff;
pub use stable_neo_hookean::StableNeoHookean;

use crate::isotropic::{self, Curvature};
use crate::lanes::{Aligned, BLOCK, Level};
use crate::svd3::{Svd3, svd3};
use crate::tet_frame::{TetFrames, force, write_columns};
use crate::tet_lanes::{Fallback, pieces};
use crate::{ConstraintError, Material};
use lanes::{BuiltIn, LameBlock, Output, Task};
use pd_core::{EnergyBatch, Mat3, Psd, Real, Stencil, Strain, Vec3};
use std::marker::PhantomData;
use std::ops::Range;

/// Lamé's constants of an element, Pa.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// First constant λ.
    pub lambda: Real,
    /// Shear modulus μ.
    pub mu: Real,
}

/// An isotropic hyperelastic law as a function of signed singular values: σ₁ ≥ σ₂ ≥ |σ₃|, σ₃ < 0 for an inverted element.
/// The energy is 0 at rest. A custom law is a type that implements this trait.
pub trait IsotropicLaw: Copy + Send + Sync + 'static {
    /// Name of the law, for reports.
    const KIND: &'static str;

    /// Energy density ψ, J/m³; infinite where the law is not defined.
    fn density(lame: Lame, sigma: &Vec3) -> Real;

    /// ∂ψ/∂σ, Pa. Called where the density is finite.
    fn slope(lame: Lame, sigma: &Vec3) -> Vec3;

    /// Second derivatives, Pa. Called where the density is finite.
    fn curvature(lame: Lame, sigma: &Vec3) -> Curvature;

    /// ω of projective dynamics, Pa: the largest curvature at rest.
    fn stiffness(lame: Lame) -> Real {
        2.0 * lame.mu + 3.0 * lame.lambda.max(0.0)
    }
}

/// Materials of the elements of a batch: one for all, or one for each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Materials<'a> {
    /// The same for every element.
    Uniform(Material),
    /// One for each element.
    PerElement(&'a [Material]),
}

impl From<Material> for Materials<'_> {
    fn from(material: Material) -> Self {
        Self::Uniform(material)
    }
}

impl<'a> From<&'a [Material]> for Materials<'a> {
    fn from(materials: &'a [Material]) -> Self {
        Self::PerElement(materials)
    }
}

/// A batch of hyperelastic tetrahedra.
///
/// ```
/// use pd_constraints::{Material, NeoHookean, TetElastic};
/// use pd_core::{EnergyBatch, Vec3};
/// let x = [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::zeros()];
/// let rubber = Material::new(1e6, 0.45, 1100.0)?;
/// let batch = TetElastic::<NeoHookean>::new(&x, &[[0, 1, 2, 3]], rubber)?;
/// // Simple tension of 1 %: about E/2 ε² V plus what holds the sides.
/// let wide = x.map(|p| Vec3::new(1.01 * p.x, p.y, p.z));
/// let (lambda, mu) = rubber.lame();
/// let linear = (lambda + 2.0 * mu) / 2.0 * 1e-4 / 6.0;
/// assert!((batch.energy(0..1, &wide) / linear - 1.0).abs() < 0.03);
/// # Ok::<(), pd_constraints::ConstraintError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TetElastic<L> {
    frames: TetFrames,
    /// Of each element, and copies that fill the last block.
    lame: Vec<LameBlock>,
    law: PhantomData<L>,
}

impl<L: IsotropicLaw> TetElastic<L> {
    /// Tetrahedra at rest in `positions`, of either orientation.
    pub fn new<'a>(
        positions: &[Vec3],
        tets: &[[u32; 4]],
        materials: impl Into<Materials<'a>>,
    ) -> Result<Self, ConstraintError> {
        let lame = match materials.into() {
            Materials::Uniform(material) => vec![checked(&material)?; tets.len()],
            Materials::PerElement(materials) if materials.len() != tets.len() => {
                let (elements, weights) = (tets.len(), materials.len());
                return Err(ConstraintError::WeightCount { kind: L::KIND, elements, weights });
            }
            Materials::PerElement(materials) => materials.iter().map(checked).collect::<Result<_, _>>()?,
        };
        let weights: Vec<Real> = lame.iter().map(|&lame| L::stiffness(lame)).collect();
        let frames = TetFrames::new(L::KIND, positions, tets, (&weights).into())?;
        Ok(Self { frames, lame: lame.chunks(BLOCK).map(side_by_side).collect(), law: PhantomData })
    }

    /// Lamé's constants of an element.
    fn lame(&self, element: usize) -> Lame {
        let [lambda, mu] = self.lame[element / BLOCK].0.map(|constants| constants[element % BLOCK]);
        Lame { lambda, mu }
    }

    /// The deformation gradient of an element.
    pub fn deformation_gradient(&self, element: usize, x: &[Vec3]) -> Mat3 {
        self.frames.gradient(element, x)
    }

    /// First Piola–Kirchhoff stress of an element, Pa; `None` where the law is not defined.
    pub fn stress(&self, element: usize, x: &[Vec3]) -> Option<Mat3> {
        let (svd, lame) = (svd3(&self.deformation_gradient(element, x)), self.lame(element));
        L::density(lame, &svd.sigma).is_finite().then(|| svd.with(&L::slope(lame, &svd.sigma)))
    }

    /// ψ in J/m³ and P/ω. Where the law is not defined, the force is toward the nearest rotation.
    fn answer(&self, element: usize, svd: &Svd3) -> (Real, Mat3) {
        let lame = self.lame(element);
        let density = L::density(lame, &svd.sigma);
        let pull = if density.is_finite() {
            L::slope(lame, &svd.sigma) / L::stiffness(lame)
        } else {
            svd.sigma - Vec3::repeat(1.0)
        };
        (density, svd.with(&pull))
    }

    /// The energy of `elements`, J, and beside it what is asked for in `out`.
    fn sweep(
        &self,
        level: Level,
        elements: Range<usize>,
        x: &[Vec3],
        output: Output,
        out: &mut [Vec3],
    ) -> Real {
        let (mut energy, rows, first) = (0.0, output.rows(), elements.start);
        let Some(law) = BuiltIn::of::<L>() else {
            for element in elements {
                let at = rows * (element - first);
                energy += self.plain(element, x, output, &mut out[at..at + rows]);
            }
            return energy;
        };
        for piece in pieces(elements) {
            let mut fallback = Fallback::new();
            let out = &mut out[rows * (piece.start - first)..rows * (piece.end - first)];
            let (frames, lame, start) = (&self.frames, &self.lame[..], piece.start);
            let list = &mut fallback;
            let task =
                Task { frames, lame, elements: piece, x, output, out, energy: &mut energy, fallback: list };
            law.sweep(level, task);
            for &element in fallback.elements() {
                let at = rows * (element as usize - start);
                energy += self.plain(element as usize, x, output, &mut out[at..at + rows]);
            }
        }
        energy
    }

    /// The same for one element, by singular vectors.
    fn plain(&self, element: usize, x: &[Vec3], output: Output, out: &mut [Vec3]) -> Real {
        let (density, pull) = self.answer(element, &svd3(&self.deformation_gradient(element, x)));
        match output {
            Output::Energy => {}
            Output::Residual => write_columns(&pull, out),
            Output::Forces => {
                let mut r = [Vec3::zeros(); 3];
                write_columns(&pull, &mut r);
                force(&self.frames, element, &r, out);
            }
        }
        self.volume(element) * density
    }

    /// Rest volume of an element, m³.
    fn volume(&self, element: usize) -> Real {
        self.frames.stencil.weight(element) / L::stiffness(self.lame(element))
    }
}

/// A block of constants; the last ones fill what is left.
fn side_by_side(lame: &[Lame]) -> LameBlock {
    let of = |lane: usize| lame[lane.min(lame.len() - 1)];
    let constants = [|lame: Lame| lame.lambda, |lame: Lame| lame.mu];
    Aligned(constants.map(|constant| std::array::from_fn(|lane| constant(of(lane)))))
}

fn checked(material: &Material) -> Result<Lame, ConstraintError> {
    let Material { young, poisson, density } = *material;
    let (lambda, mu) = Material::new(young, poisson, density)?.lame();
    Ok(Lame { lambda, mu })
}

impl<L: IsotropicLaw> EnergyBatch for TetElastic<L> {
    fn kind(&self) -> &'static str {
        L::KIND
    }

    fn stencil(&self) -> &Stencil {
        &self.frames.stencil
    }

    fn project(&self, elements: Range<usize>, z: &mut [Vec3]) {
        for (element, z) in elements.zip(z.chunks_exact_mut(3)) {
            let f = Mat3::from_columns(&[z[0], z[1], z[2]]);
            write_columns(&(f - self.answer(element, &svd3(&f)).1), z);
        }
    }

    fn gather(&self, elements: Range<usize>, x: &[Vec3], dx: &mut [Vec3]) {
        self.frames.gather(elements, x, dx);
    }

    fn residual(&self, elements: Range<usize>, x: &[Vec3], r: &mut [Vec3]) {
        self.sweep(Level::best(), elements, x, Output::Residual, r);
    }

    fn energy_at(&self, elements: Range<usize>, x: &[Vec3], _r: &[Vec3]) -> Real {
        self.energy(elements, x)
    }

    fn energy(&self, elements: Range<usize>, x: &[Vec3]) -> Real {
        self.sweep(Level::best(), elements, x, Output::Energy, &mut [])
    }

    fn select(&self, order: &[u32]) -> Option<Box<dyn EnergyBatch>> {
        let lame: Vec<Lame> = order.iter().map(|&element| self.lame(element as usize)).collect();
        let lame = lame.chunks(BLOCK).map(side_by_side).collect();
        Some(Box::new(Self { frames: self.frames.select(order), lame, law: PhantomData }))
    }

    fn hessian(&self, elements: Range<usize>, x: &[Vec3], psd: Psd, out: &mut [Real]) {
        for (element, out) in elements.zip(out.chunks_exact_mut(81)) {
            let (svd, lame) = (svd3(&self.deformation_gradient(element, x)), self.lame(element));
            if L::density(lame, &svd.sigma).is_finite() {
                isotropic::hessian(&svd, L::curvature(lame, &svd.sigma), psd, self.volume(element), out);
            } else {
                out.fill(0.0);
                (0..9).for_each(|k| out[k * 9 + k] = self.frames.stencil.weight(element));
            }
        }
    }

    fn prox(&self, elements: Range<usize>, kappa: Real, z: &mut [Vec3]) {
        for (element, z) in elements.zip(z.chunks_exact_mut(3)) {
            let svd = svd3(&Mat3::from_columns(&[z[0], z[1], z[2]]));
            let sigma = prox::minimise::<L>(self.lame(element), kappa, &svd.sigma);
            write_columns(&svd.with(&sigma), z);
        }
    }

    fn force_vertices(&self) -> Option<(usize, &[u32])> {
        Some((4, self.frames.tets.as_flattened()))
    }

    fn forces(&self, elements: Range<usize>, x: &[Vec3], forces: &mut [Vec3]) -> Real {
        self.sweep(Level::best(), elements, x, Output::Forces, forces)
    }

    fn tetrahedron(&self, element: usize) -> Option<([u32; 4], Real)> {
        Some(self.frames.corners(element))
    }

    fn strain(&self, elements: Range<usize>, x: &[Vec3]) -> Strain {
        elements.fold(Strain::default(), |strain, element| {
            let sigma = svd3(&self.deformation_gradient(element, x)).sigma;
            let worst = sigma.iter().fold(0.0f64, |worst, s| worst.max((s - 1.0).abs()));
            strain.max(Strain { worst, inverted: usize::from(sigma.z <= 0.0) })
        })
    }
}
