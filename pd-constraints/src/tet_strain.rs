//! Strain of tetrahedra: keep the singular values of the deformation gradient in a range.
//!
//! W = ω V₀/2 · min_T |F − T|², over T = U diag(s) Vᵀ with rotations U, V and s_i ∈ [min_i, max_i] (Bouaziz et al.
//! 2014, section 5.1). With F = U diag(σ) Vᵀ, σ₃ carrying the sign of det F, the nearest T has s_i = clamp(σ_i): an
//! inverted element (σ₃ < 0) goes to s₃ = min₃, not to the mirror image of its clamped size, which is farther away.
//! With the range [1, 1], T is the nearest rotation and W the as-rigid-as-possible energy; see
//! [`material`](crate::material) for the material it makes.

use crate::lanes::Level;
use crate::svd3::svd3;
use crate::tet_frame::TetFrames;
use crate::tet_lanes::{self, Axes, Rigid, Stretch};
use crate::{ConstraintError, StrainRange, Weight, isotropic};
use pd_core::{BatchData, EnergyBatch, Mat3, Psd, Real, Stencil, Strain, Vec3};
use std::ops::Range;

const KIND: &str = "tet-strain";

/// A batch of tetrahedra with limited strain.
///
/// ```
/// use pd_constraints::{StrainRange, TetStrain};
/// use pd_core::{EnergyBatch, Vec3};
/// let x = [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::zeros()];
/// let batch = TetStrain::new(&x, &[[0, 1, 2, 3]], 1000.0 /* Pa */, StrainRange::uniform(0.95, 1.05))?;
/// let wider = x.map(|p| p * 1.25);
/// // Three singular values exceed the range by 0.2; the rest volume is 1/6 m³.
/// assert!((batch.energy(0..1, &wider) - 1000.0 / 6.0 * 0.5 * 3.0 * 0.04).abs() < 1e-12);
/// # Ok::<(), pd_constraints::ConstraintError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TetStrain {
    frames: TetFrames,
    range: StrainRange,
}

impl TetStrain {
    /// Tetrahedra at rest in `positions`, of either orientation. `weight` is ω, Pa; it is multiplied by the rest
    /// volume of each element.
    pub fn new<'a>(
        positions: &[Vec3],
        tets: &[[u32; 4]],
        weight: impl Into<Weight<'a>>,
        range: StrainRange,
    ) -> Result<Self, ConstraintError> {
        let range = range.checked(KIND, 3)?;
        Ok(Self { frames: TetFrames::new(KIND, positions, tets, weight.into())?, range })
    }

    /// The deformation gradient of an element.
    pub fn deformation_gradient(&self, element: usize, x: &[Vec3]) -> Mat3 {
        self.frames.gradient(element, x)
    }

    fn law(&self) -> StrainLaw {
        let StrainRange { min, max } = self.range;
        if self.range == StrainRange::RIGID {
            StrainLaw::Rigid
        } else if min == [min[0]; 3] && max == [max[0]; 3] {
            StrainLaw::Uniform(Stretch { min: min[0], max: max[0] })
        } else {
            StrainLaw::PerAxis(Axes { min, max })
        }
    }
}

/// Ways to project, the special ones faster.
enum StrainLaw {
    Rigid,
    Uniform(Stretch),
    PerAxis(Axes),
}

impl EnergyBatch for TetStrain {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn stencil(&self) -> &Stencil {
        &self.frames.stencil
    }

    fn export(&self) -> Option<BatchData<'_>> {
        let StrainRange { min, max } = self.range;
        let range = [min[0], min[1], min[2], max[0], max[1], max[2]];
        Some(BatchData::new(KIND, &self.frames.stencil).with_uniforms(&range))
    }

    fn project(&self, _elements: Range<usize>, z: &mut [Vec3]) {
        match self.law() {
            StrainLaw::Rigid => tet_lanes::project(Level::best(), Rigid, z),
            StrainLaw::Uniform(law) => tet_lanes::project(Level::best(), law, z),
            StrainLaw::PerAxis(law) => tet_lanes::project(Level::best(), law, z),
        }
    }

    fn residual(&self, elements: Range<usize>, x: &[Vec3], r: &mut [Vec3]) {
        match self.law() {
            StrainLaw::Rigid => tet_lanes::residual(Level::best(), &self.frames, Rigid, elements, x, r),
            StrainLaw::Uniform(law) => tet_lanes::residual(Level::best(), &self.frames, law, elements, x, r),
            StrainLaw::PerAxis(law) => tet_lanes::residual(Level::best(), &self.frames, law, elements, x, r),
        }
    }

    fn select(&self, order: &[u32]) -> Option<Box<dyn EnergyBatch>> {
        Some(Box::new(Self { frames: self.frames.select(order), range: self.range }))
    }

    fn hessian(&self, elements: Range<usize>, x: &[Vec3], psd: Psd, out: &mut [Real]) {
        for (element, out) in elements.zip(out.chunks_exact_mut(81)) {
            let svd = svd3(&self.deformation_gradient(element, x));
            let (curvature, weight) = (self.range.curvature(&svd.sigma), self.frames.stencil.weight(element));
            isotropic::hessian(&svd, curvature, psd, weight, out);
        }
    }

    fn force_vertices(&self) -> Option<(usize, &[u32])> {
        Some((4, self.frames.tets.as_flattened()))
    }

    fn forces(&self, elements: Range<usize>, x: &[Vec3], forces: &mut [Vec3]) -> Real {
        let (level, frames) = (Level::best(), &self.frames);
        match self.law() {
            StrainLaw::Rigid => tet_lanes::forces(level, frames, Rigid, elements, x, forces),
            StrainLaw::Uniform(law) => tet_lanes::forces(level, frames, law, elements, x, forces),
            StrainLaw::PerAxis(law) => tet_lanes::forces(level, frames, law, elements, x, forces),
        }
    }

    fn gather(&self, elements: Range<usize>, x: &[Vec3], dx: &mut [Vec3]) {
        self.frames.gather(elements, x, dx);
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
