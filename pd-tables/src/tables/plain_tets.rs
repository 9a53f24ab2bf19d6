//! The strain of tetrahedra done one element at a time with a scalar singular value decomposition: what a serial local
//! step costs without vector instructions.

use pd_constraints::{StrainRange, TetStrain, svd3};
use pd_core::{EnergyBatch, Mat3, Stencil, Vec3};
use std::ops::Range;

/// [`TetStrain`] with the projection written plainly.
pub(super) struct PlainTets {
    batch: TetStrain,
    range: StrainRange,
}

impl PlainTets {
    pub(super) fn new(batch: TetStrain, range: StrainRange) -> Self {
        Self { batch, range }
    }
}

impl EnergyBatch for PlainTets {
    fn kind(&self) -> &'static str {
        "plain-tets"
    }

    fn stencil(&self) -> &Stencil {
        self.batch.stencil()
    }

    fn gather(&self, elements: Range<usize>, x: &[Vec3], dx: &mut [Vec3]) {
        self.batch.gather(elements, x, dx);
    }

    fn project(&self, _: Range<usize>, z: &mut [Vec3]) {
        let StrainRange { min, max } = self.range;
        for z in z.chunks_exact_mut(3) {
            // Rows of D x are the columns of F.
            let svd = svd3(&Mat3::from_columns(z));
            let sigma = Vec3::from_fn(|axis, _| svd.sigma[axis].clamp(min[axis], max[axis]));
            let nearest = svd.u * Mat3::from_diagonal(&sigma) * svd.v.transpose();
            for (z, column) in z.iter_mut().zip(nearest.column_iter()) {
                *z = column.into_owned();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_vector_way() {
        let mesh = pd_mesh::generate::bar(3, 3, 4, 1.0).unwrap();
        let range = StrainRange::uniform(0.95, 1.05);
        let batch = TetStrain::new(&mesh.positions, &mesh.tets, 1000.0, range).unwrap();
        let x = super::super::local_step::deformed(&mesh.positions);
        let (mut fast, mut plain) =
            (vec![Vec3::zeros(); mesh.tets.len() * 3], vec![Vec3::zeros(); mesh.tets.len() * 3]);
        batch.residual(0..mesh.tets.len(), &x, &mut fast);
        PlainTets::new(batch, range).residual(0..mesh.tets.len(), &x, &mut plain);
        assert!(fast.iter().any(|r| r.norm() > 0.05), "the shape is strained");
        for (a, b) in fast.iter().zip(&plain) {
            assert!((a - b).amax() < 1e-12, "{a} {b}");
        }
    }
}
