//! The local step of triangles, several side by side.
//!
//! With C = FᵀF (2×2) and its eigenvalues λ₁ ≥ λ₂, σ = √λ, the matrix nearest to F with the singular values s is
//! T = F g(C), g(λ) = s/√λ: no vectors are needed, since a function of a 2×2 matrix is the line through its two values,
//! F − T = F (h₁ + (h₁ − h₂)/(λ₁ − λ₂) (C − λ₁)),   h = 1 − s/σ.
//! The quotient is not ill-conditioned where λ₁ = λ₂: C − λ₁ is as small as its denominator. λ₂ = |a × b|²/λ₁ keeps its
//! digits for thin triangles.

#[cfg(test)]
mod tests;

use crate::determinant_clamp;
use crate::determinant_clamp_lanes::clamp_product;
use crate::lanes::{
    Arithmetic, BLOCK, Instructions, Kernel, LARGEST_SQUARE, Lanes, Level, SMALLEST_SQUARE, cross, dot,
    gather,
};
use crate::length_lanes::blocks;
use crate::svd3::svd32;
use crate::tri_frame::TriFrames;
use pd_core::{Real, Vec3, as_flat_mut};
use std::ops::Range;

/// Least λ₂/λ₁; thinner triangles are done the plain way.
const MIN_RATIO: Real = 1e-4;

/// Keeps 0/0 away where both eigenvalues are equal.
const TINY: Real = 1e-150;

/// What the two singular values of an element must satisfy.
pub(crate) trait Law: Copy {
    /// The nearest admissible values, and 1 in the lanes where they are accurate, else 0.
    fn nearest<T: Lanes>(self, sigma: &[T; 2]) -> ([T; 2], T);

    /// The same, for all values.
    fn scalar(self, sigma: [Real; 2]) -> [Real; 2];
}

/// A range for each, the larger first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub(crate) min: [Real; 2],
    pub(crate) max: [Real; 2],
}

impl Law for Stretch {
    #[inline(always)]
    fn nearest<T: Lanes>(self, sigma: &[T; 2]) -> ([T; 2], T) {
        let (mut clamped, one) = (*sigma, sigma[0].fill(1.0));
        for k in 0..2 {
            clamped[k] = sigma[k].max(one.fill(self.min[k])).min(one.fill(self.max[k]));
        }
        (clamped, one)
    }

    fn scalar(self, sigma: [Real; 2]) -> [Real; 2] {
        std::array::from_fn(|k| sigma[k].max(self.min[k]).min(self.max[k]))
    }
}

/// A range for their product, which is the change of area.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product {
    pub(crate) min: Real,
    pub(crate) max: Real,
}

impl Law for Product {
    #[inline(always)]
    fn nearest<T: Lanes>(self, sigma: &[T; 2]) -> ([T; 2], T) {
        clamp_product(sigma, self.min, self.max)
    }

    fn scalar(self, sigma: [Real; 2]) -> [Real; 2] {
        determinant_clamp::clamp_product(sigma, self.min, self.max)
    }
}

/// r = F − project(F) of `elements`, at the positions `x`.
pub(crate) fn residual(
    level: Level,
    frames: &TriFrames,
    law: impl Law,
    elements: Range<usize>,
    x: &[Vec3],
    r: &mut [Vec3],
) {
    let mut block = Block::new();
    for (elements, r) in blocks(elements).zip(r.chunks_mut(2 * BLOCK)) {
        block.fill(level, frames, law, elements.clone(), x);
        gather::to_elements(&block.r, 0..elements.len(), as_flat_mut(r));
    }
}

/// The forces of `elements` on their corners, three each, and their energy, J.
pub(crate) fn forces(
    level: Level,
    frames: &TriFrames,
    law: impl Law,
    elements: Range<usize>,
    x: &[Vec3],
    forces: &mut [Vec3],
) -> Real {
    let mut block = Block::new();
    let mut energy = 0.0;
    for (elements, forces) in blocks(elements).zip(forces.chunks_mut(3 * BLOCK)) {
        block.fill(level, frames, law, elements.clone(), x);
        level.run(Corners { block: &mut block });
        gather::to_elements(&block.corners, 0..elements.len(), as_flat_mut(forces));
        energy += block.energies[..elements.len()].iter().sum::<Real>();
    }
    energy
}

/// A block of 3×2 deformation gradients, lanes side by side. Every array fills whole cache lines.
#[repr(C, align(64))]
struct Block {
    /// The two present edges: component c of edge k is `[3 k + c]`.
    edges: [[Real; BLOCK]; 6],
    /// Weights ω, N/m.
    weights: [Real; BLOCK],
    /// D_m⁻¹: the entries (0,0), (0,1), (1,1); (1,0) is zero.
    inverse: [[Real; BLOCK]; 3],
    /// Out: F, column after column.
    f: [[Real; BLOCK]; 6],
    /// Out: F − T, column after column.
    r: [[Real; BLOCK]; 6],
    /// Out: 1 where r is accurate, else 0.
    valid: [Real; BLOCK],
    /// Out: the forces on the three corners, one after another.
    corners: [[Real; BLOCK]; 9],
    /// Out: energies, J.
    energies: [Real; BLOCK],
}

impl Block {
    /// A block whose unused lanes are harmless.
    fn new() -> Self {
        let (zeros, ones) = ([0.0; BLOCK], [1.0; BLOCK]);
        Self {
            edges: [ones, zeros, zeros, zeros, ones, zeros],
            weights: ones,
            inverse: [ones, zeros, ones],
            f: [zeros; 6],
            r: [zeros; 6],
            valid: ones,
            corners: [zeros; 9],
            energies: zeros,
        }
    }

    /// F − T of up to a block of elements.
    fn fill(&mut self, level: Level, frames: &TriFrames, law: impl Law, elements: Range<usize>, x: &[Vec3]) {
        gather::edges(&frames.triangles[elements.clone()], x, &mut self.edges);
        gather::from_triples(&frames.inverse[elements.clone()], &mut self.inverse);
        self.weights[..elements.len()].copy_from_slice(&frames.stencil.weights()[elements.clone()]);
        if self.residual(level, law) {
            self.repair(law, elements.len());
        }
    }

    /// F and F − T in all lanes. Whether some lane is not valid.
    fn residual(&mut self, level: Level, law: impl Law) -> bool {
        let mut any = false;
        level.run(Work { block: self, law, any: &mut any });
        any
    }

    /// Processes the rejected lanes by the scalar path.
    #[cold]
    fn repair(&mut self, law: impl Law, count: usize) {
        for lane in (0..count).filter(|&lane| self.valid[lane] != 1.0) {
            let f = [column(&self.f, 0, lane), column(&self.f, 1, lane)];
            let svd = svd32(&f);
            let nearest = svd.with(law.scalar(svd.sigma));
            for entry in 0..6 {
                self.r[entry][lane] = f[entry / 3][entry % 3] - nearest[entry / 3][entry % 3];
            }
        }
    }
}

/// A column of the matrix in a lane.
fn column(lanes: &[[Real; BLOCK]; 6], k: usize, lane: usize) -> Vec3 {
    Vec3::new(lanes[3 * k][lane], lanes[3 * k + 1][lane], lanes[3 * k + 2][lane])
}

struct Work<'a, L> {
    block: &'a mut Block,
    law: L,
    any: &'a mut bool,
}

impl<L: Law> Kernel for Work<'_, L> {
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        let Self { block, law, any } = self;
        let mut at = 0;
        while at < BLOCK {
            let mut edges = [[instructions.load_wide(&block.edges[0][at..]); 3]; 2];
            for entry in 1..6 {
                edges[entry / 3][entry % 3] = instructions.load_wide(&block.edges[entry][at..]);
            }
            let i00 = instructions.load_wide(&block.inverse[0][at..]);
            let i01 = instructions.load_wide(&block.inverse[1][at..]);
            let i11 = instructions.load_wide(&block.inverse[2][at..]);
            let mut f = edges;
            for c in 0..3 {
                f[0][c] = edges[0][c] * i00;
                f[1][c] = edges[1][c].mul_add(i11, edges[0][c] * i01);
            }
            let (r, valid) = residual_of(&f, law);
            *any |= valid.any_not_above(0.0);
            for entry in 0..6 {
                f[entry / 3][entry % 3].store(&mut block.f[entry][at..]);
                r[entry / 3][entry % 3].store(&mut block.r[entry][at..]);
            }
            valid.store(&mut block.valid[at..]);
            at += I::Wide::COUNT;
        }
    }
}

/// Forces and energies of a block whose residuals are known: −ω Σ_j (D_m⁻¹)_ij r_j on corner i, and minus the sum of both
/// on the last.
struct Corners<'a> {
    block: &'a mut Block,
}

impl Kernel for Corners<'_> {
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        let Block { weights, inverse, r, corners, energies, .. } = self.block;
        for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
            let minus_weight = -instructions.load(&weights[at..]);
            let i00 = instructions.load(&inverse[0][at..]);
            let i01 = instructions.load(&inverse[1][at..]);
            let i11 = instructions.load(&inverse[2][at..]);
            let mut work = minus_weight.fill(0.0);
            for c in 0..3 {
                let (a, b) = (instructions.load(&r[c][at..]), instructions.load(&r[3 + c][at..]));
                let (pull_a, pull_b) = (a * minus_weight, b * minus_weight);
                work = a.mul_add(pull_a, b.mul_add(pull_b, work));
                let (first, second) = (pull_a.mul_add(i00, pull_b * i01), pull_b * i11);
                first.store(&mut corners[c][at..]);
                second.store(&mut corners[3 + c][at..]);
                (-(first + second)).store(&mut corners[6 + c][at..]);
            }
            (work * work.fill(-0.5)).store(&mut energies[at..]);
        }
    }
}

/// F − T for the columns of F, and 1 in the lanes where it is accurate, else 0.
#[inline(always)]
fn residual_of<T: Lanes>(f: &[[T; 3]; 2], law: impl Law) -> ([[T; 3]; 2], T) {
    let one = f[0][0].fill(1.0);
    let (zero, half) = (one.fill(0.0), one.fill(0.5));
    let (g00, g11, g01) = (dot(&f[0], &f[0]), dot(&f[1], &f[1]), dot(&f[0], &f[1]));
    let normal = cross(&f[0], &f[1]);
    let (mean, half_difference) = ((g00 + g11) * half, (g00 - g11) * half);
    let square = half_difference.mul_add(half_difference, g01 * g01) + one.fill(TINY);
    let gap = square * square.rsqrt();
    let first = mean + gap;
    let second = dot(&normal, &normal) * first.recip();
    let inverse = [first.rsqrt(), second.rsqrt()];
    let sigma = [first * inverse[0], second * inverse[1]];
    let (nearest, found) = law.nearest(&sigma);
    let mut h = inverse;
    for k in 0..2 {
        h[k] = (sigma[k] - nearest[k]) * inverse[k];
    }
    let slope = (h[0] - h[1]) * (gap + gap).recip();
    let diagonal = [slope.mul_add(g00 - first, h[0]), slope.mul_add(g11 - first, h[0])];
    let other = slope * g01;
    let mut r = *f;
    for c in 0..3 {
        r[0][c] = f[0][c].mul_add(diagonal[0], f[1][c] * other);
        r[1][c] = f[1][c].mul_add(diagonal[1], f[0][c] * other);
    }
    let mut valid = (first * one.fill(MIN_RATIO)).if_less(second, found, zero);
    valid = first.if_less(one.fill(LARGEST_SQUARE), valid, zero);
    valid = one.fill(SMALLEST_SQUARE).if_less(second, valid, zero);
    (r, valid)
}
