//! The loops over elements, compiled for each set of instructions.

use super::{Columns, GivenUp, Law, Matrices};
use crate::lanes::{Arithmetic, BLOCK, Instructions, Kernel, Lanes, combine, dot};
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
    pub(super) given_up: &'a mut GivenUp,
}

impl<L: Law> Kernel for Residual<'_, L> {
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        let count = 2 * I::Lanes::COUNT;
        let Self { frames, law, elements, x, r, given_up } = self;
        let mut edges = [[0.0; BLOCK]; 9];
        let mut out = [[0.0; BLOCK]; 9];
        // Groups begin at multiples of the count, so that they stay within a block; lanes outside of the range are
        // computed and not written.
        let mut first = elements.start / count * count;
        while first < elements.end {
            gather_edges(&frames.tets[first..first + count], x, &mut edges);
            let f = gradients(instructions, &edges, frames, first);
            let used = elements.start.max(first) - first..elements.end.min(first + count) - first;
            let results = law.residual(&f);
            for (group, (change, _)) in results.iter().enumerate() {
                store(change, &mut out, group * I::Lanes::COUNT);
            }
            let begin = 3 * (first + used.start - elements.start);
            write_rows(&out, used.clone(), &mut r[begin..begin + 3 * used.len()]);
            if results[0].1.any_not_above(0.0) || results[1].1.any_not_above(0.0) {
                note(&flags(&results), used, first, given_up);
            }
            first += count;
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
    pub(super) given_up: &'a mut GivenUp,
}

impl<L: Law> Kernel for Forces<'_, L> {
    /// With r = F − project(F) and the weight ω of an element, the force on its corner i is −ω Σ_j (D_m⁻¹)_ij r_j, and
    /// that on the last corner minus the sum of the others.
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        let lanes = I::Lanes::COUNT;
        let Self { frames, law, elements, x, forces, energy, given_up } = self;
        let weights = frames.stencil.weights();
        let mut edges = [[0.0; BLOCK]; 9];
        let mut out = [[0.0; BLOCK]; 13];
        let mut first = elements.start / (2 * lanes) * (2 * lanes);
        while first < elements.end {
            gather_edges(&frames.tets[first..first + 2 * lanes], x, &mut edges);
            let f = gradients(instructions, &edges, frames, first);
            let block = &frames.inverse[first / BLOCK];
            let mut weight = [0.0; BLOCK];
            let known = (weights.len() - first).min(2 * lanes);
            weight[..known].copy_from_slice(&weights[first..first + known]);
            let results = law.residual(&f);
            for (group, (r, _)) in results.iter().enumerate() {
                let inverse = load(instructions, block, first % BLOCK + group * lanes);
                let weight = instructions.load(&weight[group * lanes..]);
                let square = dot(&r[0], &r[0]) + dot(&r[1], &r[1]) + dot(&r[2], &r[2]);
                (square * weight * weight.fill(0.5)).store(&mut out[12][group * lanes..]);
                let mut last = [weight.fill(0.0); 3];
                for i in 0..3 {
                    let force = combine(r, inverse[i][0], inverse[i][1], inverse[i][2]);
                    for c in 0..3 {
                        let force = -(force[c] * weight);
                        last[c] = last[c] - force;
                        force.store(&mut out[3 * i + c][group * lanes..]);
                    }
                }
                for c in 0..3 {
                    last[c].store(&mut out[9 + c][group * lanes..]);
                }
            }
            let used = elements.start.max(first) - first..elements.end.min(first + 2 * lanes) - first;
            if results[0].1.any_not_above(0.0) || results[1].1.any_not_above(0.0) {
                let flags = flags(&results);
                note(&flags, used.clone(), first, given_up);
                for lane in (0..2 * lanes).filter(|&lane| flags[lane] != 1.0) {
                    out[12][lane] = 0.0; // counted when it is done again
                }
            }
            let begin = 4 * (first + used.start - elements.start);
            *energy += write_forces(&out, used.clone(), &mut forces[begin..begin + 4 * used.len()]);
            first += 2 * lanes;
        }
    }
}

/// F − project(F) of a block of matrices, the fast way.
pub(super) struct Fast<'a, L> {
    pub(super) law: L,
    pub(super) f: &'a Matrices,
    pub(super) r: &'a mut Matrices,
    pub(super) sound: &'a mut [Real; BLOCK],
}

impl<L: Law> Kernel for Fast<'_, L> {
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        let Self { law, f, r, sound } = self;
        let lanes = I::Lanes::COUNT;
        let mut at = 0;
        while at < BLOCK {
            let f = [load(instructions, f, at), load(instructions, f, at + lanes)];
            for (group, (change, flags)) in law.residual(&f).iter().enumerate() {
                store(change, r, at + group * lanes);
                flags.store(&mut sound[at + group * lanes..]);
            }
            at += 2 * lanes;
        }
    }
}

/// F − project(F) of the first `count` matrices of a block, by singular vectors.
pub(super) struct Careful<'a, L> {
    pub(super) law: L,
    pub(super) f: &'a Matrices,
    pub(super) r: &'a mut Matrices,
    pub(super) sound: &'a mut [Real; BLOCK],
    pub(super) count: usize,
}

impl<L: Law> Kernel for Careful<'_, L> {
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        let Self { law, f, r, sound, count } = self;
        for at in (0..count).step_by(I::Lanes::COUNT) {
            let (change, flags) = law.careful(&load(instructions, f, at));
            store(&change, r, at);
            flags.store(&mut sound[at..]);
        }
    }
}

/// The flags of two groups.
#[inline(always)]
fn flags<T: Lanes>(results: &[(Columns<T>, T); 2]) -> [Real; BLOCK] {
    let mut flags = [0.0; BLOCK];
    results[0].1.store(&mut flags);
    results[1].1.store(&mut flags[T::COUNT..]);
    flags
}

/// Puts the `used` lanes without a flag on the list.
#[cold]
#[inline(never)]
fn note(flags: &[Real; BLOCK], used: Range<usize>, first: usize, given_up: &mut GivenUp) {
    for lane in used.filter(|&lane| flags[lane] != 1.0) {
        given_up.push(first + lane);
    }
}

/// Writes the forces of the `used` lanes, element after element; returns their energy.
#[inline(never)]
fn write_forces(lanes: &[[Real; BLOCK]; 13], used: Range<usize>, forces: &mut [Vec3]) -> Real {
    let mut energy = 0.0;
    for (lane, forces) in used.zip(as_flat_mut(forces).chunks_exact_mut(12)) {
        let lane = lane % BLOCK;
        for entry in 0..12 {
            forces[entry] = lanes[entry][lane];
        }
        energy += lanes[12][lane];
    }
    energy
}

/// The three edges from the last vertex of each element, into lanes.
///
/// Not inlined, and so compiled for all processors: with the instructions of the kernels the compiler would make this
/// and [`write_rows`] of gather and scatter instructions, which are slower than plain loads and stores.
#[inline(never)]
fn gather_edges(tets: &[[u32; 4]], x: &[Vec3], edges: &mut Matrices) {
    for (lane, tet) in tets.iter().enumerate().take(BLOCK) {
        let [a, b, c, pivot] = tet.map(|v| x[v as usize]);
        for (k, edge) in [a - pivot, b - pivot, c - pivot].iter().enumerate() {
            for i in 0..3 {
                edges[3 * k + i][lane] = edge[i];
            }
        }
    }
}

/// The `used` lanes of nine numbers, element after element.
#[inline(never)]
fn write_rows(lanes: &Matrices, used: Range<usize>, out: &mut [Vec3]) {
    for (lane, out) in used.zip(as_flat_mut(out).chunks_exact_mut(9)) {
        for entry in 0..9 {
            out[entry] = lanes[entry][lane % BLOCK];
        }
    }
}

/// F of the two groups that begin at the element `first`.
#[inline(always)]
fn gradients<I: Instructions>(
    instructions: I,
    edges: &Matrices,
    frames: &TetFrames,
    first: usize,
) -> [Columns<I::Lanes>; 2] {
    let (block, lanes) = (&frames.inverse[first / BLOCK], I::Lanes::COUNT);
    [
        gradient(instructions, edges, 0, block, first % BLOCK),
        gradient(instructions, edges, lanes, block, first % BLOCK + lanes),
    ]
}

/// F of the lanes from `first` on of the edges and from `element` on of the block.
#[inline(always)]
fn gradient<I: Instructions>(
    instructions: I,
    edges: &Matrices,
    first: usize,
    block: &InverseBlock,
    element: usize,
) -> Columns<I::Lanes> {
    let edges = load(instructions, edges, first);
    let inverse = load(instructions, block, element);
    let mut f = edges;
    for j in 0..3 {
        f[j] = combine(&edges, inverse[0][j], inverse[1][j], inverse[2][j]);
    }
    f
}

/// Reads the lanes from `first` on of nine numbers, three by three.
#[inline(always)]
fn load<I: Instructions>(instructions: I, from: &Matrices, first: usize) -> Columns<I::Lanes> {
    let mut columns = [[instructions.load(&from[0][first..]); 3]; 3];
    for (entry, from) in from.iter().enumerate() {
        columns[entry / 3][entry % 3] = instructions.load(&from[first..]);
    }
    columns
}

/// Writes the lanes from `first` on of nine numbers.
#[inline(always)]
fn store<T: Lanes>(columns: &Columns<T>, to: &mut Matrices, first: usize) {
    for (entry, to) in to.iter_mut().enumerate() {
        columns[entry / 3][entry % 3].store(&mut to[first..]);
    }
}
