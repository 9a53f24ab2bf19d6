//! Strain of triangles: keep the singular values of the 3×2 deformation gradient in a range.
//!
//! W = ω A₀/2 · min_T |F − T|², over T = U diag(s) Vᵀ with orthonormal columns U (3×2), a rotation V (2×2) and
//! s_i ∈ [min_i, max_i] (Bouaziz et al. 2014, section 5.1). The nearest T clamps the singular values of F. A
//! triangle in space cannot invert. Bending costs no energy: add [`Bending`](crate::Bending).

use crate::lanes::Level;
use crate::tri_frame::{self, TriFrames};
use crate::tri_lanes::{self, Law, Stretch};
use crate::{ConstraintError, StrainRange, Weight, isotropic};
use pd_core::{BatchData, EnergyBatch, Psd, Real, Stencil, Strain, Vec3};
use std::ops::Range;

const KIND: &str = "triangle-strain";

/// A batch of triangles with limited strain.
#[derive(Clone, Debug)]
pub struct TriStrain {
    frames: TriFrames,
    range: StrainRange,
}

impl TriStrain {
    /// Triangles at rest in `positions`. `weight` is ω, N/m; it is multiplied by the rest area of each element. The
    /// first two axes of `range` count.
    ///
    /// ```
    /// use pd_constraints::{StrainRange, TriStrain};
    /// use pd_core::{EnergyBatch, Vec3};
    /// let x = [Vec3::zeros(), Vec3::x(), Vec3::y()];
    /// let batch = TriStrain::new(&x, &[[0, 1, 2]], 100.0, StrainRange::RIGID)?;
    /// let stretched = [Vec3::zeros(), Vec3::x() * 1.1, Vec3::y()];
    /// assert!((batch.energy(0..1, &stretched) - 100.0 * 0.5 * 0.5 * 0.01).abs() < 1e-12);
    /// # Ok::<(), pd_constraints::ConstraintError>(())
    /// ```
    pub fn new<'a>(
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        weight: impl Into<Weight<'a>>,
        range: StrainRange,
    ) -> Result<Self, ConstraintError> {
        let range = range.checked(KIND, 2)?;
        Ok(Self { frames: TriFrames::new(KIND, positions, triangles, weight.into())?, range })
    }

    fn law(&self) -> Stretch {
        let StrainRange { min, max } = self.range;
        Stretch { min: [min[0], min[1]], max: [max[0], max[1]] }
    }
}

impl EnergyBatch for TriStrain {
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
        tri_frame::project(z, |sigma| self.law().scalar(sigma));
    }

    fn residual(&self, elements: Range<usize>, x: &[Vec3], r: &mut [Vec3]) {
        tri_lanes::residual(Level::best(), &self.frames, self.law(), elements, x, r);
    }

    fn select(&self, order: &[u32]) -> Option<Box<dyn EnergyBatch>> {
        Some(Box::new(Self { frames: self.frames.select(order), range: self.range }))
    }

    fn hessian(&self, elements: Range<usize>, x: &[Vec3], psd: Psd, out: &mut [Real]) {
        for (element, out) in elements.zip(out.chunks_exact_mut(36)) {
            let svd = self.frames.svd(element, x);
            let (curvature, weight) = (self.range.curvature2(svd.sigma), self.frames.stencil.weight(element));
            isotropic::hessian32(&svd, curvature, psd, weight, out);
        }
    }

    fn force_vertices(&self) -> Option<(usize, &[u32])> {
        Some((3, self.frames.triangles.as_flattened()))
    }

    fn forces(&self, elements: Range<usize>, x: &[Vec3], forces: &mut [Vec3]) -> Real {
        tri_lanes::forces(Level::best(), &self.frames, self.law(), elements, x, forces)
    }

    fn gather(&self, elements: Range<usize>, x: &[Vec3], dx: &mut [Vec3]) {
        self.frames.gather(elements, x, dx);
    }

    fn strain(&self, elements: Range<usize>, x: &[Vec3]) -> Strain {
        let worst = elements.fold(0.0f64, |worst, element| {
            let [s0, s1] = self.frames.svd(element, x).sigma;
            worst.max((s0 - 1.0).abs()).max((s1 - 1.0).abs())
        });
        Strain { worst, inverted: 0 }
    }
}
