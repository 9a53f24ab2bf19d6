//! Water, sand and elastic matter on a grid, with the rigid bodies in it.
//!
//! The grid meets bodies on its own nodes and moves copies of them: they fall, and matter pushes them. What matter gave to a copy,
//! v − v₀ − h g and ω − ω₀, is handed on to the body itself, which then falls and meets other bodies in its own domain.
//!
//! A body that matter pushes does not fall asleep.
//!
//! Cloth and the surfaces of soft bodies part the grid by side tags as they are at the start of a step.

use super::{Domain, keep_awake};
use crate::Sheet;
use pd_core::{
    Aabb, Bodies, Model, ModelError, Real, Share, State, StepContext, StepError, StepReport, Stepper,
};
use pd_mpm::{MpmError, MpmStepper};

/// Part of the fall of a step below which a change of velocity is rounding.
const ROUNDING: Real = 1e-12;

/// What moves the points.
enum Method {
    /// Explicit, with side tags at the sheets of the state's first vertices.
    Tagged(Box<MpmStepper>),
    Any(Box<dyn Stepper>),
}

impl Method {
    fn stepper(&mut self) -> &mut dyn Stepper {
        match self {
            Self::Tagged(stepper) => stepper.as_mut(),
            Self::Any(stepper) => stepper.as_mut(),
        }
    }
}

/// Material points at a range of the state.
pub struct MaterialDomain {
    method: Method,
    core: Model,
    share: Share,
    /// Bodies that the grid meets.
    bodies: Vec<usize>,
    /// Faces of the grid, which no point leaves.
    walls: Option<Aabb>,
    /// The copies of bodies that the grid moves.
    copies: Bodies,
}

impl MaterialDomain {
    /// Points of these masses (kg) from the point `first` on, moved by a stepper whose own points begin at 0 and which meets
    /// these bodies.
    ///
    /// # Errors
    /// [`ModelError::Mass`] for a mass that is not positive.
    pub fn new(
        stepper: Box<dyn Stepper>,
        masses: Vec<Real>,
        first: usize,
        bodies: Vec<usize>,
    ) -> Result<Self, ModelError> {
        Self::with_method(Method::Any(stepper), masses, first, bodies)
    }

    /// As [`new`](Self::new), and the two sides of these sheets do not exchange momentum through the grid.
    ///
    /// # Errors
    /// [`MpmError`] for more sheets than have tags, and those of [`new`](Self::new).
    pub fn tagged(
        mut stepper: MpmStepper,
        masses: Vec<Real>,
        first: usize,
        bodies: Vec<usize>,
        sheets: &[Sheet],
    ) -> Result<Self, TaggedError> {
        for sheet in sheets {
            stepper.sheets().add(&sheet.triangles)?;
        }
        Ok(Self::with_method(Method::Tagged(Box::new(stepper)), masses, first, bodies)?)
    }

    /// With the faces of its grid, against which contact with other matter may press its points.
    pub fn within(self, walls: Aabb) -> Self {
        Self { walls: Some(walls), ..self }
    }

    fn with_method(
        method: Method,
        masses: Vec<Real>,
        first: usize,
        bodies: Vec<usize>,
    ) -> Result<Self, ModelError> {
        let share = Share { points: first..first + masses.len(), prefix: "" };
        let core = Model::with_masses(masses).build()?;
        Ok(Self { method, core, share, bodies, walls: None, copies: Bodies::default() })
    }
}

/// Why there is no domain of matter with tagged sheets.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TaggedError {
    /// Of the grid.
    #[error(transparent)]
    Grid(#[from] MpmError),
    /// Of the masses.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl Domain for MaterialDomain {
    fn name(&self) -> &str {
        match &self.method {
            Method::Tagged(stepper) => stepper.name(),
            Method::Any(stepper) => stepper.name(),
        }
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        self.method.stepper().prepare(StepContext::new(&self.core, context.params, &[], context.colliders))
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError> {
        let context = StepContext::new(&self.core, context.params, &[], context.colliders);
        if let Method::Tagged(stepper) = &mut self.method {
            stepper.sheets().place(&state.x);
        }
        self.copies.clone_from(&state.bodies);
        let mut view = state.share(&self.share);
        view.bodies = &mut self.copies;
        let report = self.method.stepper().advance(context, &mut view)?;
        let fall = context.params.gravity * context.params.dt;
        for &body in &self.bodies {
            let gained = self.copies.v[body] - state.bodies.v[body] - fall;
            let turned = self.copies.w[body];
            // Nothing but the rounding of the fall: matter did not touch the body, which may sleep on.
            if turned == state.bodies.w[body] && gained.norm() <= ROUNDING * fall.norm() {
                continue;
            }
            state.bodies.v[body] += gained;
            state.bodies.w[body] = turned;
            keep_awake(&mut state.columns, body);
        }
        Ok(report)
    }

    fn confine(&self, state: &mut State) {
        let Some(walls) = self.walls else { return };
        let State { x, v, columns, .. } = state;
        let idle = columns.keys("mpm.idle");
        for (k, i) in self.share.points.clone().enumerate() {
            // A point that waits to flow in stays where it waits.
            if idle.get(k).is_some_and(|&idle| idle != 0) {
                continue;
            }
            for axis in 0..3 {
                let inside = x[i][axis].clamp(walls.min[axis], walls.max[axis]);
                if inside != x[i][axis] {
                    (x[i][axis], v[i][axis]) = (inside, 0.0);
                }
            }
        }
    }
}
