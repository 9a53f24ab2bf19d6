//! One sweep per projection against exact global steps.

use pd_core::*;
use pd_linear::Cholesky;
use pd_steppers::FusedJacobi;
use std::ops::Range;

/// Springs with their rest lengths.
struct Springs(Stencil, Vec<Real>);
impl EnergyBatch for Springs {
    fn kind(&self) -> &'static str {
        "springs"
    }
    fn stencil(&self) -> &Stencil {
        &self.0
    }
    fn project(&self, elements: Range<usize>, z: &mut [Vec3]) {
        for (z, rest) in z.iter_mut().zip(&self.1[elements]) {
            *z = z.normalize() * *rest;
        }
    }
}

/// Vertices held at points.
struct Pins(Stencil, Vec<Vec3>, Vec<u32>);
impl EnergyBatch for Pins {
    fn kind(&self) -> &'static str {
        "pins"
    }
    fn stencil(&self) -> &Stencil {
        &self.0
    }
    fn project(&self, elements: Range<usize>, z: &mut [Vec3]) {
        z.copy_from_slice(&self.1[elements]);
    }
    fn pinned(&self) -> &[u32] {
        &self.2
    }
}

/// A hanging cloth of n × n vertices, 1 g each, held by two corners.
fn cloth(n: u32) -> (Model, State) {
    let x: Vec<Vec3> = (0..n * n)
        .map(|i| Vec3::new(f64::from(i / n), 0.0, f64::from(i % n)) * (1.0 / f64::from(n - 1)))
        .collect();
    let (mut springs, mut rest) = (Stencil::new(1), vec![]);
    for i in 0..n {
        for j in 0..n {
            for (di, dj) in [(1, 0), (0, 1), (1, 1)] {
                if i + di < n && j + dj < n {
                    let (a, b) = (i * n + j, (i + di) * n + j + dj);
                    springs.push(100.0, &[&[(a, 1.0), (b, -1.0)]]);
                    rest.push((x[a as usize] - x[b as usize]).norm());
                }
            }
        }
    }
    let held = vec![0, n - 1];
    let mut pins = Stencil::new(1);
    held.iter().for_each(|&v| pins.push(100.0, &[&[(v, 1.0)]]));
    let targets = held.iter().map(|&v| x[v as usize]).collect();
    let model = Model::with_masses(vec![0.001; (n * n) as usize])
        .energy(Springs(springs, rest))
        .energy(Pins(pins, targets, held))
        .build()
        .unwrap();
    (model, State::at_rest(x))
}

fn fused(gamma: Option<Real>, rho: Option<Real>) -> FusedJacobi {
    let mut stepper = FusedJacobi::default();
    (stepper.gamma, stepper.rho) = (gamma, rho);
    stepper
}

/// Steps until the force imbalance has fallen to `tolerance` of its first value, or for all `iterations`.
fn run(stepper: &mut dyn Stepper, iterations: usize, tolerance: Real, steps: usize) -> (State, StepReport) {
    let (model, mut state) = cloth(7);
    let params = StepParams { iterations, tolerance, measure: true, ..StepParams::default() };
    let context = StepContext::of(&model, &params);
    stepper.prepare(context).unwrap();
    let mut report = StepReport::default();
    for _ in 0..steps {
        report = stepper.step(context, &mut state).unwrap();
    }
    (state, report)
}

fn distance(a: &State, b: &State) -> Real {
    a.x.iter().zip(&b.x).map(|(a, b)| (a - b).norm()).fold(0.0, Real::max)
}

#[test]
fn the_minimum_is_that_of_exact_global_steps() {
    let (exact, exact_report) = run(&mut ProjectiveDynamics::new(Cholesky::default()), 50_000, 1e-11, 12);
    let (fused, report) = run(&mut FusedJacobi::default(), 5_000, 1e-11, 12);
    assert!(exact_report.reduction <= 1e-11 && report.reduction <= 1e-11, "{exact_report:?} {report:?}");
    assert!(exact.x.iter().map(|x| x.y).fold(0.0, Real::min) < -0.1, "the cloth must have fallen");
    println!("{} exact global steps, {} sweeps", exact_report.iterations, report.iterations);
    let far = distance(&exact, &fused);
    assert!(far < 1e-6, "fused and exact differ by {far} m; {report:?}");
    let (a, b) = (exact_report.measures.unwrap(), report.measures.unwrap());
    assert!((a.objective - b.objective).abs() < 1e-9 * a.objective.abs().max(1e-3));
    assert!((a.kinetic - b.kinetic).abs() < 1e-6 && (a.elastic - b.elastic).abs() < 1e-6);
}

#[test]
fn acceleration_helps() {
    let objective = |stepper: &mut FusedJacobi| run(stepper, 100, 0.0, 1).1.measures.unwrap().objective;
    let mut plain = fused(None, Some(0.0));
    let (plain, fast) = (objective(&mut plain), objective(&mut FusedJacobi::default()));
    let exact = run(&mut ProjectiveDynamics::new(Cholesky::default()), 50_000, 1e-11, 1)
        .1
        .measures
        .unwrap()
        .objective;
    assert!(exact <= fast + 1e-12 && fast - exact < 0.2 * (plain - exact), "{exact} {fast} {plain}");
}

#[test]
fn a_damping_too_large_is_an_error_that_keeps_the_state() {
    let (model, mut state) = cloth(6);
    let params = StepParams { iterations: 500, ..StepParams::default() };
    let context = StepContext::of(&model, &params);
    let mut stepper = fused(Some(4.0), None);
    let before = state.clone();
    assert!(matches!(stepper.step(context, &mut state), Err(StepError::NotPrepared { .. })));
    stepper.prepare(context).unwrap();
    let result = stepper.step(context, &mut state);
    assert!(matches!(result, Err(StepError::Linear(LinearError::Diverged { .. }))), "{result:?}");
    assert_eq!(state, before);
    for mut bad in [fused(Some(0.0), None), fused(None, Some(1.0))] {
        assert!(matches!(bad.prepare(context), Err(StepError::Parameter { .. })));
    }
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let hash = || {
        let (model, mut state) = cloth(36);
        let params = StepParams { iterations: 30, ..StepParams::default() };
        let context = StepContext::of(&model, &params);
        let mut stepper = FusedJacobi::default();
        stepper.prepare(context).unwrap();
        for _ in 0..3 {
            stepper.step(context, &mut state).unwrap();
        }
        state.hash()
    };
    let one = pool(1).install(hash);
    for threads in [2, 3, 8] {
        assert_eq!(pool(threads).install(hash), one);
    }
}
