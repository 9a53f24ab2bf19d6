//! The same bits for any number of threads, and after a checkpoint with a new stepper.

use crate::common::*;
use pd_core::*;

const ALL: [&str; 16] = [
    "newton",
    "descent",
    "admm",
    "admm-consensus",
    "fused-jacobi",
    "symplectic",
    "pbd",
    "pbd-jacobi",
    "xpbd",
    "xpbd-block",
    "vbd",
    "vbd-chebyshev",
    "newton+bdf2",
    "pd+midpoint",
    "xpbd+sub3",
    "newton-panels",
];

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

fn params(name: &str) -> StepParams {
    let dt = if name == "symplectic" { 1e-4 } else { 1.0 / 60.0 };
    StepParams { iterations: if name.starts_with("newton") { 2 } else { 5 }, dt, ..StepParams::default() }
}

#[test]
fn any_number_of_threads() {
    let scene = cloth(34); // more than one chunk of vertices and of elements
    assert!(scene.model.vertices() > exec::VERTEX_CHUNK);
    for name in ALL {
        let one = pool(1).install(|| run(name, &scene, &params(name), 2).0.hash());
        for threads in [2, 3, 8] {
            let hash = pool(threads).install(|| run(name, &scene, &params(name), 2).0.hash());
            assert_eq!(hash, one, "{name} with {threads} threads");
        }
    }
}

#[test]
fn resumed_with_a_new_stepper() {
    for scene in [cloth(5), shell(), solid()] {
        for name in ALL {
            let whole = run(name, &scene, &params(name), 6).0;
            let half = run(name, &scene, &params(name), 3).0;
            let resumed = Scene { state: half, ..scene_again(&scene) };
            assert_eq!(run(name, &resumed, &params(name), 3).0, whole, "{name} on {}", scene.name);
        }
    }
}

fn scene_again(scene: &Scene) -> Scene {
    match scene.name {
        "cloth" => cloth(5),
        "shell" => shell(),
        _ => solid(),
    }
}
