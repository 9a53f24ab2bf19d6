//! Every stepper finds the same minimiser of a step: plain, Anderson, L-BFGS, fused sweeps. Acceleration changes how
//! fast, never where to.

use pd_collide::Floor;
use pd_constraints::{EdgeSprings, Pins, StrainRange, TetStrain};
use pd_core::{
    Acceleration, Collider, CpuLocal, Csr, GlobalSolver, LinearError, Model, ProjectiveDynamics, Real,
    SolveReport, State, StepContext, StepError, StepParams, Stepper, Vec3,
};
use pd_linear::Cholesky;
use pd_sim::scene::{Scene, SceneRun};
use pd_sim::{ModelPaths, Registry, Simulation};

/// The state of a scene in motion.
fn in_motion(name: &str, frames: usize) -> (Scene, State) {
    let scene = Scene::load(name, &ModelPaths::default()).unwrap();
    let mut run = SceneRun::new(scene, &Registry::standard()).unwrap();
    for _ in 0..frames {
        run.advance().unwrap();
    }
    (run.scene, run.sim.state)
}

/// One step of `iterations` iterations from a state, measured.
fn one_step(scene: &Scene, state: &State, stepper: Box<dyn Stepper>, iterations: usize) -> (State, Real) {
    let mut sim = Simulation::with_boxed(scene.model(0.0).unwrap(), state.clone(), stepper);
    sim.params = pd_core::StepParams { iterations, measure: true, ..scene.params() };
    let report = sim.step().unwrap();
    let measures = report.measures.unwrap();
    (sim.state, measures.residual)
}

fn apart(a: &State, b: &State) -> Real {
    a.x.iter().zip(&b.x).map(|(a, b)| (a - b).norm()).fold(0.0, Real::max)
}

#[test]
fn all_steppers_reach_the_same_minimiser() {
    let registry = Registry::standard();
    for (name, frames, most) in [("bar", 20, 3000), ("tubes", 20, 3000)] {
        let (scene, state) = in_motion(name, frames);
        let (exact, residual) =
            one_step(&scene, &state, registry.stepper("pd-lbfgs", "cholesky").unwrap(), 400);
        // Laws with a free range are piecewise; where their pieces meet, L-BFGS creeps. 1e-7 N moves a vertex of 1 g by
        // less than 3e-8 m.
        assert!(residual < 1e-7, "{name}: {residual} N left");
        for stepper in ["pd", "pd-anderson", "fused-jacobi"] {
            let (x, left) = one_step(&scene, &state, registry.stepper(stepper, "cholesky").unwrap(), most);
            let distance = apart(&x, &exact);
            assert!(distance < 1e-7, "{name}, {stepper}: {distance} m away, {left} N left");
        }
    }
}

/// The goal of acceleration, in a frame of smooth motion and in the impact that is hardest of its scene.
#[test]
fn four_lbfgs_iterations_are_as_good_as_ten_plain_ones() {
    let registry = Registry::standard();
    for (name, frames) in [("bunny-twin", 30), ("armadillo-free-twin", 36)] {
        let scene = Scene::load(name, &ModelPaths::default()).unwrap();
        let mut run = SceneRun::new(scene, &registry).unwrap();
        for _ in 0..frames {
            run.advance().unwrap();
        }
        let step = |stepper: &str, iterations: usize, tolerance: Real| {
            let (state, stepper) = (run.sim.state.clone(), registry.stepper(stepper, "panels").unwrap());
            let mut sim = Simulation::with_boxed(run.scene.model(state.time).unwrap(), state, stepper);
            sim.colliders = run.scene.colliders().unwrap();
            sim.params = StepParams { iterations, tolerance, ..run.scene.params() };
            let report = sim.step().unwrap();
            (sim.state, report)
        };
        let (exact, report) = step("pd-lbfgs", 400, 1e-6);
        assert!(report.reduction <= 1e-6, "{name}: {} left", report.reduction);
        let error = |state: &State| -> Real {
            state.x.iter().zip(&exact.x).map(|(a, b)| (a - b).norm_squared()).sum::<Real>().sqrt()
        };
        let (plain, _) = step("pd", 10, 0.0);
        let (fast, report) = step("pd-lbfgs", 4, 0.0);
        assert!(error(&fast) <= error(&plain), "{name}: {} of {}", error(&fast), error(&plain));
        assert!(report.local_steps <= 10, "{name}: {} local steps", report.local_steps);
    }
}

/// Objectives that differ by their rounding alone cannot be compared; slopes still can.
#[test]
fn lbfgs_goes_on_below_the_rounding_of_the_objective() {
    let (scene, state) = in_motion("bunny-twin", 10);
    let stepper = Registry::standard().stepper("pd-lbfgs", "cholesky").unwrap();
    let mut sim = Simulation::with_boxed(scene.model(0.0).unwrap(), state, stepper);
    sim.params = StepParams { iterations: 100, tolerance: 1e-10, ..scene.params() };
    let report = sim.step().unwrap();
    assert!(report.reduction <= 1e-10, "{} left after {} iterations", report.reduction, report.iterations);
    assert!(report.local_steps <= 2 * report.iterations, "{} of {}", report.local_steps, report.iterations);
}

#[test]
fn accelerated_steps_never_end_above_the_plain_start() {
    let (scene, state) = in_motion("hemispheres", 10);
    for acceleration in [Acceleration::Anderson { window: 5 }, Acceleration::Lbfgs { window: 5 }] {
        for iterations in 1..8 {
            let local = Box::new(CpuLocal::default());
            let mut pd = ProjectiveDynamics::with_parts(local, Box::new(Cholesky::default()), acceleration);
            let model = scene.model(0.0).unwrap();
            let params = pd_core::StepParams { iterations, measure: true, ..scene.params() };
            let context = pd_core::StepContext::of(&model, &params);
            pd.prepare(context).unwrap();
            pd.step(context, &mut state.clone()).unwrap();
            let (first, last) = (pd.objectives()[0], *pd.objectives().last().unwrap());
            assert!(last <= first, "{acceleration:?}, {iterations} iterations: {last} above {first}");
        }
    }
}

/// Thirty steps of four iterations; none may end above the objective at the inertial target, from which a plain step
/// would start.
fn never_above_the_target(what: &str, model: impl Fn() -> Model, mut state: State, floor: Option<Real>) {
    let colliders: Vec<Box<dyn Collider>> =
        floor.map(|height| Box::new(Floor::new(height).unwrap()) as Box<dyn Collider>).into_iter().collect();
    let model = model();
    let params = StepParams { iterations: 4, measure: true, ..StepParams::default() };
    let context = StepContext::new(&model, &params, &[], &colliders);
    for acceleration in [Acceleration::Anderson { window: 5 }, Acceleration::Lbfgs { window: 5 }] {
        let stepper = |acceleration| {
            let (local, global) = (Box::new(CpuLocal::default()), Box::new(Cholesky::default()));
            let mut stepper = ProjectiveDynamics::with_parts(local, global, acceleration);
            stepper.prepare(context).unwrap();
            stepper
        };
        let (mut plain, mut fast) = (stepper(Acceleration::None), stepper(acceleration));
        for step in 0..30 {
            plain.step(context, &mut state.clone()).unwrap();
            fast.step(context, &mut state).unwrap();
            let (target, end) = (plain.objectives()[0], *fast.objectives().last().unwrap());
            assert!(end <= target, "{what}, {acceleration:?}, step {step}: {end} J above {target} J");
        }
        let speed = state.v.iter().map(|v| v.norm()).fold(0.0, Real::max);
        assert!(speed < 100.0, "{what}, {acceleration:?}: {speed} m/s");
    }
}

#[test]
fn hard_cases_never_end_above_the_target() {
    let sheet = pd_mesh::generate::grid(12, 12, 1.0, 1.0).unwrap();
    let masses = vec![1e-3; sheet.positions.len()];
    // Stiffness over inertia k h²/m is 2.8e6: the guess from present forces is useless there.
    let cloth = || {
        let springs = EdgeSprings::new(&sheet.positions, &sheet.edges(), 1e7).unwrap();
        let pins = Pins::new(&sheet.positions, &[0, 12], 1e7).unwrap();
        Model::with_masses(masses.clone()).energy(springs).energy(pins).build().unwrap()
    };
    never_above_the_target("stiff cloth", cloth, State::at_rest(sheet.positions.clone()), None);

    let bar = pd_mesh::generate::bar(4, 4, 8, 1.0).unwrap();
    let masses = vec![1e-2; bar.positions.len()];
    let solid = || {
        let strain = TetStrain::new(&bar.positions, &bar.tets, 1e4, StrainRange::RIGID).unwrap();
        Model::with_masses(masses.clone()).energy(strain).build().unwrap()
    };
    let mirrored = bar.positions.iter().map(|p| Vec3::new(-p.x, p.y, p.z)).collect();
    never_above_the_target("inverted", solid, State::at_rest(mirrored), None);
    let lowest = bar.positions.iter().map(|p| p.y).fold(Real::INFINITY, Real::min);
    let mut falling = State::at_rest(bar.positions.clone());
    falling.v.fill(Vec3::new(0.0, -5.0, 0.0));
    never_above_the_target("impact", solid, falling, Some(lowest - 0.1));
}

/// Fails on the solve of the given number, once.
struct FailsOnce {
    inner: Cholesky,
    countdown: usize,
}

impl GlobalSolver for FailsOnce {
    fn name(&self) -> &str {
        "fails once"
    }
    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        self.inner.factor(a)
    }
    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        self.countdown = self.countdown.wrapping_sub(1);
        if self.countdown == 0 {
            return Err(LinearError::Diverged { iteration: 1, residual: 2.0 });
        }
        self.inner.solve(b, x, columns)
    }
}

#[test]
fn a_failed_solve_leaves_state_and_acceleration_intact() {
    let (scene, state) = in_motion("bar", 5);
    for acceleration in [Acceleration::Anderson { window: 5 }, Acceleration::Lbfgs { window: 5 }] {
        let stepper = |countdown| {
            let solver = FailsOnce { inner: Cholesky::default(), countdown };
            ProjectiveDynamics::with_parts(Box::new(CpuLocal::default()), Box::new(solver), acceleration)
        };
        let model = || scene.model(0.0).unwrap();
        let mut undisturbed = Simulation::new(model(), state.clone(), stepper(0));
        undisturbed.params = scene.params();
        undisturbed.step().unwrap();

        let mut disturbed = Simulation::new(model(), state.clone(), stepper(4));
        disturbed.params = scene.params();
        assert!(matches!(disturbed.step(), Err(StepError::Linear(LinearError::Diverged { .. }))));
        assert_eq!(disturbed.state, state, "the last good state is kept");
        disturbed.step().unwrap();
        assert_eq!(
            disturbed.state.hash(),
            undisturbed.state.hash(),
            "and the next step is as if nothing was"
        );
    }
}
