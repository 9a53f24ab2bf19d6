//! Which broad phase for which mesh: times on a folded cloth and on the meshes under `PD_MODELS/cloth`, if set.
//!
//! `cargo run --release -p pd-collide --example broad_phase [-- threads]`
//!
//! Boxes are those of the triangles, enlarged by a tenth of the mean edge. Times are the least of many rounds, ms:
//! processor time of the thread with one thread, wall time with more.
#![allow(clippy::print_stdout, reason = "a program that prints a table")]

use pd_collide::broad::{BroadPhase, FixedBvh, LinearBvh, SparseGrid, SweepAndPrune, UniformGrid};
use pd_core::{Aabb, Vec3};
use pd_mesh::TriMesh;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let threads = std::env::args().nth(1).map_or(Ok(1), |n| n.parse())?;
    let mut meshes = vec![("fold 140²".to_string(), folded(140)?)];
    if let Some(models) = std::env::var_os("PD_MODELS") {
        for name in ["codim_skirt8K.obj", "silk_dress.ply", "codim_kick_body_20.obj", "cloth_ball92.ply"] {
            match pd_mesh::io::read_path(std::path::Path::new(&models).join("cloth").join(name))? {
                pd_mesh::Mesh::Tri(mesh) => meshes.push((name.into(), mesh)),
                pd_mesh::Mesh::Tet(_) => println!("skipped: {name} is no surface"),
            }
        }
    } else {
        println!("skipped: PD_MODELS is not set, so there is the folded cloth alone");
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    println!(
        "| mesh | triangles | pairs | method | build | refit | self pairs |\n|---|---|---|---|---|---|---|"
    );
    for (name, mesh) in &meshes {
        let boxes = boxes(mesh);
        for mut method in methods() {
            pool.install(|| measure(name, &boxes, method.as_mut(), if threads == 1 { cpu } else { wall }));
        }
        pool.install(|| visit(name, &boxes, if threads == 1 { cpu } else { wall }));
        pool.install(|| candidates(name, mesh, if threads == 1 { cpu } else { wall }));
    }
    Ok(())
}

fn methods() -> Vec<Box<dyn BroadPhase>> {
    vec![
        Box::new(FixedBvh::default()),
        Box::new(LinearBvh::default()),
        Box::new(SparseGrid::default()),
        Box::new(UniformGrid::default()),
        Box::new(SweepAndPrune::default()),
    ]
}

/// One line of the table.
fn measure(name: &str, boxes: &[Aabb], method: &mut dyn BroadPhase, clock: fn() -> f64) {
    let mut pairs = Vec::new();
    let build = least(1.0, clock, || method.build(boxes));
    let refit = least(0.5, clock, || method.refit(boxes));
    let search = least(2.0, clock, || method.self_pairs(&mut pairs));
    let (n, k) = (boxes.len(), pairs.len());
    println!("| {name} | {n} | {k} | {} | {build:.2} | {refit:.2} | {search:.2} |", method.name());
}

/// A line for the pairs of the fixed tree in any order, counted and not kept.
fn visit(name: &str, boxes: &[Aabb], clock: fn() -> f64) {
    let (mut tree, mut counts) = (FixedBvh::default(), Vec::new());
    tree.build(boxes);
    let search = least(1.0, clock, || {
        counts.fill(0usize);
        tree.visit_pairs(&mut counts, |count, _, _| *count += 1);
    });
    let (n, k) = (boxes.len(), counts.iter().sum::<usize>());
    println!("| {name} | {n} | {k} | fixed tree, unsorted | | | {search:.2} |");
}

/// A line for candidates of vertices with faces and edges with edges that share no vertex: boxes made, trees fitted and
/// searched, pairs filtered and kept.
fn candidates(name: &str, mesh: &TriMesh, clock: fn() -> f64) {
    let margin = margin(mesh);
    let around = |vs: &[u32]| Aabb::of_points(vs.iter().map(|&v| &mesh.positions[v as usize])).grown(margin);
    let edges = mesh.edges();
    let (mut face_tree, mut edge_tree) = (FixedBvh::default(), FixedBvh::default());
    let (mut touched, mut crossed) = (Vec::new(), Vec::<Vec<[u32; 2]>>::new());
    let search = least(2.0, clock, || {
        let faces: Vec<Aabb> = mesh.triangles.iter().map(|t| around(t)).collect();
        let sides: Vec<Aabb> = edges.iter().map(|e| around(e)).collect();
        let points: Vec<Aabb> = (0..mesh.positions.len() as u32).map(|v| around(&[v])).collect();
        face_tree.refit(&faces);
        edge_tree.refit(&sides);
        face_tree.pairs_with(&points, &mut touched);
        touched.retain(|&[v, f]| !mesh.triangles[f as usize].contains(&v));
        crossed.iter_mut().for_each(Vec::clear);
        edge_tree.visit_pairs(&mut crossed, |found, a, b| {
            if edges[a as usize].iter().all(|v| !edges[b as usize].contains(v)) {
                found.push([a, b]);
            }
        });
    });
    let (n, k) = (mesh.triangles.len(), touched.len() + crossed.iter().map(Vec::len).sum::<usize>());
    println!(
        "| {name} | {n} | {k} | fixed tree: vertex–face and edge–edge candidates, all | | | {search:.2} |"
    );
}

/// Least mean time of a run over batches, within a budget in s, ms. A batch takes 60 ms: the processor time is told to
/// a few ms only.
fn least(budget: f64, clock: fn() -> f64, mut run: impl FnMut()) -> f64 {
    let (begun, mut best) = (Instant::now(), f64::INFINITY);
    while begun.elapsed().as_secs_f64() < budget {
        let (start, mut runs) = (clock(), 0.0);
        while runs < 3.0 || clock() - start < 0.06 {
            run();
            runs += 1.0;
        }
        best = best.min((clock() - start) / runs);
    }
    1e3 * best
}

/// Processor time of this thread, s; wall time where the system does not tell.
fn cpu() -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok())
        .map_or_else(wall, |ns| 1e-9 * ns)
}

/// Wall time, s.
fn wall() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// A square cloth of side 1 m folded flat once, the layers a fifth of an edge apart.
fn folded(n: usize) -> Result<TriMesh, pd_mesh::MeshError> {
    let mut mesh = pd_mesh::generate::grid(n, n, 1.0, 1.0)?;
    let radius = 0.1 / n as f64;
    for p in &mut mesh.positions {
        let angle = (p.x / radius).clamp(-0.5 * std::f64::consts::PI, 0.5 * std::f64::consts::PI);
        let along = p.x.abs() - 0.5 * std::f64::consts::PI * radius;
        // A little askew, so that no two coordinates are equal by construction.
        let turn = 0.3 * p.z;
        *p = Vec3::new(radius * angle.cos() - along.max(0.0) + 0.01 * turn, radius * angle.sin(), p.z);
    }
    Ok(mesh)
}

/// A tenth of the mean edge, m.
fn margin(mesh: &TriMesh) -> f64 {
    let edges = mesh.edges();
    let length = |[a, b]: &[u32; 2]| (mesh.positions[*a as usize] - mesh.positions[*b as usize]).norm();
    0.1 * edges.iter().map(length).sum::<f64>() / edges.len() as f64
}

/// Boxes of the triangles, enlarged by a tenth of the mean edge.
fn boxes(mesh: &TriMesh) -> Vec<Aabb> {
    let (margin, corners) = (margin(mesh), |t: &[u32; 3]| t.map(|v| mesh.positions[v as usize]));
    mesh.triangles.iter().map(|t| Aabb::of_points(&corners(t)).grown(margin)).collect()
}
