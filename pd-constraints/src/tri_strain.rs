//! Strain of triangles: keep the singular values of the 3×2 deformation gradient in a range.
//!
//! W = ω A₀/2 · min_T |F − T|², over T = U diag(s) Vᵀ with orthonormal columns U (3×2), a rotation V (2×2) and
//! s_i ∈ [min_i, max_i] (Bouaziz et al. 2014, section 5.1). The nearest T clamps the singular values of F. A
//! triangle in space has no inside, so it cannot invert. Bending is not seen: add [`Bending`](crate::Bending).

use crate::lanes::{BLOCK, Level};
use crate::length_lanes::blocks;
use crate::tri_frame::{self, TriFrames};
use crate::tri_lanes::Block;
use crate::{ConstraintError, StrainRange, Weight};
use pd_core::{BatchData, EnergyBatch, Real, Stencil, Strain, Vec3};
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

    /// F − project(F) of up to a block of elements.
    fn fill(&self, elements: Range<usize>, x: &[Vec3], block: &mut Block) {
        for (lane, element) in elements.clone().enumerate().take(BLOCK) {
            let edges = tri_frame::edges(x, &self.frames.triangles[element]);
            for entry in 0..6 {
                block.edges[entry][lane] = edges[entry / 3][entry % 3];
            }
            for entry in 0..3 {
                block.inverse[entry][lane] = self.frames.inverse[element][entry];
            }
        }
        let StrainRange { min, max } = self.range;
        if block.residual(Level::best(), [min[0], min[1]], [max[0], max[1]]) {
            self.repair(elements.len(), block);
        }
    }

    /// Does the lanes that were given up again, the plain way.
    #[cold]
    fn repair(&self, count: usize, block: &mut Block) {
        for lane in (0..count).filter(|&lane| block.sound[lane] != 1.0) {
            let f = [column(&block.f, 0, lane), column(&block.f, 1, lane)];
            let mut nearest = f;
            self.project(0..1, &mut nearest);
            for entry in 0..6 {
                block.r[entry][lane] = f[entry / 3][entry % 3] - nearest[entry / 3][entry % 3];
            }
        }
    }
}

/// A column of the matrix in a lane.
fn column(lanes: &[[Real; BLOCK]; 6], k: usize, lane: usize) -> Vec3 {
    Vec3::new(lanes[3 * k][lane], lanes[3 * k + 1][lane], lanes[3 * k + 2][lane])
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
        tri_frame::project(z, |[s0, s1]| [self.range.clamp(0, s0), self.range.clamp(1, s1)]);
    }

    fn residual(&self, elements: Range<usize>, x: &[Vec3], r: &mut [Vec3]) {
        let mut block = Block::new();
        for (elements, r) in blocks(elements).zip(r.chunks_mut(2 * BLOCK)) {
            self.fill(elements, x, &mut block);
            for (lane, r) in r.chunks_exact_mut(2).enumerate() {
                for k in 0..2 {
                    r[k] = column(&block.r, k, lane);
                }
            }
        }
    }

    fn corners(&self) -> Option<(usize, &[u32])> {
        Some((3, self.frames.triangles.as_flattened()))
    }

    fn forces(&self, elements: Range<usize>, x: &[Vec3], forces: &mut [Vec3]) -> Real {
        let mut block = Block::new();
        let mut energy = 0.0;
        for (elements, forces) in blocks(elements).zip(forces.chunks_mut(3 * BLOCK)) {
            self.fill(elements.clone(), x, &mut block);
            let corners = forces.as_chunks_mut::<3>().0;
            for ((lane, element), corners) in elements.enumerate().zip(corners) {
                let weight = self.frames.stencil.weight(element);
                let [i00, i01, i11] = self.frames.inverse[element];
                let (a, b) = (column(&block.r, 0, lane), column(&block.r, 1, lane));
                let (first, second) = ((a * i00 + b * i01) * -weight, b * (-weight * i11));
                *corners = [first, second, -first - second];
                energy += 0.5 * weight * (a.norm_squared() + b.norm_squared());
            }
        }
        energy
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
