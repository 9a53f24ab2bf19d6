//! Set-up of every global solver on every matrix, and its solve to the relative residuals 1e-2, 1e-4 and 1e-8. What takes
//! longer than [`LONGEST`] is named and left to `solver_report`, which makes a table and curves of the same, with memory:
//! ten samples of each would take most of an hour.
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "criterion makes undocumented items; a bench that fails should stop and says what it leaves out"
)]

use benches::cases::{MATRICES, matrix, right_hand_side};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use pd_linear::{Registry, SolverOptions};
use std::time::{Duration, Instant};

/// Longest set-up and longest solve that is sampled.
const LONGEST: [Duration; 2] = [Duration::from_millis(600), Duration::from_millis(200)];

/// Dense solvers do not fit these sizes, and the published variants do not converge on all.
fn is_measured(name: &str) -> bool {
    !name.starts_with("dense") && !name.ends_with("-published")
}

/// Which tolerances make sense: a direct solver has none, and a plain sweep would take minutes to the small ones.
fn tolerances(name: &str) -> &'static [f64] {
    match name {
        "jacobi" | "gauss-seidel" => &[1e-2],
        _ if name.starts_with("cholesky") || name.starts_with("panels") => &[0.0],
        _ => &[1e-2, 1e-4, 1e-8],
    }
}

fn solvers(criterion: &mut Criterion) {
    let registry = Registry::standard();
    for (name, scene, bending) in MATRICES {
        let case = matrix(name, scene, bending).expect("a generated scene");
        let b = right_hand_side(case.matrix.rows());
        let mut x = vec![0.0; b.len()];
        let mut group = criterion.benchmark_group(format!("global_solvers/{name}"));
        group.sample_size(10).sampling_mode(criterion::SamplingMode::Flat);
        group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(400));
        group.nresamples(10_000);
        for solver in registry.names().filter(|name| is_measured(name)) {
            for (k, &tolerance) in tolerances(solver).iter().enumerate() {
                let options = SolverOptions {
                    tolerance: Some(tolerance),
                    iterations: Some(20_000),
                    ..Default::default()
                };
                let mut made = registry.create_with(solver, &options).expect("a known name");
                let started = Instant::now();
                made.factor(&case.matrix).expect("positive definite");
                let once = started.elapsed();
                if k == 0 && once > LONGEST[0] {
                    println!("{name}: set-up of {solver} takes {once:.1?}; see solver_report");
                } else if k == 0 {
                    group.bench_function(BenchmarkId::new("factor", solver), |bencher| {
                        bencher.iter(|| made.factor(&case.matrix).expect("positive definite"));
                    });
                }
                x.fill(0.0);
                let started = Instant::now();
                made.solve(&b, &mut x, 3).expect("no divergence");
                let once = started.elapsed();
                if once > LONGEST[1] {
                    println!("{name}: {solver} to {tolerance:e} takes {once:.1?}; see solver_report");
                    continue;
                }
                group.bench_function(
                    BenchmarkId::new(format!("solve to {tolerance:e}"), solver),
                    |bencher| {
                        bencher.iter(|| {
                            x.fill(0.0);
                            made.solve(&b, &mut x, 3).expect("no divergence")
                        });
                    },
                );
            }
        }
        group.finish();
    }
}

criterion_group!(benches, solvers);
criterion_main!(benches);
