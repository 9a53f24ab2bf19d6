//! Area of triangles: keep the ratio of area to rest area in a range.
//!
//! W = ω A₀/2 · min_T |F − T|², over 3×2 matrices T whose singular values have a product in [min, max] (Bouaziz et
//! al. 2014, section 5.2). The nearest T has the singular vectors of F and the nearest singular values with that
//! product (see `determinant_clamp.rs`).

use crate::lanes::Level;
use crate::tri_frame::{self, TriFrames};
use crate::tri_lanes::{self, Law, Product};
use crate::{ConstraintError, Weight, check, determinant_curvature, isotropic};
use pd_core::{BatchData, EnergyBatch, Psd, Real, Stencil, Strain, Vec3};
use std::ops::Range;

const KIND: &str = "area";

/// A batch of triangles with limited change of area.
#[derive(Clone, Debug)]
pub struct Area {
    frames: TriFrames,
    law: Product,
}

impl Area {
    /// Triangles at rest in `positions`, whose area over rest area must lie in [min, max], 0 < min ≤ 1 ≤ max.
    /// `weight` is ω, N/m; it is multiplied by the rest area of each element.
    ///
    /// ```
    /// use pd_constraints::Area;
    /// use pd_core::{EnergyBatch, Vec3};
    /// let x = [Vec3::zeros(), Vec3::x(), Vec3::y()];
    /// let batch = Area::new(&x, &[[0, 1, 2]], 100.0, 1.0, 1.0)?;
    /// assert!(batch.energy(0..1, &[Vec3::zeros(), Vec3::x() * 2.0, Vec3::y() * 0.5]) < 1e-20);
    /// # Ok::<(), pd_constraints::ConstraintError>(())
    /// ```
    pub fn new<'a>(
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        weight: impl Into<Weight<'a>>,
        min: Real,
        max: Real,
    ) -> Result<Self, ConstraintError> {
        check::range(KIND, 0, min, max)?;
        Ok(Self {
            frames: TriFrames::new(KIND, positions, triangles, weight.into())?,
            law: Product { min, max },
        })
    }
}

impl EnergyBatch for Area {
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
        tri_frame::project(z, |sigma| self.law.scalar(sigma));
    }

    fn residual(&self, elements: Range<usize>, x: &[Vec3], r: &mut [Vec3]) {
        tri_lanes::residual(Level::best(), &self.frames, self.law, elements, x, r);
    }

    fn select(&self, order: &[u32]) -> Option<Box<dyn EnergyBatch>> {
        Some(Box::new(Self { frames: self.frames.select(order), law: self.law }))
    }

    fn hessian(&self, elements: Range<usize>, x: &[Vec3], psd: Psd, out: &mut [Real]) {
        let Product { min, max } = self.law;
        for (element, out) in elements.zip(out.chunks_exact_mut(36)) {
            let svd = self.frames.svd(element, x);
            let curvature = determinant_curvature::curvature2(svd.sigma, min, max);
            isotropic::hessian32(&svd, curvature, psd, self.frames.stencil.weight(element), out);
        }
    }

    fn force_vertices(&self) -> Option<(usize, &[u32])> {
        Some((3, self.frames.triangles.as_flattened()))
    }

    fn forces(&self, elements: Range<usize>, x: &[Vec3], forces: &mut [Vec3]) -> Real {
        tri_lanes::forces(Level::best(), &self.frames, self.law, elements, x, forces)
    }

    fn gather(&self, elements: Range<usize>, x: &[Vec3], dx: &mut [Vec3]) {
        self.frames.gather(elements, x, dx);
    }

    /// The worst |area/rest area − 1|.
    fn strain(&self, elements: Range<usize>, x: &[Vec3]) -> Strain {
        let worst = elements.fold(0.0f64, |worst, element| {
            let [s0, s1] = self.frames.svd(element, x).sigma;
            worst.max((s0 * s1 - 1.0).abs())
        });
        Strain { worst, inverted: 0 }
    }
}
