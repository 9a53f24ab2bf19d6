//! Direct solvers against each other, on matrices with a known answer, and on bad input.

use pd_linear::*;
use proptest::prelude::*;
use std::sync::Arc;

/// Shifted Laplacian of a path.
fn path(n: usize, shift: Real) -> Csr {
    let mut triplets = vec![];
    for i in 0..n as u32 {
        triplets.push((i, i, shift));
        if i > 0 {
            triplets.extend([(i, i, 1.0), (i - 1, i - 1, 1.0), (i, i - 1, -1.0), (i - 1, i, -1.0)]);
        }
    }
    Csr::from_triplets(n, &triplets).unwrap()
}

fn direct() -> Vec<Box<dyn GlobalSolver>> {
    ["cholesky", "cholesky-simplicial", "cholesky-supernodal", "dense"]
        .map(|name| Registry::standard().create(name).unwrap())
        .into()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn known_solution_is_found(
        n in 1usize..40,
        entries in proptest::collection::vec((0u32..40, 0u32..40, -1.0..1.0f64), 0..160),
        x in proptest::collection::vec(-1.0..1.0f64, 120),
    ) {
        // Symmetric and diagonally dominant, hence positive definite.
        let mut triplets: Vec<_> = (0..n as u32).map(|i| (i, i, 0.1)).collect();
        for (i, j, v) in entries {
            let (i, j) = (i % n as u32, j % n as u32);
            if i != j {
                triplets.extend([(i, j, v), (j, i, v), (i, i, v.abs()), (j, j, v.abs())]);
            }
        }
        let a = Csr::from_triplets(n, &triplets).unwrap();
        let x = &x[..3 * n];
        let mut b = vec![0.0; 3 * n];
        a.multiply(x, &mut b, 3);
        for mut solver in direct() {
            solver.factor(&a).unwrap();
            let mut found = vec![0.0; 3 * n];
            let report = solver.solve(&b, &mut found, 3).unwrap();
            prop_assert!(report.converged && report.iterations == 1);
            for (found, x) in found.iter().zip(x) {
                prop_assert!((found - x).abs() < 1e-11, "{}: {found} for {x}", solver.name());
            }
        }
    }
}

#[test]
fn analysis_is_kept_while_the_pattern_stays() {
    let mut solver = Cholesky::default();
    let a = path(20, 1.0);
    solver.analyse(a.pattern()).unwrap();
    solver.factor(&a).unwrap();
    let mut b = a.clone();
    b.values_mut().iter_mut().for_each(|v| *v *= 2.0);
    solver.factor(&b).unwrap();
    let equal = Csr::new(Arc::new((**a.pattern()).clone()), a.values().to_vec()).unwrap();
    solver.factor(&equal).unwrap();
    assert_eq!(solver.analyses(), 1);
    solver.factor(&path(21, 1.0)).unwrap();
    assert_eq!(solver.analyses(), 2);
    let mut x = vec![0.0; 21];
    solver.solve(&[1.0; 21], &mut x, 1).unwrap();
    assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-14)); // the Laplacian of a constant is zero
}

#[test]
fn bad_matrices_are_named_and_leave_no_factor() {
    for mut solver in direct() {
        let mut x = [0.0; 9];
        let unfactored = solver.solve(&[1.0; 9], &mut x, 1);
        assert!(matches!(unfactored, Err(LinearError::NotFactored { .. })));
        solver.factor(&path(9, 0.5)).unwrap();
        solver.solve(&[1.0; 9], &mut x, 1).unwrap();
        // Singular: constants are in the kernel. Indefinite: a negative shift.
        for shift in [0.0, -0.5] {
            let result = solver.factor(&path(9, shift));
            assert!(
                matches!(result, Err(LinearError::NotPositiveDefinite { .. })),
                "{}: {result:?}",
                solver.name()
            );
            assert!(matches!(solver.solve(&[1.0; 9], &mut x, 1), Err(LinearError::NotFactored { .. })));
        }
        assert!(matches!(solver.factor(&Csr::default()), Err(LinearError::Empty)));
        solver.factor(&path(9, 0.5)).unwrap();
        assert!(matches!(solver.solve(&[1.0; 8], &mut x, 1), Err(LinearError::Dimension { .. })));
        assert!(matches!(solver.solve(&[1.0; 9], &mut x, 0), Err(LinearError::Dimension { .. })));
        let mut b = [1.0; 9];
        b[4] = Real::NAN;
        assert!(matches!(solver.solve(&b, &mut x, 1), Err(LinearError::NotFinite { row: 4, column: 0, .. })));
    }
}

#[test]
fn dense_refuses_before_allocating() {
    let mut solver = DenseCholesky::with_limit(1000);
    let error = solver.factor(&path(100, 1.0)).unwrap_err();
    assert_eq!(error, LinearError::TooLarge { solver: "dense".into(), bytes: 40_400, limit: 1000 });
}
