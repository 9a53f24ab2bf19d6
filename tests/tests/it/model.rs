//! The model and the stepper's contract: the assembled matrix is M/h² + Σ ω AᵀA, symmetric positive definite with row
//! sums m/h² + pins; a rest shape without load stays; bad input is rejected by name; an error leaves the state alone.

use pd_core::{
    Csr, EnergyBatch, GlobalSolver, LinearError, Model, ModelError, ProjectiveDynamics, Real, SolveReport,
    State, Stencil, StepContext, StepError, StepParams, Stepper, Vec3,
};
use pd_linear::Cholesky;
use pd_sim::scene::{Scene, SceneRun, builtins};
use pd_sim::{ModelPaths, Registry, SceneError};
use proptest::prelude::*;
use std::ops::Range;
use tests::{Body, Kind, Random, Rig, dense_matrix};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn matrix_is_the_sum_over_elements(seed: u64, dt in 1e-3..0.1) {
        for kind in Kind::ALL {
            let mut random = Random::new(seed);
            let body = Body::random(kind, &mut random, 3);
            let matrix = body.model.system_matrix(dt);
            let dense = dense_matrix(&body.model, dt);
            let scale = dense.amax();
            let n = body.rest.len();
            for i in 0..n {
                let row: Vec<usize> = matrix.row(i).map(|(j, _)| j).collect();
                for j in 0..n {
                    let (a, expected) = (matrix.get(i, j), dense[(i, j)]);
                    prop_assert!((a - expected).abs() <= 1e-14 * scale, "{kind:?} ({i}, {j}): {a} {expected}");
                    prop_assert!(expected == 0.0 || row.contains(&j), "{kind:?} ({i}, {j}) is not in the pattern");
                    prop_assert!((a - matrix.get(j, i)).abs() <= 1e-14 * scale, "{kind:?} ({i}, {j})");
                }
                let sum: Real = matrix.row(i).map(|(_, a)| a).sum();
                let size: Real = matrix.row(i).map(|(_, a)| a.abs()).sum();
                let pins: Real = body.pins.iter().filter(|p| p.0 as usize == i).map(|p| p.1).sum();
                let expected = body.model.masses()[i] / (dt * dt) + pins;
                prop_assert!((sum - expected).abs() <= 1e-13 * size, "{kind:?} row {i}: {sum} {expected}");
            }
            prop_assert!(dense.cholesky().is_some(), "{kind:?}: not positive definite");
            prop_assert!(Cholesky::default().factor(&matrix).is_ok());
        }
    }
}

/// Without gravity, forces and obstacles a rest shape is in equilibrium, and a step leaves it there.
#[test]
fn rest_shapes_are_fixed_points() {
    let nowhere = ModelPaths::default();
    let mut seen = 0;
    for builtin in builtins().iter().filter(|builtin| builtin.is_of_thesis()) {
        let mut desc = builtin.desc().unwrap();
        desc.step.gravity = [0.0; 3];
        desc.forces.clear();
        desc.colliders.clear();
        let scene = match Scene::from_desc(builtin.name, desc, None, &nowhere) {
            Err(SceneError::ModelNotPresent { .. }) => continue,
            scene => scene.unwrap(),
        };
        seen += 1;
        let (model, rest) = (scene.model(0.0).unwrap(), scene.rest());
        let (mut rows, mut force) = (vec![Vec3::zeros(); model.rows()], vec![Vec3::zeros(); rest.len()]);
        model.elastic_gradient(&rest, &mut rows, &mut force);
        let largest = force.iter().map(|f| f.norm()).fold(0.0, Real::max);
        println!("{}: {largest:.1e} N at rest", builtin.name);
        assert!(largest < 1e-10, "{}: {largest:e} N at rest", builtin.name);
        if rest.len() > 4000 {
            continue; // the gradient says it all; factoring the large ones is for the determinism tests
        }
        let mut run = SceneRun::new(scene, &Registry::standard()).unwrap();
        run.sim.params.measure = true;
        for _ in 0..3 {
            let residual = run.advance().unwrap().measures.unwrap().residual;
            assert!(residual < 1e-10, "{}: {residual:e} N", builtin.name);
        }
        let moved = tests::largest_distance(&run.sim.state.x, &rest);
        assert!(moved < 1e-11, "{}: moved {moved:e} m", builtin.name);
    }
    assert!(seen >= 15, "only {seen} scenes were tried");
}

/// A batch that takes any stencil and list of pinned vertices.
struct Raw {
    stencil: Stencil,
    pinned: Vec<u32>,
}

impl EnergyBatch for Raw {
    fn kind(&self) -> &'static str {
        "raw"
    }
    fn stencil(&self) -> &Stencil {
        &self.stencil
    }
    fn project(&self, _: Range<usize>, z: &mut [Vec3]) {
        z.fill(Vec3::zeros());
    }
    fn pinned(&self) -> &[u32] {
        &self.pinned
    }
}

fn build(weight: Real, rows: &[&[(u32, Real)]], pinned: &[u32]) -> Result<Model, ModelError> {
    let mut stencil = Stencil::new(2);
    stencil.push(1.0, &[&[(0, 1.0)], &[(1, 1.0)]]);
    stencil.push(weight, rows);
    Model::with_masses(vec![1.0; 2]).energy(Raw { stencil, pinned: pinned.to_vec() }).build()
}

#[test]
fn builder_refuses_bad_masses() {
    // A model without vertices is for rigid bodies alone; projective dynamics rejects it.
    let nothing = Model::with_masses(vec![]).build().unwrap();
    let params = StepParams::default();
    let refused = ProjectiveDynamics::new(Cholesky::default()).prepare(StepContext::of(&nothing, &params));
    assert!(matches!(refused, Err(StepError::Unsupported { .. })));
    for bad in [0.0, -1.0, Real::NAN, Real::INFINITY] {
        let error = Model::with_masses(vec![1.0, bad]).build().unwrap_err();
        assert!(matches!(error, ModelError::Mass { vertex: 1, .. }), "{bad}: {error}");
    }
    assert!(matches!(Model::builder(&[Vec3::zeros()], 0.0).build(), Err(ModelError::Mass { vertex: 0, .. })));
}

#[test]
fn builder_refuses_bad_stencils() {
    let good: [&[(u32, Real)]; 2] = [&[(0, 1.0), (1, -1.0)], &[(1, 1.0)]];
    assert_eq!(build(2.0, &good, &[1]).unwrap().constraints(), 2);
    for bad in [0.0, -1.0, Real::NAN, Real::INFINITY] {
        let error = build(bad, &good, &[]).unwrap_err();
        assert!(matches!(error, ModelError::Weight { element: 1, .. }), "{bad}: {error}");
    }
    for bad in [Real::NAN, Real::INFINITY] {
        let error = build(1.0, &[&[(0, 1.0)], &[(1, 1.0), (0, bad)]], &[]).unwrap_err();
        assert!(matches!(error, ModelError::Coefficient { row: 3, .. }), "{bad}: {error}");
    }
    let error = build(1.0, &[&[(0, 1.0)], &[(2, 1.0)]], &[]).unwrap_err();
    assert!(matches!(error, ModelError::Vertex { vertex: 2, vertices: 2, .. }), "{error}");
    let error = build(1.0, &good, &[7]).unwrap_err();
    assert!(matches!(error, ModelError::Vertex { vertex: 7, vertices: 2, .. }), "{error}");
    for ragged in [&good[..1], &[good[0], good[1], good[0]], &[]] {
        let error = build(1.0, ragged, &[]).unwrap_err();
        assert!(matches!(error, ModelError::Rows { element: 1, expected: 2, .. }), "{error}");
    }
}

fn rig() -> Rig {
    let body = Body::random(Kind::Cloth, &mut Random::new(1), 2);
    Rig::new(body.model, body.rest)
}

#[test]
fn stepper_refuses_to_step_unprepared() {
    let not_prepared = |outcome| matches!(outcome, Err(StepError::NotPrepared { .. }));
    let mut rig = rig();
    assert!(not_prepared(rig.step()));
    rig.prepare().unwrap();
    rig.step().unwrap();

    let dt = rig.params.dt;
    rig.params.dt = 0.5 * dt;
    assert!(not_prepared(rig.step()), "another time step needs another matrix");
    rig.params.dt = dt;
    rig.step().unwrap();

    rig.model = Body::random(Kind::Cloth, &mut Random::new(1), 2).model;
    assert!(not_prepared(rig.step()), "an equal model is another model");
    rig.prepare().unwrap();
    rig.step().unwrap();
}

#[test]
fn stepper_refuses_wrong_sizes() {
    let mut rig = rig();
    rig.prepare().unwrap();
    let n = rig.model.vertices();
    let good = rig.state.clone();
    rig.state.x.pop();
    rig.state.v.pop();
    assert!(matches!(rig.step(), Err(StepError::Size { model, state }) if model == n && state == n - 1));
    rig.state = State::new(good.x.clone(), vec![]);
    assert!(matches!(rig.step(), Err(StepError::Size { .. })));
    rig.state = good;
    rig.step().unwrap();
}

#[test]
fn stepper_refuses_bad_parameters() {
    let good = StepParams::default();
    let bad = [
        ("dt", StepParams { dt: 0.0, ..good }),
        ("dt", StepParams { dt: -1.0, ..good }),
        ("dt", StepParams { dt: Real::NAN, ..good }),
        ("iterations", StepParams { iterations: 0, ..good }),
        ("iterations", StepParams { iterations: usize::MAX, ..good }),
        ("gravity", StepParams { gravity: Vec3::new(0.0, Real::INFINITY, 0.0), ..good }),
        ("damping", StepParams { damping: -1.0, ..good }),
        ("tolerance", StepParams { tolerance: 1.0, ..good }),
    ];
    for (expected, params) in bad {
        let mut rig = rig();
        rig.prepare().unwrap();
        let before = rig.state.clone();
        rig.params = params;
        for outcome in [rig.prepare(), rig.step().map(drop)] {
            let Err(StepError::Parameter { name, .. }) = outcome else { panic!("{expected}: {outcome:?}") };
            assert_eq!(name, expected);
        }
        assert_eq!(rig.state, before);
    }
}

/// Works for some solves, then fails in one of the ways a solver can.
struct Failing {
    inner: Cholesky,
    solves_left: usize,
    nan: bool,
}

impl GlobalSolver for Failing {
    fn name(&self) -> &str {
        "failing"
    }
    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        self.inner.factor(a)
    }
    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        let report = self.inner.solve(b, x, columns)?;
        if self.solves_left > 0 {
            self.solves_left -= 1;
            return Ok(report);
        }
        x[4] = Real::NAN;
        if self.nan { Ok(report) } else { Err(LinearError::Diverged { iteration: 3, residual: 9.0 }) }
    }
}

#[test]
fn an_error_leaves_the_state_as_it_was() {
    // 10 solves a step: the third step fails in the middle, or writes NaN there, or in its very last solve.
    for (solves_left, nan) in [(25, false), (25, true), (29, true)] {
        let body = Body::random(Kind::Tets, &mut Random::new(2), 1);
        let solver = Failing { inner: Cholesky::default(), solves_left, nan };
        let mut rig = Rig::with_solver(body.model, body.rest, solver);
        rig.params.measure = true; // measuring NaN must not matter either
        rig.run(2);
        let before = rig.state.clone();
        assert!(before.time > 0.0);
        match rig.step().unwrap_err() {
            StepError::Linear(LinearError::Diverged { iteration: 3, .. }) if !nan => {}
            // The next right-hand side is not finite, and the solver says so.
            StepError::Linear(LinearError::NotFinite { .. }) if nan && solves_left == 25 => {}
            StepError::NotFinite { vertex: 1 } if solves_left == 29 => {}
            other => panic!("{solves_left}, {nan}: {other}"),
        }
        assert_eq!(rig.state, before);
        assert_eq!(rig.state.hash(), before.hash());
    }
}
