//! Meshes: reading every format, topology, filling a surface with tetrahedra, thinning one out.
#![allow(
    missing_docs,
    clippy::expect_used,
    reason = "criterion makes undocumented items; a bench that fails should stop"
)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pd_mesh::tetrahedralize::{Options, Size, Skin, tetrahedralize_first};
use pd_mesh::{Mesh, decimate, generate, io, topology::Rings};
use std::time::Duration;

fn files(criterion: &mut Criterion) {
    let folder = std::env::temp_dir().join(format!("pd-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the files");
    let mesh = Mesh::Tri(generate::grid(140, 140, 1.0, 1.0).expect("a cloth"));
    let mut group = criterion.benchmark_group("mesh/read");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    for extension in ["obj", "ply", "stl", "off", "msh", "mesh", "vtk", "vtu", "glb"] {
        let file = folder.join(format!("cloth.{extension}"));
        io::write_path(&file, &mesh).expect("written");
        group.throughput(Throughput::Bytes(std::fs::metadata(&file).expect("is there").len()));
        group.bench_function(BenchmarkId::from_parameter(extension), |bencher| {
            bencher.iter(|| io::read_path(&file).expect("read"));
        });
    }
    group.finish();
    std::fs::remove_dir_all(&folder).expect("removed");
}

fn topology(criterion: &mut Criterion) {
    let cloth = generate::grid(140, 140, 1.0, 1.0).expect("a cloth");
    let solid = generate::armadillo_class().expect("a creature");
    let mut group = criterion.benchmark_group("mesh/topology");
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    group.bench_function("rings of cloth 140", |bencher| bencher.iter(|| Rings::new(&cloth)));
    group.bench_function("edges of cloth 140", |bencher| bencher.iter(|| cloth.edges()));
    group.bench_function("surface of armadillo class", |bencher| bencher.iter(|| solid.surface_triangles()));
    group.finish();
}

fn tetrahedra(criterion: &mut Criterion) {
    let ring = generate::torus(96, 48, 1.0, 0.4).expect("a torus");
    let options = Options { size: Size::Tets(8000), ..Options::default() };
    let mut group = criterion.benchmark_group("mesh/make");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(3));
    group.bench_function("torus to 8000 tetrahedra", |bencher| {
        bencher.iter(|| tetrahedralize_first(&["stuffing"], &ring, &options).expect("filled"));
    });
    let solid = tetrahedralize_first(&["stuffing"], &ring, &options).expect("filled").mesh;
    let skin = Skin::new(&ring, &solid).expect("a skin");
    group
        .bench_function("skin of 4608 vertices", |bencher| bencher.iter(|| skin.positions(&solid.positions)));
    group.bench_function("torus from 9216 to 2000 triangles", |bencher| {
        bencher.iter(|| decimate::decimate(&ring, 2000).expect("thinned"));
    });
    group.finish();
}

criterion_group!(benches, files, topology, tetrahedra);
criterion_main!(benches);
