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
