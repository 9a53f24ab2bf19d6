//! The step limit of symplectic Euler, and implicit methods far beyond it.

use crate::common::stepper;
use pd_constraints::*;
use pd_core::*;
use pd_steppers::Symplectic;

/// A straight chain held at its top, a little stretched.
fn chain(n: u32) -> (Model, State) {
    let x: Vec<Vec3> = (0..=n).map(|k| -Vec3::y() * 0.1 * Real::from(k)).collect();
    let edges: Vec<[u32; 2]> = (0..n).map(|k| [k, k + 1]).collect();
    let model = Model::with_masses(vec![0.01; n as usize + 1])
        .energy(EdgeSprings::new(&x, &edges, 500.0).unwrap())
        .energy(Pins::new(&x, &[0], 500.0).unwrap())
        .build()
        .unwrap();
    let mut state = State::at_rest(x);
    state.x[n as usize].y -= 0.001;
    (model, state)
}

/// Steps until an error or the end.
fn steps(name: &str, dt: Real, count: usize) -> Result<State, StepError> {
    let (model, mut state) = chain(12);
    let params = StepParams {
        dt,
        iterations: 20,
        gravity: Vec3::zeros(),
        hold_pinned: false,
        ..StepParams::default()
    };
    let (mut stepper, context) = (stepper(name), StepContext::of(&model, &params));
    stepper.prepare(context)?;
    for _ in 0..count {
        stepper.step(context, &mut state)?;
    }
    Ok(state)
}

fn limit() -> Real {
    let (model, _) = chain(12);
    let params = StepParams::default();
    let mut symplectic = Symplectic::default();
    symplectic.prepare(StepContext::of(&model, &params)).unwrap();
    symplectic.step_limit().unwrap()
}

#[test]
fn symplectic_euler_diverges_just_past_its_limit() {
    let limit = limit();
    // A chain of springs k and masses m: ω_max → 2√(k/m), so the limit is close to √(m/k).
    assert!((limit / (0.01f64 / 500.0).sqrt() - 1.0).abs() < 0.02, "{limit}");
    assert!(steps("symplectic", 0.98 * limit, 20_000).is_ok());
    let error = steps("symplectic", 1.02 * limit, 20_000).unwrap_err();
    assert!(matches!(error, StepError::Diverged { growth, .. } if growth > 1e4), "{error}");
}

#[test]
fn implicit_methods_are_stable_at_a_hundred_times_the_limit() {
    let dt = 100.0 * limit();
    for name in ["newton", "pd", "admm", "xpbd", "xpbd-block", "vbd", "descent", "pbd"] {
        let state = steps(name, dt, 100).unwrap_or_else(|error| panic!("{name}: {error}"));
        let low = state.x.iter().map(|x| x.y).fold(0.0, Real::min);
        assert!(low > -1.3 && low < -1.1, "{name}: {low}");
    }
}

#[test]
fn damping_terms_slow_what_they_should() {
    use crate::common::cloth;
    let scene = cloth(4);
    let params =
        StepParams { iterations: 30, tolerance: 1e-10, gravity: Vec3::zeros(), ..StepParams::default() };
    let context = StepContext::of(&scene.model, &params);
    let kinetic = |mass: Real, strain_rate: Real, drift: Vec3| {
        let mut newton = pd_steppers::Newton::new(pd_linear::Cholesky::default());
        newton.damping = pd_steppers::Damping { mass, strain_rate };
        let mut state = scene.state.clone();
        state.v.iter_mut().for_each(|v| *v += drift);
        newton.prepare(context).unwrap();
        newton.step(context, &mut state).unwrap();
        let v = |v: &Vec3| v.norm_squared();
        state.v.iter().map(v).sum::<Real>()
    };
    let free = kinetic(0.0, 0.0, Vec3::zeros());
    assert!(kinetic(0.0, 0.1, Vec3::zeros()) < 0.7 * free);
    assert!(kinetic(300.0, 0.0, Vec3::zeros()) < 0.9 * free);
    // The step of a damped objective is its minimiser: a second method agrees.
    let mut descent = pd_steppers::SteepestDescent::default();
    let damping = pd_steppers::Damping { mass: 3.0, strain_rate: 0.02 };
    descent.damping = damping;
    let long = StepParams { iterations: 5000, tolerance: 1e-9, ..params };
    let context = StepContext::of(&scene.model, &long);
    let (mut a, mut b) = (scene.state.clone(), scene.state.clone());
    descent.prepare(context).unwrap();
    descent.step(context, &mut a).unwrap();
    let mut newton = pd_steppers::Newton::new(pd_linear::Cholesky::default());
    newton.damping = damping;
    newton.prepare(context).unwrap();
    newton.step(context, &mut b).unwrap();
    assert!(crate::common::distance(&a.x, &b.x) < 1e-6);
}
