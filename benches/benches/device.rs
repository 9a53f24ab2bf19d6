//! Frames on a CUDA device, with the solvers that run there whole. Without a device there is nothing to measure, and the
//! bench says so.
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "criterion makes undocumented items; a bench that fails should stop and says what it leaves out"
)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use pd_cuda::DeviceChoice;
use pd_linear::{Registry, SolverOptions};
use pd_sim::ModelPaths;
use pd_sim::scene::{Scene, SceneRun};
use std::time::Duration;

fn frame(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("device");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(2));
    for choice in [DeviceChoice::Cuda, DeviceChoice::CudaF64] {
        for global in ["panels", "a-jacobi-2", "chebyshev"] {
            let made = choice.stepper("pd", global, &SolverOptions::default(), &Registry::standard());
            let stepper = match made {
                Ok(Some(made)) => made.stepper,
                Ok(None) => continue,
                Err(error) => {
                    println!("device: {error}");
                    return;
                }
            };
            let scene = Scene::load("cloth-140", &ModelPaths::default()).expect("a generated scene");
            let mut run = SceneRun::with_stepper(scene, stepper).expect("a stepper that takes the scene");
            run.prepare().expect("prepares");
            group.bench_function(
                BenchmarkId::new(format!("{}/{global}", choice.name()), "cloth-140"),
                |bencher| {
                    bencher.iter(|| run.advance().expect("runs"));
                },
            );
        }
    }
    group.finish();
}

criterion_group!(benches, frame);
criterion_main!(benches);
