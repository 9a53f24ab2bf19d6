//! The loops over elements, compiled for each set of instructions.

use super::{Fallback, Law};
use crate::lanes::{Aligned, Arithmetic, BLOCK, Instructions, Kernel, Lanes, combine, dot, gather, prefetch};
use crate::matrix_lanes::{Matrices, Scratch, load, load_wide, store};
use crate::tet_frame::{InverseBlock, TetFrames};
use pd_core::{Real, Vec3, as_flat_mut};
use std::ops::Range;

/// F − project(F) of a range, the fast way.
pub(super) struct Residual<'a, L> {
    pub(super) frames: &'a TetFrames,
    pub(super) law: L,
    pub(super) elements: Range<usize>,
    pub(super) x: &'a [Vec3],
    pub(super) r: &'a mut [Vec3],
    pub(super) fallback: &'a mut Fallback,
}

impl<L: Law> Kernel for Residual<'_, L> {
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        let Self { frames, law, elements, x, r, fallback } = self;
        let mut block = Block::new();
        // Lanes outside of the range are computed and not written.
        let mut first = elements.start / BLOCK * BLOCK;
        while first < elements.end {
            block.residual(instructions, frames, law, first, x);
            let used = elements.start.max(first) - first..elements.end.min(first + BLOCK) - first;
            let begin = 3 * (first + used.start - elements.start);
            let rows = as_flat_mut(&mut r[begin..begin + 3 * used.len()]);
            gather::to_elements(&block.r, used.clone(), rows);
            if block.some_unsound(instructions) {
                note(&block.valid, used, first, fallback);
            }
            first += BLOCK;
        }
    }
}

/// Forces and energies of a range, the fast way.
pub(super) struct Forces<'a, L> {
    pub(super) frames: &'a TetFrames,
    pub(super) law: L,
    pub(super) elements: Range<usize>,
    pub(super) x: &'a [Vec3],
    pub(super) forces: &'a mut [Vec3],
    pub(super) energy: &'a mut Real,
    pub(super) fallback: &'a mut Fallback,
}

impl<L: Law> Kernel for Forces<'_, L> {
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        let Self { frames, law, elements, x, forces, energy, fallback } = self;
        let weights = frames.stencil.weights();
        let mut block = Block::new();
        let (mut corners, mut energies) = (Aligned([[0.0; BLOCK]; 12]), Aligned([0.0; BLOCK]));
        let mut first = elements.start / BLOCK * BLOCK;
        while first < elements.end {
            block.residual(instructions, frames, law, first, x);
            let mut filled = [0.0; BLOCK];
            let weights = block_of(weights, first, &mut filled);
            let inverse = &frames.inverse[first / BLOCK].0;
            for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
                let work = corner_forces(instructions, &block.r, inverse, weights, at, &mut corners.0);
                (work * work.fill(-0.5)).store(&mut energies.0[at..]);
            }
            let used = elements.start.max(first) - first..elements.end.min(first + BLOCK) - first;
            if block.some_unsound(instructions) {
                note(&block.valid, used.clone(), first, fallback);
                for lane in (0..BLOCK).filter(|&lane| block.valid[lane] != 1.0) {
                    energies.0[lane] = 0.0; // counted when it is done again
                }
            }
            let begin = 4 * (first + used.start - elements.start);
            let rows = as_flat_mut(&mut forces[begin..begin + 4 * used.len()]);
            gather::to_elements(&corners.0, used.clone(), rows);
            *energy += sum(&energies.0[used]);
            first += BLOCK;
        }
    }
}

/// The forces on the corners of some lanes, and −ω r·r: with r = F − project(F) and the weight ω of an element, the
/// force on its corner i is −ω Σ_j (D_m⁻¹)_ij r_j, and that on the last corner minus the sum of the others.
#[inline(always)]
pub(crate) fn corner_forces<I: Instructions>(
    instructions: I,
    r: &Matrices,
    inverse: &InverseBlock,
    weights: &[Real; BLOCK],
    at: usize,
    corners: &mut [[Real; BLOCK]; 12],
) -> I::Lanes {
    let minus_weight = -instructions.load(&weights[at..]);
    let r = load(instructions, r, at);
    let mut pull = r;
    for entry in 0..9 {
        pull[entry / 3][entry % 3] = r[entry / 3][entry % 3] * minus_weight;
    }
    let work = dot(&r[0], &pull[0]) + dot(&r[1], &pull[1]) + dot(&r[2], &pull[2]);
    let inverse = load(instructions, inverse, at);
    let mut last = [work.fill(0.0); 3];
    for i in 0..3 {
        let force = combine(&pull, inverse[i][0], inverse[i][1], inverse[i][2]);
        for c in 0..3 {
            last[c] = last[c] - force[c];
            force[c].store(&mut corners[3 * i + c][at..]);
        }
    }
    for c in 0..3 {
        last[c].store(&mut corners[9 + c][at..]);
    }
    work
}

/// The numbers of the block that begins at `first`; 0 behind the last of all.
pub(crate) fn block_of<'a>(
    of_elements: &'a [Real],
    first: usize,
    filled: &'a mut [Real; BLOCK],
) -> &'a [Real; BLOCK] {
    let rest = &of_elements[first..];
    rest.first_chunk().unwrap_or_else(|| {
        filled[..rest.len()].copy_from_slice(rest);
        filled
    })
}

/// A sum, in four parts because each waits for its last addition.
pub(crate) fn sum(values: &[Real]) -> Real {
    let (quads, rest) = values.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for quad in quads {
        for (sum, value) in sums.iter_mut().zip(quad) {
            *sum += value;
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest.iter().sum::<Real>()
}

/// A block of elements on its way. Every array fills whole cache lines.
#[repr(C, align(64))]
struct Block {
    f: Matrices,
    r: Matrices,
    /// 1 where r is accurate, else 0.
    valid: [Real; BLOCK],
    scratch: Scratch,
}

impl Block {
    #[inline(always)]
    fn new() -> Self {
        Self { f: [[0.0; BLOCK]; 9], r: [[0.0; BLOCK]; 9], valid: [0.0; BLOCK], scratch: [[0.0; BLOCK]; 12] }
    }

    /// F and F − project(F) of the block that begins at the element `first`.
    #[inline(always)]
    fn residual<I: Instructions>(
        &mut self,
        instructions: I,
        frames: &TetFrames,
        law: impl Law,
        first: usize,
        x: &[Vec3],
    ) {
        gradients(instructions, frames, first, x, &mut self.r, &mut self.f);
        law.residual(instructions, &self.f, &mut self.r, &mut self.valid, &mut self.scratch);
    }

    #[inline(always)]
    fn some_unsound<I: Instructions>(&self, instructions: I) -> bool {
        some_unsound(instructions, &self.valid)
    }
}

/// F of the block that begins at the element `first`; its edges in `edges`.
#[inline(always)]
pub(crate) fn gradients<I: Instructions>(
    instructions: I,
    frames: &TetFrames,
    first: usize,
    x: &[Vec3],
    edges: &mut Matrices,
    f: &mut Matrices,
) {
    // The nine rows of a block are too short for the processor to see them coming.
    if let Some(next) = frames.inverse.get(first / BLOCK + 1) {
        prefetch(next);
    }
    gather::edges(&frames.tets[first..first + BLOCK], x, edges);
    for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
        let edges = load(instructions, edges, at);
        let inverse = load(instructions, &frames.inverse[first / BLOCK].0, at);
        let mut gradient = edges;
        for j in 0..3 {
            gradient[j] = combine(&edges, inverse[0][j], inverse[1][j], inverse[2][j]);
        }
        store(&gradient, f, at);
    }
}

/// Whether some flag is not above 0.
#[inline(always)]
pub(crate) fn some_unsound<I: Instructions>(instructions: I, valid: &[Real; BLOCK]) -> bool {
    let mut least = instructions.load(valid);
    for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
        least = least.min(instructions.load(&valid[at..]));
    }
    least.any_not_above(0.0)
}

/// F − project(F) of a block of matrices, the fast way.
pub(super) struct Fast<'a, L> {
    pub(super) law: L,
    pub(super) f: &'a Matrices,
    pub(super) r: &'a mut Matrices,
    pub(super) valid: &'a mut [Real; BLOCK],
}

impl<L: Law> Kernel for Fast<'_, L> {
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        self.law.residual(instructions, self.f, self.r, self.valid, &mut [[0.0; BLOCK]; 12]);
    }
}

/// F − project(F) of the first `count` matrices of a block, by singular vectors.
pub(super) struct Careful<'a, L> {
    pub(super) law: L,
    pub(super) f: &'a Matrices,
    pub(super) r: &'a mut Matrices,
    pub(super) valid: &'a mut [Real; BLOCK],
    pub(super) count: usize,
}

impl<L: Law> Kernel for Careful<'_, L> {
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        let Self { law, f, r, valid, count } = self;
        for at in (0..count).step_by(I::Wide::COUNT) {
            let (change, flags) = law.by_svd(&load_wide(instructions, f, at));
            store(&change, r, at);
            flags.store(&mut valid[at..]);
        }
    }
}

/// Puts the `used` lanes without a flag on the list.
#[cold]
#[inline(never)]
pub(crate) fn note(flags: &[Real; BLOCK], used: Range<usize>, first: usize, fallback: &mut Fallback) {
    for lane in used.filter(|&lane| flags[lane] != 1.0) {
        fallback.push(first + lane);
    }
}
