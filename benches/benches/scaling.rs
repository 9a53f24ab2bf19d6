//! Whole frames from 10² to 1000² cells of cloth and from 1k to 1M tetrahedra, one thread, ten iterations, `panels`: few
//! samples of the large ones, so that the group ends in some two minutes. `scaling_report` fits exponents to such times.
#![allow(
    missing_docs,
    clippy::expect_used,
    reason = "criterion makes undocumented items; a bench that fails should stop"
)]

use benches::families::{cloth, solid};
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use pd_sim::scene::{Scene, SceneDesc, SceneRun};
use pd_sim::{ModelPaths, Registry, SceneError};
use std::time::Duration;

type Make = fn(usize) -> Result<SceneDesc, SceneError>;

/// Family, how a scene of a size is made, and the sizes: cells along a side.
const FAMILIES: [(&str, Make, &[usize]); 2] =
    [("cloth", cloth, &[10, 50, 100, 200, 500, 1000]), ("solid", solid, &[6, 10, 22, 32, 58])];

fn scaling(criterion: &mut Criterion) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let mut group = criterion.benchmark_group("scaling");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(1));
    for (family, make, sizes) in FAMILIES {
        for &size in sizes {
            let mut desc = make(size).expect("a scene");
            desc.solver.global = "panels".into();
            let scene = Scene::from_desc(family, desc, None, &ModelPaths::default()).expect("generated");
            let count = if family == "cloth" { scene.vertices() } else { scene.elements() };
            // Prepared when first run, so that sizes the filter leaves out cost nothing.
            let (mut scene, mut run) = (Some(scene), None);
            group.throughput(Throughput::Elements(count as u64));
            group.bench_function(BenchmarkId::new(family, count), |bencher| {
                let run = run.get_or_insert_with(|| {
                    let scene = scene.take().expect("prepared once");
                    let mut run = SceneRun::new(scene, &Registry::standard()).expect("a stepper");
                    run.prepare().expect("prepares");
                    run
                });
                bencher.iter(|| pool.install(|| run.advance().expect("runs")));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, scaling);
criterion_main!(benches);
