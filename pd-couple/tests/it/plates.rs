//! A grain between plates that close, with `rows`: it is squeezed out or stays between them, and where there is no room at all the
//! step says so and ends.

use pd_core::{Model, ProjectiveDynamics, Real, State, StepContext, StepParams, Stepper, Vec3};
use pd_couple::{
    Coupled, CoupledSettings, Domain, ElasticDomain, GrainDomain, Layout, PointMatter, Scheme, Sheet,
};
use pd_linear::Cholesky;
use pd_particles::{Friction, Material, ParticleModel, SubstepSettings, UnifiedSubstep};
use std::sync::Arc;

const RADIUS: Real = 0.01;
const CLOSING: usize = 50;

/// Two triangles, one grain.
struct Press {
    stepper: Coupled,
    state: State,
    open: Vec<Vec3>,
    closed: Vec<Vec3>,
}

fn plate(heights: [Real; 3]) -> [Vec3; 3] {
    [Vec3::new(-1.0, heights[0], -1.0), Vec3::new(-1.0, heights[1], 1.0), Vec3::new(1.0, heights[2], 0.0)]
}

impl Press {
    /// Plates that go from ±0.05 m to ± these heights of their corners, with a grain at x.
    fn new(closed: [Real; 3], x: Real, scheme: Scheme) -> Self {
        let both = |h: [Real; 3]| plate(h.map(|h| -h)).into_iter().chain(plate(h)).collect::<Vec<_>>();
        let (open, closed) = (both([0.05; 3]), both(closed));
        let sheet = |name: &str, t| Sheet::new(name, vec![t], RADIUS, 0.0, 1.0).unwrap();
        let sheets = vec![sheet("below", [0, 1, 2]), sheet("above", [3, 4, 5])];
        let at = [Vec3::new(x, 0.003, 0.01)];
        let material = Material { radius: RADIUS, mass: 0.004, friction: Friction::NONE };
        let grain = Arc::new(ParticleModel::builder().grains("grain", &at, material).build().unwrap());
        let settings = SubstepSettings { substeps: 1, ..Default::default() };
        let stepper = Box::new(UnifiedSubstep::new(grain.clone(), settings));
        let domains: Vec<Box<dyn Domain>> = vec![
            Box::new(GrainDomain::new(&grain, stepper, 6).unwrap()),
            Box::new(ElasticDomain::new(Box::new(ProjectiveDynamics::new(Cholesky::default())))),
        ];
        let points = PointMatter::uniform(6..7, RADIUS, vec![0.004], 0.0);
        let layout = Layout::new(6, sheets, Some(points), None, None).unwrap();
        let settings = CoupledSettings { scheme, ..Default::default() };
        let stepper = Coupled::new(layout, domains, settings, 0.0).unwrap();
        let mut state = State::at_rest(open.clone());
        state.x.extend(at);
        state.v.push(Vec3::zeros());
        Self { stepper, state, open, closed }
    }

    /// A step of a millisecond; after [`CLOSING`] of them the plates stand still.
    fn step(&mut self, step: usize) {
        let part = (step as Real / CLOSING as Real).min(1.0);
        let now: Vec<Vec3> = self.open.iter().zip(&self.closed).map(|(a, b)| a + (b - a) * part).collect();
        let model = Model::with_masses(vec![1.0; 6]).fixed(&now, &[0, 1, 2, 3, 4, 5]).build().unwrap();
        let params = StepParams { dt: 1e-3, gravity: Vec3::zeros(), ..StepParams::default() };
        let context = StepContext::of(&model, &params);
        self.stepper.prepare(context).unwrap();
        self.stepper.step(context, &mut self.state).unwrap();
    }

    /// Signed distances of the grain from the planes of the plates; positive between them.
    fn rooms(&self) -> [Real; 2] {
        let x = &self.state.x;
        let up = |a: usize| (x[a + 1] - x[a]).cross(&(x[a + 2] - x[a])).normalize();
        [(x[6] - x[0]).dot(&up(0)), -(x[6] - x[3]).dot(&up(3))]
    }
}

#[test]
fn a_grain_between_closing_plates_stays_between() {
    for scheme in [Scheme::Rows, Scheme::Staggered, Scheme::OneWay] {
        // A tenth of the room that the grain needs.
        let mut press = Press::new([0.0015; 3], -0.3, scheme);
        for step in 1..=100 {
            press.step(step);
            let [below, above] = press.rooms();
            assert!(below > 0.0 && above > 0.0, "{scheme:?}, step {step}: {below} {above}");
        }
    }
}

#[test]
fn a_wedge_squeezes_a_grain_out() {
    // Where it is the room ends up at three quarters of what it needs.
    let mut press = Press::new([0.3, 0.3, 0.001], 0.93, Scheme::Rows);
    for step in 1..=200 {
        press.step(step);
        let [below, above] = press.rooms();
        assert!(below > 0.0 && above > 0.0, "step {step}: {below} {above}");
    }
    let needed = 1.5 * RADIUS;
    assert!(press.rooms().iter().all(|room| *room > needed - 1e-5), "{:?}", press.rooms());
    assert!(press.state.x[6].x < 0.92, "{:?}", press.state.x[6]);
}

#[test]
fn plates_that_close_altogether_stall_a_grain() {
    // They go through each other: there is no place between them any more.
    let mut press = Press::new([-0.01; 3], -0.3, Scheme::Rows);
    for step in 1..=60 {
        press.step(step);
        let report = press.stepper.report();
        if report.stalled > 0 {
            assert!((step, report.stalled) == (42, 1), "step {step}: {report:?}");
            return;
        }
        let [below, above] = press.rooms();
        assert!(below > 0.0 && above > 0.0, "step {step}: {below} {above} {report:?}");
    }
    panic!("nothing was reported");
}
