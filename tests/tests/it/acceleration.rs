//! Every stepper finds the same minimiser of a step: plain, Anderson, L-BFGS, fused sweeps. Acceleration changes how
//! fast, never where to.

use pd_core::{
    Acceleration, CpuLocal, Csr, GlobalSolver, LinearError, ProjectiveDynamics, Real, SolveReport, State,
    StepError, Stepper,
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

#[test]
fn accelerated_steps_never_end_above_the_plain_start() {
    let (scene, state) = in_motion("hemispheres", 10);
    for acceleration in [Acceleration::Anderson { window: 5 }, Acceleration::Lbfgs { window: 5 }] {
        for iterations in 1..8 {
            let local = Box::new(CpuLocal::default());
            let mut pd = ProjectiveDynamics::with_parts(local, Box::new(Cholesky::default()), acceleration);
            let model = scene.model(0.0).unwrap();
            let params = pd_core::StepParams { iterations, measure: true, ..scene.params() };
            let context =
                pd_core::StepContext { model: &model, params: &params, forces: &[], colliders: &[] };
            pd.prepare(context).unwrap();
            pd.step(context, &mut state.clone()).unwrap();
            let (first, last) = (pd.objectives()[0], *pd.objectives().last().unwrap());
            assert!(last <= first, "{acceleration:?}, {iterations} iterations: {last} above {first}");
        }
    }
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
