//! The local step of tetrahedra, vectorised.
//!
//! A law computes F minus its nearest admissible matrix in three ways: a fast SIMD path; a SIMD path by singular vectors, for
//! elements that the fast path rejects (the kinks of a range, flat and inverted elements); and a scalar path for the rest.
//! Rejected elements are collected over a part of the range and processed together, so that a few of them cost little. The
//! path of an element depends only on its own F, and lanes do not interact: results do not depend on how elements are
//! grouped.

pub(crate) mod kernels;
mod laws;
#[cfg(test)]
mod tests;

pub(crate) use laws::{Axes, Product, Rigid, Stretch};

use crate::lanes::{BLOCK, Instructions, Lanes, Level};
use crate::matrix_lanes::{Columns, Matrices, Scratch};
use crate::tet_frame::{self, TetFrames, write_columns};
use kernels::{Careful, Fast, Forces, Residual};
use pd_core::{Mat3, Real, Vec3, as_flat, as_flat_mut};
use std::ops::Range;

/// What the strain of an element must satisfy.
pub(crate) trait Law: Copy {
    /// F − project(F) of a block of F, and 1 in the lanes where it is accurate, else 0.
    fn residual<I: Instructions>(
        self,
        instructions: I,
        f: &Matrices,
        r: &mut Matrices,
        valid: &mut [Real; BLOCK],
        scratch: &mut Scratch,
    );

    /// The same for some lanes by singular vectors, accurate in more of them.
    fn by_svd<T: Lanes>(self, f: &Columns<T>) -> (Columns<T>, T);

    /// project(F), for every F.
    fn scalar(self, f: &Mat3) -> Mat3;
}

/// Most elements between two passes over the list of rejected elements.
const PIECE: usize = 256;

/// Elements that the fast way gave up.
pub(crate) struct Fallback {
    elements: [u32; PIECE],
    count: usize,
}

impl Fallback {
    pub(crate) fn new() -> Self {
        Self { elements: [0; PIECE], count: 0 }
    }

    fn push(&mut self, element: usize) {
        if let Some(place) = self.elements.get_mut(self.count) {
            *place = element as u32;
            self.count += 1;
        }
    }

    /// Them, in the order in which they were given up.
    pub(crate) fn elements(&self) -> &[u32] {
        &self.elements[..self.count]
    }
}

/// r = F − project(F) of `elements`, at the positions `x`.
pub(crate) fn residual(
    level: Level,
    frames: &TetFrames,
    law: impl Law,
    elements: Range<usize>,
    x: &[Vec3],
    r: &mut [Vec3],
) {
    for (piece, r) in pieces(elements).zip(r.chunks_mut(3 * PIECE)) {
        let mut fallback = Fallback::new();
        let first = piece.start;
        level.run(Residual { frames, law, elements: piece, x, r, fallback: &mut fallback });
        again(level, frames, law, x, &fallback, |element, change| {
            let at = 3 * (element - first);
            as_flat_mut(&mut r[at..at + 3]).copy_from_slice(change);
        });
    }
}

/// The forces of `elements` on their corners, four each, and their energy, J.
pub(crate) fn forces(
    level: Level,
    frames: &TetFrames,
    law: impl Law,
    elements: Range<usize>,
    x: &[Vec3],
    forces: &mut [Vec3],
) -> Real {
    let mut energy = 0.0;
    for (piece, forces) in pieces(elements).zip(forces.chunks_mut(4 * PIECE)) {
        let mut fallback = Fallback::new();
        let first = piece.start;
        let work =
            Forces { frames, law, elements: piece, x, forces, energy: &mut energy, fallback: &mut fallback };
        level.run(work);
        again(level, frames, law, x, &fallback, |element, change| {
            let r = [0, 3, 6].map(|j| Vec3::new(change[j], change[j + 1], change[j + 2]));
            let at = 4 * (element - first);
            energy += tet_frame::force(frames, element, &r, &mut forces[at..at + 4]);
        });
    }
    energy
}

/// Replaces each F in `z` (three columns each) by project(F).
pub(crate) fn project(level: Level, law: impl Law, z: &mut [Vec3]) {
    for z in z.chunks_mut(3 * BLOCK) {
        let mut f = identities();
        for (lane, z) in as_flat(z).chunks_exact(9).enumerate() {
            for entry in 0..9 {
                f[entry][lane] = z[entry];
            }
        }
        let (mut r, mut valid) = ([[0.0; BLOCK]; 9], [0.0; BLOCK]);
        level.run(Fast { law, f: &f, r: &mut r, valid: &mut valid });
        let (mut better, mut found) = (r, valid);
        if valid.iter().any(|&valid| valid != 1.0) {
            level.run(Careful { law, f: &f, r: &mut better, valid: &mut found, count: BLOCK });
        }
        for (lane, z) in z.chunks_exact_mut(3).enumerate() {
            if valid[lane] != 1.0 && found[lane] != 1.0 {
                write_columns(&law.scalar(&Mat3::from_columns(&[z[0], z[1], z[2]])), z);
                continue;
            }
            let change = if valid[lane] == 1.0 { &r } else { &better };
            for (entry, z) in as_flat_mut(z).iter_mut().enumerate() {
                *z -= change[entry][lane];
            }
        }
    }
}

/// Processes the rejected elements and passes on each with its F − project(F), column after column.
fn again(
    level: Level,
    frames: &TetFrames,
    law: impl Law,
    x: &[Vec3],
    fallback: &Fallback,
    mut done: impl FnMut(usize, &[Real; 9]),
) {
    for elements in fallback.elements().chunks(BLOCK) {
        let mut f = identities();
        for (lane, &element) in elements.iter().enumerate() {
            let gradient = frames.gradient(element as usize, x);
            for (entry, value) in gradient.as_slice().iter().enumerate() {
                f[entry][lane] = *value;
            }
        }
        let mut r = [[0.0; BLOCK]; 9];
        by_svd(level, law, &f, &mut r, elements.len());
        for (lane, &element) in elements.iter().enumerate() {
            done(element as usize, &std::array::from_fn(|entry| r[entry][lane]));
        }
    }
}

/// F − project(F) of the first `count` lanes by singular vectors, and one by one where those are not to be trusted.
fn by_svd(level: Level, law: impl Law, f: &Matrices, r: &mut Matrices, count: usize) {
    let mut valid = [0.0; BLOCK];
    level.run(Careful { law, f, r, valid: &mut valid, count });
    for lane in (0..count).filter(|&lane| valid[lane] != 1.0) {
        let matrix = Mat3::from_fn(|i, j| f[3 * j + i][lane]);
        let change = matrix - law.scalar(&matrix);
        for (entry, value) in change.as_slice().iter().enumerate() {
            r[entry][lane] = *value;
        }
    }
}

/// A block of identities, harmless in lanes without an element.
fn identities() -> Matrices {
    let mut f = [[0.0; BLOCK]; 9];
    for entry in [0, 4, 8] {
        f[entry] = [1.0; BLOCK];
    }
    f
}

/// Ranges of at most [`PIECE`] elements.
pub(crate) fn pieces(elements: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = elements.end;
    elements.step_by(PIECE).map(move |start| start..end.min(start + PIECE))
}
