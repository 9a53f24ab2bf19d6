//! The local step of tetrahedra, several side by side.
//!
//! A law says how far F is from its nearest admissible matrix: in lanes, and by a robust plain way where the lanes give
//! up. Which way an element takes depends on its own F alone.

use crate::lanes::{Instructions, Kernel, Lanes, Level, MOST_LANES, combine};
use crate::svd3::svd3;
use crate::tet_frame::{TetFrames, write_columns};
use crate::{polar, rotation_lanes, stretch_lanes};
use pd_core::{Mat3, Real, Vec3, as_flat, as_flat_mut};
use std::ops::Range;

/// Columns of matrices side by side.
type Columns<T> = [[T; 3]; 3];

/// What the strain of an element must satisfy.
pub(crate) trait Law: Copy {
    /// F − project(F) for the columns of F, and 1 in the lanes where it is accurate, else 0.
    fn residual<T: Lanes>(self, f: &Columns<T>) -> (Columns<T>, T);

    /// project(F), for every F.
    fn plain(self, f: &Mat3) -> Mat3;
}

/// Which of the two is written.
#[derive(Clone, Copy, Debug)]
enum Wanted {
    Residual,
    Projection,
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
    level.run(Residual { frames, law, elements, x, r });
}

/// Replaces each F in `z` (three columns each) by project(F).
pub(crate) fn project(level: Level, law: impl Law, z: &mut [Vec3]) {
    level.run(Project { law, z });
}

struct Residual<'a, L> {
    frames: &'a TetFrames,
    law: L,
    elements: Range<usize>,
    x: &'a [Vec3],
    r: &'a mut [Vec3],
}

impl<L: Law> Kernel for Residual<'_, L> {
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        let count = I::Lanes::COUNT;
        let Self { frames, law, elements, x, r } = self;
        let mut edges = [[0.0; MOST_LANES]; 9];
        // Groups begin at multiples of the count, so that they stay within a block; lanes outside of the range are
        // computed and not written.
        let mut first = elements.start / count * count;
        while first < elements.end {
            for (lane, tet) in frames.tets[first..first + count].iter().enumerate() {
                let [a, b, c, pivot] = tet.map(|v| x[v as usize]);
                for (k, edge) in [a - pivot, b - pivot, c - pivot].iter().enumerate() {
                    for i in 0..3 {
                        edges[3 * k + i][lane] = edge[i];
                    }
                }
            }
            let edges = load(instructions, &edges, 0);
            let inverse = load(instructions, &frames.inverse[first / MOST_LANES], first % MOST_LANES);
            let mut f = edges;
            for j in 0..3 {
                f[j] = combine(&edges, inverse[0][j], inverse[1][j], inverse[2][j]);
            }
            let used = elements.start.max(first) - first..elements.end.min(first + count) - first;
            let begin = 3 * (first + used.start - elements.start);
            let out = &mut r[begin..begin + 3 * used.len()];
            write(law, &f, Wanted::Residual, used, out);
            first += count;
        }
    }
}

struct Project<'a, L> {
    law: L,
    z: &'a mut [Vec3],
}

impl<L: Law> Kernel for Project<'_, L> {
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        for z in self.z.chunks_mut(3 * I::Lanes::COUNT) {
            let mut columns = [[0.0; MOST_LANES]; 9];
            // Lanes without an element get the identity.
            for entry in [0, 4, 8] {
                columns[entry] = [1.0; MOST_LANES];
            }
            for (lane, z) in as_flat(z).chunks_exact(9).enumerate() {
                for entry in 0..9 {
                    columns[entry][lane] = z[entry];
                }
            }
            let f = load(instructions, &columns, 0);
            write(self.law, &f, Wanted::Projection, 0..z.len() / 3, z);
        }
    }
}

/// Reads the lanes from `first` on of nine numbers, three by three.
#[inline(always)]
fn load<I: Instructions>(instructions: I, from: &[[Real; MOST_LANES]; 9], first: usize) -> Columns<I::Lanes> {
    let mut columns = [[instructions.load(&from[0][first..]); 3]; 3];
    for (entry, from) in from.iter().enumerate() {
        columns[entry / 3][entry % 3] = instructions.load(&from[first..]);
    }
    columns
}

/// Applies the law and writes F − project(F) or project(F) of the `used` lanes, column after column.
#[inline(always)]
fn write<L: Law, T: Lanes>(law: L, f: &Columns<T>, wanted: Wanted, used: Range<usize>, out: &mut [Vec3]) {
    let (change, sound) = law.residual(f);
    let mut lanes = [[0.0; MOST_LANES]; 9];
    for (entry, lanes) in lanes.iter_mut().enumerate() {
        let (change, f) = (change[entry / 3][entry % 3], f[entry / 3][entry % 3]);
        match wanted {
            Wanted::Residual => change.store(lanes),
            Wanted::Projection => (f - change).store(lanes),
        }
    }
    for (lane, out) in used.clone().zip(as_flat_mut(out).chunks_exact_mut(9)) {
        for entry in 0..9 {
            out[entry] = lanes[entry][lane];
        }
    }
    if sound.any_not_above(0.0) {
        let mut flags = [0.0; MOST_LANES];
        sound.store(&mut flags);
        for (entry, lanes) in lanes.iter_mut().enumerate() {
            f[entry / 3][entry % 3].store(lanes);
        }
        repair(law, &lanes, &flags, wanted, used, out);
    }
}

/// Does the lanes that were given up again, the plain way.
#[cold]
#[inline(never)]
fn repair(
    law: impl Law,
    f: &[[Real; MOST_LANES]; 9],
    sound: &[Real; MOST_LANES],
    wanted: Wanted,
    used: Range<usize>,
    out: &mut [Vec3],
) {
    for (lane, out) in used.zip(out.chunks_exact_mut(3)) {
        if sound[lane] > 0.0 {
            continue;
        }
        let f = Mat3::from_fn(|i, j| f[3 * j + i][lane]);
        let nearest = law.plain(&f);
        match wanted {
            Wanted::Residual => write_columns(&(f - nearest), out),
            Wanted::Projection => write_columns(&nearest, out),
        }
    }
}

/// Every singular value is 1: the nearest rotation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rigid;

impl Law for Rigid {
    #[inline(always)]
    fn residual<T: Lanes>(self, f: &Columns<T>) -> (Columns<T>, T) {
        rotation_lanes::residual(f)
    }

    fn plain(self, f: &Mat3) -> Mat3 {
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
    fn residual<T: Lanes>(self, f: &Columns<T>) -> (Columns<T>, T) {
        stretch_lanes::residual(f, self.min, self.max)
    }

    fn plain(self, f: &Mat3) -> Mat3 {
        let svd = svd3(f);
        svd.with(&svd.sigma.map(|s| s.max(self.min).min(self.max)))
    }
}
