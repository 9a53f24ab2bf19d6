//! The linear system of a Newton step: elastic blocks on a fixed pattern, contact blocks anywhere, by conjugate gradients with the
//! blocks on the diagonal as preconditioner.

use super::terms::TermSum;
use crate::block_csr::BlockCsr;
use crate::implicit::dot;
use pd_core::{Mat3, Model, Real, StepReport, Vec3};

/// Residual, as a part of the first, at which the solve ends.
const TOLERANCE: Real = 1e-4;
/// Most iterations.
const MOST: usize = 400;

pub(super) fn conjugate_gradients(
    model: &Model,
    elastic: &BlockCsr,
    terms: &TermSum,
    b: &[Vec3],
    report: &mut StepReport,
) -> Vec<Vec3> {
    let inverse = inverse_diagonal(elastic, terms, b.len());
    let precondition = |r: &[Vec3]| -> Vec<Vec3> {
        let mut z: Vec<Vec3> = r.iter().zip(&inverse).map(|(r, d)| d * r).collect();
        model.clear_kinematic(&mut z);
        z
    };
    let mut x = vec![Vec3::zeros(); b.len()];
    let (mut r, mut z) = (b.to_vec(), precondition(b));
    let mut p = z.clone();
    let mut q = x.clone();
    let mut rz = dot(&r, &z);
    let first = rz;
    for _ in 0..MOST {
        if !(rz > TOLERANCE * TOLERANCE * first && rz > 0.0) {
            break;
        }
        elastic.multiply(&p, &mut q);
        for (v, blocks) in &terms.pairs {
            for (a, &i) in v.iter().enumerate() {
                let sum: Vec3 = v.iter().zip(&blocks[a]).map(|(&j, block)| block * p[j as usize]).sum();
                q[i as usize] += sum;
            }
        }
        for (v, block) in &terms.points {
            q[*v as usize] += block * p[*v as usize];
        }
        model.clear_kinematic(&mut q);
        let alpha = rz / dot(&p, &q);
        for i in 0..x.len() {
            x[i] += p[i] * alpha;
            r[i] -= q[i] * alpha;
        }
        z = precondition(&r);
        let next = dot(&r, &z);
        let beta = next / rz;
        rz = next;
        p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + *p * beta);
        report.linear_iterations += 1;
    }
    x
}

fn inverse_diagonal(elastic: &BlockCsr, terms: &TermSum, vertices: usize) -> Vec<Mat3> {
    let pattern = elastic.pattern();
    let mut diagonal: Vec<Mat3> = (0..vertices)
        .map(|i| {
            let place = pattern.row(i).partition_point(|&column| (column as usize) < i);
            elastic.blocks()[pattern.offsets()[i] + place]
        })
        .collect();
    for (v, blocks) in &terms.pairs {
        v.iter().enumerate().for_each(|(a, &i)| diagonal[i as usize] += blocks[a][a]);
    }
    for (v, block) in &terms.points {
        diagonal[*v as usize] += block;
    }
    diagonal.iter().map(|block| block.try_inverse().unwrap_or_else(Mat3::identity)).collect()
}
