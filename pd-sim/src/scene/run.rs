//! A scene in motion: frames, substeps, pins that let go.

use super::Scene;
use crate::{Checkpoint, Registry, SceneError, Simulation};
use pd_core::{Real, State, StepReport, Stepper};

/// A running scene. A frame is `substeps` steps; when pins let go between two frames the model is rebuilt without
/// them. All of it follows from the scene and the state, so a state and a frame number are a full checkpoint.
pub struct SceneRun {
    /// The scene.
    pub scene: Scene,
    /// The simulation of it.
    pub sim: Simulation,
    frame: u64,
    /// Release times that have passed.
    released: usize,
    releases: Vec<Real>,
}

impl SceneRun {
    /// Starts a scene with the stepper and solver it names.
    pub fn new(scene: Scene, registry: &Registry) -> Result<Self, SceneError> {
        let solver = &scene.desc.solver;
        let stepper = registry.stepper_with(&solver.stepper, &solver.global, &solver.options())?;
        Self::with_stepper(scene, stepper)
    }

    /// Starts a scene with a stepper of choice.
    pub fn with_stepper(scene: Scene, stepper: Box<dyn Stepper>) -> Result<Self, SceneError> {
        let state = scene.initial_state();
        Self::at(scene, stepper, state, 0)
    }

    /// Continues from a checkpoint of the same scene.
    pub fn resume(
        scene: Scene,
        stepper: Box<dyn Stepper>,
        checkpoint: Checkpoint,
    ) -> Result<Self, SceneError> {
        if checkpoint.fingerprint != scene.fingerprint() || checkpoint.state.vertices() != scene.vertices() {
            return Err(scene.error(
                "checkpoint",
                format!(
                    "belongs to another scene or to other parameters (fingerprint {:016x}, {} vertices; this scene \
                     has {:016x}, {} vertices)",
                    checkpoint.fingerprint,
                    checkpoint.state.vertices(),
                    scene.fingerprint(),
                    scene.vertices()
                ),
            ));
        }
        Self::at(scene, stepper, checkpoint.state, checkpoint.frame)
    }

    fn at(scene: Scene, stepper: Box<dyn Stepper>, state: State, frame: u64) -> Result<Self, SceneError> {
        let releases = scene.releases();
        let released = passed(&releases, state.time, scene.params().dt);
        let model = model_at(&scene, &releases, released)?;
        let mut sim = Simulation::with_boxed(model, state, stepper);
        sim.params = scene.params();
        sim.colliders = scene.colliders()?;
        sim.forces = scene.forces()?;
        Ok(Self { scene, sim, frame, released, releases })
    }

    /// Frames done.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Factors and allocates now rather than in the first frame.
    pub fn prepare(&mut self) -> Result<(), SceneError> {
        Ok(self.sim.prepare()?)
    }

    /// Advances by one frame; the report is that of the last step, with times and counts of all.
    pub fn advance(&mut self) -> Result<StepReport, SceneError> {
        let released = passed(&self.releases, self.sim.state.time, self.sim.params.dt);
        if released != self.released {
            self.sim.model = model_at(&self.scene, &self.releases, released)?;
            self.released = released;
        }
        let mut total = StepReport::default();
        for _ in 0..self.scene.desc.step.substeps {
            let report = self.sim.step()?;
            let (mut stages, linear) = (total.stages, total.linear_iterations);
            stages.add(&report.stages);
            total = StepReport { stages, linear_iterations: linear + report.linear_iterations, ..report };
        }
        self.frame += 1;
        Ok(total)
    }

    /// The present as a checkpoint.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint { fingerprint: self.scene.fingerprint(), frame: self.frame, state: self.sim.state.clone() }
    }
}

/// How many release times have passed; half a step of slack absorbs the rounding of summed time steps.
fn passed(releases: &[Real], time: Real, dt: Real) -> usize {
    releases.iter().filter(|&&release| release <= time + 0.5 * dt).count()
}

/// The model after the first `released` release times.
fn model_at(scene: &Scene, releases: &[Real], released: usize) -> Result<pd_core::Model, SceneError> {
    let time = if released == 0 { Real::NEG_INFINITY } else { releases[released - 1] };
    scene.model(time)
}
