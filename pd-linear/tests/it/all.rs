//! What every solver of the registry must do.

use crate::matrices::*;
use pd_linear::*;
use proptest::prelude::*;

/// Solvers that meet a tolerance of their own or that of f64: not the published variants, not short panels.
fn corrected() -> Vec<String> {
    let left_out =
        |name: &str| name.ends_with("-published") || ["panels", "panels-f24", "panels-f16"].contains(&name);
    Registry::standard().names().filter(|name| !left_out(name)).map(str::to_owned).collect()
}

/// Solves and compares with the oracle in the norm of the residual: ‖A (x − x*)‖ ≤ (tolerance + rounding) ‖b‖.
fn agrees(name: &str, a: &Csr, b: &[Real], columns: usize, options: &SolverOptions) -> SolveReport {
    let mut solver = Registry::standard().create_with(name, options).unwrap();
    assert_eq!(solver.name(), name);
    solver.factor(a).unwrap();
    let mut x = noise(b.len(), 99); // an arbitrary first guess
    let report = solver.solve(b, &mut x, columns).unwrap();
    assert!(report.converged, "{name}: {report:?}");
    let exact = oracle(a, b, columns);
    let error: Vec<Real> = x.iter().zip(&exact).map(|(x, e)| x - e).collect();
    let mut residual = vec![0.0; b.len()];
    a.multiply(&error, &mut residual, columns);
    let relative = norm(&residual) / norm(b);
    let tolerance = options.tolerance.unwrap_or(1e-8);
    assert!(relative <= tolerance * (1.0 + 1e-6) + 1e-12, "{name}: error {relative:.2e}, {report:?}");
    if let Some(claimed) = report.residual {
        let true_residual = relative_residual(a, b, &x, columns);
        assert!((claimed - true_residual).abs() <= 1e-3 * true_residual + 1e-13, "{name} claims {claimed}");
    }
    report
}

#[test]
fn all_agree_with_the_oracle_on_matrices_of_the_field() {
    for (matrix, a) in zoo() {
        for name in corrected() {
            // Dense sweeps are slow, and the same iteration as sparse ones.
            let tolerance = (name == "dense-jacobi").then_some(1e-2);
            for columns in [1, 3] {
                let options = SolverOptions { tolerance, ..SolverOptions::default() };
                let report = agrees(&name, &a, &noise(columns * a.rows(), 7), columns, &options);
                println!("{matrix}, {name}: {} iterations", report.iterations);
            }
        }
    }
}

#[test]
fn other_numbers_of_columns_and_tolerances() {
    let a = cloth(9, 300.0);
    for name in corrected() {
        for columns in [2, 5, 7] {
            let tolerance = Some(1e-4);
            agrees(
                &name,
                &a,
                &noise(columns * a.rows(), 8),
                columns,
                &SolverOptions { tolerance, ..Default::default() },
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn all_agree_on_random_matrices(
        n in 1usize..30,
        entries in proptest::collection::vec((0u32..30, 0u32..30, -1.0..1.0f64), 0..90),
        shift in 0.05..2.0f64,
        seed in 0u64..1000,
    ) {
        // Σ a aᵀ + shift: positive definite, not diagonally dominant.
        let terms: Vec<_> = entries
            .chunks(2)
            .map(|pair| (1.0, pair.iter().flat_map(|&(i, j, v)| {
                let (i, j) = (i % n as u32, j % n as u32);
                if i == j { vec![(i, v)] } else { vec![(i, v), (j, 1.0 - v)] }
            }).collect::<Vec<_>>()))
            .collect();
        let a = assemble(shift, n, &terms);
        let b = noise(3 * n, seed);
        for name in corrected() {
            agrees(&name, &a, &b, 3, &SolverOptions::default());
        }
    }
}

#[test]
fn warm_start_at_the_solution_costs_nothing() {
    let a = bending(8, 100.0, 50.0);
    let b = noise(3 * a.rows(), 1);
    for name in corrected() {
        let mut solver = Registry::standard().create(&name).unwrap();
        solver.factor(&a).unwrap();
        let mut x = oracle(&a, &b, 3);
        let report = solver.solve(&b, &mut x, 3).unwrap();
        assert!(report.iterations == 0 || report.residual.is_none(), "{name}: {report:?}");
        // A right-hand side of zero has the solution zero from any start.
        let mut x = noise(b.len(), 3);
        solver.solve(&vec![0.0; b.len()], &mut x, 3).unwrap();
        assert!(x.iter().all(|x| *x == 0.0), "{name}");
    }
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let a = bending(40, 100.0, 50.0); // 1600 rows: more than one chunk
    let b = noise(3 * a.rows(), 6);
    for name in Registry::standard().names() {
        if name.starts_with("dense") {
            continue; // slow at this size; dense Jacobi is below
        }
        let iterations = if name.ends_with("published") { Some(8) } else { Some(30) };
        let options = SolverOptions { iterations, tolerance: Some(1e-12), ..Default::default() };
        same_bits(name, &a, &b, &options);
    }
    let a = bending(14, 100.0, 50.0);
    let b = noise(3 * a.rows(), 6);
    let options = SolverOptions { iterations: Some(30), ..Default::default() };
    same_bits("dense-jacobi", &a, &b, &options);
    same_bits("dense", &a, &b, &options);
}

fn same_bits(name: &str, a: &Csr, b: &[Real], options: &SolverOptions) {
    let run = || {
        let mut solver = Registry::standard().create_with(name, options).unwrap();
        solver.factor(a).unwrap();
        let mut x = vec![0.0; b.len()];
        let report = solver.solve(b, &mut x, 3).unwrap();
        (x.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), report)
    };
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let one = pool(1).install(run);
    for threads in [2, 3, 8] {
        assert!(pool(threads).install(run) == one, "{name} with {threads} threads");
    }
}

#[test]
fn bad_input_is_a_typed_error() {
    let good = cloth(4, 10.0);
    let path = |shift: Real| {
        let terms: Vec<_> = (1..16u32).map(|i| (1.0, vec![(i, 1.0), (i - 1, -1.0)])).collect();
        assemble(shift, 16, &terms)
    };
    for name in Registry::standard().names() {
        let create = || Registry::standard().create(name).unwrap();
        let mut x = vec![0.0; 16];
        let b = vec![1.0; 16];
        let unfactored = create().solve(&b, &mut x, 1);
        assert!(matches!(unfactored, Err(LinearError::NotFactored { .. })), "{name}: {unfactored:?}");
        assert!(matches!(create().factor(&Csr::default()), Err(LinearError::Empty)), "{name}");

        let mut skew = good.clone();
        let off = skew.pattern().offsets()[3];
        skew.values_mut()[off] += 1.0;
        assert!(matches!(create().factor(&skew), Err(LinearError::NotSymmetric { .. })), "{name}");
        let mut nan = good.clone();
        nan.values_mut()[5] = Real::NAN;
        assert!(matches!(create().factor(&nan), Err(LinearError::NotFinite { .. })), "{name}");
        let mut negative = good.clone();
        negative.values_mut()[0] = -1.0;
        assert!(
            matches!(create().factor(&negative), Err(LinearError::NotPositiveDefinite { row: 0, .. })),
            "{name}"
        );

        let mut solver = create();
        solver.factor(&good).unwrap();
        assert!(matches!(solver.solve(&b[..15], &mut x, 1), Err(LinearError::Dimension { .. })), "{name}");
        assert!(matches!(solver.solve(&b, &mut x[..15], 1), Err(LinearError::Dimension { .. })), "{name}");
        assert!(matches!(solver.solve(&b, &mut x, 0), Err(LinearError::Dimension { .. })), "{name}");
        assert!(matches!(solver.solve(&b, &mut x, 3), Err(LinearError::Dimension { .. })), "{name}");
        let mut bad = b.clone();
        bad[7] = Real::INFINITY;
        let result = solver.solve(&bad, &mut x, 1);
        assert!(matches!(result, Err(LinearError::NotFinite { row: 7, .. })), "{name}: {result:?}");

        // Indefinite with a positive diagonal, and singular: an error, or a report that admits failure.
        for shift in [-0.5, 0.0] {
            let mut solver = create();
            let result = solver.factor(&path(shift)).and_then(|()| solver.solve(&noise(16, 1), &mut x, 1));
            match result {
                Err(LinearError::NotPositiveDefinite { .. } | LinearError::Diverged { .. }) => {}
                Ok(report) if !report.converged || name.ends_with("published") => {
                    assert!(x.iter().all(|x| x.is_finite()), "{name}, shift {shift}");
                    assert!(
                        shift == 0.0 || name.ends_with("published"),
                        "{name} missed an indefinite matrix: {report:?}"
                    );
                }
                other => panic!("{name}, shift {shift}: {other:?}"),
            }
        }
    }
}

#[test]
fn bad_parameters_are_named() {
    let a = cloth(4, 10.0);
    let wrong = |name: &str, options: SolverOptions| {
        let result =
            Registry::standard().create_with(name, &options).and_then(|mut solver| solver.factor(&a));
        assert!(matches!(result, Err(LinearError::Parameter { .. })), "{name} {options:?}: {result:?}");
    };
    let none = SolverOptions::default();
    for name in ["jacobi", "chebyshev", "a-jacobi-2", "pcg", "gauss-seidel"] {
        wrong(name, SolverOptions { tolerance: Some(-1.0), ..none });
        wrong(name, SolverOptions { tolerance: Some(Real::NAN), ..none });
    }
    for gamma in [0.0, -1.0, Real::NAN] {
        wrong("chebyshev", SolverOptions { gamma: Some(gamma), ..none });
        wrong("sor", SolverOptions { gamma: Some(gamma), ..none });
    }
    wrong("chebyshev", SolverOptions { rho: Some(1.0), ..none });
    wrong("sor", SolverOptions { gamma: Some(2.0), ..none });
    let unknown = Registry::standard().create("multifrontal").err().unwrap().to_string();
    assert!(unknown.contains("multifrontal") && unknown.contains("cholesky, "), "{unknown}");
}

#[test]
fn the_condition_of_conjugate_gradients_is_that_of_the_matrix() {
    let a = cloth(12, 100.0);
    let (low, high) = dense_spectrum(&a);
    let b = noise(a.rows(), 2);
    let report = agrees("pcg", &a, &b, 1, &SolverOptions { tolerance: Some(1e-12), ..Default::default() });
    let found = report.condition.unwrap();
    assert!((found / (high / low) - 1.0).abs() < 1e-3, "{found} for {}", high / low);
}

#[test]
fn better_preconditioners_need_fewer_iterations() {
    let a = cloth(40, 1500.0);
    let b = noise(3 * a.rows(), 2);
    let count = |name: &str| {
        let mut solver = Registry::standard().create(name).unwrap();
        solver.factor(&a).unwrap();
        let report = solver.solve(&b, &mut vec![0.0; b.len()], 3).unwrap();
        println!("{name}: {report:?}");
        assert!(report.converged);
        report.iterations
    };
    let [diagonal, incomplete, multigrid] = ["pcg", "pcg-ic", "pcg-amg"].map(count);
    assert!(multigrid < incomplete && incomplete < diagonal);
    let [plain, over, chebyshev] = ["gauss-seidel", "sor", "chebyshev"].map(count);
    assert!(over < plain && chebyshev < plain);
}

#[test]
fn a_user_registers_a_solver_of_their_own() {
    #[derive(Default)]
    struct OneOverDiagonal(Vec<Real>);
    impl GlobalSolver for OneOverDiagonal {
        fn name(&self) -> &str {
            "mine"
        }
        fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
            a.check_symmetric()?;
            self.0 = a.diagonal();
            Ok(())
        }
        fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
            (0..b.len()).for_each(|k| x[k] = b[k] / self.0[k / columns]);
            Ok(SolveReport::direct())
        }
    }
    let mut registry = Registry::standard();
    registry.register("mine", "divides by the diagonal", |_| Ok(Box::new(OneOverDiagonal::default())));
    assert!(registry.names().any(|name| name == "mine"));
    let mut solver = registry.create("mine").unwrap();
    solver.factor(&assemble(4.0, 2, &[])).unwrap();
    let mut x = [0.0; 2];
    solver.solve(&[2.0, 4.0], &mut x, 1).unwrap();
    assert_eq!(x, [0.5, 1.0]);
}
