//! A simulation with nothing hidden: the stepper is the concrete type, and `prepare` is called by hand.

use pd_core::{
    Collider, Force, GlobalSolver, Model, ProjectiveDynamics, State, StepContext, StepError, StepParams,
    StepReport, Stepper, Vec3,
};
use pd_linear::Cholesky;

/// Model, state, parameters and a projective-dynamics stepper.
pub struct Rig {
    /// The constant part.
    pub model: Model,
    /// The varying part.
    pub state: State,
    /// Parameters of the step.
    pub params: StepParams,
    /// Forces besides gravity.
    pub forces: Vec<Box<dyn Force>>,
    /// Obstacles.
    pub colliders: Vec<Box<dyn Collider>>,
    /// The stepper.
    pub pd: ProjectiveDynamics,
}

impl Rig {
    /// At rest in `x`, with sparse Cholesky and default parameters.
    pub fn new(model: Model, x: Vec<Vec3>) -> Self {
        Self::with_solver(model, x, Cholesky::default())
    }

    /// With a global solver of choice.
    pub fn with_solver(model: Model, x: Vec<Vec3>, solver: impl GlobalSolver + 'static) -> Self {
        Self {
            model,
            state: State::at_rest(x),
            params: StepParams::default(),
            forces: vec![],
            colliders: vec![],
            pd: ProjectiveDynamics::new(solver),
        }
    }

    fn split(&mut self) -> (StepContext<'_>, &mut ProjectiveDynamics, &mut State) {
        let Self { model, state, params, forces, colliders, pd } = self;
        (StepContext::new(model, params, forces, colliders), pd, state)
    }

    /// Factors and allocates.
    pub fn prepare(&mut self) -> Result<(), StepError> {
        let (context, pd, _) = self.split();
        pd.prepare(context)
    }

    /// One step; never prepares by itself.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        let (context, pd, state) = self.split();
        pd.step(context, state)
    }

    /// Prepares and takes `steps` steps.
    ///
    /// # Panics
    /// If one of them fails.
    pub fn run(&mut self, steps: usize) -> StepReport {
        self.prepare().unwrap();
        (0..steps).fold(StepReport::default(), |_, _| self.step().unwrap())
    }
}
