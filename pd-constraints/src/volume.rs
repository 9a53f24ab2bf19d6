//! Volume of tetrahedra: keep the volume ratio det F in a range.
//!
//! W = ω V₀/2 · min_T |F − T|², over T with det T ∈ [min, max] (Bouaziz et al. 2014, section 5.2). The nearest T has
//! the singular vectors of F and the nearest singular values with that product (see `determinant_clamp.rs`). An inverted
//! element (det F < 0) recovers.

use crate::lanes::Level;
use crate::svd3::svd3;
use crate::tet_frame::TetFrames;
use crate::tet_lanes::{self, Product};
use crate::{ConstraintError, Weight, check, determinant_curvature, isotropic};
use pd_core::{BatchData, EnergyBatch, Psd, Real, Stencil, Strain, Vec3};
use std::ops::Range;

const KIND: &str = "volume";

/// A batch of tetrahedra with limited change of volume.
///
/// ```
/// use pd_constraints::Volume;
/// use pd_core::{EnergyBatch, Vec3};
/// let x = [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::zeros()];
/// let batch = Volume::new(&x, &[[0, 1, 2, 3]], 1000.0 /* Pa */, 1.0, 1.0)?;
/// let squeezed = [Vec3::x() * 2.0, Vec3::y() * 0.5, Vec3::z(), Vec3::zeros()];
/// assert!(batch.energy(0..1, &squeezed) < 1e-20);
/// assert!(batch.energy(0..1, &x.map(|p| p * 1.1)) > 1.0);
/// # Ok::<(), pd_constraints::ConstraintError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Volume {
    frames: TetFrames,
    law: Product,
}

impl Volume {
    /// Tetrahedra at rest in `positions`, whose volume over rest volume must lie in [min, max], 0 < min ≤ 1 ≤ max.
    /// `weight` is ω, Pa; it is multiplied by the rest volume of each element.
    pub fn new<'a>(
        positions: &[Vec3],
        tets: &[[u32; 4]],
        weight: impl Into<Weight<'a>>,
        min: Real,
        max: Real,
    ) -> Result<Self, ConstraintError> {
        check::range(KIND, 0, min, max)?;
        Ok(Self { frames: TetFrames::new(KIND, positions, tets, weight.into())?, law: Product { min, max } })
    }
}

impl EnergyBatch for Volume {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn stencil(&self) -> &Stencil {
        &self.frames.stencil
    }

    fn export(&self) -> Option<BatchData<'_>> {
        Some(BatchData::new(KIND, &self.frames.stencil).with_uniforms(&[self.law.min, self.law.max]))
    }

    fn project(&self, _elements: Range<usize>, z: &mut [Vec3]) {
        tet_lanes::project(Level::best(), self.law, z);
    }

    fn residual(&self, elements: Range<usize>, x: &[Vec3], r: &mut [Vec3]) {
        tet_lanes::residual(Level::best(), &self.frames, self.law, elements, x, r);
    }

    fn select(&self, order: &[u32]) -> Option<Box<dyn EnergyBatch>> {
        Some(Box::new(Self { frames: self.frames.select(order), law: self.law }))
    }

    fn hessian(&self, elements: Range<usize>, x: &[Vec3], psd: Psd, out: &mut [Real]) {
        let Product { min, max } = self.law;
        for (element, out) in elements.zip(out.chunks_exact_mut(81)) {
            let svd = svd3(&self.frames.gradient(element, x));
            let curvature = determinant_curvature::curvature(&svd.sigma, min, max);
            isotropic::hessian(&svd, curvature, psd, self.frames.stencil.weight(element), out);
        }
    }

    fn force_vertices(&self) -> Option<(usize, &[u32])> {
        Some((4, self.frames.tets.as_flattened()))
    }

    fn forces(&self, elements: Range<usize>, x: &[Vec3], forces: &mut [Vec3]) -> Real {
        tet_lanes::forces(Level::best(), &self.frames, self.law, elements, x, forces)
    }

    fn gather(&self, elements: Range<usize>, x: &[Vec3], dx: &mut [Vec3]) {
        self.frames.gather(elements, x, dx);
    }

    fn tetrahedron(&self, element: usize) -> Option<([u32; 4], Real)> {
        Some(self.frames.corners(element))
    }

    /// The worst |det F − 1|.
    fn strain(&self, elements: Range<usize>, x: &[Vec3]) -> Strain {
        elements.fold(Strain::default(), |strain, element| {
            let ratio = self.frames.gradient(element, x).determinant();
            strain.max(Strain { worst: (ratio - 1.0).abs(), inverted: usize::from(ratio <= 0.0) })
        })
    }
}
