//! The resident stepper: the state is the truth, a graph is what its launches are, errors name what is wrong.

use pd_collide::{Floor, Sphere};
use pd_constraints::{EdgeSprings, Pins, PointForce};
use pd_core::{
    Aabb, Collider, Model, Real, State, StepContext, StepError, StepParams, Stepper, Surface, Vec3,
};
use pd_cuda::{CudaPd, Device, Method, Summation};
use pd_linear::JacobiOptions;
use pd_mesh::generate;

/// A small cloth held at two corners above a ball.
struct Scene {
    model: Model,
    state: State,
    params: StepParams,
    colliders: Vec<Box<dyn Collider>>,
    forces: Vec<Box<dyn pd_core::Force>>,
}

impl Scene {
    fn new() -> Self {
        let mesh = generate::grid(6, 6, 1.0, 1.0).unwrap();
        let model = Model::builder(&mesh.positions, 0.2)
            .energy(EdgeSprings::new(&mesh.positions, &mesh.edges(), 100.0).unwrap())
            .energy(Pins::new(&mesh.positions, &[0, 6], 1e3).unwrap().with_motion(|t| Vec3::z() * 0.2 * t))
            .build()
            .unwrap();
        let ball = Sphere::new(Vec3::new(0.0, -0.15, 0.0), 0.1).unwrap();
        Self {
            model,
            state: State::at_rest(mesh.positions),
            params: StepParams { iterations: 5, ..StepParams::default() },
            colliders: vec![Box::new(ball), Box::new(Floor::new(-0.4).unwrap())],
            forces: vec![],
        }
    }

    fn context(&self) -> StepContext<'_> {
        let Self { model, params, colliders, forces, .. } = self;
        StepContext::new(model, params, forces, colliders)
    }

    /// Steps as a simulation does.
    fn run(&mut self, stepper: &mut dyn Stepper, steps: usize) -> Vec<pd_core::StepReport> {
        let mut reports = vec![];
        for _ in 0..steps {
            self.model.set_time(self.state.time + self.params.dt);
            let Self { model, params, colliders, forces, state } = self;
            let context = StepContext::new(model, params, forces, colliders);
            reports.push(stepper.step(context, state).unwrap());
        }
        reports
    }
}

fn stepper(device: &Device) -> CudaPd<f64> {
    CudaPd::new(device, Method::Chebyshev, JacobiOptions::default()).with_sweeps(15)
}

fn after(device: &Device, steps: usize, change: impl FnOnce(&mut Scene)) -> State {
    let mut scene = Scene::new();
    change(&mut scene);
    let mut stepper = stepper(device);
    stepper.prepare(scene.context()).unwrap();
    scene.run(&mut stepper, steps);
    scene.state
}

#[test]
fn the_same_bits_in_every_run_and_for_any_block() {
    let device = crate::device();
    let first = after(&device, 4, |_| ());
    for block in [128, 32, 64, 256] {
        let again = after(&device.clone().with_block(block).unwrap(), 4, |_| ());
        assert_eq!(again.hash(), first.hash(), "blocks of {block}");
    }
    assert!(device.with_block(100).is_err());
}

/// With measures the kernels are launched one by one: the graph must do the same.
#[test]
fn a_graph_does_what_its_launches_do() {
    let device = crate::fast_device();
    let before = crate::driver().launches();
    let captured = after(&device, 4, |_| ());
    assert!(crate::driver().launches() > before + 4 * 5 * 15, "the kernels of the graph ran");
    let one_by_one = after(&device, 4, |scene| scene.params.measure = true);
    assert_eq!(captured.hash(), one_by_one.hash());
}

#[test]
fn the_host_may_change_the_state_between_steps() {
    let device = crate::fast_device();
    let mut scene = Scene::new();
    let mut stepper = stepper(&device);
    stepper.prepare(scene.context()).unwrap();
    scene.run(&mut stepper, 2);
    scene.state.x[48].y += 0.25;
    scene.state.v[48].x = 1.0;
    let changed = scene.state.clone();
    scene.run(&mut stepper, 2);
    let mut fresh = Scene::new();
    fresh.state = changed;
    let mut other = CudaPd::<f64>::new(&device, Method::Chebyshev, JacobiOptions::default()).with_sweeps(15);
    other.prepare(fresh.context()).unwrap();
    fresh.run(&mut other, 2);
    assert_eq!(scene.state.hash(), fresh.state.hash());
}

/// The graph reads the number of obstacles from the device.
#[test]
fn obstacles_come_and_go_without_another_preparation() {
    let device = crate::fast_device();
    let mut scene = Scene::new();
    let mut kept = stepper(&device);
    kept.prepare(scene.context()).unwrap();
    let wall = || Box::new(Sphere::new(Vec3::new(0.3, -0.1, 0.3), 0.2).unwrap());
    for round in 0..3 {
        match round {
            0 => {}
            1 => scene.colliders.push(wall()),
            _ => scene.colliders.clear(),
        }
        let mut fresh = Scene::new();
        fresh.colliders.truncate(scene.colliders.len());
        fresh
            .colliders
            .extend((fresh.colliders.len()..scene.colliders.len()).map(|_| wall() as Box<dyn Collider>));
        fresh.state = scene.state.clone();
        let mut other = stepper(&device);
        other.prepare(fresh.context()).unwrap();
        scene.run(&mut kept, 2);
        fresh.run(&mut other, 2);
        assert_eq!(scene.state.hash(), fresh.state.hash(), "round {round}");
    }
    scene.colliders.extend((0..9).map(|_| wall() as Box<dyn Collider>));
    let Scene { model, params, colliders, forces, state } = &mut scene;
    let refused = kept.step(StepContext::new(model, params, forces, colliders), state).unwrap_err();
    assert!(matches!(refused, StepError::NotPrepared { .. }), "{refused}");
}

#[test]
fn a_resident_state_needs_no_copies() {
    let device = crate::fast_device();
    let mut by_steps = Scene::new();
    let mut first = stepper(&device);
    first.prepare(by_steps.context()).unwrap();
    by_steps.run(&mut first, 3);

    let mut scene = Scene::new();
    let mut resident = stepper(&device);
    resident.prepare(scene.context()).unwrap();
    assert!(resident.bytes() > 0 && resident.sweeps() == 15);
    let refused = resident.advance(scene.context(), 1.0).unwrap_err();
    assert!(refused.to_string().contains("before upload"), "{refused}");
    resident.upload(scene.context(), &scene.state.clone().view()).unwrap();
    let rest = scene.state.clone();
    for step in 1..=3 {
        let end = Real::from(step) * scene.params.dt;
        // The sum of time steps, as a simulation has it.
        let end = if step == 3 { scene.params.dt + scene.params.dt + scene.params.dt } else { end };
        scene.model.set_time(end);
        resident.advance(scene.context(), end).unwrap();
        assert_eq!(scene.state, rest, "the host's state is not touched");
    }
    let mut state = scene.state.clone();
    resident.download(scene.context(), &mut state.view()).unwrap();
    assert_eq!(state.hash(), by_steps.state.hash());
}

#[test]
fn reports_say_what_happened() {
    let device = crate::fast_device();
    let mut scene = Scene::new();
    scene.params.measure = true;
    let mut host = Scene::new();
    host.params.measure = true;
    let mut stepper = CudaPd::<f64>::new(&device, Method::Cholesky, JacobiOptions::default());
    stepper.prepare(scene.context()).unwrap();
    assert_eq!((stepper.name(), stepper.global_name()), ("cuda-pd", Some("cuda-cholesky")));
    let mut reference = pd_core::ProjectiveDynamics::new(pd_linear::Cholesky::default());
    reference.prepare(host.context()).unwrap();
    let (got, expected) = (scene.run(&mut stepper, 12), host.run(&mut reference, 12));
    let mut touched = 0;
    for (a, b) in got.iter().zip(&expected) {
        assert_eq!((a.iterations, a.local_steps, a.collisions), (b.iterations, 5, b.collisions));
        assert!((a.reduction / b.reduction - 1.0).abs() < 1e-6, "{} {}", a.reduction, b.reduction);
        let (m, n) = (a.measures.unwrap(), b.measures.unwrap());
        for (x, y) in [
            (m.objective, n.objective),
            (m.residual, n.residual),
            (m.kinetic, n.kinetic),
            (m.elastic, n.elastic),
            (m.potential, n.potential),
            (m.strain.worst, n.strain.worst),
        ] {
            assert!((x - y).abs() <= 1e-7 * (x.abs() + y.abs()) + 1e-12, "{m:?} {n:?}");
        }
        touched += a.collisions;
    }
    assert!(touched > 0, "the ball was touched");
}

#[test]
fn external_forces_act_and_tolerance_ends_early() {
    let device = crate::fast_device();
    let push = || PointForce::new(&[24], Vec3::z() * 0.5, 0.0, 10.0).unwrap();
    let pushed = after(&device, 3, |scene| scene.forces.push(Box::new(push())));
    let still = after(&device, 3, |_| ());
    assert!(pushed.x[24].z > still.x[24].z + 1e-3);
    let mut scene = Scene::new();
    scene.forces.push(Box::new(push()));
    let mut stepper = stepper(&device);
    stepper.prepare(scene.context()).unwrap();
    stepper.upload(scene.context(), &scene.state.clone().view()).unwrap();
    let refused = stepper.advance(scene.context(), 0.1).unwrap_err();
    assert!(matches!(refused, StepError::Unsupported { .. }), "{refused}");

    let mut scene = Scene::new();
    scene.params = StepParams { iterations: 50, tolerance: 0.05, ..scene.params };
    let mut stepper = CudaPd::<f64>::new(&device, Method::Cholesky, JacobiOptions::default());
    stepper.prepare(scene.context()).unwrap();
    let report = scene.run(&mut stepper, 1)[0];
    assert!(report.iterations < 50 && report.reduction <= 0.05, "{report:?}");
}

#[test]
fn the_atomic_variant_agrees_to_rounding() {
    let device = crate::device();
    let gathered = after(&device, 2, |_| ());
    let mut scene = Scene::new();
    let mut scatter = stepper(&device).with_summation(Summation::Scatter);
    scatter.prepare(scene.context()).unwrap();
    scene.run(&mut scatter, 2);
    let worst = gathered.x.iter().zip(&scene.state.x).map(|(a, b)| (a - b).norm()).fold(0.0, Real::max);
    assert!(worst < 1e-11, "{worst:e}");
}

/// Only the host knows this shape.
struct Cone;
impl Collider for Cone {
    fn kind(&self) -> &'static str {
        "cone"
    }
    fn sample(&self, points: &[Vec3], _time: Real, out: &mut [Surface]) {
        for (p, out) in points.iter().zip(out) {
            *out = Surface { distance: p.y, normal: Vec3::y(), velocity: Vec3::zeros() };
        }
    }
    fn bounds(&self, _time: Real) -> Aabb {
        Aabb::everything()
    }
}

#[test]
fn what_the_device_cannot_take_is_named_before_the_first_step() {
    let device = crate::device();
    let mut scene = Scene::new();
    scene.colliders.push(Box::new(Cone));
    let error = stepper(&device).prepare(scene.context()).unwrap_err();
    assert!(error.to_string().contains("\"cone\""), "{error}");
}

#[test]
fn a_bad_step_leaves_the_state_alone() {
    let device = crate::fast_device();
    let mut scene = Scene::new();
    let mut stepper = stepper(&device);
    assert!(matches!(
        stepper.step(scene.context(), &mut scene.state.clone()),
        Err(StepError::NotPrepared { .. })
    ));
    stepper.prepare(scene.context()).unwrap();
    let mut short = State::at_rest(vec![Vec3::zeros(); 3]);
    assert!(matches!(stepper.step(scene.context(), &mut short), Err(StepError::Size { .. })));
    scene.state.v[30].y = Real::INFINITY;
    let before = scene.state.clone();
    let mut state = scene.state.clone();
    let error = stepper.step(scene.context(), &mut state).unwrap_err();
    assert!(matches!(error, StepError::NotFinite { .. }), "{error}");
    assert_eq!(state.hash(), before.hash());
    // And it continues from a good state.
    scene.state.v[30].y = 0.0;
    scene.run(&mut stepper, 1);
    assert_eq!(scene.state.first_not_finite(), None);
    // A baked parameter that changed is noticed.
    scene.params.iterations = 6;
    let error = stepper.step(scene.context(), &mut scene.state.clone()).unwrap_err();
    assert!(matches!(error, StepError::NotPrepared { .. }));
}
