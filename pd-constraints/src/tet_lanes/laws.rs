//! What the strain of a tetrahedron may have to satisfy.

use super::{Columns, Law};
use crate::determinant_clamp_lanes::clamp_product;
use crate::lanes::{BLOCK, Instructions, Lanes, cross, dot};
use crate::matrix_lanes::{Matrices, Scratch, load_wide, store};
use crate::svd_lanes::Svd;
use crate::svd3::svd3;
use crate::{determinant_clamp, polar, rotation_lanes, stretch_lanes, volume_lanes};
use pd_core::{Mat3, Real, Vec3};

/// Every singular value is 1: the nearest rotation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rigid;

impl Law for Rigid {
    #[inline(always)]
    fn residual<I: Instructions>(
        self,
        instructions: I,
        f: &Matrices,
        r: &mut Matrices,
        valid: &mut [Real; BLOCK],
        scratch: &mut Scratch,
    ) {
        rotation_lanes::residual(instructions, f, r, valid, scratch);
    }

    #[inline(always)]
    fn by_svd<T: Lanes>(self, f: &Columns<T>) -> (Columns<T>, T) {
        let svd = Svd::new(f);
        (svd.residual(f, &[f[0][0].fill(1.0); 3]), svd.valid)
    }

    fn scalar(self, f: &Mat3) -> Mat3 {
        polar::nearest_rotation(f).unwrap_or_else(|| svd3(f).with(&Vec3::repeat(1.0)))
    }
}

/// Singular values in one range for all axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    /// Least value.
    pub(crate) min: Real,
    /// Greatest value.
    pub(crate) max: Real,
}

impl Law for Stretch {
    #[inline(always)]
    fn residual<I: Instructions>(
        self,
        instructions: I,
        f: &Matrices,
        r: &mut Matrices,
        valid: &mut [Real; BLOCK],
        scratch: &mut Scratch,
    ) {
        stretch_lanes::residual(instructions, f, r, valid, scratch, [self.min, self.max]);
    }

    #[inline(always)]
    fn by_svd<T: Lanes>(self, f: &Columns<T>) -> (Columns<T>, T) {
        Axes { min: [self.min; 3], max: [self.max; 3] }.by_svd(f)
    }

    fn scalar(self, f: &Mat3) -> Mat3 {
        Axes { min: [self.min; 3], max: [self.max; 3] }.scalar(f)
    }
}

/// Singular values in a range for each axis, the largest first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axes {
    /// Least values.
    pub(crate) min: [Real; 3],
    /// Greatest values.
    pub(crate) max: [Real; 3],
}

impl Law for Axes {
    #[inline(always)]
    fn residual<I: Instructions>(
        self,
        instructions: I,
        f: &Matrices,
        r: &mut Matrices,
        valid: &mut [Real; BLOCK],
        _: &mut Scratch,
    ) {
        all_careful(self, instructions, f, r, valid);
    }

    #[inline(always)]
    fn by_svd<T: Lanes>(self, f: &Columns<T>) -> (Columns<T>, T) {
        let svd = Svd::new(f);
        let mut clamped = svd.sigma;
        for k in 0..3 {
            let (min, max) = (clamped[k].fill(self.min[k]), clamped[k].fill(self.max[k]));
            clamped[k] = clamped[k].max(min).min(max);
        }
        (svd.residual(f, &clamped), svd.valid)
    }

    fn scalar(self, f: &Mat3) -> Mat3 {
        let svd = svd3(f);
        svd.with(&Vec3::from_fn(|k, _| svd.sigma[k].max(self.min[k]).min(self.max[k])))
    }
}

/// The product of the singular values, which is the change of volume, in a range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product {
    /// Least product, above 0.
    pub(crate) min: Real,
    /// Greatest product.
    pub(crate) max: Real,
}

impl Law for Product {
    #[inline(always)]
    fn residual<I: Instructions>(
        self,
        instructions: I,
        f: &Matrices,
        r: &mut Matrices,
        valid: &mut [Real; BLOCK],
        scratch: &mut Scratch,
    ) {
        volume_lanes::residual(instructions, f, r, valid, scratch, [self.min, self.max]);
    }

    #[inline(always)]
    fn by_svd<T: Lanes>(self, f: &Columns<T>) -> (Columns<T>, T) {
        let det = dot(&f[0], &cross(&f[1], &f[2]));
        let (zero, one) = (det.fill(0.0), det.fill(1.0));
        // The product of the singular values is det F: 1 in the lanes where it is in the range already.
        let (min, max) = (det.fill(self.min), det.fill(self.max));
        let inside = det.if_less(min, zero, max.if_less(det, zero, one));
        let svd = Svd::new(f);
        let (nearest, converged) = clamp_product(&svd.sigma, self.min, self.max);
        let mut residual = svd.residual(f, &nearest);
        for column in &mut residual {
            for entry in column {
                *entry = zero.if_less(inside, zero, *entry);
            }
        }
        (residual, svd.valid * converged)
    }

    fn scalar(self, f: &Mat3) -> Mat3 {
        let svd = svd3(f);
        svd.with(&determinant_clamp::clamp_product(svd.sigma.into(), self.min, self.max).into())
    }
}

/// A block by singular vectors.
#[inline(always)]
fn all_careful<I: Instructions>(
    law: impl Law,
    instructions: I,
    f: &Matrices,
    r: &mut Matrices,
    valid: &mut [Real; BLOCK],
) {
    for at in (0..BLOCK).step_by(I::Wide::COUNT) {
        let (change, flags) = law.by_svd(&load_wide(instructions, f, at));
        store(&change, r, at);
        flags.store(&mut valid[at..]);
    }
}
