//! A simulation of bodies alone.

use pd_core::{Real, State, StepParams, Vec3};
use pd_rigid::{RigidBuilder, RigidModel, RigidParams, RigidStepper, solver};
use std::sync::Arc;

/// A model with its state and stepper.
pub(crate) struct World {
    pub(crate) model: Arc<RigidModel>,
    pub(crate) state: State,
    pub(crate) stepper: RigidStepper,
    pub(crate) params: StepParams,
}

impl World {
    pub(crate) fn new(builder: RigidBuilder, rigid: RigidParams, name: &str) -> Self {
        let (model, bodies) = builder.build();
        let model = Arc::new(model);
        let mut state = State::default();
        state.bodies = bodies;
        let stepper = RigidStepper::with_solver(model.clone(), rigid, solver(name).unwrap());
        Self { model, state, stepper, params: StepParams::default() }
    }

    pub(crate) fn step(&mut self) {
        self.stepper.advance(&self.params, &[], &mut self.state).unwrap();
    }

    pub(crate) fn run(&mut self, frames: usize) {
        (0..frames).for_each(|_| self.step());
    }

    pub(crate) fn energy(&self) -> Real {
        self.model.energy(&self.state.bodies, &self.params.gravity).iter().sum()
    }
}

/// Parameters with a number of substeps, never asleep.
pub(crate) fn substeps(n: usize) -> RigidParams {
    let mut params = RigidParams::default();
    (params.substeps, params.sleep) = (n, false);
    params
}

/// No gravity.
pub(crate) fn weightless(mut world: World) -> World {
    world.params.gravity = Vec3::zeros();
    world
}
