//! The global solver as its callers use it: any number of columns, errors as values.

use pd_core::{Csr, GlobalSolver, LinearError, Real};
use pd_cuda::{CudaAJacobi, CudaGlobal, Method};
use pd_linear::{JacobiOptions, Registry, Stopping, Variant};

fn laplacian(n: usize) -> Csr {
    let mut triplets = vec![];
    for i in 0..n as u32 {
        triplets.push((i, i, 2.1));
        if i + 1 < n as u32 {
            triplets.extend([(i, i + 1, -1.0), (i + 1, i, -1.0)]);
        }
    }
    Csr::from_triplets(n, &triplets).unwrap()
}

fn options(tolerance: Real) -> JacobiOptions {
    JacobiOptions { stopping: Stopping { tolerance, iterations: 2000 }, ..JacobiOptions::default() }
}

#[test]
fn any_number_of_columns() {
    let device = crate::device();
    let a = laplacian(40);
    for method in [Method::AJacobi { order: 2 }, Method::Pcg, Method::Cholesky] {
        let mut solver = CudaGlobal::<f64>::new(&device, method, options(1e-12));
        solver.factor(&a).unwrap();
        assert!(solver.bytes() > 0);
        for columns in [1, 2, 3, 5] {
            let b: Vec<Real> = (0..40 * columns).map(|k| (k as Real * 0.7).sin()).collect();
            let (mut expected, mut x) = (vec![0.0; b.len()], vec![0.0; b.len()]);
            let mut host = Registry::standard().create("dense").unwrap();
            host.factor(&a).unwrap();
            host.solve(&b, &mut expected, columns).unwrap();
            let report = solver.solve(&b, &mut x, columns).unwrap();
            assert!(report.converged && report.residual.unwrap() < 1e-11, "{method:?} {report:?}");
            let worst = x.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, Real::max);
            assert!(worst < 1e-10, "{method:?}, {columns} columns: {worst:e}");
        }
        // The answer to zero is zero, whatever the guess.
        let mut x = [1.0; 120];
        solver.solve(&[0.0; 120], &mut x, 3).unwrap();
        assert_eq!(x, [0.0; 120], "{method:?}");
    }
}

#[test]
fn faults_are_values() {
    let device = crate::device();
    let a = laplacian(20);
    let mut solver = CudaAJacobi::<f32>::a_jacobi(&device, 1, options(1e-4));
    assert!(matches!(solver.solve(&[1.0; 60], &mut [0.0; 60], 3), Err(LinearError::NotFactored { .. })));
    assert!(matches!(
        CudaGlobal::<f32>::a_jacobi(&device, 4, options(1e-4)).factor(&a),
        Err(LinearError::Parameter { .. })
    ));
    solver.factor(&a).unwrap();
    assert!(matches!(solver.solve(&[1.0; 59], &mut [0.0; 60], 3), Err(LinearError::Dimension { .. })));
    let mut b = [1.0; 60];
    b[7] = Real::NAN;
    assert!(matches!(
        solver.solve(&b, &mut [0.0; 60], 3),
        Err(LinearError::NotFinite { row: 2, column: 1, .. })
    ));
    let published = JacobiOptions { variant: Variant::AsPublished, ..options(1e-4) };
    assert!(matches!(
        CudaGlobal::<f32>::new(&device, Method::Chebyshev, published).factor(&a),
        Err(LinearError::Parameter { .. })
    ));
    let little = JacobiOptions { memory: 100, ..options(1e-4) };
    for method in [Method::AJacobi { order: 3 }, Method::Cholesky] {
        let error = CudaGlobal::<f32>::new(&device, method, little).factor(&a).unwrap_err();
        assert!(matches!(error, LinearError::TooLarge { limit: 100, .. }), "{error}");
    }
    // γ far above 2/λmax.
    let wild = JacobiOptions { gamma: Some(30.0), rho: Some(0.5), ..options(1e-4) };
    let mut solver = CudaGlobal::<f64>::new(&device, Method::Jacobi, wild);
    solver.factor(&a).unwrap();
    let error = solver.solve(&[1.0; 60], &mut [0.0; 60], 3).unwrap_err();
    assert!(matches!(error, LinearError::Diverged { .. }), "{error}");
}

/// Cuts of every size: one part, several parts, and parts that are not connected.
#[test]
fn the_block_wise_direct_solve_is_exact() {
    let device = crate::fast_device();
    for n in [1, 30, 700] {
        let mut a = laplacian(n);
        if n == 700 {
            // Two components: remove the link in the middle.
            let triplets: Vec<_> = (0..n)
                .flat_map(|i| a.row(i).map(move |(j, v)| (i as u32, j as u32, v)).collect::<Vec<_>>())
                .filter(|&(i, j, _)| (i < 350) == (j < 350))
                .collect();
            a = Csr::from_triplets(n, &triplets).unwrap();
        }
        let b: Vec<Real> = (0..3 * n).map(|k| (k as Real * 0.3).cos()).collect();
        for (precise, allowed) in [(true, 1e-12), (false, 1e-5)] {
            let mut solver: Box<dyn GlobalSolver> = if precise {
                Box::new(CudaGlobal::<f64>::new(&device, Method::Cholesky, options(1e-9)))
            } else {
                Box::new(CudaGlobal::<f32>::new(&device, Method::Cholesky, options(1e-9)))
            };
            solver.factor(&a).unwrap();
            let mut x = vec![0.0; 3 * n];
            let report = solver.solve(&b, &mut x, 3).unwrap();
            assert!(
                report.converged && report.iterations == 1 && report.residual.unwrap() < allowed,
                "{report:?}"
            );
        }
    }
}
