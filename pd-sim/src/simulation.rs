//! A simulation: model, state, parameters and stepper in one place, every field public.

use pd_collide::contact::Contacts;
use pd_core::{Collider, Force, Model, State, StepContext, StepError, StepParams, StepReport, Stepper, Vec3};
use pd_steppers::GuardedPd;

/// How often a step may request more capacity before it fails.
const MAX_PREPARES: usize = 8;

/// Everything needed to run a simulation.
///
/// ```
/// use pd_sim::prelude::*;
///
/// let mesh = generate::grid(8, 8, 1.0, 1.0)?;
/// let model = Model::builder(&mesh.positions, 0.2 /* kg */)
///     .energy(EdgeSprings::new(&mesh.positions, &mesh.edges(), 500.0 /* N/m */)?)
///     .energy(Pins::new(&mesh.positions, &[0, 8], 1e5)?)
///     .build()?;
/// let state = State::at_rest(mesh.positions);
/// let mut sim = Simulation::new(model, state, ProjectiveDynamics::new(PanelCholesky::default()));
/// sim.colliders.push(Box::new(Sphere::new(Vec3::new(0.0, -0.4, 0.0), 0.2)?));
/// for _ in 0..30 {
///     sim.step()?;
/// }
/// assert!(sim.state.x[80].y < -0.1, "the free corner has fallen");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Simulation {
    /// The constant part.
    pub model: Model,
    /// The varying part.
    pub state: State,
    /// Parameters of the step.
    pub params: StepParams,
    /// External forces besides gravity.
    pub forces: Vec<Box<dyn Force>>,
    /// Obstacles.
    pub colliders: Vec<Box<dyn Collider>>,
    stepper: Box<dyn Stepper>,
}

impl Simulation {
    /// A simulation with default parameters, no obstacles and no forces but gravity.
    pub fn new(model: Model, state: State, stepper: impl Stepper + 'static) -> Self {
        Self::with_boxed(model, state, Box::new(stepper))
    }

    /// As [`new`](Self::new), with a boxed stepper.
    pub fn with_boxed(model: Model, state: State, stepper: Box<dyn Stepper>) -> Self {
        Self { model, state, params: StepParams::default(), forces: vec![], colliders: vec![], stepper }
    }

    /// Replaces the stepper; the state is kept.
    pub fn set_stepper(&mut self, stepper: impl Stepper + 'static) {
        self.set_boxed_stepper(Box::new(stepper));
    }

    /// As [`set_stepper`](Self::set_stepper), with a boxed stepper, for example from a registry.
    pub fn set_boxed_stepper(&mut self, stepper: Box<dyn Stepper>) {
        self.stepper = stepper;
    }

    /// Replaces the stepper and returns the previous one, including its preparation.
    pub fn exchange_stepper(&mut self, stepper: Box<dyn Stepper>) -> Box<dyn Stepper> {
        std::mem::replace(&mut self.stepper, stepper)
    }

    /// The stepper.
    pub fn stepper(&self) -> &dyn Stepper {
        self.stepper.as_ref()
    }

    /// Factors and allocates now rather than in the first step.
    pub fn prepare(&mut self) -> Result<(), StepError> {
        let (context, stepper, _) = self.split();
        stepper.prepare(context)
    }

    /// Advances by `params.dt`. Prepares automatically when the model, the time step or the stepper has changed. After
    /// an error the state is unchanged.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        self.model.set_time(self.state.time + self.params.dt);
        let (context, stepper, state) = self.split();
        let mut attempts = 0;
        loop {
            match stepper.step(context, state) {
                // A stepper that exceeded its capacity stores how much it needs; the state is unchanged.
                Err(StepError::NotPrepared { .. } | StepError::Capacity { .. })
                    if attempts < MAX_PREPARES =>
                {
                    stepper.prepare(context)?;
                    attempts += 1;
                }
                outcome => return outcome,
            }
        }
    }

    /// Writes the contacts of the last step; returns whether the stepper provides them.
    pub fn contacts(&self, out: &mut Contacts) -> bool {
        out.clear();
        let guarded = self.stepper.as_any().and_then(|stepper| stepper.downcast_ref::<GuardedPd>());
        guarded.inspect(|stepper| stepper.contacts(out)).is_some()
    }

    /// Kinetic, elastic and gravitational energy of the state, J. Vertices with prescribed motion are excluded.
    pub fn energies(&self) -> [f64; 3] {
        let (model, state) = (&self.model, &self.state);
        let free = (0..model.vertices()).filter(|&i| !model.is_kinematic(i));
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for i in free {
            kinetic += 0.5 * model.masses()[i] * state.v[i].norm_squared();
            potential -= model.masses()[i] * self.params.gravity.dot(&state.x[i]);
        }
        [kinetic, model.elastic_energy(&state.x), potential]
    }

    /// Momentum, kg m/s, and angular momentum about the origin, kg m²/s. Vertices with prescribed motion are excluded.
    pub fn momenta(&self) -> [Vec3; 2] {
        let (model, state) = (&self.model, &self.state);
        let (mut momentum, mut angular) = (Vec3::zeros(), Vec3::zeros());
        for i in (0..model.vertices()).filter(|&i| !model.is_kinematic(i)) {
            let p = state.v[i] * model.masses()[i];
            momentum += p;
            angular += state.x[i].cross(&p);
        }
        [momentum, angular]
    }

    /// Largest |length/rest − 1| over the given edges, with `rest` the lengths at rest.
    pub fn max_edge_strain(&self, edges: &[[u32; 2]], rest: &[Vec3]) -> f64 {
        max_edge_strain(edges, rest, &self.state.x)
    }

    fn split(&mut self) -> (StepContext<'_>, &mut dyn Stepper, &mut State) {
        let Self { model, state, params, forces, colliders, stepper } = self;
        (StepContext::new(model, params, forces, colliders), stepper.as_mut(), state)
    }
}

/// Largest relative change of length over edges; edges without length at rest do not count.
pub fn max_edge_strain(edges: &[[u32; 2]], rest: &[Vec3], x: &[Vec3]) -> f64 {
    let length = |p: &[Vec3], [i, j]: [u32; 2]| (p[i as usize] - p[j as usize]).norm();
    edges
        .iter()
        .map(|&edge| (length(rest, edge), length(x, edge)))
        .filter(|(rest, _)| *rest > 1e-5)
        .map(|(rest, now)| (now / rest - 1.0).abs())
        .fold(0.0, f64::max)
}
