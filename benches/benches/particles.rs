//! Particles: the neighbour search of 100,000 points, and frames of the report's scenes from a state in motion.
#![allow(
    missing_docs,
    clippy::expect_used,
    reason = "criterion makes undocumented items; a bench that fails should stop"
)]

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pd_core::{Stepper, Vec3};
use pd_particles::{Axes, Grid, Pairs, SubstepSettings, UnifiedSubstep, scenes};
use std::time::Duration;

fn search(criterion: &mut Criterion) {
    let n = 47;
    let shift = |k: usize| ((k * 7919 % 101) as f64 / 101.0 - 0.5) * 0.4;
    let at = |k: usize| Vec3::new((k % n) as f64, (k / n % n) as f64, (k / n / n) as f64);
    let points: Vec<Vec3> =
        (0..n * n * n).map(|k| at(k) + Vec3::new(shift(k), shift(k + 5), shift(k + 9))).collect();
    let (mut grid, mut pairs) = (Grid::default(), Pairs::default());
    let mut group = criterion.benchmark_group("neighbours");
    group.throughput(Throughput::Elements(points.len() as u64));
    group.bench_function("grid and pairs", |bencher| {
        bencher.iter(|| {
            grid.build(&points, 1.2, Axes::default());
            pairs.within(&grid, &points, 1.2);
            pairs.len()
        });
    });
    group.finish();
}

fn frames(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("particle frames");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(3));
    for name in scenes::NAMES {
        let scene = scenes::by_name(name).expect("the scene builds").expect("it is known");
        let settings = SubstepSettings { substeps: 8, ..SubstepSettings::default() };
        let mut stepper = UnifiedSubstep::new(scene.particles.clone(), settings);
        stepper.prepare(scene.context()).expect("it is ready");
        let mut state = scene.state();
        for _ in 0..90 {
            stepper.step(scene.context(), &mut state).expect("it runs");
        }
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter_batched_ref(
                || state.clone(),
                |state| stepper.step(scene.context(), state).expect("it runs"),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, search, frames);
criterion_main!(benches);
