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
        let stepper = registry
            .stepper_with(&solver.stepper, &solver.global, &solver.options())
            .map_err(|error| error.in_scene(&scene.name))?;
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

    /// Goes on from any state of as many vertices, at this frame: what an editor of scenes needs.
    pub fn from_state(
        scene: Scene,
        stepper: Box<dyn Stepper>,
        state: State,
        frame: u64,
    ) -> Result<Self, SceneError> {
        if state.vertices() != scene.vertices() {
            let what = format!("has {} vertices; the scene has {}", state.vertices(), scene.vertices());
            return Err(scene.error("state", what));
        }
        Self::at(scene, stepper, state, frame)
    }

    /// Puts another state in place of the present one, with the pins that hold at its time.
    pub fn set_state(&mut self, state: State, frame: u64) -> Result<(), SceneError> {
        if state.vertices() != self.scene.vertices() {
            let (has, wants) = (state.vertices(), self.scene.vertices());
            return Err(self.scene.error("state", format!("has {has} vertices; the scene has {wants}")));
        }
        (self.sim.state, self.frame) = (state, frame);
        Ok(())
    }

    /// Takes step, obstacles, forces and display settings of another description of the same bodies while running. A new
    /// solver is the caller's to make and set, since it needs a registry.
    pub fn set_outside(&mut self, desc: super::SceneDesc) -> Result<(), SceneError> {
        let blown = desc.forces != self.scene.desc.forces;
        self.scene.set_outside(desc)?;
        let measure = self.sim.params.measure;
        self.sim.params = pd_core::StepParams { measure, ..self.scene.params() };
        self.sim.colliders = self.scene.colliders()?;
        if blown {
            self.sim.forces = self.scene.forces()?;
        }
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ModelPaths;

    fn cloth() -> SceneRun {
        let scene = Scene::load("cloth", &ModelPaths::default()).unwrap();
        SceneRun::new(scene, &Registry::standard()).unwrap()
    }

    #[test]
    fn a_restored_state_repeats_the_run_to_the_bit() {
        let mut run = cloth();
        (0..5).for_each(|_| {
            run.advance().unwrap();
        });
        let kept = run.checkpoint();
        (0..5).for_each(|_| {
            run.advance().unwrap();
        });
        let hash = run.sim.state.hash();
        run.set_state(kept.state, kept.frame).unwrap();
        assert_eq!(run.frame(), 5);
        (0..5).for_each(|_| {
            run.advance().unwrap();
        });
        assert_eq!((run.sim.state.hash(), run.frame()), (hash, 10));
        assert!(run.set_state(State::at_rest(vec![]), 0).is_err());
    }

    #[test]
    fn obstacles_gravity_and_display_change_while_running_and_bodies_do_not() {
        let mut run = cloth();
        (0..3).for_each(|_| {
            run.advance().unwrap();
        });
        let mut desc = run.scene.desc.clone();
        let fingerprint = run.scene.fingerprint();
        desc.objects[0].display.colour = Some([1.0, 0.0, 0.0]);
        run.set_outside(desc.clone()).unwrap();
        assert_eq!(run.scene.fingerprint(), fingerprint, "display is no part of the physics");
        desc.step.gravity = [0.0, 3.0, 0.0];
        run.set_outside(desc.clone()).unwrap();
        assert_ne!(run.scene.fingerprint(), fingerprint);
        (0..120).for_each(|_| {
            run.advance().unwrap();
        });
        let high = run.sim.state.x.iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max);
        let anchor = run.scene.rest().iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max);
        assert!(high > anchor + 0.2, "the cloth now falls upwards: {high} against {anchor}");
        desc.objects[0].scale = Some(2.0);
        assert!(run.set_outside(desc).unwrap_err().to_string().contains("bodies differ"));
    }
}
