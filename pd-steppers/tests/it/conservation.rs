//! Internal forces change neither momentum: exactly where a method applies equal and opposite corrections, and as far as it has converged where
//! each vertex is moved for itself.

use crate::common::*;
use pd_constraints::*;
use pd_core::*;
use pd_mesh::generate;

/// A shaken cloth in free flight.
fn free() -> Scene {
    let mesh = generate::grid(5, 5, 1.0, 1.0).unwrap();
    let x = &mesh.positions;
    let masses = (0..x.len()).map(|k| 0.01 + 0.01 * (k % 3) as Real).collect();
    let model = Model::with_masses(masses)
        .energy(EdgeSprings::new(x, &mesh.edges(), 200.0).unwrap())
        .energy(DihedralBending::new(x, &hinges(&mesh.triangles), 3e-2).unwrap())
        .build()
        .unwrap();
    let moved = x.iter().enumerate().map(|(k, x)| x + noise(k, 0.02)).collect();
    let v = (0..x.len()).map(|k| noise(k, 1.0) + Vec3::new(2.0, -1.0, 0.5)).collect();
    Scene { name: "free", model, state: State::new(moved, v) }
}

fn momentum(scene: &Scene, state: &State) -> Vec3 {
    state.v.iter().zip(scene.model.masses()).fold(Vec3::zeros(), |sum, (v, m)| sum + v * *m)
}

/// Relative change of momentum over some steps.
fn change(name: &str, iterations: usize, tolerance: Real) -> Real {
    let scene = free();
    let dt = if name == "symplectic" { 1e-3 } else { 1.0 / 60.0 };
    let params = StepParams { dt, gravity: Vec3::zeros(), iterations, tolerance, ..StepParams::default() };
    let before = momentum(&scene, &scene.state);
    let after = momentum(&scene, &run(name, &scene, &params, 5).0);
    (after - before).norm() / before.norm()
}

#[test]
fn momentum_is_kept_to_rounding_by_symmetric_corrections() {
    for name in [
        "symplectic",
        "newton",
        "pd",
        "admm",
        "pbd",
        "xpbd",
        "xpbd-block",
        "newton+bdf2",
        "pd+midpoint",
        "xpbd+sub4",
    ] {
        let change = change(name, 5, 0.0);
        assert!(change < 1e-11, "{name}: {change}");
    }
}

#[test]
fn momentum_is_kept_at_convergence_by_the_others() {
    for (name, iterations) in [("descent", 5000), ("vbd", 4000), ("fused-jacobi", 4000)] {
        let (few, many) = (change(name, 3, 0.0), change(name, iterations, 1e-11));
        println!("{name}: momentum changes by {few:.1e} after 3 iterations, {many:.1e} at convergence");
        assert!(many < 1e-8 && few > many, "{name}: {few} {many}");
    }
}
