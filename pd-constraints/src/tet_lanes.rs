//! The local step of tetrahedra, several side by side.
//!
//! A law says how far F is from its nearest admissible matrix: in lanes, and by a robust plain way where the lanes give
//! up. Which way an element takes depends on its own F alone.

use crate::lanes::{Arithmetic, BLOCK, Instructions, Kernel, Lanes, Level, combine, dot};
use crate::svd3::svd3;
use crate::tet_frame::{InverseBlock, TetFrames, write_columns};
use crate::{polar, rotation_lanes, stretch_lanes};
use pd_core::{Mat3, Real, Vec3, as_flat, as_flat_mut};
use std::ops::Range;

/// Columns of matrices side by side.
type Columns<T> = [[T; 3]; 3];

/// What the strain of an element must satisfy.
pub(crate) trait Law: Copy {
    /// F − project(F) for the columns of two groups of F, and 1 in the lanes where it is accurate, else 0.
    fn residual<T: Lanes>(self, f: &[Columns<T>; 2]) -> [(Columns<T>, T); 2];

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
    level.run(Forces { frames, law, elements, x, forces, energy: &mut energy });
    energy
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
        let count = 2 * I::Lanes::COUNT;
        let Self { frames, law, elements, x, r } = self;
        let mut edges = [[0.0; BLOCK]; 9];
        // Groups begin at multiples of the count, so that they stay within a block; lanes outside of the range are
        // computed and not written.
        let mut first = elements.start / count * count;
        while first < elements.end {
            gather_edges(&frames.tets[first..first + count], x, &mut edges);
            let lanes = I::Lanes::COUNT;
            let block = &frames.inverse[first / BLOCK];
            let f = [
                gradient(instructions, &edges, 0, block, first % BLOCK),
                gradient(instructions, &edges, lanes, block, first % BLOCK + lanes),
            ];
            let used = elements.start.max(first) - first..elements.end.min(first + count) - first;
            let begin = 3 * (first + used.start - elements.start);
            let out = &mut r[begin..begin + 3 * used.len()];
            write(law, &f, Wanted::Residual, used, out);
            first += count;
        }
    }
}

struct Forces<'a, L> {
    frames: &'a TetFrames,
    law: L,
    elements: Range<usize>,
    x: &'a [Vec3],
    forces: &'a mut [Vec3],
    energy: &'a mut Real,
}

impl<L: Law> Kernel for Forces<'_, L> {
    /// With r = F − project(F) and the weight ω of an element, the force on its corner i is −ω Σ_j (D_m⁻¹)_ij r_j, and
    /// that on the last corner minus the sum of the others.
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        let lanes = I::Lanes::COUNT;
        let Self { frames, law, elements, x, forces, energy } = self;
        let weights = frames.stencil.weights();
        let mut edges = [[0.0; BLOCK]; 9];
        let mut out = [[0.0; BLOCK]; 13];
        let mut first = elements.start / (2 * lanes) * (2 * lanes);
        while first < elements.end {
            gather_edges(&frames.tets[first..first + 2 * lanes], x, &mut edges);
            let block = &frames.inverse[first / BLOCK];
            let f = [
                gradient(instructions, &edges, 0, block, first % BLOCK),
                gradient(instructions, &edges, lanes, block, first % BLOCK + lanes),
            ];
            let mut weight = [0.0; BLOCK];
            let known = (weights.len() - first).min(2 * lanes);
            weight[..known].copy_from_slice(&weights[first..first + known]);
            let mut results = law.residual(&f);
            if results[0].1.any_not_above(0.0) || results[1].1.any_not_above(0.0) {
                let mut r = [[0.0; BLOCK]; 9];
                repaired(law, &f, &results, &mut r);
                results[0].0 = load(instructions, &r, 0);
                results[1].0 = load(instructions, &r, lanes);
            }
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
            let begin = 4 * (first + used.start - elements.start);
            *energy += write_forces(&out, used.clone(), &mut forces[begin..begin + 4 * used.len()]);
            first += 2 * lanes;
        }
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

/// F − project(F) of all lanes, those that were given up done the plain way.
#[cold]
#[inline(never)]
fn repaired<L: Law, T: Lanes>(
    law: L,
    f: &[Columns<T>; 2],
    results: &[(Columns<T>, T); 2],
    r: &mut [[Real; BLOCK]; 9],
) {
    let mut columns = [[0.0; BLOCK]; 9];
    let mut sound = [0.0; BLOCK];
    for (group, (change, flags)) in results.iter().enumerate() {
        let at = group * T::COUNT;
        flags.store(&mut sound[at..]);
        for entry in 0..9 {
            change[entry / 3][entry % 3].store(&mut r[entry][at..]);
            f[group][entry / 3][entry % 3].store(&mut columns[entry][at..]);
        }
    }
    for lane in (0..2 * T::COUNT).filter(|&lane| sound[lane] != 1.0) {
        let f = Mat3::from_fn(|i, j| columns[3 * j + i][lane]);
        let change = f - law.plain(&f);
        for entry in 0..9 {
            r[entry][lane] = change[(entry % 3, entry / 3)];
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
        for z in self.z.chunks_mut(6 * I::Lanes::COUNT) {
            let mut columns = [[0.0; BLOCK]; 9];
            // Lanes without an element get the identity.
            for entry in [0, 4, 8] {
                columns[entry] = [1.0; BLOCK];
            }
            for (lane, z) in as_flat(z).chunks_exact(9).enumerate() {
                for entry in 0..9 {
                    columns[entry][lane] = z[entry];
                }
            }
            let f = [load(instructions, &columns, 0), load(instructions, &columns, I::Lanes::COUNT)];
            write(self.law, &f, Wanted::Projection, 0..z.len() / 3, z);
        }
    }
}

/// The three edges from the last vertex of each element, into lanes.
///
/// Not inlined, and so compiled for all processors: with the instructions of the kernels the compiler would make this
/// and [`write_rows`] of gather and scatter instructions, which are slower than plain loads and stores.
#[inline(never)]
fn gather_edges(tets: &[[u32; 4]], x: &[Vec3], edges: &mut [[Real; BLOCK]; 9]) {
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
fn write_rows(lanes: &[[Real; BLOCK]; 9], used: Range<usize>, out: &mut [Vec3]) {
    for (lane, out) in used.zip(as_flat_mut(out).chunks_exact_mut(9)) {
        for entry in 0..9 {
            out[entry] = lanes[entry][lane % BLOCK];
        }
    }
}

/// F of the lanes from `first` on of the edges and from `element` on of the block.
#[inline(always)]
fn gradient<I: Instructions>(
    instructions: I,
    edges: &[[Real; BLOCK]; 9],
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
fn load<I: Instructions>(instructions: I, from: &[[Real; BLOCK]; 9], first: usize) -> Columns<I::Lanes> {
    let mut columns = [[instructions.load(&from[0][first..]); 3]; 3];
    for (entry, from) in from.iter().enumerate() {
        columns[entry / 3][entry % 3] = instructions.load(&from[first..]);
    }
    columns
}

/// Applies the law and writes F − project(F) or project(F) of the `used` lanes, column after column.
#[inline(always)]
fn write<L: Law, T: Lanes>(
    law: L,
    f: &[Columns<T>; 2],
    wanted: Wanted,
    used: Range<usize>,
    out: &mut [Vec3],
) {
    let results = law.residual(f);
    let mut lanes = [[0.0; BLOCK]; 9];
    for (group, ((change, _), f)) in results.iter().zip(f).enumerate() {
        for (entry, lanes) in lanes.iter_mut().enumerate() {
            let (change, f) = (change[entry / 3][entry % 3], f[entry / 3][entry % 3]);
            let lanes = &mut lanes[group * T::COUNT..];
            match wanted {
                Wanted::Residual => change.store(lanes),
                Wanted::Projection => (f - change).store(lanes),
            }
        }
    }
    write_rows(&lanes, used.clone(), out);
    if results[0].1.any_not_above(0.0) || results[1].1.any_not_above(0.0) {
        let mut flags = [0.0; BLOCK];
        for (group, ((_, sound), f)) in results.iter().zip(f).enumerate() {
            sound.store(&mut flags[group * T::COUNT..]);
            for (entry, lanes) in lanes.iter_mut().enumerate() {
                f[entry / 3][entry % 3].store(&mut lanes[group * T::COUNT..]);
            }
        }
        repair(law, &lanes, &flags, wanted, used, out);
    }
}

/// Does the lanes that were given up again, the plain way.
#[cold]
#[inline(never)]
fn repair(
    law: impl Law,
    f: &[[Real; BLOCK]; 9],
    sound: &[Real; BLOCK],
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
    fn residual<T: Lanes>(self, f: &[Columns<T>; 2]) -> [(Columns<T>, T); 2] {
        [rotation_lanes::residual(&f[0]), rotation_lanes::residual(&f[1])]
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
    fn residual<T: Lanes>(self, f: &[Columns<T>; 2]) -> [(Columns<T>, T); 2] {
        let Self { min, max } = self;
        [stretch_lanes::residual(&f[0], min, max), stretch_lanes::residual(&f[1], min, max)]
    }

    fn plain(self, f: &Mat3) -> Mat3 {
        let svd = svd3(f);
        svd.with(&svd.sigma.map(|s| s.max(self.min).min(self.max)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Weight;
    use proptest::prelude::*;

    /// Ordinary elements must not need the slow way.
    #[test]
    fn ordinary_elements_are_done_in_lanes() {
        let turn = *nalgebra::Rotation3::new(Vec3::new(0.3, -1.0, 2.0)).matrix();
        for s in [
            [1.0, 1.0, 1.0],
            [1.1, 1.0, 1.0],
            [1.15, 1.15, 0.7],
            [0.7, 0.7, 0.7],
            [1.3, 0.9, 0.5],
            [3.0, 0.5, 0.2],
            [2.0, 0.7, 0.3],
            [1.2, 0.8, -0.3],
        ] {
            let f = turn * Mat3::from_diagonal(&Vec3::from(s)) * turn;
            let f = [0, 1, 2].map(|j| [0, 1, 2].map(|i| f[(i, j)]));
            assert_eq!(Rigid.residual(&[f, f])[1].1, 1.0, "{s:?}");
            // FᵀF squares the condition, so flatter elements are left to the plain way.
            if s[2].abs() > 0.13 * s[0] {
                assert_eq!(Stretch { min: 0.9, max: 1.1 }.residual(&[f, f])[1].1, 1.0, "{s:?}");
            }
        }
    }

    fn vector(size: Real) -> impl Strategy<Value = Vec3> {
        [-size..size, -size..size, -size..size].prop_map(Vec3::from)
    }

    fn rotation() -> impl Strategy<Value = Mat3> {
        vector(3.1).prop_map(|axis| *nalgebra::Rotation3::new(axis).matrix())
    }

    /// Matrices of all kinds: ordinary, flat to every rank, inverted, with equal singular values, tiny and huge.
    fn matrix() -> impl Strategy<Value = Mat3> {
        let values = (0.0..2.0, 0.0..2.0, 0.0..2.0, 0..9, any::<bool>());
        (rotation(), rotation(), values, -330..300i32).prop_map(
            |(u, v, (a, b, c, kind, inverted), exponent)| {
                let mut s: [Real; 3] = match kind {
                    0 => [0.0; 3],
                    1 => [a, 0.0, 0.0],
                    2 => [a, b, 0.0],
                    3 => [a; 3],
                    4 => [a, a, b],
                    5 => [a, a * (1.0 + 1e-9 * b), a * (1.0 - 1e-12 * c)],
                    6 => [1.0 + 0.05 * a, 1.0 - 0.05 * b, 1.0 + 0.001 * c],
                    _ => [a, b, c],
                };
                s[2] *= if inverted { -1.0 } else { 1.0 };
                let scale = if kind == 8 { 10.0_f64.powi(exponent) } else { 1.0 };
                u * Mat3::from_diagonal(&Vec3::from(s)) * v.transpose() * scale
            },
        )
    }

    fn projected(level: Level, law: impl Law, f: &[Mat3]) -> Vec<Mat3> {
        let mut z: Vec<Vec3> = f.iter().flat_map(|f| f.column_iter().map(|c| c.into_owned())).collect();
        project(level, law, &mut z);
        z.chunks_exact(3).map(Mat3::from_columns).collect()
    }

    /// The wide way against the plain one. Where the nearest point hangs on rounding (the denominator), both must be
    /// admissible and equally near.
    fn agree(law: impl Law, min: Real, max: Real, f: &[Mat3]) -> Result<(), TestCaseError> {
        for level in Level::all() {
            for (f, wide) in f.iter().zip(projected(level, law, f)) {
                let plain = law.plain(f);
                let sigma = svd3(f).sigma;
                let sensitivity = sigma.x / (sigma.y + sigma.z).max(1e-300);
                // Lengths in units of the largest entry, since squares of huge ones overflow.
                let unit = f.amax().max(1.0);
                let distance = |t: &Mat3| ((f - t) / unit).norm();
                if sensitivity < 1e3 {
                    prop_assert!((wide - plain).amax() < 1e-12, "{level:?} {f} {wide} {plain}");
                }
                prop_assert!((distance(&wide) - distance(&plain)).abs() < 1e-12, "{level:?} {f}");
                let sigma = svd3(&wide).sigma;
                prop_assert!(sigma.z > min - 1e-12 && sigma.x < max + 1e-12, "{level:?} {f} {sigma}");
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn rigid_agrees_with_the_plain_way(f in proptest::collection::vec(matrix(), 1..40)) {
            agree(Rigid, 1.0, 1.0, &f)?;
        }

        #[test]
        fn ranges_agree_with_the_plain_way(f in proptest::collection::vec(matrix(), 1..40), min in 0.5..1.0, max in 1.0..1.5) {
            agree(Stretch { min, max }, min, max, &f)?;
        }

        /// Any cut of a range, on every set of instructions: each element has the same bits.
        #[test]
        fn results_do_not_depend_on_the_cut(
            f in proptest::collection::vec(matrix(), 1..100), cuts in proptest::collection::vec(0.0..1.0, 0..8)
        ) {
            let rest = [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::zeros()];
            let n = f.len();
            let all_rest: Vec<Vec3> = rest.iter().copied().cycle().take(4 * n).collect();
            let tets: Vec<[u32; 4]> = (0..n as u32).map(|k| [0, 1, 2, 3].map(|i| 4 * k + i)).collect();
            let x: Vec<Vec3> = (0..4 * n).map(|k| f[k / 4] * rest[k % 4]).collect();
            let frames = TetFrames::new("test", &all_rest, &tets, Weight::from(1.0)).unwrap();
            let mut cuts: Vec<usize> = cuts.iter().map(|c: &Real| (c * n as Real) as usize).chain([0, n]).collect();
            cuts.sort_unstable();
            let law = Stretch { min: 0.9, max: 1.1 };
            for level in Level::all() {
                let mut whole = vec![Vec3::zeros(); 3 * n];
                residual(level, &frames, law, 0..n, &x, &mut whole);
                let mut parts = whole.clone();
                parts.fill(Vec3::repeat(7.0));
                for cut in cuts.windows(2) {
                    residual(level, &frames, law, cut[0]..cut[1], &x, &mut parts[3 * cut[0]..3 * cut[1]]);
                }
                let bits = |r: &[Vec3]| -> Vec<u64> { as_flat(r).iter().map(|r| r.to_bits()).collect() };
                prop_assert_eq!(bits(&whole), bits(&parts));
            }
        }
    }

    #[test]
    fn hostile_lanes_do_not_reach_their_neighbours() {
        let mut f = vec![Mat3::identity() * 1.5; 40];
        for (k, bad) in [(3, Real::NAN), (17, Real::INFINITY), (18, 0.0), (33, 1e-310), (34, 1e300)] {
            f[k] = Mat3::identity() * bad;
        }
        for level in Level::all() {
            for (k, wide) in projected(level, Rigid, &f).iter().enumerate() {
                let expected = !f[k].iter().any(|c| !c.is_finite());
                assert_eq!((wide - Mat3::identity()).amax() < 1e-14, expected, "{level:?} {k} {wide}");
            }
        }
    }
}
