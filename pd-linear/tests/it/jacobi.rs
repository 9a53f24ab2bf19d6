//! The Jacobi family against its theory.

use crate::matrices::*;
use pd_linear::*;
use proptest::prelude::*;

fn sweeps(iterations: usize) -> Stopping {
    Stopping { tolerance: 0.0, iterations }
}

fn solve(solver: &mut dyn GlobalSolver, a: &Csr, b: &[Real]) -> (Vec<Real>, SolveReport) {
    solver.factor(a).unwrap();
    let mut x = vec![0.0; b.len()];
    let report = solver.solve(b, &mut x, b.len() / a.rows()).unwrap();
    (x, report)
}

#[test]
fn spectrum_encloses_the_true_one_tightly() {
    for (name, a) in zoo() {
        let (low, high) = dense_spectrum(&a);
        let found = Spectrum::estimate(&a).unwrap();
        assert!(
            found.min <= low * (1.0 + 1e-6) && found.min > 0.85 * low,
            "{name}: {found:?}, true min {low}"
        );
        assert!(
            found.max >= high * (1.0 - 1e-6) && found.max < 1.02 * high,
            "{name}: {found:?}, true max {high}"
        );
    }
    let (_, high) = dense_spectrum(&slivers(60, 200.0));
    assert!(high > 3.9, "the slivers must be at the bound of tetrahedra: {high}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn spectrum_is_safe_on_random_matrices(
        n in 1usize..50,
        rows in proptest::collection::vec(proptest::collection::vec((0u32..50, -1.0..1.0f64), 1..6), 0..120),
        exponent in -4.0..1.0f64,
    ) {
        let terms: Vec<_> = rows
            .into_iter()
            .map(|row| (1.0, row.into_iter().map(|(i, v)| (i % n as u32, v)).collect::<Vec<_>>()))
            .collect();
        let a = assemble(10f64.powf(exponent), n, &terms);
        let (low, high) = dense_spectrum(&a);
        let found = Spectrum::estimate(&a).unwrap();
        // Safety: no eigenvalue above; and not so far above that convergence suffers. The lower end is a matter of
        // speed: clustered eigenvalues can hide the last one from Lanczos by a few percent.
        prop_assert!(found.max >= high * (1.0 - 1e-9) && found.max <= 1.03 * high, "{found:?} for {high}");
        prop_assert!(found.min <= low * 1.1 && found.min >= 0.45 * low, "{found:?} for {low}");
        prop_assert!(found.contraction(found.gamma()) < 1.0);
    }
}

#[test]
fn contraction_per_sweep_is_at_most_rho() {
    for (name, a) in zoo() {
        let b = noise(a.rows(), 1);
        let exact = oracle(&a, &b, 1);
        let d = a.diagonal();
        // In the norm weighted by the diagonal the error matrix is symmetric.
        let error = |x: &[Real]| -> Real {
            x.iter().zip(&exact).zip(&d).map(|((x, e), d)| d * (x - e) * (x - e)).sum::<Real>().sqrt()
        };
        let rho = {
            let spectrum = Spectrum::estimate(&a).unwrap();
            spectrum.contraction(spectrum.gamma())
        };
        let start = error(&vec![0.0; a.rows()]);
        let mut before = start;
        for k in 1..40 {
            let options = JacobiOptions { stopping: sweeps(k), ..JacobiOptions::default() };
            let (x, _) = solve(&mut Jacobi::new(options), &a, &b);
            let after = error(&x);
            assert!(after <= rho * before + 1e-12 * start, "{name}, sweep {k}: {after} > {rho} · {before}");
            before = after;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn order_l_equals_l_damped_sweeps(seed in 0u64..1000, which in 0usize..4, order in 1usize..=3, count in 0usize..9) {
        let (_, a) = zoo().swap_remove(which);
        let b = noise(3 * a.rows(), seed);
        let options = JacobiOptions { stopping: sweeps(count), ..JacobiOptions::default() };
        let mut high = AJacobi::new(order, options).without_acceleration();
        let (high, _) = solve(&mut high, &a, &b);
        let options = JacobiOptions { stopping: sweeps(count * order), ..JacobiOptions::default() };
        let (plain, _) = solve(&mut Jacobi::new(options), &a, &b);
        let difference: Vec<Real> = high.iter().zip(&plain).map(|(a, b)| a - b).collect();
        prop_assert!(norm(&difference) <= 1e-13 * norm(&plain).max(1e-300));
    }
}

#[test]
fn dense_and_sparse_jacobi_are_the_same_iteration() {
    let a = bending(6, 100.0, 50.0);
    for columns in [1, 2, 3, 5] {
        let b = noise(columns * a.rows(), 4);
        let options = JacobiOptions { stopping: sweeps(25), ..JacobiOptions::default() };
        let (sparse, _) = solve(&mut Jacobi::new(options), &a, &b);
        let (dense, _) = solve(&mut DenseJacobi::new(options), &a, &b);
        let difference: Vec<Real> = sparse.iter().zip(&dense).map(|(a, b)| a - b).collect();
        assert!(norm(&difference) <= 1e-13 * norm(&sparse), "{columns} columns");
    }
}

#[test]
fn result_does_not_depend_on_the_count_modulo_three() {
    // Far beyond convergence every count must give the solution; a stale buffer would show as a jump back.
    for order in 1..=3 {
        let a = cloth(8, 100.0);
        let b = noise(3 * a.rows(), 2);
        let exact = oracle(&a, &b, 3);
        let errors: Vec<Real> = (6..30)
            .map(|k| {
                let options = JacobiOptions { stopping: sweeps(k), ..JacobiOptions::default() };
                let (x, _) = solve(&mut AJacobi::new(order, options), &a, &b);
                norm(&x.iter().zip(&exact).map(|(x, e)| x - e).collect::<Vec<_>>())
            })
            .collect();
        for (k, pair) in errors.windows(2).enumerate() {
            assert!(pair[1] < pair[0], "order {order}, count {}: {} after {}", k + 7, pair[1], pair[0]);
        }
        // As published the last one or two sweeps are lost.
        let published = |k| {
            let options = JacobiOptions { stopping: sweeps(k), ..JacobiOptions::as_published() };
            solve(&mut AJacobi::new(order, JacobiOptions { rho: Some(0.5), ..options }), &a, &b).0
        };
        assert_eq!(published(30), published(31));
        assert_eq!(published(30), published(32));
        assert_ne!(published(30), published(33));
    }
}

#[test]
fn chebyshev_is_never_slower() {
    for (name, a) in zoo() {
        for tolerance in [1e-2, 1e-4, 1e-8] {
            let b = noise(3 * a.rows(), 3);
            let stopping = Stopping { tolerance, ..Stopping::default() };
            let options = JacobiOptions { stopping, ..JacobiOptions::default() };
            let (_, plain) = solve(&mut Jacobi::new(options), &a, &b);
            let (_, fast) = solve(&mut Jacobi::accelerated(options), &a, &b);
            assert!(plain.converged && fast.converged, "{name}: {plain:?} {fast:?}");
            assert!(fast.iterations <= plain.iterations, "{name}, {tolerance}: {fast:?} against {plain:?}");
        }
    }
}

#[test]
fn published_diverges_where_the_corrected_converges() {
    for (name, a) in [("slivers", slivers(60, 200.0)), ("bending", bending(10, 100.0, 100.0))] {
        assert!(dense_spectrum(&a).1 > 2.0);
        let b = noise(3 * a.rows(), 5);
        let mut x = vec![0.0; b.len()];
        let published = JacobiOptions::as_published();
        let mut solvers: Vec<Box<dyn GlobalSolver>> = vec![
            Box::new(DenseJacobi::new(published)),
            Box::new(Jacobi::new(published)),
            Box::new(Jacobi::accelerated(published)),
        ];
        solvers
            .extend((1..=3).map(|order| Box::new(AJacobi::new(order, published)) as Box<dyn GlobalSolver>));
        for mut solver in solvers {
            solver.factor(&a).unwrap();
            match solver.solve(&b, &mut x, 3) {
                Err(LinearError::Diverged { iteration, residual }) => {
                    assert!(iteration > 0 && iteration <= 500 && residual.is_finite() && residual > 1.0);
                }
                other => panic!("{name}, {}: {other:?}", solver.name()),
            }
        }
        let mut solvers: Vec<Box<dyn GlobalSolver>> = vec![
            Box::new(DenseJacobi::default()),
            Box::new(Jacobi::default()),
            Box::new(Jacobi::chebyshev()),
        ];
        for order in 1..=3 {
            solvers.push(Box::new(AJacobi::new(order, JacobiOptions::default())));
        }
        for mut solver in solvers {
            let (x, report) = solve(solver.as_mut(), &a, &b);
            assert!(report.converged, "{name}, {}: {report:?}", solver.name());
            assert!(relative_residual(&a, &b, &x, 3) <= 1.01e-8);
        }
    }
}

#[test]
fn published_converges_on_cloth() {
    let a = cloth(8, 100.0);
    let b = noise(3 * a.rows(), 5);
    let options = JacobiOptions { rho: Some(0.9), ..JacobiOptions::as_published() };
    for order in 1..=3 {
        let (_, report) = solve(&mut AJacobi::new(order, options), &a, &b);
        assert!(report.converged && report.residual.unwrap() < 1e-6, "{order}: {report:?}");
    }
}

#[test]
fn a_damping_given_too_large_is_reported() {
    let a = slivers(60, 200.0);
    let b = noise(a.rows(), 5);
    let options = JacobiOptions { gamma: Some(0.9), ..JacobiOptions::default() };
    for order in 1..=3 {
        let mut solver = AJacobi::new(order, options);
        solver.factor(&a).unwrap();
        let result = solver.solve(&b, &mut vec![0.0; b.len()], 1);
        assert!(matches!(result, Err(LinearError::Diverged { .. })), "{result:?}");
    }
}

#[test]
fn memory_ceilings_are_checked_first() {
    let a = cloth(12, 100.0);
    let mut solver = DenseJacobi::new(JacobiOptions { memory: 1 << 20, ..JacobiOptions::default() });
    let bytes = 8 * (3 * 144) * (3 * 144);
    let error = solver.factor(&a).unwrap_err();
    assert_eq!(error, LinearError::TooLarge { solver: "dense-jacobi".into(), bytes, limit: 1 << 20 });
    let mut solver = AJacobi::new(3, JacobiOptions { memory: 10_000, ..JacobiOptions::default() });
    assert!(matches!(solver.factor(&a), Err(LinearError::TooLarge { bytes, .. }) if bytes > 10_000));
}
