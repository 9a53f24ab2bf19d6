//! pd-linear without a simulation: a Poisson problem on a square, solved directly and by iteration.
//!
//! `cargo run --release -p examples --example linear_alone`
#![expect(clippy::print_stdout, reason = "a program that compares")]

use pd_core::Csr;
use pd_linear::Registry;

/// −Δ on an n × n grid with the value 0 around it: 4 on the diagonal, −1 for each neighbour.
fn laplacian(n: u32) -> Result<Csr, Box<dyn std::error::Error>> {
    let mut triplets = vec![];
    for (i, j) in (0..n * n).map(|k| (k / n, k % n)) {
        let here = i * n + j;
        triplets.push((here, here, 4.0));
        for (a, b) in [(i + 1, j), (i, j + 1)].into_iter().filter(|&(a, b)| a < n && b < n) {
            let there = a * n + b;
            triplets.extend([(here, there, -1.0), (there, here, -1.0)]);
        }
    }
    Ok(Csr::from_triplets((n * n) as usize, &triplets)?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let a = laplacian(40)?;
    let b = vec![1.0; a.rows()];
    let registry = Registry::standard();
    for name in ["cholesky", "panels-f64", "pcg-ic", "chebyshev"] {
        let mut solver = registry.create(name)?;
        solver.factor(&a)?;
        let mut x = vec![0.0; a.rows()]; // an iteration starts from here
        let report = solver.solve(&b, &mut x, 1)?;
        let worst = (0..a.rows())
            .map(|i| (b[i] - a.row(i).map(|(j, v)| v * x[j]).sum::<f64>()).abs())
            .fold(0.0, f64::max);
        println!("{name:11} {:4} iterations, residual {worst:.1e}", report.iterations);
        assert!(worst < 1e-2, "{name} leaves a residual of {worst}");
    }
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
