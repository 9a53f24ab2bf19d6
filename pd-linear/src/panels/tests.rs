//! Panels against dense algebra, a naive symbolic factor, the library's Cholesky, and their own scalar version.

use super::kernel::{Kernel, Kernels, Row};
use super::order::Graph;
use super::storage::Arithmetic;
use super::stream::{Shape, Stream};
use super::supernodes::CostModel;
use super::symbolic::{Symbolic, analyse};
use super::*;
use crate::{Cholesky, DenseCholesky};
use proptest::prelude::*;

const ORDERINGS: &[Ordering] = &[
    Ordering::Natural,
    Ordering::Dissection,
    #[cfg(feature = "metis")]
    Ordering::Metis,
];

/// A matrix from undirected edges of weight w (w > 0 a spring; any sign allowed) plus a diagonal that dominates by
/// `mass`.
fn matrix(n: usize, edges: &[(u32, u32, Real)], mass: Real) -> Csr {
    let mut t: Vec<(u32, u32, Real)> = (0..n as u32).map(|i| (i, i, mass)).collect();
    for &(i, j, w) in edges.iter().filter(|e| e.0 != e.1) {
        t.extend([(i, j, -w), (j, i, -w), (i, i, w.abs()), (j, j, w.abs())]);
    }
    Csr::from_triplets(n, &t).unwrap()
}

/// A cloth of n × n vertices with stiff springs.
fn cloth(n: usize) -> Csr {
    let at = |i: usize, j: usize| (i * n + j) as u32;
    let mut edges = vec![];
    for i in 0..n {
        for j in 0..n {
            let near = [(i + 1, j), (i, j + 1), (i + 1, j + 1)].into_iter().filter(|&(k, l)| k < n && l < n);
            edges.extend(near.map(|(k, l)| (at(i, j), at(k, l), 100.0 + (i * j % 7) as Real)));
        }
    }
    matrix(n * n, &edges, 3.6)
}

fn noise(length: usize) -> Vec<Real> {
    let mut state = 77u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as Real / (1u64 << 31) as Real - 0.5
    };
    (0..length).map(|_| next()).collect()
}

/// Matrices with awkward graphs.
fn awkward() -> Vec<(&'static str, Csr)> {
    let star: Vec<_> = (1..300).map(|i| (0, i, 1.0)).collect();
    let full: Vec<_> = (0..90).flat_map(|i| (0..i).map(move |j| (i, j, 0.3))).collect();
    let chains: Vec<_> = (0..399).filter(|i| i % 40 != 39).map(|i| (i, i + 1, 2.0)).collect();
    vec![
        ("one", matrix(1, &[], 4.0)),
        ("two", matrix(2, &[(0, 1, 1.0)], 1.0)),
        ("diagonal", matrix(500, &[], 2.0)),
        ("star", matrix(300, &star, 1.0)),
        ("dense", matrix(90, &full, 1.0)),
        ("chains", matrix(400, &chains, 0.1)),
        ("cloth", cloth(25)),
    ]
}

fn relative_error(x: &[Real], exact: &[Real]) -> Real {
    let norm = |v: &mut dyn Iterator<Item = Real>| v.map(|v| v * v).sum::<Real>().sqrt();
    norm(&mut x.iter().zip(exact).map(|(a, b)| a - b)) / norm(&mut exact.iter().copied())
}

fn solved(solver: &mut dyn GlobalSolver, a: &Csr, b: &[Real], columns: usize) -> Vec<Real> {
    let mut x = vec![Real::NAN; b.len()];
    solver.factor(a).unwrap();
    assert!(solver.solve(b, &mut x, columns).unwrap().converged);
    x
}

fn model(lanes: usize) -> CostModel {
    CostModel::new(lanes, 4)
}

#[test]
fn orders_are_permutations() {
    for (name, a) in awkward() {
        let graph = Graph::of_pattern(a.pattern());
        for ordering in ORDERINGS {
            let mut order = ordering.order(&graph).unwrap();
            order.sort_unstable();
            assert_eq!(order, (0..a.rows() as u32).collect::<Vec<_>>(), "{name} {ordering:?}");
        }
    }
}

#[test]
fn dissection_beats_the_natural_order_and_stays_near_the_known_fill() {
    // Nested dissection of an n × n grid leaves about 31 n² log₂(n) / 4 entries (George 1973).
    let a = cloth(60);
    let fill = |ordering| analyse(a.pattern(), ordering, &model(8), 2).unwrap().fill;
    let natural = fill(Ordering::Natural);
    for &ordering in ORDERINGS.iter().filter(|&&o| o != Ordering::Natural) {
        assert!(fill(ordering) * 2 < natural, "{ordering:?}: {} of {natural}", fill(ordering));
        assert!(fill(ordering) < 31 * 3600 * 6 / 4, "{ordering:?}: {}", fill(ordering));
    }
}

/// Columns of L by elimination on a dense boolean matrix.
fn naive_symbolic(a: &Csr, order: &[u32]) -> Vec<Vec<bool>> {
    let n = a.rows();
    let mut filled = vec![vec![false; n]; n];
    for j in 0..n {
        for i in 0..n {
            filled[j][i] = i == j || a.get(order[i] as usize, order[j] as usize) != 0.0;
        }
    }
    for k in 0..n {
        let below: Vec<usize> = (k + 1..n).filter(|&i| filled[k][i]).collect();
        for &j in &below {
            below.iter().for_each(|&i| filled[j][i] = true);
        }
    }
    filled
}

/// Panels must cover the naive factor; exactly when nothing is merged.
fn check_symbolic(a: &Csr, symbolic: &Symbolic, exact: bool) {
    let n = a.rows();
    let filled = naive_symbolic(a, &symbolic.order);
    let count: usize = (0..n).map(|j| filled[j][j..].iter().filter(|&&f| f).count()).sum();
    assert_eq!(symbolic.fill, count);
    let mut covered = vec![vec![false; n]; n];
    let mut next = 0;
    for (q, node) in symbolic.nodes.iter().enumerate() {
        assert_eq!(node.columns.start, next);
        next = node.columns.end;
        assert!(node.rows.is_sorted() && node.rows.iter().all(|&i| i as usize >= node.columns.end));
        assert!(node.parent == tree::ROOT && node.rows.is_empty() || node.parent as usize > q);
        for j in node.columns.clone() {
            covered[j][j..node.columns.end].fill(true);
            node.rows.iter().for_each(|&i| covered[j][i as usize] = true);
        }
    }
    assert_eq!(next, n);
    for j in 0..n {
        for i in j..n {
            assert!(covered[j][i] || !filled[j][i], "entry ({i}, {j}) has no place");
            assert!(!exact || covered[j][i] == filled[j][i], "entry ({i}, {j}) is stored in vain");
        }
    }
    // Parts follow one another, the top is last, and no part has rows in another.
    let top = symbolic.columns(symbolic.parts.len() - 1);
    for (part, nodes) in symbolic.parts.iter().enumerate() {
        let own = symbolic.columns(part);
        for node in &symbolic.nodes[nodes.clone()] {
            let inside = |i: u32| own.contains(&(i as usize)) || top.contains(&(i as usize));
            assert!(node.rows.iter().all(|&i| inside(i)));
        }
    }
}

#[test]
fn panels_hold_exactly_the_fill_of_a_naive_factor() {
    let never = CostModel { panel: 0.0, row: 0.0, column: 0.0, value: 1.0, lanes: 1 };
    for (_, a) in awkward() {
        for &ordering in ORDERINGS {
            for parts in [1, 2, 3] {
                check_symbolic(&a, &analyse(a.pattern(), ordering, &never, parts).unwrap(), true);
                check_symbolic(&a, &analyse(a.pattern(), ordering, &model(16), parts).unwrap(), false);
            }
        }
    }
}

#[test]
fn merging_lowers_the_modelled_cost_and_two_parts_balance() {
    let a = cloth(80);
    let model = model(16);
    let never = CostModel { panel: 0.0, row: 0.0, column: 0.0, value: 1.0, lanes: 1 };
    let symbolic = analyse(a.pattern(), Ordering::Dissection, &model, 2).unwrap();
    let fine = analyse(a.pattern(), Ordering::Dissection, &never, 2).unwrap();
    let cost = |nodes: &[symbolic::Node]| -> f64 {
        nodes.iter().map(|node| model.cost(node.columns.len(), node.rows.len())).sum()
    };
    assert!(cost(&symbolic.nodes) < 0.8 * cost(&fine.nodes));
    let [left, right, top] = [0, 1, 2].map(|part| cost(&symbolic.nodes[symbolic.parts[part].clone()]));
    assert!(top + left.max(right) < 0.65 * (left + right + top), "{left} {right} {top}");
}

/// Both sweeps of a kernel and of its twin over the same stream.
fn compare_with_twin<S: Kernels>(kernel: Kernel<S>, twin: Kernel<S>, tolerance: f64) {
    let Shape { lanes, group } = kernel.shape;
    assert_eq!(kernel.shape, twin.shape);
    // Panels of all widths around the group size, narrow ones of one to four registers and wide ones, with few and many
    // rows below, chained so that rows overlap.
    let narrow = kernel.shape.narrow();
    let others = [narrow / 2 + 1, narrow - 1, narrow, narrow + 1, narrow + group, 2 * narrow + 3];
    let widths: Vec<usize> = (1..=2 * group + 1).chain(others).chain([3 * group, 1, 2]).collect();
    let columns: usize = widths.iter().sum();
    let rows = columns + 3 * lanes + 6;
    let mut stream = Stream::<S>::new(rows);
    let mut first = 0;
    for (k, &s) in widths.iter().enumerate() {
        let m =
            [0, 1, lanes - 1, lanes, lanes + 1, 2 * lanes, 2 * lanes + 3][k % 7].min(rows - 1 - first - s);
        let (w, inverse) = (noise(m * s), noise(s * s));
        let panel = front::Panel { rows: m, columns: s, w: &w, inverse: &inverse };
        stream.push(kernel.shape, first, first + s..first + s + m, &panel).unwrap();
        first += s;
    }
    stream.finish(kernel.shape).unwrap();
    let numbers = noise(3 * rows);
    let start: Vec<Row<S>> = (0..rows)
        .map(|i| {
            let value =
                |c: usize| S::Arithmetic::from_f64(if i + 1 < rows { numbers[3 * i + c] } else { 0.0 });
            [value(0), value(1), value(2), S::Arithmetic::default()]
        })
        .collect();
    let mut results = [kernel, twin].map(|kernel| {
        let (mut vector, mut scratch) = (start.clone(), vec![Default::default(); stream.scratch()]);
        kernel.forward(&stream, &mut vector, &mut scratch);
        let after_forward = vector.clone();
        kernel.backward(&stream, &mut vector, &mut scratch);
        (after_forward, vector)
    });
    let (one, two) = results.split_at_mut(1);
    for (a, b) in [(&one[0].0, &two[0].0), (&one[0].1, &two[0].1)] {
        let largest = b.iter().flatten().fold(0.0f64, |most, v| most.max(v.to_f64().abs()));
        for (i, (a, b)) in a.iter().zip(b).enumerate() {
            for c in 0..4 {
                let error = (a[c].to_f64() - b[c].to_f64()).abs();
                assert!(error <= tolerance * largest, "{} row {i} component {c}: {a:?} {b:?}", kernel.name);
            }
        }
    }
    assert_ne!(one[0].0, start);
}

#[test]
fn vector_kernels_agree_with_their_plain_twins() {
    fn all<S: Kernels>(tolerance: f64) {
        for kernel in S::kernels() {
            let twin = match (kernel.shape.lanes, kernel.shape.group) {
                (8, group) => Kernel::portable::<8>(group),
                (_, group) => Kernel::portable::<4>(group),
            };
            compare_with_twin(kernel, twin, tolerance);
        }
    }
    all::<f32>(1e-5);
    all::<ThreeBytes>(1e-5);
    all::<Half>(1e-5);
    all::<f64>(1e-13);
}

#[test]
fn all_precisions_orderings_and_kernels_solve_awkward_matrices() {
    for (name, a) in awkward() {
        let b = noise(3 * a.rows());
        let exact = solved(&mut DenseCholesky::default(), &a, &b, 3);
        for (precision, tolerance) in [
            (Precision::Double, 1e-10),
            (Precision::Single, 1e-5),
            (Precision::ThreeBytes, 2e-5),
            (Precision::Half, 1e-2),
        ] {
            for &ordering in ORDERINGS {
                for parts in [1, 2, 5] {
                    let new = || PanelCholesky::new(precision).with_ordering(ordering).with_parts(parts);
                    for mut solver in [new(), new().portable()] {
                        let error = relative_error(&solved(&mut solver, &a, &b, 3), &exact);
                        assert!(error < tolerance, "{name} {precision:?} {ordering:?} {parts}: {error:e}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_cloth_agrees_with_the_library_and_refinement_converges() {
    let a = cloth(70);
    let n = a.rows();
    let b = noise(3 * n);
    let exact = solved(&mut Cholesky::default(), &a, &b, 3);
    for (precision, first, passes) in [
        (Precision::Double, 1e-10, 1),
        (Precision::Single, 1e-5, 3),
        (Precision::ThreeBytes, 2e-5, 3),
        (Precision::Half, 1e-1, 12),
    ] {
        let mut solver = PanelCholesky::new(precision);
        let mut x = solved(&mut solver, &a, &b, 3);
        assert!(relative_error(&x, &exact) < first, "{precision:?}: {:e}", relative_error(&x, &exact));
        for _ in 0..passes {
            let mut r = vec![0.0; 3 * n];
            a.multiply(&x, &mut r, 3);
            r.iter_mut().zip(&b).for_each(|(r, b)| *r = b - *r);
            let mut increment = vec![0.0; 3 * n];
            solver.solve(&r, &mut increment, 3).unwrap();
            x.iter_mut().zip(&increment).for_each(|(x, d)| *x += d);
        }
        assert!(relative_error(&x, &exact) < 1e-11, "{precision:?}: {:e}", relative_error(&x, &exact));
    }
}

#[test]
fn bits_do_not_depend_on_the_pool() {
    let a = cloth(90);
    let b = noise(3 * a.rows());
    for precision in [Precision::Double, Precision::Single, Precision::ThreeBytes, Precision::Half] {
        let mut solver = PanelCholesky::new(precision);
        let run = |threads: usize, solver: &mut PanelCholesky| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| solved(solver, &a, &b, 3))
        };
        let one = run(1, &mut solver);
        assert_eq!(solver.analysis.as_ref().unwrap().1.parts.len(), 3, "the test must split the tree");
        for threads in [2, 3, 8] {
            assert!(run(threads, &mut solver).iter().zip(&one).all(|(a, b)| a.to_bits() == b.to_bits()));
        }
    }
}

#[test]
fn any_number_of_columns_and_any_magnitude() {
    let a = cloth(20);
    let mut solver = PanelCholesky::default();
    for columns in [1, 2, 3, 4, 7] {
        let b = noise(a.rows() * columns);
        let exact = solved(&mut DenseCholesky::default(), &a, &b, columns);
        for scale in [1e-300, 1e-30, 1.0, 1e30, 1e290] {
            let scaled: Vec<Real> = b.iter().map(|b| b * scale).collect();
            let mut x = solved(&mut solver, &a, &scaled, columns);
            x.iter_mut().for_each(|x| *x /= scale);
            assert!(relative_error(&x, &exact) < 1e-5, "{columns} {scale:e}");
        }
    }
    assert_eq!(solved(&mut solver, &a, &vec![0.0; 3 * a.rows()], 3), vec![0.0; 3 * a.rows()]);
    assert_eq!(solver.analyses(), 1, "one pattern, one analysis");
}

#[test]
fn new_numbers_reuse_the_analysis_and_bytes_are_counted() {
    let a = cloth(30);
    let mut solver = PanelCholesky::default();
    assert_eq!((solver.bytes(), solver.panels(), solver.factor_entries()), (0, 0, 0));
    let b = noise(3 * a.rows());
    let x = solved(&mut solver, &a, &b, 3);
    let mut stiffer = a.clone();
    stiffer.values_mut().iter_mut().for_each(|v| *v *= 4.0);
    let quarter = solved(&mut solver, &stiffer, &b, 3);
    assert!(
        x.iter().zip(&quarter).all(|(x, q)| *x == 4.0 * q),
        "powers of four pass through without rounding"
    );
    assert_eq!(solver.analyses(), 1);
    let traffic = 4 * solver.panel_entries();
    assert!(solver.bytes() > traffic && solver.bytes() < 2 * traffic + 200 * a.rows());
    let other = cloth(31);
    solved(&mut solver, &other, &noise(3 * other.rows()), 3);
    assert_eq!(solver.analyses(), 2);
}

#[test]
fn bad_input_is_named() {
    let mut solver = PanelCholesky::default();
    assert!(matches!(solver.solve(&[1.0], &mut [0.0], 1), Err(LinearError::NotFactored { .. })));
    assert!(matches!(solver.factor(&Csr::from_triplets(0, &[]).unwrap()), Err(LinearError::Empty)));
    assert!(matches!(
        solver.analyse(&Arc::new(Pattern::new(vec![0], vec![]).unwrap())),
        Err(LinearError::Empty)
    ));
    let indefinite = [(0, 0, 1.0), (1, 1, 1.0), (0, 1, 2.0), (1, 0, 2.0)];
    let singular = [(0, 0, 1.0), (1, 1, 1.0), (0, 1, -1.0), (1, 0, -1.0)];
    for t in [indefinite, singular] {
        let a = Csr::from_triplets(2, &t).unwrap();
        assert!(matches!(solver.factor(&a), Err(LinearError::NotPositiveDefinite { .. })));
        assert!(matches!(solver.solve(&[1.0, 1.0], &mut [0.0; 2], 1), Err(LinearError::NotFactored { .. })));
    }
    let broken = Csr::from_triplets(2, &[(0, 0, 1.0), (1, 1, Real::NAN)]).unwrap();
    assert!(matches!(solver.factor(&broken), Err(LinearError::NotFinite { row: 1, .. })));
    solver.factor(&matrix(2, &[(0, 1, 1.0)], 1.0)).unwrap();
    assert!(matches!(solver.solve(&[1.0], &mut [0.0; 2], 1), Err(LinearError::Dimension { .. })));
    assert!(matches!(solver.solve(&[], &mut [], 0), Err(LinearError::Dimension { .. })));
    for precision in [Precision::Single, Precision::Double] {
        let mut solver = PanelCholesky::new(precision);
        solver.factor(&matrix(2, &[(0, 1, 1.0)], 1.0)).unwrap();
        for bad in [Real::NAN, Real::INFINITY] {
            for b in [[1.0, bad], [0.0, bad]] {
                let result = solver.solve(&b, &mut [0.0; 2], 1);
                assert!(
                    matches!(result, Err(LinearError::NotFinite { row: 1, column: 0, .. })),
                    "{result:?}"
                );
            }
        }
    }
}

#[test]
fn zeros_stored_on_one_side_only_are_harmless() {
    let t = [(0, 0, 2.0), (1, 1, 2.0), (2, 2, 2.0), (0, 2, 0.0), (0, 1, -1.0), (1, 0, -1.0)];
    let a = Csr::from_triplets(3, &t).unwrap();
    let x = solved(&mut PanelCholesky::new(Precision::Double), &a, &[1.0, 1.0, 2.0], 1);
    assert!(relative_error(&x, &[1.0, 1.0, 1.0]) < 1e-14);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn random_matrices_solve(
        n in 1usize..120,
        edges in prop::collection::vec((0u32..120, 0u32..120, -2.0..5.0f64), 0..500),
        mass in 0.05..3.0f64,
        parts in 1usize..4,
    ) {
        let edges: Vec<_> = edges.into_iter().map(|(i, j, w)| (i % n as u32, j % n as u32, w)).collect();
        let a = matrix(n, &edges, mass);
        let b = noise(3 * n);
        let exact = solved(&mut DenseCholesky::default(), &a, &b, 3);
        for (precision, tolerance) in [(Precision::Double, 1e-10), (Precision::Single, 3e-5)] {
            let mut solver = PanelCholesky::new(precision).with_ordering(Ordering::Dissection).with_parts(parts);
            let error = relative_error(&solved(&mut solver, &a, &b, 3), &exact);
            prop_assert!(error < tolerance, "{precision:?}: {error:e}");
        }
    }
}

/// The ends of a solve have the bits of their scalar version, notice what is not finite, and stay within their rows.
#[test]
fn ends_equal_their_twin() {
    fn check<S: Kernels>() {
        let twin = S::kernels().pop().unwrap();
        for count in [0usize, 1, 2, 7, 64] {
            let short = S::Arithmetic::from_f64;
            let places: Vec<_> =
                (0..count).map(|k| ((k * 5 % count) as u32, short(0.3 + k as Real))).collect();
            let b = noise(3 * count);
            let largest = b.iter().fold(0.0, |most: Real, value| most.max(value.abs()));
            for kernel in S::kernels() {
                let mut rows = vec![[short(9.0); 4]; count + 1];
                let mut expected = rows.clone();
                assert_eq!(kernel.load(&places, &b, 2.0, &mut rows[..count]), largest);
                twin.load(&places, &b, 2.0, &mut expected[..count]);
                assert_eq!(rows, expected, "{}", kernel.name);
                let (mut x, mut y) = (vec![7.0; 3 * count + 1], vec![7.0; 3 * count + 1]);
                assert!(kernel.unload(&places, &rows, -0.5, &mut x[..3 * count]));
                assert!(twin.unload(&places, &rows, -0.5, &mut y[..3 * count]));
                assert_eq!(x, y, "{}", kernel.name);
                for bad in [Real::NAN, Real::INFINITY] {
                    for at in (0..3 * count).step_by(5) {
                        let mut spoilt = b.clone();
                        spoilt[at] = bad;
                        let magnitude = kernel.load(&places, &spoilt, 2.0, &mut rows[..count]);
                        assert!(magnitude <= largest || bad == magnitude);
                        assert!(!kernel.unload(&places, &rows, -0.5, &mut x[..3 * count]), "{}", kernel.name);
                    }
                }
            }
        }
    }
    check::<f32>();
    check::<f64>();
    check::<Half>();
}

/// The power of two that brings right-hand sides into range is remembered; what was solved before must not show.
#[test]
fn a_solve_does_not_depend_on_those_before() {
    let a = cloth(20);
    let b = noise(3 * a.rows());
    for precision in [Precision::Single, Precision::Half, Precision::Double] {
        for power in [-1060, -300, -40, -30, 0, 31, 33, 300, 900] {
            let scaled: Vec<Real> = b.iter().map(|value| value * 2f64.powi(power)).collect();
            let (mut fresh, mut used) = (vec![0.0; b.len()], vec![0.0; b.len()]);
            let mut solver = PanelCholesky::new(precision);
            solver.factor(&a).unwrap();
            solver.solve(&scaled, &mut fresh, 3).unwrap();
            for other in [0.0, 1.0, 1e200, 1e-200] {
                let before: Vec<Real> = b.iter().map(|value| value * other).collect();
                solver.solve(&before, &mut used, 3).unwrap();
                assert!(other != 0.0 || used.iter().all(|&value| value == 0.0));
                solver.solve(&scaled, &mut used, 3).unwrap();
                assert_eq!(fresh, used, "{precision:?} {power} {other}");
            }
        }
    }
}
