//! The loop over blocks, compiled for each law and each set of instructions.

use super::{Answer, LaneLaw, Output, Task};
use crate::lanes::{Aligned, BLOCK, Instructions, Kernel, Lanes, gather};
use crate::matrix_lanes::Matrices;
use crate::tet_lanes::kernels::{block_of, corner_forces, gradients, note, some_unsound, sum};
use pd_core::as_flat_mut;

/// P/ω or forces, and the energy, of a range of elements.
pub(super) struct Sweep<'a, L> {
    pub(super) law: L,
    pub(super) task: Task<'a>,
}

impl<L: LaneLaw> Kernel for Sweep<'_, L> {
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        let Self { law, task } = self;
        let Task { frames, lame, elements, x, output, out, energy, fallback } = task;
        let (mut f, mut corners) = (Aligned([[0.0; BLOCK]; 9]), Aligned([[0.0; BLOCK]; 12]));
        let mut answer = Answer::new();
        // Lanes outside of the range are computed and not written.
        let mut first = elements.start / BLOCK * BLOCK;
        while first < elements.end {
            gradients(instructions, frames, first, x, &mut answer.pull, &mut f.0);
            law.answer(instructions, &f.0, &lame[first / BLOCK], &mut answer);
            let used = elements.start.max(first) - first..elements.end.min(first + BLOCK) - first;
            let mut filled = [0.0; BLOCK];
            let weights = block_of(frames.stencil.weights(), first, &mut filled);
            for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
                let density = instructions.load(&answer.density[at..]);
                (density * instructions.load(&weights[at..])).store(&mut answer.density[at..]);
            }
            if some_unsound(instructions, &answer.valid) {
                note(&answer.valid, used.clone(), first, fallback);
                for lane in (0..BLOCK).filter(|&lane| answer.valid[lane] != 1.0) {
                    answer.density[lane] = 0.0; // counted when it is done again
                }
            }
            *energy += sum(&answer.density[used.clone()]);
            let begin = output.rows() * (first + used.start - elements.start);
            let rows = as_flat_mut(&mut out[begin..begin + output.rows() * used.len()]);
            match output {
                Output::Energy => {}
                Output::Residual => gather::to_elements(&answer.pull, used, rows),
                Output::Forces => {
                    let inverse = &frames.inverse[first / BLOCK].0;
                    for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
                        corner_forces(instructions, &answer.pull, inverse, weights, at, &mut corners.0);
                    }
                    gather::to_elements(&corners.0, used, rows);
                }
            }
            first += BLOCK;
        }
    }
}

impl Answer {
    #[inline(always)]
    pub(super) fn new() -> Self {
        let pull: Matrices = [[0.0; BLOCK]; 9];
        Self { pull, density: [0.0; BLOCK], valid: [0.0; BLOCK], scratch: [[0.0; BLOCK]; 12] }
    }
}
