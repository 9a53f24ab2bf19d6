//! Running a scene: frames, substeps, released pins.

use super::Scene;
use crate::{Checkpoint, Registry, SceneError, Simulation};
use pd_core::{Real, State, StepReport, Stepper};

/// A running scene. A frame is `substeps` steps; when pins are released between two frames the model is rebuilt without
/// them. Everything follows from the scene and the state, so a state and a frame number are a complete checkpoint.
pub struct SceneRun {
    /// The scene.
    pub scene: Scene,
    /// The simulation of it.
    pub sim: Simulation,
    frame: u64,
    /// The state at the beginning of a frame of several steps.
    before: State,
    /// Release times that have passed.
    released: usize,
    releases: Vec<Real>,
}

impl SceneRun {
    /// Starts a scene with the stepper and solver it names.
    pub fn new(scene: Scene, registry: &Registry) -> Result<Self, SceneError> {
        let stepper = registry.for_scene(&scene)?;
        Self::with_stepper(scene, stepper)
    }

    /// Starts a scene with a stepper of choice.
    pub fn with_stepper(scene: Scene, stepper: Box<dyn Stepper>) -> Result<Self, SceneError> {
        let scene = fitted(scene, stepper.as_ref())?;
        let state = scene.initial_state();
        if scene.may_swallow() {
            scene.refuse_immersed(&state.x, state.time)?;
        }
        Self::at(scene, stepper, state, 0)
    }

    /// Continues from a checkpoint of the same scene.
    pub fn resume(
        scene: Scene,
        stepper: Box<dyn Stepper>,
        checkpoint: Checkpoint,
    ) -> Result<Self, SceneError> {
        let scene = fitted(scene, stepper.as_ref())?;
        let other = checkpoint.fingerprint.filter(|&fingerprint| !scene.is_of(fingerprint));
        if other.is_some() || checkpoint.state.vertices() != scene.vertices() {
            let has =
                other.map_or_else(String::new, |fingerprint| format!("fingerprint {fingerprint:016x}, "));
            let what = format!(
                "belongs to another scene or to other parameters ({has}{} vertices; this scene has {:016x}, {} vertices)",
                checkpoint.state.vertices(),
                scene.fingerprint(),
                scene.vertices()
            );
            return Err(scene.error("checkpoint", what));
        }
        Self::at(scene, stepper, checkpoint.state, checkpoint.frame)
    }

    /// Replaces the current state, and activates the pins of its time.
    pub fn set_state(&mut self, state: State, frame: u64) -> Result<(), SceneError> {
        if state.vertices() != self.scene.vertices() {
            let (has, wants) = (state.vertices(), self.scene.vertices());
            return Err(self.scene.error("state", format!("has {has} vertices; the scene has {wants}")));
        }
        (self.sim.state, self.frame) = (state, frame);
        Ok(())
    }

    /// Takes step, obstacles, forces and display settings of another description of the same bodies while running. The
    /// caller must create and set a new solver, since that needs a registry.
    pub fn set_environment(&mut self, desc: super::SceneDesc) -> Result<(), SceneError> {
        let blown = desc.forces != self.scene.desc.forces;
        self.scene.set_environment(desc)?;
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
        Ok(Self { scene, sim, frame, before: State::default(), released, releases })
    }

    /// Frames done.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Factors and allocates now rather than in the first frame.
    pub fn prepare(&mut self) -> Result<(), SceneError> {
        self.sim.prepare().map_err(|error| self.named(error))
    }

    /// An error of the step in the words of the scene.
    fn named(&self, error: pd_core::StepError) -> SceneError {
        let (x, time) = (&self.sim.state.x, self.sim.state.time);
        if let pd_core::StepError::Immersed { .. } = error
            && let Ok(Some(what)) = self.scene.immersed_in_words(x, time)
        {
            return self.scene.error("contact", what);
        }
        let pd_core::StepError::Intersecting { pairs, .. } = error else { return error.into() };
        let crossings = self.scene.crossings(&self.sim.state.x).unwrap_or_default();
        match crossings.into_iter().next() {
            Some(first) => SceneError::Intersecting { file: self.scene.name.clone(), pairs, first },
            None => error.into(), // it is not in the state, which has not changed
        }
    }

    /// Advances by one frame; the report is that of the last step, with times and counts of all.
    pub fn advance(&mut self) -> Result<StepReport, SceneError> {
        let released = passed(&self.releases, self.sim.state.time, self.sim.params.dt);
        if released != self.released {
            self.sim.model = model_at(&self.scene, &self.releases, released)?;
            self.released = released;
        }
        let substeps = self.scene.steps_per_frame();
        if substeps > 1 {
            self.before.clone_from(&self.sim.state);
        }
        let mut total = StepReport::default();
        for _ in 0..substeps {
            match self.sim.step() {
                Ok(report) => total = total.followed_by(&report),
                Err(error) => {
                    // A frame succeeds completely or not at all: earlier substeps are undone.
                    if substeps > 1 {
                        self.sim.state.clone_from(&self.before);
                    }
                    return Err(self.named(error));
                }
            }
        }
        self.frame += 1;
        Ok(total)
    }

    /// The current state as a checkpoint.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            fingerprint: Some(self.scene.fingerprint()),
            frame: self.frame,
            state: self.sim.state.clone(),
        }
    }
}

/// A scene without a contact method uses the thesis' if the stepper does not support intersection-free contact.
fn fitted(mut scene: Scene, stepper: &dyn Stepper) -> Result<Scene, SceneError> {
    if !fits(&scene, stepper) && scene.desc.contact.mode.is_none() {
        scene.set_contact(super::desc::ContactMode::Project)?;
    }
    Ok(scene)
}

fn fits(scene: &Scene, stepper: &dyn Stepper) -> bool {
    !scene.desc.contact_mode().keeps_apart() || stepper.keeps_surfaces_apart()
}

/// How many release times have passed; half a step of slack absorbs the rounding of summed time steps.
fn passed(releases: &[Real], time: Real, dt: Real) -> usize {
    releases.iter().filter(|&&release| release <= time + 0.5 * dt).count()
}

/// The model after the first `released` release times.
fn model_at(scene: &Scene, releases: &[Real], released: usize) -> Result<pd_core::Model, SceneError> {
    match released.checked_sub(1) {
        None => scene.take_first_model(),
        Some(last) => scene.model(releases[last]),
    }
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
        run.set_environment(desc.clone()).unwrap();
        assert_eq!(run.scene.fingerprint(), fingerprint, "display is no part of the physics");
        desc.step.gravity = [0.0, 3.0, 0.0];
        run.set_environment(desc.clone()).unwrap();
        assert_ne!(run.scene.fingerprint(), fingerprint);
        (0..120).for_each(|_| {
            run.advance().unwrap();
        });
        let high = run.sim.state.x.iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max);
        let anchor = run.scene.rest().iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max);
        assert!(high > anchor + 0.2, "the cloth now falls upwards: {high} against {anchor}");
        desc.objects[0].scale = Some(2.0);
        assert!(
            run.set_environment(desc).unwrap_err().to_string().contains("object[0].scale: cannot change")
        );
    }

    /// What the move tool of the window does with a sphere: grains give way to it.
    #[test]
    fn a_sphere_that_is_moved_while_running_pushes_grains() {
        let text = "title = \"t\"\n[[particles]]\nname = \"sand\"\nkind = \"grains\"\ncount = [6, 2, 6]\nradius = 0.05\n\
                    mass = 0.1\nposition = [0.0, 0.1, 0.0]\n\
                    [[collider]]\nkind = \"floor\"\nheight = 0.0\nmargin = 0.0\n\
                    [[collider]]\nkind = \"sphere\"\ncentre = [0.0, 2.0, 0.0]\nradius = 0.2\nmargin = 0.0\n";
        let scene = Scene::parse("t.toml", text, None, &ModelPaths::default()).unwrap();
        let mut run = SceneRun::new(scene, &Registry::standard()).unwrap();
        let nearest = |run: &SceneRun| {
            let centre = pd_core::Vec3::new(0.0, 0.2, 0.0);
            run.sim.state.x.iter().map(|x| (x - centre).norm()).fold(f64::INFINITY, f64::min)
        };
        (0..5).for_each(|_| {
            run.advance().unwrap();
        });
        assert!(nearest(&run) < 0.2, "grains lie where the sphere will be");
        let mut desc = run.scene.desc.clone();
        for height in [1.0, 0.6, 0.4, 0.3, 0.2] {
            let text = text.replace("[0.0, 2.0, 0.0]", &format!("[0.0, {height:?}, 0.0]"));
            desc.colliders = crate::scene::parse_desc("t.toml", &text).unwrap().colliders;
            run.set_environment(desc.clone()).unwrap();
            (0..30).for_each(|_| {
                run.advance().unwrap();
            });
        }
        assert!(nearest(&run) > 0.24, "{}", nearest(&run));
    }

    /// Two sheets apart, and a state in which they cross: put in by a resumption, by `set_state` or by hand, it is refused as it is as
    /// a start.
    #[test]
    fn a_crossing_state_is_refused_wherever_it_comes_from() {
        let sheet = |name: &str, turn: f64, y: f64| {
            format!(
                "[[object]]\nname = \"{name}\"\nshape = {{ kind = \"grid\", rows = 6, columns = 6, width = 0.6, depth = 0.6 }}\n\
                 rotate = {{ axis = [1, 0, 0], degrees = {turn} }}\ntranslate = [0.03, {y}, 0.02]\n\
                 mass = {{ total = 0.1 }}\nedge = {{ weight = 100 }}\n"
            )
        };
        let text = |y: f64| {
            let (a, b) = (sheet("a", 0.0, 0.0), sheet("b", 90.0, y));
            format!("title = \"t\"\ncontact = \"guard\"\n[step]\ngravity = [0, 0, 0]\n{a}{b}")
        };
        let scene = |y: f64| Scene::parse("t.toml", &text(y), None, &ModelPaths::default()).unwrap();
        let registry = Registry::standard();
        let mut run = SceneRun::new(scene(0.6), &registry).unwrap();
        for _ in 0..3 {
            run.advance().unwrap();
        }
        let good = run.checkpoint();
        let mut crossing = good.clone();
        crossing.state.x = scene(0.0).initial_state().x;
        let refused = |run: &mut SceneRun| {
            let error = run.advance().unwrap_err();
            assert!(error.to_string().contains("intersect"), "{error}");
        };
        refused(&mut SceneRun::new(scene(0.0), &registry).unwrap());
        let stepper = registry.for_scene(&run.scene).unwrap();
        refused(&mut SceneRun::resume(scene(0.6), stepper, crossing.clone()).unwrap());
        run.set_state(crossing.state.clone(), crossing.frame).unwrap();
        refused(&mut run);
        run.set_state(good.state.clone(), good.frame).unwrap();
        run.advance().unwrap();
        run.sim.state.x.clone_from(&crossing.state.x);
        refused(&mut run);
        run.set_state(good.state, good.frame).unwrap();
        run.advance().unwrap();
    }

    /// Fails on the step of this number, counted from 1, and delegates all others.
    struct FailsAt {
        inner: Box<dyn Stepper>,
        step: usize,
        done: usize,
    }
    impl Stepper for FailsAt {
        fn name(&self) -> &str {
            "fails-at"
        }
        fn prepare(&mut self, context: pd_core::StepContext<'_>) -> Result<(), pd_core::StepError> {
            self.inner.prepare(context)
        }
        fn advance(
            &mut self,
            context: pd_core::StepContext<'_>,
            state: &mut pd_core::View<'_>,
        ) -> Result<StepReport, pd_core::StepError> {
            let report = self.inner.advance(context, state)?;
            self.done += 1;
            if self.done == self.step {
                return Err(pd_core::StepError::NotFinite { vertex: 0 });
            }
            Ok(report)
        }
    }

    fn cloth_in_substeps(substeps: usize) -> Scene {
        let mut desc = super::super::read_desc("cloth").unwrap().0;
        desc.step.substeps = Some(substeps);
        desc.contact = super::super::desc::ContactMode::Project.into(); // a fixed number of iterations
        Scene::from_desc("cloth", desc, None, &ModelPaths::default()).unwrap()
    }

    #[test]
    fn a_frame_of_several_steps_is_taken_whole_or_not_at_all() {
        let inner = Registry::standard().stepper("pd", "panels").unwrap();
        let stepper = FailsAt { inner, step: 6, done: 0 };
        let mut run = SceneRun::with_stepper(cloth_in_substeps(4), Box::new(stepper)).unwrap();
        run.advance().unwrap();
        let (hash, time) = (run.sim.state.hash(), run.sim.state.time);
        assert!(run.advance().is_err(), "the second step of the second frame fails");
        assert_eq!((run.sim.state.hash(), run.sim.state.time, run.frame()), (hash, time, 1));
        assert_eq!(run.checkpoint().frame, 1);
    }

    #[test]
    fn counts_of_substeps_add_up_and_the_time_of_a_frame_stays() {
        let registry = Registry::standard();
        let mut run = SceneRun::new(cloth_in_substeps(3), &registry).unwrap();
        let report = run.advance().unwrap();
        let iterations = run.scene.desc.step.iterations;
        assert_eq!((report.iterations, report.local_steps), (3 * iterations, 3 * iterations));
        assert!((run.sim.state.time - run.scene.desc.step.dt).abs() < 1e-12);
        assert!((run.sim.params.dt * 3.0 - run.scene.desc.step.dt).abs() < 1e-15);
        // Substeps damp less than one long step: the cloth falls at least as far.
        let mut one = SceneRun::new(cloth_in_substeps(1), &registry).unwrap();
        for _ in 0..19 {
            run.advance().unwrap();
        }
        for _ in 0..20 {
            one.advance().unwrap();
        }
        let lowest = |run: &SceneRun| run.sim.state.x.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
        assert!((lowest(&run) - lowest(&one)).abs() > 1e-6, "substeps change the motion");
        assert!(lowest(&run) < 0.0 && lowest(&one) < lowest(&run) + 0.2);
    }

    #[test]
    fn options_of_a_stepper_count_while_it_runs() {
        let text = format!("{}\n[solver.pd]\niterations = 3\n[solver.newton]\niterations = 2\n", {
            super::super::builtins().iter().find(|builtin| builtin.name == "cloth").unwrap().text
        });
        let parse = |text: &str| super::super::parse_desc("cloth", text);
        let mut desc = parse(&text).unwrap();
        assert_eq!(desc.step.iterations, 3);
        desc.use_stepper("newton");
        assert_eq!((desc.step.iterations, desc.solver.steppers.len()), (2, 0));
        let unknown = parse(&text.replace("solver.newton", "solver.newtown")).unwrap();
        let scene = Scene::from_desc("cloth", unknown, None, &ModelPaths::default()).unwrap();
        let refused = Registry::standard().for_scene(&scene).map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains("newtown") && refused.contains("xpbd"), "{refused}");
        assert!(parse(&text.replace("iterations = 2", "iteration = 2")).is_err());
    }

    #[test]
    fn runs_continue_with_another_solver_and_files_of_earlier_builds_stay_valid() {
        use super::super::{SceneDesc, Solving, fingerprint, read_desc};
        let models = ModelPaths::default();
        let (mut desc, _) = read_desc("bar").unwrap();
        let build = |desc: &SceneDesc| Scene::from_desc("bar", desc.clone(), None, &models).unwrap();
        desc.step.iterations = 12;
        let registry = Registry::standard();
        let mut run = SceneRun::new(build(&desc), &registry).unwrap();
        run.advance().unwrap();
        let counted = fingerprint(&run.scene.desc, &run.scene.objects, Solving::Counted);
        assert_ne!(counted, run.scene.fingerprint());
        let earlier = Checkpoint { fingerprint: Some(counted), ..run.checkpoint() };
        for iterations in [12, 40] {
            desc.step.iterations = iterations;
            desc.use_stepper(if iterations == 40 { "newton" } else { "pd" });
            let stepper = registry.for_scene(&build(&desc)).unwrap();
            let mut resumed = SceneRun::resume(build(&desc), stepper, run.checkpoint()).unwrap();
            resumed.advance().unwrap();
            assert_eq!((resumed.frame(), resumed.sim.params.iterations), (2, iterations));
            let again =
                SceneRun::resume(build(&desc), registry.for_scene(&build(&desc)).unwrap(), earlier.clone());
            assert_eq!(again.is_ok(), iterations == 12);
        }
        desc.step.dt = 0.01;
        assert!(
            SceneRun::resume(build(&desc), registry.for_scene(&build(&desc)).unwrap(), run.checkpoint())
                .is_err()
        );
    }

    #[test]
    fn fingerprints_leave_defaults_out() {
        let builtin = super::super::builtins().iter().find(|builtin| builtin.name == "cloth").unwrap();
        let load =
            |text: &str| Scene::parse("cloth", text, None, &ModelPaths::default()).unwrap().fingerprint();
        let plain = load(builtin.text);
        let with_defaults = builtin.text.replace("[step]", "[step]\ntolerance = 0.0");
        assert_ne!(with_defaults, builtin.text);
        assert_eq!(load(&with_defaults), plain);
        assert_eq!(
            load(&builtin.text.replace("[step]", "[step]\ntolerance = 1e-3")),
            plain,
            "how it is solved"
        );
        assert_ne!(load(&builtin.text.replace("radius = 0.28", "radius = 0.29")), plain);
        let desc = builtin.desc().unwrap();
        let text = super::super::canonical(&desc, super::super::Solving::Counted);
        assert!(!text.contains("tolerance"), "defaults do not count");
    }
}
