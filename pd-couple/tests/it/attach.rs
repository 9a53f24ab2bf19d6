//! Vertices of cloth and solids attached to rigid bodies.

use pd_constraints::{EdgeSprings, StrainRange, TetStrain};
use pd_core::{
    Model, ProjectiveDynamics, Real, State, StepContext, StepError, StepParams, StepReport, Stepper, Vec3,
};
use pd_couple::{
    Attachment, Coupled, CoupledSettings, Domain, ElasticDomain, Layout, RigidDomain, Scheme, Sheet,
};
use pd_linear::Cholesky;
use pd_mesh::generate;
use pd_rigid::{Axis, BodyDesc, JointDesc, JointKind, RigidModel, RigidParams, RigidStepper, Shape, Target};
use std::sync::{Arc, Mutex};

/// Writes down the momenta that the state has when its turn comes.
struct Witness {
    masses: Vec<Real>,
    rigid: Arc<RigidModel>,
    seen: Arc<Mutex<Vec<[Vec3; 2]>>>,
}

impl Domain for Witness {
    fn name(&self) -> &str {
        "witness"
    }

    fn prepare(&mut self, _: StepContext<'_>) -> Result<(), StepError> {
        Ok(())
    }

    fn advance(&mut self, _: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError> {
        self.seen.lock().unwrap().push(momenta(state, &self.masses, &self.rigid));
        Ok(StepReport::default())
    }
}

fn momenta(state: &State, masses: &[Real], rigid: &RigidModel) -> [Vec3; 2] {
    let mut sum = rigid.momentum(&state.bodies);
    for ((x, v), m) in state.x.iter().zip(&state.v).zip(masses) {
        sum[0] += v * *m;
        sum[1] += x.cross(v) * *m;
    }
    sum
}

struct Built {
    model: Model,
    state: State,
    stepper: Coupled,
    params: StepParams,
    masses: Vec<Real>,
    rigid: Arc<RigidModel>,
    seen: Arc<Mutex<Vec<[Vec3; 2]>>>,
}

/// The body that a vertex at a place is attached to.
type Attach = Box<dyn Fn(&Vec3) -> Option<u32>>;

struct Setup {
    solid: bool,
    bodies: Vec<BodyDesc>,
    joints: Vec<JointDesc>,
    /// Vertices and the bodies they are attached to.
    attach: Attach,
    break_force: Real,
    scheme: Scheme,
    gravity: Real,
}

impl Setup {
    fn new(bodies: Vec<BodyDesc>, attach: impl Fn(&Vec3) -> Option<u32> + 'static) -> Self {
        Self {
            solid: false,
            bodies,
            joints: vec![],
            attach: Box::new(attach),
            break_force: Real::INFINITY,
            scheme: Scheme::Rows,
            gravity: 0.0,
        }
    }

    /// A cloth of 1 m and 0.3 kg, or a soft bar of 1 m and 2 kg, about the origin.
    fn build(&self) -> Built {
        let (x, triangles, builder, masses);
        if self.solid {
            let mut mesh = generate::bar(8, 2, 2, 1.0).unwrap();
            let middle = mesh.positions.iter().sum::<Vec3>() / mesh.positions.len() as Real;
            let length = mesh.positions.iter().map(|p| (p - middle).x).fold(0.0, Real::max) * 2.0;
            mesh.positions.iter_mut().for_each(|p| *p = (*p - middle) / length);
            masses = vec![2.0 / mesh.positions.len() as Real; mesh.positions.len()];
            let strain =
                TetStrain::new(&mesh.positions, &mesh.tets, 2e5, StrainRange::uniform(1.0, 1.0)).unwrap();
            builder = Model::with_masses(masses.clone()).energy(strain);
            triangles = mesh.surface_triangles();
            x = mesh.positions;
        } else {
            let mesh = generate::grid(12, 12, 1.0, 1.0).unwrap();
            masses = vec![0.3 / mesh.positions.len() as Real; mesh.positions.len()];
            builder = Model::with_masses(masses.clone())
                .energy(EdgeSprings::new(&mesh.positions, &mesh.edges(), 800.0).unwrap());
            triangles = mesh.triangles.clone();
            x = mesh.positions;
        }
        let n = x.len();
        let mut rigid = RigidModel::builder();
        self.bodies.iter().for_each(|body| {
            rigid.body(body.clone()).unwrap();
        });
        self.joints.iter().for_each(|joint| {
            rigid.joint(joint.clone()).unwrap();
        });
        let (rigid, bodies) = rigid.build();
        let rigid = Arc::new(rigid);
        let attachments = (0..n as u32)
            .filter_map(|i| {
                let body = (self.attach)(&x[i as usize])?;
                Some(Attachment::here(i, &x[i as usize], body, &bodies).breaking_at(self.break_force))
            })
            .collect();
        let sheet = Sheet::new("cloth", triangles, 0.01, 0.3, 0.3).unwrap();
        let layout = Layout::new(n, vec![sheet], None, None, Some(rigid.clone())).unwrap();
        let layout = layout.attached(attachments).unwrap();
        let seen = Arc::new(Mutex::new(vec![]));
        let witness =
            || Box::new(Witness { masses: masses.clone(), rigid: rigid.clone(), seen: seen.clone() });
        let mut params = RigidParams::default();
        (params.substeps, params.sleep) = (1, false);
        let domains: Vec<Box<dyn Domain>> = vec![
            witness(),
            Box::new(ElasticDomain::new(Box::new(ProjectiveDynamics::new(Cholesky::default())))),
            Box::new(RigidDomain::new(RigidStepper::new(rigid.clone(), params))),
            witness(),
        ];
        let settings = CoupledSettings { scheme: self.scheme, ..Default::default() };
        let stepper = Coupled::new(layout, domains, settings, 0.0).unwrap();
        let mut state = State::at_rest(x);
        state.bodies = bodies;
        let params = StepParams {
            dt: 1e-3,
            iterations: 5,
            gravity: Vec3::new(0.0, -self.gravity, 0.0),
            hold_pinned: false,
            ..Default::default()
        };
        Built { model: builder.build().unwrap(), state, stepper, params, masses, rigid, seen }
    }
}

impl Built {
    fn run(&mut self, steps: usize) {
        let context = StepContext::of(&self.model, &self.params);
        self.stepper.prepare(context).unwrap();
        for _ in 0..steps {
            self.stepper.step(context, &mut self.state).unwrap();
        }
    }

    /// Gives everything the velocities of one spinning body.
    fn spin(&mut self, w: Vec3, v: Vec3) {
        for (x, out) in self.state.x.iter().zip(&mut self.state.v) {
            *out = v + w.cross(x);
        }
        let bodies = &mut self.state.bodies;
        for b in 0..bodies.len() {
            (bodies.v[b], bodies.w[b]) = (v + w.cross(&bodies.p[b]), w);
        }
    }

    fn momenta(&self) -> [Vec3; 2] {
        momenta(&self.state, &self.masses, &self.rigid)
    }

    fn gap(&self) -> Real {
        let gap = |a: &Attachment| a.gap(&self.state.x, &self.state.bodies).norm();
        self.stepper.layout().attachments().iter().map(gap).fold(0.0, Real::max)
    }

    fn carried(&self) -> Vec3 {
        self.stepper.attached(self.params.dt).map(|(_, force)| force).sum()
    }
}

fn plate(half: [Real; 3], density: Real, at: Vec3) -> BodyDesc {
    BodyDesc::new(Shape::cuboid(half.into()).unwrap(), density).at(at)
}

#[test]
fn momenta_of_what_is_glued_to_a_spinning_plate_stay() {
    // A heavy plate under the middle of the cloth, one lighter than the cloth at its edge, a plate at the end of a soft bar.
    let near = |r: Real| move |x: &Vec3| (x.x.abs() < r && x.z.abs() < r).then_some(0);
    let edge = |x: &Vec3| (x.x > 0.499).then_some(0);
    let flat = [0.2, 0.02, 0.2];
    let cases = [
        ("plate", Setup::new(vec![plate(flat, 600.0, Vec3::new(0.0, -0.02, 0.0))], near(0.21))),
        ("light plate", Setup::new(vec![plate([0.02, 0.01, 0.5], 250.0, Vec3::new(0.52, 0.0, 0.0))], edge)),
        (
            "bar",
            Setup {
                solid: true,
                ..Setup::new(vec![plate([0.05, 0.2, 0.3], 100.0, Vec3::new(0.55, 0.0, 0.0))], edge)
            },
        ),
    ];
    for (name, setup) in cases {
        let mut built = setup.build();
        assert!(built.stepper.layout().attachments().len() >= 9, "{name}");
        built.spin(Vec3::new(0.8, 6.0, -0.5), Vec3::new(0.3, -0.1, 0.2));
        // Against each other at first, so that the glue has something to do.
        built.state.bodies.w[0] *= 1.3;
        let [linear, angular] = built.momenta().map(|p| p.norm());
        let (mut worst, mut gap, mut pull) = ([0.0 as Real; 2], 0.0 as Real, 0.0 as Real);
        for _ in 0..400 {
            let before = built.momenta();
            built.seen.lock().unwrap().clear();
            built.run(1);
            let after = built.momenta();
            let seen = built.seen.lock().unwrap().clone();
            worst[0] = worst[0].max((after[0] - before[0]).norm() / linear);
            // What the attachments do: the warm start and the rows. The cloth itself is moved by implicit Euler in between, which
            // loses angular momentum whether it is glued or not.
            let glue = (after[1] - seen[1][1]) + (seen[0][1] - before[1]);
            worst[1] = worst[1].max(glue.norm() / angular);
            gap = gap.max(built.gap());
            pull = pull.max(built.stepper.attached(1e-3).map(|(_, force)| force.norm()).sum());
        }
        assert!(worst[0] < 1e-10 && worst[1] < 1e-10, "{name}: {worst:?}");
        assert!(gap < 1e-4, "{name}: {gap:e}");
        assert!(pull > 1.0, "{name}: {pull}");
    }
}

#[test]
fn a_body_on_a_spring_carries_the_weight_of_a_hanging_cloth() {
    let (stiffness, g) = (2000.0, 9.8);
    let axis = Vec3::y();
    let rail = JointDesc::new(JointKind::Slider, None, Some(0), Vec3::new(-0.52, 0.0, 0.0))
        .along(axis)
        .motor(Axis::Linear, Target::Position { value: 0.0, stiffness, damping: 60.0 }, Real::INFINITY);
    let mut setup = Setup::new(vec![plate([0.02, 0.02, 0.5], 500.0, Vec3::new(-0.52, 0.0, 0.0))], |x| {
        (x.x < -0.499).then_some(0)
    });
    (setup.joints, setup.gravity) = (vec![rail], g);
    let mut built = setup.build();
    built.params.damping = 3.0;
    built.run(4000);
    let (mut carried, mut sunk) = (0.0, 0.0);
    for _ in 0..500 {
        built.run(1);
        carried += built.carried().y / 500.0;
        sunk -= built.state.bodies.p[0].y / 500.0;
    }
    let (cloth, bar) = (0.3 * g, built.rigid.masses()[0] * g);
    assert!((carried / cloth - 1.0).abs() < 2e-3, "{carried} of {cloth}");
    // At rest damping takes nothing: the spring carries the whole weight.
    assert!((sunk * stiffness / (cloth + bar) - 1.0).abs() < 1e-4, "{sunk}");
    assert!(built.gap() < 1e-6, "{:e}", built.gap());
    assert!(built.state.x.iter().all(|x| x.y < 0.05) && built.state.x.iter().any(|x| x.y < -0.9));
}

#[test]
fn attachments_break_above_their_force() {
    let bodies = || vec![plate([0.02, 0.02, 0.5], 500.0, Vec3::new(-0.52, 0.0, 0.0)).fixed()];
    let run = |break_force| {
        let mut setup = Setup::new(bodies(), |x| (x.x < -0.499).then_some(0));
        (setup.gravity, setup.break_force) = (9.8, break_force);
        let mut built = setup.build();
        built.params.damping = 3.0;
        built.run(1500);
        built
    };
    // 13 vertices carry 2.94 N at rest, and more while the cloth swings down.
    let held = run(3.0);
    assert!(held.stepper.attached(1e-3).count() == 13 && held.state.columns.keys("couple.torn").is_empty());
    let torn = run(0.1);
    assert_eq!(torn.stepper.attached(1e-3).count(), 0);
    assert_eq!(torn.state.columns.keys("couple.torn"), [1; 13]);
    assert!(torn.state.x.iter().all(|x| x.y < -0.5), "it fell");
}

#[test]
fn the_same_bits_for_any_threads_and_after_resume() {
    for scheme in [Scheme::Rows, Scheme::OneWay, Scheme::Staggered] {
        let run = |threads: usize, pause: bool| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let setup = || {
                    let ball = BodyDesc::new(Shape::sphere(0.1).unwrap(), 300.0).at(Vec3::new(0.2, 0.2, 0.0));
                    let bar = plate([0.02, 0.02, 0.5], 500.0, Vec3::new(-0.52, 0.0, 0.0));
                    let mut setup = Setup::new(vec![bar, ball], |x| (x.x < -0.499).then_some(0));
                    (setup.gravity, setup.scheme) = (9.8, scheme);
                    setup
                };
                let mut built = setup().build();
                built.run(100);
                if pause {
                    let state = built.state.clone();
                    built = setup().build();
                    built.state = state;
                }
                built.run(150);
                assert!(built.gap() < 1e-6, "{scheme:?}: {:e}", built.gap());
                built.state.hash()
            })
        };
        let expected = run(1, false);
        assert_eq!(run(1, true), expected, "{scheme:?} resume");
        assert_eq!(run(3, false), expected, "{scheme:?} threads");
    }
}

#[test]
fn one_way_bodies_do_not_feel_what_is_attached() {
    let mut setup = Setup::new(vec![plate([0.02, 0.02, 0.5], 500.0, Vec3::new(-0.52, 0.0, 0.0))], |x| {
        (x.x < -0.499).then_some(0)
    });
    (setup.scheme, setup.gravity) = (Scheme::OneWay, 9.8);
    let mut built = setup.build();
    built.state.bodies.w[0] = Vec3::new(0.0, 0.0, 3.0);
    built.run(200);
    let bodies = &built.state.bodies;
    assert!((bodies.w[0] - Vec3::new(0.0, 0.0, 3.0)).norm() < 1e-9 && (bodies.v[0].y + 1.96).abs() < 1e-9);
    assert!(built.gap() < 1e-6, "{:e}", built.gap());
}

#[test]
fn wrong_attachments_are_named() {
    let mut rigid = RigidModel::builder();
    rigid.body(plate([0.1; 3], 500.0, Vec3::zeros())).unwrap();
    let (rigid, bodies) = rigid.build();
    let layout = || Layout::new(4, vec![], None, None, Some(Arc::new(rigid.clone()))).unwrap();
    let good = Attachment::here(1, &Vec3::x(), 0, &bodies);
    assert_eq!(layout().attached(vec![good]).unwrap().attachments(), &[good]);
    let cases = [
        (vec![Attachment { vertex: 4, ..good }], "there are 4 elastic vertices"),
        (vec![Attachment { body: 1, ..good }], "there is no body 1"),
        (vec![good, good], "attached twice"),
        (vec![Attachment { place: Vec3::new(0.0, Real::NAN, 0.0), ..good }], "must be finite"),
        (vec![good.breaking_at(0.0)], "must be positive"),
    ];
    for (list, words) in cases {
        let error = layout().attached(list).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    // A vertex that goes where it is told cannot be held.
    let model = Model::with_masses(vec![1.0; 4]).fixed(&[Vec3::zeros(); 4], &[1]).build().unwrap();
    let layout = layout().attached(vec![good]).unwrap();
    let mut stepper = Coupled::new(layout, vec![], CoupledSettings::default(), 0.0).unwrap();
    let error = stepper.prepare(StepContext::of(&model, &StepParams::default())).unwrap_err().to_string();
    assert!(error.contains("vertex 1"), "{error}");
}
