//! Scenes: built-in ones by name, TOML files by path.

use crate::arrays::{to_array, to_elements, to_quaternions, vectors};
use crate::contacts::contacts;
use crate::errors::{bad, of_scene};
use crate::film::Film;
use crate::pool::pool;
use crate::report::{audit_dict, report_dict};
use crate::simulation::unless_stepping;
use crate::state::State;
use crate::toml;
use numpy::PyArray2;
use pd_sim::audit::Audit;
use pd_sim::scene::{SceneDesc, Setting, builtins, read_desc, set_key, with_settings};
use pd_sim::{Checkpoint, ModelPaths, Recorder, Registry};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::ThreadPool;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

/// Names of the built-in scenes.
#[pyfunction]
pub(crate) fn scenes() -> Vec<&'static str> {
    builtins().iter().map(|scene| scene.name).collect()
}

/// A scene; can be run any number of times.
#[pyclass(module = "projdyn", frozen)]
pub(crate) struct Scene {
    name: String,
    desc: SceneDesc,
    directory: Option<PathBuf>,
    models: ModelPaths,
}

impl Scene {
    fn load(&self, options: &Options) -> PyResult<pd_sim::scene::Scene> {
        let name = |flag, key, value: &Option<String>| {
            value.as_ref().map(|value| Setting::flag(flag, key, value.as_str()))
        };
        let count = |k| i64::try_from(k).unwrap_or(i64::MAX);
        let settings: Vec<Setting> = [
            name("stepper", "solver.stepper", &options.stepper),
            name("solver", "solver.global", &options.solver),
            options.iterations.map(|k| Setting::flag("iterations", "step.iterations", count(k))),
            options.dt.map(|dt| Setting::flag("dt", "step.dt", dt)),
        ]
        .into_iter()
        .flatten()
        .collect();
        let desc =
            with_settings(&self.name, self.desc.clone(), &settings).map_err(|error| of_scene(&error))?;
        pd_sim::scene::Scene::from_desc(&self.name, desc, self.directory.as_deref(), &self.models)
            .map_err(|error| of_scene(&error))
    }
}

/// The description with keys set, as `pd run --set` does it.
fn with_keys(name: &str, mut desc: SceneDesc, set: Option<&Bound<'_, PyDict>>) -> PyResult<SceneDesc> {
    for (key, value) in set.into_iter().flatten() {
        let key: String = key.extract()?;
        desc = set_key(name, &desc, &key, &toml::text(&value)?).map_err(|error| of_scene(&error))?;
    }
    Ok(desc)
}

/// What a run may change.
struct Options {
    stepper: Option<String>,
    solver: Option<String>,
    iterations: Option<usize>,
    dt: Option<f64>,
}

#[pymethods]
impl Scene {
    #[new]
    #[pyo3(signature = (name, *, set=None, models=vec![]))]
    fn new(name: String, set: Option<&Bound<'_, PyDict>>, models: Vec<PathBuf>) -> PyResult<Self> {
        let (desc, directory) = read_desc(&name).map_err(|error| of_scene(&error))?;
        let desc = with_keys(&name, desc, set)?;
        Ok(Self { name, desc, directory, models: ModelPaths::from_env(models) })
    }

    /// Title of the scene.
    #[getter]
    fn title(&self) -> &str {
        &self.desc.title
    }

    /// Frames it runs by default.
    #[getter]
    fn frames(&self) -> usize {
        self.desc.frames
    }

    /// Starts a run without advancing it; with `resume` from a checkpoint.
    #[pyo3(signature = (*, stepper=None, solver=None, iterations=None, dt=None, threads=None, resume=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn start(
        &self,
        py: Python<'_>,
        stepper: Option<String>,
        solver: Option<String>,
        iterations: Option<usize>,
        dt: Option<f64>,
        threads: Option<usize>,
        resume: Option<PathBuf>,
    ) -> PyResult<SceneRun> {
        let pool = pool(threads)?;
        let options = Options { stepper, solver, iterations, dt };
        let run = py.detach(|| {
            pool.install(|| {
                let scene = self.load(&options)?;
                let registry = Registry::standard();
                let mut run = match resume {
                    None => pd_sim::scene::SceneRun::new(scene, &registry),
                    Some(path) => registry.for_scene(&scene).and_then(|stepper| {
                        pd_sim::scene::SceneRun::resume(scene, stepper, Checkpoint::read(&path)?)
                    }),
                }
                .map_err(|error| of_scene(&error))?;
                run.prepare().map_err(|error| of_scene(&error))?;
                Ok::<_, PyErr>(run)
            })
        })?;
        Ok(SceneRun { run: Mutex::new(run), audit: Mutex::new(None), pool })
    }

    /// Runs the scene and returns every k-th frame, including the initial one.
    #[pyo3(signature = (frames=None, *, every=1, stepper=None, solver=None, iterations=None, dt=None, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn run(
        &self,
        py: Python<'_>,
        frames: Option<usize>,
        every: usize,
        stepper: Option<String>,
        solver: Option<String>,
        iterations: Option<usize>,
        dt: Option<f64>,
        threads: Option<usize>,
    ) -> PyResult<Film> {
        self.start(py, stepper, solver, iterations, dt, threads, None)?.record(
            py,
            frames.unwrap_or(self.desc.frames),
            every,
        )
    }

    fn __repr__(&self) -> String {
        format!("<projdyn.Scene {:?}: {}>", self.name, self.desc.title)
    }
}

/// A running scene.
#[pyclass(module = "projdyn", frozen)]
pub(crate) struct SceneRun {
    run: Mutex<pd_sim::scene::SceneRun>,
    /// Since the state was last put in from outside.
    audit: Mutex<Option<Audit>>,
    pool: ThreadPool,
}

impl SceneRun {
    fn own(&self) -> PyResult<MutexGuard<'_, pd_sim::scene::SceneRun>> {
        unless_stepping(&self.run)
    }

    /// The run, of which something is about to be changed from outside: its audit begins anew.
    fn changed(&self) -> PyResult<MutexGuard<'_, pd_sim::scene::SceneRun>> {
        let run = self.own()?;
        *unless_stepping(&self.audit)? = None;
        Ok(run)
    }

    /// The next frame, looked at by the audit.
    fn next(
        run: &mut pd_sim::scene::SceneRun,
        audit: &mut Option<Audit>,
    ) -> Result<pd_core::StepReport, pd_sim::SceneError> {
        if audit.is_none() {
            *audit = Some(Audit::new(run, false)?);
        }
        let report = run.advance()?;
        if let Some(audit) = audit {
            audit.observe(run, &report)?;
        }
        Ok(report)
    }
}

#[pymethods]
impl SceneRun {
    /// Advances by n frames.
    #[pyo3(signature = (n=1))]
    fn advance<'py>(&self, py: Python<'py>, n: usize) -> PyResult<Bound<'py, PyDict>> {
        let (mut run, mut last) = (self.own()?, pd_core::StepReport::default());
        let mut audit = unless_stepping(&self.audit)?;
        for _ in 0..n {
            let (run, audit) = (&mut *run, &mut *audit);
            let next = || self.pool.install(|| Self::next(run, audit));
            last = py.detach(next).map_err(|error| of_scene(&error))?;
            py.check_signals()?;
        }
        let dict = report_dict(py, &last)?;
        if let Some(audit) = audit.as_ref() {
            dict.set_item("audit", audit_dict(py, &audit.report(&run))?)?;
        }
        Ok(dict)
    }

    /// Advances by n frames and returns every k-th, including the current one.
    #[pyo3(signature = (n, *, every=1))]
    fn record(&self, py: Python<'_>, n: usize, every: usize) -> PyResult<Film> {
        if every == 0 {
            return Err(bad("every must be at least 1"));
        }
        let mut run = self.own()?;
        let mut audit = unless_stepping(&self.audit)?;
        let mut recorder = Recorder::new(&run.scene, false, true);
        recorder.push(&run.scene, &run.sim.state);
        for k in 1..=n {
            let (run, audit, recorder) = (&mut *run, &mut *audit, &mut recorder);
            let outcome = py.detach(|| {
                self.pool.install(|| {
                    Self::next(run, audit)?;
                    if k % every == 0 {
                        recorder.push(&run.scene, &run.sim.state);
                    }
                    Ok(())
                })
            });
            outcome.map_err(|error| of_scene(&error))?;
            py.check_signals()?;
        }
        Ok(Film { hash: run.sim.state.hash(), film: recorder.finish(&run.scene) })
    }

    /// Sets keys of the scene while it runs: step, obstacles, forces. A key that cannot change is an error that names it.
    fn set(&self, keys: &Bound<'_, PyDict>) -> PyResult<()> {
        let mut run = self.changed()?;
        let desc = with_keys(&run.scene.name, run.scene.desc.clone(), Some(keys))?;
        run.set_environment(desc).map_err(|error| of_scene(&error))
    }

    /// Frames done.
    #[getter]
    fn frame(&self) -> PyResult<u64> {
        Ok(self.own()?.frame())
    }

    /// Positions (n, 3), m; a copy.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_array(py, &self.own()?.sim.state.x)
    }

    #[setter]
    fn set_positions(&self, positions: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut run = self.changed()?;
        let x = vectors("positions", positions, Some(run.sim.state.vertices()))?;
        run.sim.state.x.copy_from_slice(&x);
        Ok(())
    }

    #[setter]
    fn set_velocities(&self, velocities: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut run = self.changed()?;
        let v = vectors("velocities", velocities, Some(run.sim.state.vertices()))?;
        run.sim.state.v.copy_from_slice(&v);
        Ok(())
    }

    /// Velocities (n, 3), m/s; a copy.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_array(py, &self.own()?.sim.state.v)
    }

    /// Triangles of all surfaces (m, 3).
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        to_elements(py, &self.own()?.scene.triangles())
    }

    /// Centres of mass (b, 3) of the rigid bodies, m; a copy.
    #[getter]
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_array(py, &self.own()?.sim.state.bodies.p)
    }

    /// Rotations (b, 4) of the rigid bodies, quaternions x y z w; a copy.
    #[getter]
    fn body_rotations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_quaternions(py, &self.own()?.sim.state.bodies.q)
    }

    /// Vertices that touch an obstacle, as in `Simulation.contacts`.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        contacts(py, &self.own()?.sim)
    }

    /// Simulated time, s.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.own()?.sim.state.time)
    }

    /// The state; a copy. Assigning a state continues from it, at the same frame number.
    #[getter]
    fn state(&self) -> PyResult<State> {
        Ok(State { state: self.own()?.sim.state.clone() })
    }

    #[setter]
    fn set_state(&self, state: &State) -> PyResult<()> {
        let mut run = self.changed()?;
        let (frame, bodies) = (run.frame(), run.sim.state.bodies.len());
        if state.state.bodies.len() != bodies {
            let found = state.state.bodies.len();
            return Err(bad(format!("state: {found} rigid bodies, the scene has {bodies}")));
        }
        run.set_state(state.state.clone(), frame).map_err(|error| of_scene(&error))
    }

    /// Hash of the bits of the state, as `pd run` prints it.
    #[getter]
    fn hash(&self) -> PyResult<String> {
        Ok(format!("{:016x}", self.own()?.sim.state.hash()))
    }

    /// Writes a checkpoint that `Scene.start(resume=…)` and `pd run --resume` can read.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.own()?.checkpoint().write(&path).map_err(|error| of_scene(&error))
    }
}
