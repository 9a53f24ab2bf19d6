//! Vectors that should have a given length, several side by side: edges and Laplacians.
//!
//! For d = D_c x and the wanted length l the residual is r = d (1 − l/|d|) and the energy ω/2 |r|².

use crate::lanes::{Arithmetic, BLOCK, Instructions, Kernel, Lanes, Level, dot};
use pd_core::Real;
use std::ops::Range;

/// Squared lengths, m², above this overflow soon.
const LARGEST: Real = 1e200;

/// Keeps the inverse root of zero finite.
const SMALLEST: Real = 1e-250;

/// The valid range of lengths, and the formulas shared by all code paths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// Vectors of less than this fraction of the wanted length have no direction.
    pub(crate) lost: Real,
}

impl Scale {
    /// |d|².
    #[inline(always)]
    pub(crate) fn square<T: Lanes>(self, d: &[T; 3]) -> T {
        dot(d, d) + d[0].fill(SMALLEST)
    }

    /// 1 − l/|d|.
    #[inline(always)]
    pub(crate) fn factor<T: Lanes>(self, square: T, length: T) -> T {
        length.neg_mul_add(square.rsqrt(), length.fill(1.0))
    }

    /// 1 where d has a direction and is not out of scale, else 0.
    #[inline(always)]
    fn valid<T: Lanes>(self, square: T, length: T) -> T {
        let (zero, one) = (length.fill(0.0), length.fill(1.0));
        let least = length * length * length.fill(self.lost * self.lost);
        square.if_less(length.fill(LARGEST), least.if_less(square, one, zero), zero)
    }

    /// Whether some lane is not valid.
    #[inline(always)]
    pub(crate) fn some_unsound<T: Lanes>(self, square: T, length: T) -> bool {
        self.valid(square, length).any_not_above(0.0)
    }
}

/// Target lengths of the vectors of a block.
pub(crate) struct Targets {
    /// Wanted lengths, m.
    pub(crate) lengths: [Real; BLOCK],
    /// Weights ω, N/m.
    pub(crate) weights: [Real; BLOCK],
}

impl Targets {
    /// Harmless ones.
    pub(crate) fn new() -> Self {
        Self { lengths: [1.0; BLOCK], weights: [1.0; BLOCK] }
    }
}

/// A block of vectors and the results, in SIMD lanes.
pub(crate) struct Block {
    /// In: the vectors d. Out: r.
    pub(crate) vectors: [[Real; BLOCK]; 3],
    /// Out: energies, J.
    pub(crate) energies: [Real; BLOCK],
    /// Out: 1 where r is accurate; 0 where d has no direction or is out of scale.
    pub(crate) valid: [Real; BLOCK],
}

impl Block {
    /// A block whose unused lanes are harmless.
    pub(crate) fn new() -> Self {
        let ones = [1.0; BLOCK];
        Self { vectors: [ones; 3], energies: ones, valid: ones }
    }

    /// Replaces d by r in all lanes. Whether some lane is not valid.
    pub(crate) fn residual(
        &mut self,
        level: Level,
        scale: Scale,
        lengths: &[Real; BLOCK],
        weights: &[Real; BLOCK],
    ) -> bool {
        let mut any = false;
        level.run(Work { block: self, scale, lengths, weights, any: &mut any });
        any
    }

    /// The vector of a lane.
    pub(crate) fn vector(&self, lane: usize) -> [Real; 3] {
        [self.vectors[0][lane], self.vectors[1][lane], self.vectors[2][lane]]
    }

    /// The energy of the first lanes, J: four sums, because each waits for its last addition.
    pub(crate) fn energy(&self, count: usize) -> Real {
        let (quads, rest) = self.energies[..count].as_chunks::<4>();
        let mut sums = [0.0; 4];
        for quad in quads {
            for (sum, energy) in sums.iter_mut().zip(quad) {
                *sum += energy;
            }
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest.iter().sum::<Real>()
    }

    /// Stores r of a lane from the scalar path, and its energy.
    pub(crate) fn repair(&mut self, lane: usize, r: [Real; 3], weight: Real) {
        for c in 0..3 {
            self.vectors[c][lane] = r[c];
        }
        self.energies[lane] = 0.5 * weight * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    }
}

/// Ranges of at most a block.
pub(crate) fn blocks(elements: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = elements.end;
    elements.step_by(BLOCK).map(move |start| start..end.min(start + BLOCK))
}

struct Work<'a> {
    block: &'a mut Block,
    scale: Scale,
    lengths: &'a [Real; BLOCK],
    weights: &'a [Real; BLOCK],
    any: &'a mut bool,
}

impl Kernel for Work<'_> {
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        let Self { block, scale, lengths, weights, any } = self;
        let mut at = 0;
        while at < BLOCK {
            let d = [
                instructions.load(&block.vectors[0][at..]),
                instructions.load(&block.vectors[1][at..]),
                instructions.load(&block.vectors[2][at..]),
            ];
            let length = instructions.load(&lengths[at..]);
            let weight = instructions.load(&weights[at..]);
            let square = scale.square(&d);
            let factor = scale.factor(square, length);
            let energy = square * factor * factor * weight * weight.fill(0.5);
            let valid = scale.valid(square, length);
            *any |= valid.any_not_above(0.0);
            for c in 0..3 {
                (d[c] * factor).store(&mut block.vectors[c][at..]);
            }
            energy.store(&mut block.energies[at..]);
            valid.store(&mut block.valid[at..]);
            at += I::Lanes::COUNT;
        }
    }
}
