//! The linear system of a Newton step: elastic blocks on a fixed pattern, contact blocks anywhere, by conjugate gradients with the
//! blocks on the diagonal as preconditioner.

use super::terms::TermSum;
use crate::block_csr::BlockCsr;
use crate::implicit::{dot, resize};
use pd_core::{Mat3, Model, Real, StepReport, Vec3};

/// Residual, as a part of the first, at which the solve ends.
const TOLERANCE: Real = 1e-4;
/// Most iterations.
const MOST: usize = 400;

/// The method with its scratch.
#[derive(Default)]
pub(super) struct ConjugateGradients {
    x: Vec<Vec3>,
    r: Vec<Vec3>,
    z: Vec<Vec3>,
    p: Vec<Vec3>,
    q: Vec<Vec3>,
    /// Inverse of the blocks on the diagonal.
    inverse: Vec<Mat3>,
}

impl ConjugateGradients {
    /// Makes room for so many vertices.
    pub(super) fn prepare(&mut self, vertices: usize) {
        for scratch in [&mut self.x, &mut self.r, &mut self.z, &mut self.p, &mut self.q] {
            resize(scratch, vertices);
        }
        self.inverse.clear();
        self.inverse.resize(vertices, Mat3::zeros());
    }

    /// The displacements that balance the forces `b`.
    pub(super) fn solve(
        &mut self,
        model: &Model,
        elastic: &BlockCsr,
        terms: &TermSum,
        b: &[Vec3],
        report: &mut StepReport,
    ) -> &[Vec3] {
        let Self { x, r, z, p, q, inverse } = self;
        invert_diagonal(elastic, terms, inverse);
        let precondition = |r: &[Vec3], z: &mut [Vec3]| {
            z.iter_mut().zip(r.iter().zip(&*inverse)).for_each(|(z, (r, d))| *z = d * r);
            model.clear_kinematic(z);
        };
        x.fill(Vec3::zeros());
        r.copy_from_slice(b);
        precondition(r, z);
        p.copy_from_slice(z);
        let mut rz = dot(r, z);
        let first = rz;
        for _ in 0..MOST {
            if !(rz > TOLERANCE * TOLERANCE * first && rz > 0.0) {
                break;
            }
            elastic.multiply(p, q);
            for (v, blocks) in &terms.blocks.pairs {
                for (a, &i) in v.iter().enumerate() {
                    let sum: Vec3 = v.iter().zip(&blocks[a]).map(|(&j, block)| block * p[j as usize]).sum();
                    q[i as usize] += sum;
                }
            }
            for (v, block) in &terms.blocks.points {
                q[*v as usize] += block * p[*v as usize];
            }
            model.clear_kinematic(q);
            let alpha = rz / dot(p, q);
            for i in 0..x.len() {
                x[i] += p[i] * alpha;
                r[i] -= q[i] * alpha;
            }
            precondition(r, z);
            let next = dot(r, z);
            let beta = next / rz;
            rz = next;
            p.iter_mut().zip(&*z).for_each(|(p, z)| *p = z + *p * beta);
            report.linear_iterations += 1;
        }
        x
    }
}

fn invert_diagonal(elastic: &BlockCsr, terms: &TermSum, diagonal: &mut [Mat3]) {
    let pattern = elastic.pattern();
    for (i, block) in diagonal.iter_mut().enumerate() {
        let place = pattern.row(i).partition_point(|&column| (column as usize) < i);
        *block = elastic.blocks()[pattern.offsets()[i] + place];
    }
    for (v, blocks) in &terms.blocks.pairs {
        v.iter().enumerate().for_each(|(a, &i)| diagonal[i as usize] += blocks[a][a]);
    }
    for (v, block) in &terms.blocks.points {
        diagonal[*v as usize] += block;
    }
    diagonal.iter_mut().for_each(|block| *block = block.try_inverse().unwrap_or_else(Mat3::identity));
}
