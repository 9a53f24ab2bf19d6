//! Time per element of the local step: a plain singular value decomposition per element, the scalar decomposition of
//! this crate, and the batches as the solver runs them. One thread, best of many rounds, ratios in one run. Run it on an idle machine, or believe the ratios more than the times.
#![allow(clippy::print_stdout, reason = "a report for people")]

use pd_constraints::{EdgeSprings, StrainRange, TetStrain, TriStrain, Volume, svd3};
use pd_core::{EnergyBatch, Mat3, Real, Vec3, exec::ELEMENT_CHUNK};
use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;

/// Rounds over the whole batch.
const ROUNDS: usize = 15;

/// Nanoseconds per element: the sum over chunks, as the solver cuts them, of the fastest round of each chunk. Other
/// processes then disturb little, since a chunk takes microseconds; caches see the whole batch in every round.
fn time(r: &mut [Vec3], rows: usize, mut run: impl FnMut(Range<usize>, &mut [Vec3])) -> f64 {
    let mut best = vec![f64::MAX; r.len().div_ceil(ELEMENT_CHUNK * rows)];
    for _ in 0..ROUNDS {
        for (k, (r, best)) in r.chunks_mut(ELEMENT_CHUNK * rows).zip(&mut best).enumerate() {
            let first = k * ELEMENT_CHUNK;
            let start = Instant::now();
            run(first..first + r.len() / rows, black_box(r));
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    best.iter().sum::<f64>() * 1e9 / (r.len() / rows) as f64
}

/// A cube of `n`³ cells of five tetrahedra, side 1 m.
fn block(n: u32) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let id = |i: u32, j: u32, k: u32| (k * (n + 1) + j) * (n + 1) + i;
    let mut x = vec![];
    let mut tets = vec![];
    for k in 0..=n {
        for j in 0..=n {
            for i in 0..=n {
                x.push(Vec3::new(i.into(), j.into(), k.into()) / Real::from(n));
                if i == n || j == n || k == n {
                    continue;
                }
                let flip = (i + j + k) & 1;
                let c = |b: u32| id(i + ((b & 1) ^ flip), j + (b >> 1 & 1), k + (b >> 2));
                let corners = [[0, 1, 2, 4], [3, 1, 2, 7], [5, 1, 4, 7], [6, 2, 4, 7], [1, 2, 4, 7]];
                tets.extend(corners.map(|t| t.map(c)));
            }
        }
    }
    (x, tets)
}

/// A square of `n`² cells: vertices, triangles, edges.
fn sheet(n: u32) -> (Vec<Vec3>, Vec<[u32; 3]>, Vec<[u32; 2]>) {
    let id = |i: u32, j: u32| j * (n + 1) + i;
    let (mut x, mut triangles, mut edges) = (vec![], vec![], vec![]);
    for j in 0..=n {
        for i in 0..=n {
            x.push(Vec3::new(i.into(), j.into(), 0.0) / Real::from(n));
            if i < n {
                edges.push([id(i, j), id(i + 1, j)]);
            }
            if j < n {
                edges.push([id(i, j), id(i, j + 1)]);
            }
            if i < n && j < n {
                edges.push([id(i, j), id(i + 1, j + 1)]);
                triangles.extend([
                    [id(i, j), id(i + 1, j), id(i + 1, j + 1)],
                    [id(i, j), id(i + 1, j + 1), id(i, j + 1)],
                ]);
            }
        }
    }
    (x, triangles, edges)
}

/// Moves each vertex by up to `size`, the same in every run.
fn shaken(x: &[Vec3], size: Real) -> Vec<Vec3> {
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as Real / (1u64 << 52) as Real - 1.0
    };
    x.iter().map(|p| p + Vec3::from_fn(|_, _| random()) * size).collect()
}

/// r = F − nearest(F) with one matrix at a time.
fn one_by_one(
    batch: &TetStrain,
    elements: Range<usize>,
    x: &[Vec3],
    r: &mut [Vec3],
    nearest: impl Fn(&Mat3) -> Mat3,
) {
    for (element, r) in elements.zip(r.chunks_exact_mut(3)) {
        let f = batch.deformation_gradient(element, x);
        let residual = f - nearest(&f);
        (0..3).for_each(|j| r[j].copy_from(&residual.column(j)));
    }
}

/// Projection with a general-purpose singular value decomposition, σ₃ signed as det F.
fn library(f: &Mat3, min: Real, max: Real) -> Mat3 {
    let svd = f.svd(true, true);
    let (Some(u), Some(v_t)) = (svd.u, svd.v_t) else { return *f };
    let mut sigma = svd.singular_values;
    let mut flip = Vec3::repeat(1.0);
    flip.z = (u.determinant() * v_t.determinant()).signum();
    sigma.z *= flip.z;
    let clamped = sigma.map(|s| s.max(min).min(max)).component_mul(&flip);
    u * Mat3::from_diagonal(&clamped) * v_t
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (rest, tets) = block(21);
    let n = tets.len();
    println!("tetrahedra: {n} elements, {} vertices; ns per element", rest.len());
    println!("{:<28}{:>9}{:>9}{:>9}{:>10}{:>10}", "", "library", "scalar", "batch", "of lib.", "of scalar");
    for (name, min, max) in [("rigid [1, 1]", 1.0, 1.0), ("range [0.95, 1.05]", 0.95, 1.05)] {
        for shake in [0.05, 0.2, 0.5] {
            let x = shaken(&rest, shake / 21.0);
            let batch = TetStrain::new(&rest, &tets, 1.0, StrainRange::uniform(min, max))?;
            let mut r = vec![Vec3::zeros(); 3 * n];
            let plain = time(&mut r, 3, |e, r| one_by_one(&batch, e, &x, r, |f| library(f, min, max)));
            let wanted = r.clone();
            let scalar = time(&mut r, 3, |e, r| {
                one_by_one(&batch, e, &x, r, |f| {
                    let svd = svd3(f);
                    svd.with(&svd.sigma.map(|s| s.max(min).min(max)))
                });
            });
            let wide = time(&mut r, 3, |e, r| batch.residual(e, &x, r));
            let error = r.iter().zip(&wanted).fold(0.0, |m: Real, (a, b)| m.max((a - b).amax()));
            let name = format!("{name}, shaken {shake}");
            let (a, b) = (plain / wide, scalar / wide);
            println!("{name:<28}{plain:>9.1}{scalar:>9.1}{wide:>9.1}{a:>9.1}x{b:>9.1}x   error {error:.1e}");
        }
    }
    let x = shaken(&rest, 0.2 / 21.0);
    let volume = Volume::new(&rest, &tets, 1.0, 1.0, 1.0)?;
    let mut r = vec![Vec3::zeros(); 3 * n];
    println!("volume: {:.1} ns per element", time(&mut r, 3, |e, r| volume.residual(e, &x, r)));

    for cells in [140, 600] {
        let (rest, triangles, edges) = sheet(cells);
        let x = shaken(&rest, 0.2 / Real::from(cells));
        let strain = TriStrain::new(&rest, &triangles, 1.0, StrainRange::RIGID)?;
        let mut r = vec![Vec3::zeros(); 2 * triangles.len()];
        let spent = time(&mut r, 2, |e, r| strain.residual(e, &x, r));
        println!("triangles, sheet {cells}²: {} elements, {spent:.1} ns per element", triangles.len());

        let batch = EdgeSprings::new(&rest, &edges, 1.0)?;
        let n = batch.edges().len();
        let mut r = vec![Vec3::zeros(); n];
        let spent = time(&mut r, 1, |e, r| batch.residual(e, &x, r));
        // The same bytes without a gather: two ids and a length in, three numbers out, and the positions once.
        let source = vec![[1.0; 2]; n];
        let share = x.len() as Real / n as Real;
        let stream = time(&mut r, 1, |e, r| {
            let positions = (e.start as Real * share) as usize..(e.end as Real * share) as usize;
            black_box(x[positions].iter().sum::<Vec3>());
            for (r, s) in r.iter_mut().zip(&source[e]) {
                *r = Vec3::new(s[0], s[1], s[0]);
            }
        });
        let bytes = 40.0 + 24.0 * share;
        println!(
            "edges, sheet {cells}²: {n} elements, {spent:.2} ns; streaming its {bytes:.0} bytes {stream:.2} ns ({:.1} GB/s); {:.2}x",
            bytes / stream,
            spent / stream
        );
    }
    Ok(())
}
