//! The stages of a step: prepare, local step, global step, whole frame, for cloth, shells and solids of growing size.
#![allow(
    missing_docs,
    clippy::expect_used,
    reason = "criterion makes undocumented items; a bench that fails should stop"
)]

use benches::cases::right_hand_side;
use benches::shaken;
use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use pd_constraints::{Area, EdgeSprings, StrainRange, TetStrain, Volume};
use pd_core::{CpuLocal, LocalInput, LocalStep, Model, Vec3};
use pd_mesh::generate;
use pd_sim::scene::{Scene, SceneRun};
use pd_sim::{ModelPaths, Registry};
use std::time::Duration;

const SCENES: [&str; 6] =
    ["cloth-pair", "hemispheres", "bar", "bunny-twin", "cloth-140", "armadillo-free-twin"];

fn load(name: &str) -> Scene {
    Scene::load(name, &ModelPaths::default()).expect("a generated scene")
}

fn prepare(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("prepare");
    group.sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(2));
    for name in SCENES {
        // A stepper that was prepared before knows the pattern, and does only the numbers again.
        let fresh = || SceneRun::new(load(name), &Registry::standard()).expect("a known stepper");
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter_batched_ref(fresh, |run| run.prepare().expect("prepares"), BatchSize::PerIteration);
        });
        let mut known = fresh();
        known.prepare().expect("prepares");
        group.bench_function(BenchmarkId::new("pattern known", name), |bencher| {
            bencher.iter(|| known.prepare().expect("prepares"));
        });
    }
    group.finish();
}

/// Models of one batch, moved at random by a fifth of the cell: what the scenes above do not have.
fn single_batches() -> Vec<(&'static str, Model, Vec<Vec3>)> {
    let bar = generate::bar(21, 21, 21, 1.0).expect("a bar");
    let sheet = generate::grid(140, 140, 1.0, 1.0).expect("a sheet");
    let tets = shaken(&bar.positions, 0.2 / 21.0);
    let triangles = shaken(&sheet.positions, 0.2 / 140.0);
    let range = StrainRange::uniform(0.95, 1.05);
    let volume = Volume::new(&bar.positions, &bar.tets, 1.0, 1.0, 1.0).expect("volumes");
    let limited = TetStrain::new(&bar.positions, &bar.tets, 1.0, range).expect("strains");
    let area = Area::new(&sheet.positions, &sheet.triangles, 1.0, 1.0, 1.0).expect("areas");
    let edges = EdgeSprings::new(&sheet.positions, &sheet.edges(), 1.0).expect("edges");
    let masses = |n| Model::with_masses(vec![1.0; n]);
    vec![
        ("volume", masses(tets.len()).energy(volume).build().expect("a model"), tets.clone()),
        ("range", masses(tets.len()).energy(limited).build().expect("a model"), tets),
        ("area", masses(triangles.len()).energy(area).build().expect("a model"), triangles.clone()),
        ("edges", masses(triangles.len()).energy(edges).build().expect("a model"), triangles),
    ]
}

fn local_step(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("local_step");
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(2));
    for name in SCENES {
        let mut run = SceneRun::new(load(name), &Registry::standard()).expect("a known stepper");
        for _ in 0..5 {
            run.advance().expect("runs");
        }
        let (model, state) = (&run.sim.model, &run.sim.state);
        let mut local = CpuLocal::default();
        local.prepare(model).expect("prepares");
        let mut b = vec![Vec3::zeros(); model.vertices()];
        group.throughput(criterion::Throughput::Elements(model.constraints() as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            let input = LocalInput { model, dt: run.sim.params.dt, s: &state.x, x: &state.x };
            bencher.iter(|| local.run(input, &mut b).expect("runs"));
        });
    }
    for (name, model, x) in single_batches() {
        let mut local = CpuLocal::default();
        local.prepare(&model).expect("prepares");
        let mut b = vec![Vec3::zeros(); model.vertices()];
        group.throughput(criterion::Throughput::Elements(model.constraints() as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            let input = LocalInput { model: &model, dt: 0.01, s: &x, x: &x };
            bencher.iter(|| local.run(input, &mut b).expect("runs"));
        });
    }
    group.finish();
}

/// One solve with three right-hand sides and the factor of a scene, by faer and by panels of every precision.
fn global_step(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("global_step");
    group.sample_size(20).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(1));
    for name in SCENES {
        let run = SceneRun::new(load(name), &Registry::standard()).expect("a known stepper");
        let matrix = run.sim.model.system_matrix(run.sim.params.dt);
        let b = right_hand_side(matrix.rows());
        let mut x = vec![0.0; b.len()];
        for solver in ["cholesky", "panels-f64", "panels", "panels-f24", "panels-f16"] {
            let mut made = pd_linear::Registry::standard().create(solver).expect("a known name");
            made.factor(&matrix).expect("positive definite");
            group.bench_function(BenchmarkId::new(solver, name), |bencher| {
                bencher.iter(|| made.solve(&b, &mut x, 3).expect("solves"));
            });
        }
    }
    group.finish();
}

fn frame(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("frame");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(3));
    for name in SCENES {
        let mut run = SceneRun::new(load(name), &Registry::standard()).expect("a known stepper");
        run.prepare().expect("prepares");
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| run.advance().expect("runs"));
        });
    }
    group.finish();
}

criterion_group!(benches, prepare, local_step, global_step, frame);
criterion_main!(benches);
