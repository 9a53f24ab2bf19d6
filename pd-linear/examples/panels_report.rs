//! Times of one solve with three right-hand sides: `PanelCholesky` beside faer's own solves and beside the time the
//! memory alone would need. `cargo run --release -p pd-linear --example panels_report [directory for .mtx files]`
//!
//! Times are medians, with the least in brackets for a machine that is busy: of the thread's own CPU time for
//! one thread, of wall time for two. faer is given both orderings and both storages, and its best counts.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a program, not the library"
)]

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::Perm;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::traits::RealField;
use faer::{Conj, Mat, Par, Side};
use pd_linear::{Csr, GlobalSolver, Ordering, PanelCholesky, Precision, Real};
use pd_mesh::{TetMesh, generate};
use std::time::Instant;

fn main() {
    let directory = std::env::args().nth(1);
    println!(
        "read bandwidth of one thread, GB/s: {}",
        [1, 4, 8, 16, 32, 64, 128]
            .map(|mb| format!("{:.0} at {mb} MB", bandwidth(mb << 20) / 1e9))
            .join(", ")
    );
    println!(
        "times in ms for three right-hand sides; r = relative residual; roof = 2 x 4 B x nnz(L) / bandwidth"
    );
    for (name, a) in matrices() {
        if let Some(directory) = &directory {
            write_matrix_market(&format!("{directory}/{}.mtx", name.replace(' ', "_")), &a);
        }
        report(name, &a);
    }
}

fn report(name: &str, a: &Csr) {
    let n = a.rows();
    let b = right_hand_side(n);
    let mut x = vec![0.0; 3 * n];
    let residual = |x: &[Real]| {
        let mut ax = vec![0.0; 3 * n];
        a.multiply(x, &mut ax, 3);
        let norm = |v: &mut dyn Iterator<Item = Real>| v.map(|v| v * v).sum::<Real>().sqrt();
        norm(&mut ax.iter().zip(&b).map(|(p, q)| p - q)) / norm(&mut b.iter().copied())
    };
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let two = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut own = PanelCholesky::default().with_ordering(Ordering::Dissection);
    own.analyse(a.pattern()).unwrap();
    let mut fill = 0;
    let mut order = vec![];
    let mut panels = vec![];
    for precision in [Precision::Single, Precision::Half, Precision::Double] {
        let mut solver = PanelCholesky::new(precision);
        let start = cpu_time();
        solver.analyse(a.pattern()).unwrap();
        let analysed = cpu_time();
        solver.factor(a).unwrap();
        let factored = cpu_time();
        (fill, order) = (solver.factor_entries(), solver.order().to_vec());
        let t1 = one.install(|| {
            median(
                || {
                    solver.solve(&b, &mut x, 3).unwrap();
                },
                cpu_time,
            )
        });
        let single = x.clone();
        let t2 = two.install(|| {
            median(
                || {
                    solver.solve(&b, &mut x, 3).unwrap();
                },
                wall_time,
            )
        });
        assert_eq!(single, x, "the same bits with two threads");
        if precision == Precision::Single {
            println!(
                "\n{name}: n {n}, nnz(A) {}, nnz(L) {:.2} M (own dissection {:.2} M), stored {:.2} M in {} panels, {:.1} MB, {}; analyse {:.0} ms, factor {:.0} ms",
                a.pattern().entries(),
                fill as f64 / 1e6,
                own.factor_entries() as f64 / 1e6,
                solver.panel_entries() as f64 / 1e6,
                solver.panels(),
                solver.bytes() as f64 / 1e6,
                solver.instructions(),
                1e3 * (analysed - start),
                1e3 * (factored - analysed)
            );
        }
        panels.push((solver.name().to_owned(), t1, t2, residual(&x)));
    }
    let (t64, r64) = best_of_faer::<f64>(a, &order, &b, &residual);
    let (t32, r32) = best_of_faer::<f32>(a, &order, &b, &residual);
    let roof = 8.0 * fill as f64 / bandwidth(4 * fill);
    let ms = |[median, least]: [f64; 2]| format!("{:7.3} ({:.3})", 1e3 * median, 1e3 * least);
    let over = |a: [f64; 2], b: [f64; 2]| format!("{:.2} ({:.2}) x", a[0] / b[0], a[1] / b[1]);
    println!("  {:11} {} r {r64:.0e}", "faer f64", ms(t64));
    println!("  {:11} {} r {r32:.0e}", "faer f32", ms(t32));
    let best = [t64[0].min(t32[0]), t64[1].min(t32[1])];
    for (name, t1, t2, r) in panels {
        println!("  {name:11} {} r {r:.0e}; faer's best takes {}", ms(t1), over(best, t1));
        println!("{:14}{} the roof of {:.3}", "", over(t1, [roof; 2]), 1e3 * roof);
        println!("{:14}two threads {}, faster by {}", "", ms(t2), over(t1, t2));
    }
}

/// The fastest of faer's solves over orderings and storages, and its residual.
fn best_of_faer<T: RealField + FromF64>(
    a: &Csr,
    order: &[u32],
    b: &[Real],
    residual: &dyn Fn(&[Real]) -> Real,
) -> ([f64; 2], f64) {
    let n = a.rows();
    let indices: Vec<usize> = a.pattern().columns().iter().map(|&j| j as usize).collect();
    let values: Vec<T> = a.values().iter().map(|&v| T::narrow(v)).collect();
    let view = SymbolicSparseColMatRef::new_checked(n, n, a.pattern().offsets(), None, &indices);
    let forward: Vec<usize> = order.iter().map(|&v| v as usize).collect();
    let mut inverse = vec![0; n];
    forward.iter().enumerate().for_each(|(new, &old)| inverse[old] = new);
    let dissection = Perm::new_checked(forward.into(), inverse.into(), n);
    let mut best = ([f64::INFINITY; 2], 0.0);
    for ordering in [SymmetricOrdering::Amd, SymmetricOrdering::Custom(dissection.as_ref())] {
        for threshold in [SupernodalThreshold::FORCE_SIMPLICIAL, SupernodalThreshold::FORCE_SUPERNODAL] {
            let params =
                CholeskySymbolicParams { supernodal_flop_ratio_threshold: threshold, ..Default::default() };
            let symbolic = factorize_symbolic_cholesky(view, Side::Lower, ordering, params).unwrap();
            let mut l = vec![T::narrow(0.0); symbolic.len_val()];
            let need = symbolic.factorize_numeric_llt_scratch::<T>(Par::Seq, Default::default());
            let mut memory = MemBuffer::new(need.or(symbolic.solve_in_place_scratch::<T>(3, Par::Seq)));
            let matrix = SparseColMatRef::new(view, &values);
            let stack = MemStack::new(&mut memory);
            let done = symbolic.factorize_numeric_llt(
                &mut l,
                matrix,
                Side::Lower,
                Default::default(),
                Par::Seq,
                stack,
                Default::default(),
            );
            done.unwrap();
            let rhs = Mat::from_fn(n, 3, |i, c| T::narrow(b[3 * i + c]));
            let mut x = rhs.clone();
            let time = median(
                || {
                    x.copy_from(&rhs);
                    let factor = LltRef::new(&symbolic, &l);
                    factor.solve_in_place_with_conj(
                        Conj::No,
                        x.as_mut(),
                        Par::Seq,
                        MemStack::new(&mut memory),
                    );
                },
                cpu_time,
            );
            if time[0] < best.0[0] {
                let flat: Vec<Real> = (0..3 * n).map(|k| x[(k / 3, k % 3)].wide()).collect();
                best = (time, residual(&flat));
            }
        }
    }
    best
}

/// f32 and f64 from and to f64.
trait FromF64 {
    fn narrow(value: f64) -> Self;
    fn wide(&self) -> f64;
}
impl FromF64 for f32 {
    fn narrow(value: f64) -> Self {
        value as f32
    }
    fn wide(&self) -> f64 {
        f64::from(*self)
    }
}
impl FromF64 for f64 {
    fn narrow(value: f64) -> Self {
        value
    }
    fn wide(&self) -> f64 {
        *self
    }
}

/// Matrices M/h² + Σ w SᵀS of the four classes, h = 1/60 s.
fn matrices() -> Vec<(&'static str, Csr)> {
    vec![
        ("cloth 140", cloth(141, 0.0)),
        ("cloth 140 bending", cloth(141, 5e-2)),
        ("armadillo class", solid(&generate::armadillo_class().unwrap())),
        ("dragon class", solid(&generate::dragon_class().unwrap())),
    ]
}

/// A square cloth of n × n vertices of 1 g: springs on the edges of its triangles, and the squared Laplacian.
fn cloth(n: usize, bending: Real) -> Csr {
    let at = |i: usize, j: usize| (i * n + j) as u32;
    let mut t: Vec<(u32, u32, Real)> = (0..(n * n) as u32).map(|v| (v, v, 1e-3 * 3600.0)).collect();
    let stiffness = 100.0;
    for i in 0..n {
        for j in 0..n {
            for (k, l) in [(i + 1, j), (i, j + 1), (i + 1, j + 1)] {
                if k < n && l < n {
                    add_row(&mut t, stiffness, &[(at(i, j), 1.0), (at(k, l), -1.0)]);
                }
            }
            if bending > 0.0 && (1..n - 1).contains(&i) && (1..n - 1).contains(&j) {
                let ring = [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (-1, -1)];
                let mut row = vec![(at(i, j), 6.0)];
                for (di, dj) in ring {
                    row.push((at(i.wrapping_add_signed(di), j.wrapping_add_signed(dj)), -1.0));
                }
                add_row(&mut t, stiffness * bending, &row);
            }
        }
    }
    Csr::from_triplets(n * n, &t).unwrap()
}

/// w rᵀ r for one row r of a stencil.
fn add_row(t: &mut Vec<(u32, u32, Real)>, w: Real, row: &[(u32, Real)]) {
    for &(i, p) in row {
        for &(j, q) in row {
            t.push((i, j, w * p * q));
        }
    }
}

/// Linear tetrahedra, 1000 kg/m³ and stiffness 1e5 Pa.
fn solid(mesh: &TetMesh) -> Csr {
    let mut t: Vec<(u32, u32, Real)> = vec![];
    for (v, volume) in mesh.vertex_volumes().into_iter().enumerate() {
        t.push((v as u32, v as u32, 1000.0 * volume * 3600.0));
    }
    for (tet, volume) in mesh.tets.iter().zip(mesh.volumes()) {
        let p = tet.map(|v| mesh.positions[v as usize]);
        // ∇φ_k = (outward area vector of the opposite face) / 3V, up to a common sign.
        let faces = [[1, 3, 2], [0, 2, 3], [0, 3, 1], [0, 1, 2]];
        let gradient = faces.map(|[a, b, c]| (p[b] - p[a]).cross(&(p[c] - p[a])) / (6.0 * volume));
        for i in 0..4 {
            for j in 0..4 {
                t.push((tet[i], tet[j], 1e5 * volume * gradient[i].dot(&gradient[j])));
            }
        }
    }
    Csr::from_triplets(mesh.positions.len(), &t).unwrap()
}

fn right_hand_side(n: usize) -> Vec<Real> {
    let mut state = 12345u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24) - 0.5
    };
    (0..3 * n).map(|_| next()).collect()
}

/// Bytes per second of summing an array of so many bytes, over and over: the better of many passes.
fn bandwidth(bytes: usize) -> f64 {
    let data = vec![1.0f32; bytes / 4];
    let mut sink = 0.0;
    let passes = ((1usize << 28) / bytes).clamp(5, 200);
    let mut times = vec![];
    for _ in 0..passes {
        let start = cpu_time();
        sink += sum(&data);
        times.push(cpu_time() - start);
    }
    assert!(sink > 0.0);
    times.sort_by(f64::total_cmp);
    bytes as f64 / times[times.len() / 4]
}

fn sum(data: &[f32]) -> f32 {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f")]
        fn wide(data: &[f32]) -> f32 {
            lanes(data)
        }
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: just checked.
            return unsafe { wide(data) };
        }
    }
    lanes(data)
}

/// Sums over many lanes, so that the compiler may use wide registers and several of them.
#[inline(always)]
fn lanes(data: &[f32]) -> f32 {
    let mut sums = [0.0f32; 128];
    for chunk in data.chunks_exact(128) {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += value;
        }
    }
    sums.iter().sum()
}

/// Median and least of many runs.
fn median(mut f: impl FnMut(), clock: fn() -> f64) -> [f64; 2] {
    (0..3).for_each(|_| f());
    let (mut times, start) = (vec![], wall_time());
    while times.len() < 31 || (wall_time() - start < 0.6 && times.len() < 2000) {
        let before = clock();
        f();
        times.push(clock() - before);
    }
    times.sort_by(f64::total_cmp);
    [times[times.len() / 2], times[0]]
}

fn wall_time() -> f64 {
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Processor seconds of this thread.
#[cfg(target_os = "linux")]
fn cpu_time() -> f64 {
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut [i64; 2]) -> i32;
    }
    let mut time = [0i64; 2];
    // SAFETY: clock 3 is CLOCK_THREAD_CPUTIME_ID; a 64-bit timespec is two 64-bit integers.
    unsafe { clock_gettime(3, &mut time) };
    time[0] as f64 + 1e-9 * time[1] as f64
}

#[cfg(not(target_os = "linux"))]
fn cpu_time() -> f64 {
    wall_time()
}

fn write_matrix_market(path: &str, a: &Csr) {
    use std::fmt::Write;
    let mut text = String::from("%%MatrixMarket matrix coordinate real symmetric\n");
    let lower = (0..a.rows()).map(|i| a.row(i).filter(|&(j, _)| j <= i).count()).sum::<usize>();
    writeln!(text, "{0} {0} {lower}", a.rows()).unwrap();
    for i in 0..a.rows() {
        for (j, value) in a.row(i).filter(|&(j, _)| j <= i) {
            writeln!(text, "{} {} {value:e}", i + 1, j + 1).unwrap();
        }
    }
    std::fs::write(path, text).unwrap();
}
