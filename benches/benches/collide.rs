//! Obstacles: 20,000 points against each primitive, at rest and on a path, a third of them inside.
#![allow(
    missing_docs,
    clippy::expect_used,
    reason = "criterion makes undocumented items; a bench that fails should stop"
)]

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pd_collide::{Block, Floor, Moving, Path, Sphere, Torus};
use pd_core::{Collider, Vec3, resolve_collisions};
use std::time::Duration;

/// Points on a lattice around the origin, the same in every run.
fn points() -> Vec<Vec3> {
    let n = 27;
    let at = |k: usize| 2.0 * k as f64 / (n - 1) as f64 - 1.0;
    (0..n * n * n).map(|k| Vec3::new(at(k % n), at(k / n % n), at(k / (n * n)))).collect()
}

fn primitives() -> Vec<(&'static str, Box<dyn Collider>)> {
    let centre = Vec3::zeros();
    let path = Path::new(vec![(0.0, Vec3::zeros()), (1.0, Vec3::x())]).expect("times ascend");
    let sphere = || Sphere::new(centre, 0.8).expect("a sphere");
    vec![
        ("floor", Box::new(Floor::new(-0.3).expect("a floor"))),
        ("sphere", Box::new(sphere())),
        ("block", Box::new(Block::new(centre, Vec3::repeat(0.65)).expect("a block"))),
        ("torus", Box::new(Torus::new(centre, 0.7, 0.35).expect("a torus"))),
        ("moving sphere", Box::new(Moving::new(sphere(), path))),
    ]
}

fn collide(criterion: &mut Criterion) {
    let points = points();
    let mut group = criterion.benchmark_group("collide");
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    group.throughput(Throughput::Elements(points.len() as u64));
    for (name, shape) in primitives() {
        let one = [shape];
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter_batched_ref(
                || points.clone(),
                |points| resolve_collisions(&one, 0.5, points),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, collide);
criterion_main!(benches);
