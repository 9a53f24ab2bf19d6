//! The estimate of the part of the motion that is missing, beside what a converged step shows to be missing.

use crate::common::*;
use pd_core::*;

/// Ratios of estimate and truth over frames of all bodies, with so many iterations.
fn ratios(name: &str, iterations: usize) -> Vec<Real> {
    let mut ratios = vec![];
    for scene in
        [cloth(10), shell(), solid(), crate::minimiser::projective(0.3), crate::minimiser::projective(0.45)]
    {
        let few = StepParams { iterations, ..StepParams::default() };
        let many = StepParams { iterations: 4000, tolerance: 1e-9, ..few };
        let (mut stepper, mut converging) = (stepper(name), stepper(name));
        stepper.prepare(StepContext::of(&scene.model, &few)).unwrap();
        converging.prepare(StepContext::of(&scene.model, &many)).unwrap();
        let mut state = scene.state.clone();
        for frame in 0..12 {
            let mut exact = state.clone();
            let before = state.clone();
            let report = stepper.step(StepContext::of(&scene.model, &few), &mut state).unwrap();
            if frame % 3 != 2 {
                continue;
            }
            let converged = converging.step(StepContext::of(&scene.model, &many), &mut exact).unwrap();
            let inertia: Vec<Vec3> = before
                .x
                .iter()
                .zip(&before.v)
                .map(|(x, v)| x + v * few.dt + few.gravity * (few.dt * few.dt))
                .collect();
            let apart = |a: &[Vec3], b: &[Vec3]| missing::distance(&scene.model, a, b);
            let motion = apart(&exact.x, &before.x).max(apart(&inertia, &before.x));
            let truth = apart(&state.x, &exact.x) / motion;
            if converged.reduction < 1e-7 && truth > 1e-6 {
                ratios.push(report.missing.unwrap() / truth);
            }
        }
    }
    ratios
}

fn within_two(ratios: &[Real]) -> Real {
    ratios.iter().filter(|ratio| (0.5..=2.0).contains(*ratio)).count() as Real / ratios.len() as Real
}

#[test]
fn plain_iterations_know_what_they_leave_out() {
    let mut all = vec![];
    for iterations in [10, 16, 24] {
        let found = ratios("pd", iterations);
        println!("{iterations} plain iterations: {:.2} of {} within two", within_two(&found), found.len());
        all.extend(found);
    }
    assert!(all.len() > 45, "{}", all.len());
    assert!(within_two(&all) >= 0.9, "{} {all:.2?}", within_two(&all));
}

#[test]
fn iterations_end_at_the_accuracy_asked_for() {
    for accuracy in [0.01, 1e-3] {
        let scene = crate::minimiser::projective(0.3);
        let params = StepParams { iterations: 2000, accuracy, ..StepParams::default() };
        let exact = run("newton", &scene, &StepParams { accuracy: 0.0, tolerance: 1e-10, ..params }, 1).0;
        let (state, report) = run("pd", &scene, &params, 1);
        let motion = missing::distance(&scene.model, &exact.x, &scene.state.x);
        let left = missing::distance(&scene.model, &exact.x, &state.x) / motion;
        println!("to {accuracy}: {} iterations leave {left:.1e}", report.iterations);
        assert!(report.missing.unwrap() <= accuracy && report.iterations < 2000);
        assert!(left <= 2.0 * accuracy, "to {accuracy}: {left}");
        let accelerated = stepper("pd-lbfgs").prepare(StepContext::of(&scene.model, &params)).unwrap_err();
        assert!(matches!(accelerated, StepError::Parameter { name: "accuracy", .. }), "{accelerated}");
    }
}
