//! Frames with contact that never lets surfaces cross, falling and at rest, beside frames of the same state with contact off.
#![allow(
    missing_docs,
    clippy::expect_used,
    reason = "criterion makes undocumented items; a bench that fails should stop"
)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use pd_sim::scene::desc::ContactMode;
use pd_sim::scene::{Scene, SceneRun, read_desc};
use pd_sim::{ModelPaths, Registry};
use std::time::Duration;

fn load(name: &str, mode: ContactMode) -> SceneRun {
    let (mut desc, directory) = read_desc(name).expect("a built-in scene");
    desc.contact.mode = Some(mode);
    let scene = Scene::from_desc(name, desc, directory.as_deref(), &ModelPaths::default()).expect("loads");
    let mut run = SceneRun::new(scene, &Registry::standard()).expect("a known stepper");
    run.prepare().expect("prepares");
    run
}

fn frame(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("contact");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(4));
    for (when, frames) in [("falling", 20), ("at rest", 300)] {
        for (name, mode) in [("guard", ContactMode::Guard), ("off", ContactMode::Off)] {
            let mut run = load("fold", ContactMode::Guard);
            for _ in 0..frames {
                run.advance().expect("runs");
            }
            let mut timed = load("fold", mode);
            timed.sim.state.clone_from(&run.sim.state);
            group.bench_function(BenchmarkId::new(name, when), |bencher| {
                bencher.iter(|| timed.advance().expect("runs"));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, frame);
criterion_main!(benches);
