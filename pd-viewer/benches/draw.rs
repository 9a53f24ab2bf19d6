//! What the window does with every new state before anything is drawn: positions and normals, and picking by ray.
#![allow(
    missing_docs,
    clippy::expect_used,
    reason = "criterion makes undocumented items; a bench that fails should stop"
)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use pd_sim::ModelPaths;
use pd_sim::scene::Scene;
use pd_viewer::draw::{Camera, Drawing};
use std::time::Duration;

fn draw(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("viewer");
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    for name in ["cloth-140", "bunny-twin", "armadillo-free-twin"] {
        let scene = Scene::load(name, &ModelPaths::default()).expect("a generated scene");
        let x = scene.initial_state().x;
        let mut drawing = Drawing::of_scene(&scene);
        group.bench_function(BenchmarkId::new("positions and normals", name), |bencher| {
            bencher.iter(|| drawing.set_positions(&x));
        });
        let camera = Camera::framing(&drawing.body_bounds(), 30.0, 20.0, 1.0);
        let ray = camera.ray([200.0, 200.0], [400, 400]);
        assert!(drawing.pick(&ray).is_some(), "the ray through the middle meets {name}");
        group.bench_function(BenchmarkId::new("pick", name), |bencher| bencher.iter(|| drawing.pick(&ray)));
    }
    group.finish();
}

criterion_group!(benches, draw);
criterion_main!(benches);
