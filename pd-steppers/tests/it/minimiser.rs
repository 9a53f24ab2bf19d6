//! One implicit step, well converged: every method that claims the implicit Euler step finds the same one.

use crate::common::*;
use pd_constraints::*;
use pd_core::*;

/// Newton's answer, converged to rounding.
fn reference(scene: &Scene) -> State {
    let params = StepParams { iterations: 400, tolerance: 1e-13, ..StepParams::default() };
    let (state, report) = run("newton", scene, &params, 1);
    assert!(report.reduction < 1e-10, "{}: {report:?}", scene.name);
    state
}

fn check(scene: &Scene, contenders: &[(&str, usize)]) {
    let exact = reference(scene);
    let moved = distance(&exact.x, &scene.state.x);
    assert!(moved > 1e-3, "{}: a step that moves {moved} m shows nothing", scene.name);
    for &(name, iterations) in contenders {
        let params = StepParams { iterations, ..StepParams::default() };
        let far = distance(&run(name, scene, &params, 1).0.x, &exact.x);
        println!("{}: {name} is {far:.0e} m away after {iterations} iterations", scene.name);
        assert!(far < 1e-6, "{}: {name} is {far} m away", scene.name);
    }
}

#[test]
fn cloth_step() {
    let contenders = [
        ("pd", 4000),
        ("pd-lbfgs", 400),
        ("newton-panels", 40),
        ("descent", 3000),
        ("admm", 4000),
        ("admm-consensus", 20_000),
        ("fused-jacobi", 5000),
        ("xpbd-block", 6000),
        ("vbd", 6000),
        ("vbd-chebyshev", 3000),
    ];
    check(&cloth(6), &contenders);
}

#[test]
fn shell_step() {
    check(&shell(), &[("pd", 1000), ("pd-lbfgs", 300), ("admm", 500), ("xpbd-block", 1500), ("vbd", 500)]);
}

#[test]
fn solid_step() {
    check(&solid(), &[("pd", 1000), ("pd-lbfgs", 200), ("admm", 1000), ("xpbd-block", 4000), ("vbd", 3000)]);
}

#[test]
fn hyperelastic_steps() {
    for scene in [
        elastic::<NeoHookean>("neo-hookean", 0.3),
        elastic::<StableNeoHookean>("stable-neo-hookean", 0.4),
        elastic::<StVenantKirchhoff>("st-venant-kirchhoff", 0.3),
        elastic::<Corotated>("corotated", 0.3),
    ] {
        check(
            &scene,
            &[("pd", 2000), ("pd-lbfgs", 200), ("admm", 2000), ("xpbd-block", 4000), ("vbd", 2000)],
        );
    }
}

#[test]
fn scalar_xpbd_ends_elsewhere() {
    // The gradient of a scalar constraint turns while its multiplier adds up: a converged answer, but not the implicit Euler step.
    for (scene, band) in [(cloth(6), 1e-5..0.1), (solid(), 1e-5..0.1)] {
        let exact = reference(&scene);
        let at = |iterations| run("xpbd", &scene, &StepParams { iterations, ..StepParams::default() }, 1).0.x;
        let (many, more) = (at(3000), at(6000));
        let far = distance(&more, &exact.x);
        println!(
            "{}: xpbd is {far:.1e} m away, and moved {:.1e} m in its last 3000 sweeps",
            scene.name,
            distance(&many, &more)
        );
        assert!(band.contains(&far), "{}: {far}", scene.name);
    }
}

#[test]
fn newton_is_quadratic_and_takes_both_hessians() {
    let scene = cloth(6);
    let exact = reference(&scene);
    let params = StepParams { iterations: 60, tolerance: 1e-12, ..StepParams::default() };
    let context = StepContext::of(&scene.model, &params);
    let mut found = vec![];
    for psd in [Psd::Exact, Psd::Project] {
        let mut newton = pd_steppers::Newton::new(pd_linear::Cholesky::default());
        newton.psd = psd;
        let mut state = scene.state.clone();
        newton.prepare(context).unwrap();
        let report = newton.step(context, &mut state).unwrap();
        assert!(distance(&state.x, &exact.x) < 1e-9);
        found.push(report.iterations);
    }
    assert!(found[0] <= 15 && found[0] <= found[1], "{found:?}");
}

/// The default material, tetrahedron strain with volume: within eight iterations to 1e-10 of the first force imbalance, from soft to
/// nearly incompressible, for short and long steps and shaken as it is.
#[test]
fn newton_is_quadratic_on_the_default_material() {
    let mut worst = 0;
    for poisson in [0.0, 0.3, 0.45, 0.49] {
        for dt in [1.0 / 240.0, 1.0 / 120.0, 1.0 / 60.0, 1.0 / 15.0] {
            let scene = projective(poisson);
            let params = StepParams { iterations: 30, tolerance: 1e-10, dt, ..StepParams::default() };
            let (state, report) = run("newton", &scene, &params, 1);
            let moved = distance(&state.x, &scene.state.x);
            assert!(report.reduction <= 1e-10 && moved > 1e-4, "{poisson} {dt}: {report:?}");
            println!("Poisson's ratio {poisson}, step {dt:.4} s: {} iterations of Newton", report.iterations);
            // The inertial target of the longest step is half a cell away, beyond where the method is quadratic from the start.
            if dt < 0.02 {
                worst = worst.max(report.iterations);
            }
            assert!(report.iterations <= 12, "{poisson} {dt}: {report:?}");
        }
    }
    assert!(worst <= 8, "{worst}");
}

/// A bar held at one end of the default law of a material.
pub(crate) fn projective(poisson: Real) -> Scene {
    let bar = pd_mesh::generate::bar(2, 2, 7, 0.1).unwrap();
    let x = &bar.positions;
    let low = x.iter().map(|p| p.z).fold(Real::INFINITY, Real::min);
    let end: Vec<u32> = (0..x.len() as u32).filter(|&v| x[v as usize].z < low + 1e-9).collect();
    let material = Material::new(1e5, poisson, 1000.0).unwrap();
    let weights = tet_weights(&material, true).unwrap();
    let strain = TetStrain::new(x, &bar.tets, weights.strain, StrainRange::RIGID).unwrap();
    let mut builder = Model::with_masses(lumped_masses_tets(x, &bar.tets, 1000.0).unwrap()).energy(strain);
    if let Some(weight) = weights.volume {
        builder = builder.energy(Volume::new(x, &bar.tets, weight, 1.0, 1.0).unwrap());
    }
    let model = builder.energy(Pins::new(x, &end, 1e5).unwrap()).build().unwrap();
    Scene { name: "projective", model, state: State::at_rest(x.clone()) }
}
