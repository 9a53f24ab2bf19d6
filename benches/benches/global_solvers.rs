//! Set-up and solve of every global solver on the smaller matrices; `solver_report` has all of them.
#![allow(
    missing_docs,
    clippy::expect_used,
    reason = "criterion makes undocumented items; a bench that fails should stop"
)]

use benches::cases::{MATRICES, matrix, right_hand_side};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use pd_linear::{Registry, SolverOptions};
use std::time::Duration;

/// Dense solvers do not fit these sizes, and the published variants do not converge on all.
fn is_measured(name: &str) -> bool {
    !name.starts_with("dense") && !name.ends_with("-published")
}

fn solvers(criterion: &mut Criterion) {
    let registry = Registry::standard();
    for (name, scene, bending) in MATRICES.into_iter().take(4) {
        let case = matrix(name, scene, bending).expect("a generated scene");
        let b = right_hand_side(case.matrix.rows());
        let mut group = criterion.benchmark_group(format!("global_solvers/{name}"));
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(200))
            .measurement_time(Duration::from_secs(1));
        for solver in registry.names().filter(|name| is_measured(name)) {
            let options =
                SolverOptions { tolerance: Some(1e-4), iterations: Some(20_000), ..Default::default() };
            let mut solver_object = registry.create_with(solver, &options).expect("a known name");
            group.bench_function(BenchmarkId::new("factor", solver), |bencher| {
                bencher.iter(|| solver_object.factor(&case.matrix).expect("positive definite"));
            });
            let mut x = vec![0.0; b.len()];
            group.bench_function(BenchmarkId::new("solve to 1e-4", solver), |bencher| {
                bencher.iter(|| {
                    x.fill(0.0);
                    solver_object.solve(&b, &mut x, 3).expect("converges")
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, solvers);
criterion_main!(benches);
