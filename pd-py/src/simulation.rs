//! A model in motion.

use crate::arrays::{to_array, vector, vectors};
use crate::called::{CalledForce, CalledSolver, Trouble};
use crate::contacts::contacts;
use crate::errors::{bad, of_scene, of_step};
use crate::film::Film;
use crate::model::{Model, Recipe};
use crate::obstacles::{Obstacle, Shape};
use crate::pool::pool;
use crate::report::report_dict;
use crate::state::State;
use numpy::PyArray2;
use pd_collide::{Block, Capsule, Cylinder, Floor, Sphere, Torus};
use pd_constraints::Pins;
use pd_core::{Acceleration, BatchId, CpuLocal, ProjectiveDynamics, StepReport, Stepper};
use pd_mesh::film::Part;
use pd_sim::Registry;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::ThreadPool;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

/// How long steps run before Python may look for an interrupt.
const PATIENCE: Duration = Duration::from_millis(100);

/// The inside of a lock, unless a step is running in another thread or around a callback that asks.
pub(crate) fn unless_stepping<T>(lock: &Mutex<T>) -> PyResult<MutexGuard<'_, T>> {
    match lock.try_lock() {
        Ok(inner) => Ok(inner),
        Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => {
            Err(PyRuntimeError::new_err("the simulation is stepping; wait until the step has returned"))
        }
    }
}

pub(crate) struct Inner {
    pub(crate) sim: pd_sim::Simulation,
    pins: Vec<BatchId>,
    /// What the colliders of `sim` are made from, in the same order.
    obstacles: Vec<Obstacle>,
    /// Whether Python is called during a step, so that a failed one must be undone here.
    calls: bool,
}

/// A model, a state, a stepper and its own threads.
#[pyclass(module = "projdyn", frozen)]
pub(crate) struct Simulation {
    inner: Mutex<Inner>,
    pub(crate) recipe: Arc<Recipe>,
    trouble: Trouble,
    pool: ThreadPool,
}

impl Simulation {
    pub(crate) fn inner(&self) -> PyResult<MutexGuard<'_, Inner>> {
        unless_stepping(&self.inner)
    }

    /// Margin of an obstacle, m: the thesis' for its own contact, none for intersection-free contact, as in scenes.
    fn margin(&self, thesis: f64) -> PyResult<f64> {
        let apart = !self.inner()?.sim.model.surface().triangles.is_empty();
        Ok(if apart { 0.0 } else { thesis })
    }

    /// Puts an obstacle in place and returns its number.
    fn add(&self, shape: Shape) -> PyResult<usize> {
        let mut inner = self.inner()?;
        let obstacle = Obstacle::new(shape);
        inner.calls |= obstacle.calls();
        inner.sim.colliders.push(obstacle.at_rest(&self.trouble));
        inner.obstacles.push(obstacle);
        Ok(inner.obstacles.len() - 1)
    }

    /// Up to `n` steps without the lock, looking for interrupts now and then; `after` sees the simulation after each.
    pub(crate) fn advance(
        &self,
        py: Python<'_>,
        inner: &mut Inner,
        n: usize,
        mut after: impl FnMut(&pd_sim::Simulation) + Send,
    ) -> PyResult<StepReport> {
        let (mut done, mut last) = (0, StepReport::default());
        while done < n {
            let outcome = py.detach(|| {
                self.pool.install(|| {
                    let start = Instant::now();
                    while done < n && start.elapsed() < PATIENCE {
                        last = self.step_once(inner)?;
                        after(&inner.sim);
                        done += 1;
                    }
                    Ok::<(), PyErr>(())
                })
            });
            outcome?;
            py.check_signals()?;
        }
        Ok(last)
    }

    fn step_once(&self, inner: &mut Inner) -> PyResult<StepReport> {
        let before = inner.calls.then(|| inner.sim.state.clone());
        let outcome = inner.sim.step();
        if let Some(error) = self.trouble.take() {
            if let Some(before) = before {
                inner.sim.state = before;
            }
            return Err(error);
        }
        outcome.map_err(|error| of_step(&error))
    }
}

fn stepper(
    stepper: &str,
    solver: &Bound<'_, PyAny>,
    apart: bool,
    trouble: &Trouble,
) -> PyResult<(Box<dyn Stepper>, bool)> {
    let name = solver.extract::<String>();
    if apart && (stepper != "pd" || name.is_err()) {
        return Err(bad("a model with contact needs stepper=\"pd\" and the name of a solver"));
    }
    if let Ok(name) = name {
        let registry = Registry::standard();
        let made = if apart { registry.guarded_stepper(&name) } else { registry.stepper(stepper, &name) };
        let made = made.map_err(|error| of_scene(&error))?;
        return Ok((made, false));
    }
    for method in ["factor", "solve"] {
        if !solver.hasattr(method)? {
            return Err(bad(format!(
                "solver: a name or an object with the methods factor and solve; no {method} found"
            )));
        }
    }
    if stepper != "pd" {
        return Err(bad("a solver of your own works with stepper=\"pd\""));
    }
    let own = CalledSolver { object: solver.clone().unbind(), trouble: trouble.clone() };
    let made =
        ProjectiveDynamics::with_parts(Box::new(CpuLocal::default()), Box::new(own), Acceleration::None);
    Ok((Box::new(made), true))
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (model, state=None, *, stepper="pd", solver=None, iterations=10, dt=1.0/60.0, damping=0.0, gravity=None, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of a constructor")]
    fn new(
        py: Python<'_>,
        model: &Model,
        state: Option<&State>,
        stepper: &str,
        solver: Option<&Bound<'_, PyAny>>,
        iterations: usize,
        dt: f64,
        damping: f64,
        gravity: Option<&Bound<'_, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let (trouble, recipe) = (Trouble::default(), model.recipe.clone());
        let start =
            state.map_or_else(|| pd_core::State::at_rest(recipe.positions.clone()), |s| s.state.clone());
        if start.vertices() != recipe.positions.len() {
            let (found, wanted) = (start.vertices(), recipe.positions.len());
            return Err(bad(format!("state: {found} vertices, the model has {wanted}")));
        }
        let default = pyo3::types::PyString::new(py, "panels").into_any();
        let (made, own) = self::stepper(stepper, solver.unwrap_or(&default), recipe.keeps_apart(), &trouble)?;
        let gravity = gravity.map(|g| vector("gravity", g)).transpose()?;
        let pool = pool(threads)?;
        let mut inner = py.detach(|| {
            let built = pool.install(|| recipe.build(&trouble))?;
            let sim = pd_sim::Simulation::with_boxed(built.model, start, made);
            Ok::<_, PyErr>(Inner { sim, pins: built.pins, obstacles: vec![], calls: built.calls || own })
        })?;
        let params = &mut inner.sim.params;
        (params.dt, params.iterations, params.damping) = (dt, iterations, damping);
        params.gravity = gravity.unwrap_or(params.gravity);
        params.check().map_err(|error| of_step(&error))?;
        let outcome = py.detach(|| pool.install(|| inner.sim.prepare()));
        if let Some(error) = trouble.take() {
            return Err(error);
        }
        outcome.map_err(|error| of_step(&error))?;
        Ok(Self { inner: Mutex::new(inner), recipe, trouble, pool })
    }

    /// Advances by n steps. Returns the report of the last one.
    #[pyo3(signature = (n=1))]
    fn step<'py>(&self, py: Python<'py>, n: usize) -> PyResult<Bound<'py, PyDict>> {
        let mut inner = self.inner()?;
        let report = self.advance(py, &mut inner, n, |_| {})?;
        report_dict(py, &report)
    }

    /// Steps n times and returns a film of every k-th state, including the current one.
    #[pyo3(signature = (n, *, every=1))]
    fn record(&self, py: Python<'_>, n: usize, every: usize) -> PyResult<Film> {
        if every == 0 {
            return Err(bad("every must be at least 1"));
        }
        let mut inner = self.inner()?;
        let mut film = pd_mesh::film::Film::new("simulation");
        let vertices = self.recipe.positions.len() as u32;
        film.parts.push(Part::surface("model", 0..vertices, self.recipe.triangles.clone()));
        film.push(inner.sim.state.time, inner.sim.state.x.clone());
        film.velocities.push(inner.sim.state.v.clone());
        let mut k = 0;
        self.advance(py, &mut inner, n, |sim| {
            k += 1;
            if k % every == 0 {
                film.push(sim.state.time, sim.state.x.clone());
                film.velocities.push(sim.state.v.clone());
            }
        })?;
        Ok(Film { film, hash: inner.sim.state.hash() })
    }

    /// Positions (n, 3), m; a copy. Assigning checks shape and finiteness.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_array(py, &self.inner()?.sim.state.x)
    }

    #[setter]
    fn set_positions(&self, positions: &Bound<'_, PyAny>) -> PyResult<()> {
        let x = vectors("positions", positions, Some(self.recipe.positions.len()))?;
        self.inner()?.sim.state.x.copy_from_slice(&x);
        Ok(())
    }

    /// Velocities (n, 3), m/s; a copy.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_array(py, &self.inner()?.sim.state.v)
    }

    #[setter]
    fn set_velocities(&self, velocities: &Bound<'_, PyAny>) -> PyResult<()> {
        let v = vectors("velocities", velocities, Some(self.recipe.positions.len()))?;
        self.inner()?.sim.state.v.copy_from_slice(&v);
        Ok(())
    }

    /// Simulated time, s.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.inner()?.sim.state.time)
    }

    /// The state; a copy. Assigning a state continues from it.
    #[getter]
    fn state(&self) -> PyResult<State> {
        Ok(State { state: self.inner()?.sim.state.clone() })
    }

    #[setter]
    fn set_state(&self, state: &State) -> PyResult<()> {
        let (found, wanted) = (state.state.vertices(), self.recipe.positions.len());
        if found != wanted {
            return Err(bad(format!("state: {found} vertices, the model has {wanted}")));
        }
        self.inner()?.sim.state = state.state.clone();
        Ok(())
    }

    /// Writes the state as a checkpoint.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.state()?.save(path)
    }

    /// Goes on from a checkpoint.
    fn load(&self, path: PathBuf) -> PyResult<()> {
        self.set_state(&State::load(path)?)
    }

    /// Time step, s.
    #[getter]
    fn dt(&self) -> PyResult<f64> {
        Ok(self.inner()?.sim.params.dt)
    }

    /// Changes parameters of the next steps; a new time step factors the matrix again.
    #[pyo3(signature = (*, dt=None, iterations=None, damping=None, gravity=None, tolerance=None, measure=None))]
    fn configure(
        &self,
        dt: Option<f64>,
        iterations: Option<usize>,
        damping: Option<f64>,
        gravity: Option<&Bound<'_, PyAny>>,
        tolerance: Option<f64>,
        measure: Option<bool>,
    ) -> PyResult<()> {
        let gravity = gravity.map(|g| vector("gravity", g)).transpose()?;
        let mut inner = self.inner()?;
        let mut params = inner.sim.params;
        params.dt = dt.unwrap_or(params.dt);
        params.iterations = iterations.unwrap_or(params.iterations);
        params.damping = damping.unwrap_or(params.damping);
        params.gravity = gravity.unwrap_or(params.gravity);
        params.tolerance = tolerance.unwrap_or(params.tolerance);
        params.measure = measure.unwrap_or(params.measure);
        params.check().map_err(|error| of_step(&error))?;
        inner.sim.params = params;
        Ok(())
    }

    /// Moves the targets (m, 3) of a group of pins, from the next step on.
    #[pyo3(signature = (targets, group=0))]
    fn move_pins(&self, targets: &Bound<'_, PyAny>, group: usize) -> PyResult<()> {
        let mut inner = self.inner()?;
        let groups = inner.pins.len();
        let found = inner.pins.get(group).copied();
        let held = found.and_then(|batch| inner.sim.model.batch_mut::<Pins>(batch));
        let held =
            held.ok_or_else(|| bad(format!("group {group}: the model has {groups} groups of pins")))?;
        for (k, target) in vectors("targets", targets, Some(held.vertices().len()))?.into_iter().enumerate() {
            held.set_target(k, target).map_err(bad)?;
        }
        Ok(())
    }

    /// Adds `f(positions, velocities, time, vertices)`, which returns newtons (n, 3) for these vertices.
    fn add_force(&self, force: Py<PyAny>) -> PyResult<()> {
        let mut inner = self.inner()?;
        inner.sim.forces.push(Box::new(CalledForce { call: force, trouble: self.trouble.clone() }));
        inner.calls = true;
        Ok(())
    }

    /// Adds an obstacle `f(points, time)`, which returns signed distances (n,) and outward unit normals (n, 3). As all that
    /// add one, returns its number for `move_collider`.
    fn add_collider(&self, collider: Py<PyAny>) -> PyResult<usize> {
        self.add(Shape::Called(collider))
    }

    /// Adds a ball.
    fn add_sphere(&self, centre: &Bound<'_, PyAny>, radius: f64) -> PyResult<usize> {
        let sphere = Sphere::new(vector("centre", centre)?, radius).map_err(bad)?;
        let margin = self.margin(sphere.margin())?;
        self.add(Shape::Sphere(sphere.with_margin(margin).map_err(bad)?))
    }

    /// Adds an endless floor.
    fn add_floor(&self, height: f64) -> PyResult<usize> {
        let floor = Floor::new(height).map_err(bad)?;
        let margin = self.margin(floor.margin())?;
        self.add(Shape::Floor(floor.with_margin(margin).map_err(bad)?))
    }

    /// Adds a box along the axes.
    fn add_block(&self, centre: &Bound<'_, PyAny>, half_extents: &Bound<'_, PyAny>) -> PyResult<usize> {
        let (centre, half) = (vector("centre", centre)?, vector("half_extents", half_extents)?);
        let block = Block::new(centre, half).map_err(bad)?;
        let margin = self.margin(block.margin())?;
        self.add(Shape::Block(block.with_margin(margin).map_err(bad)?))
    }

    /// Adds a torus about a vertical axis.
    fn add_torus(&self, centre: &Bound<'_, PyAny>, major_radius: f64, minor_radius: f64) -> PyResult<usize> {
        let margin = self.margin(Torus::MARGIN)?;
        let torus = Torus::with_all(vector("centre", centre)?, major_radius, minor_radius, margin);
        self.add(Shape::Torus(torus.map_err(bad)?))
    }

    /// Adds a capsule: all points within `radius` of a segment.
    fn add_capsule(&self, start: &Bound<'_, PyAny>, end: &Bound<'_, PyAny>, radius: f64) -> PyResult<usize> {
        let (start, end) = (vector("start", start)?, vector("end", end)?);
        self.add(Shape::Capsule(Capsule::new(start, end, radius).map_err(bad)?))
    }

    /// Adds a cylinder with flat ends.
    fn add_cylinder(&self, start: &Bound<'_, PyAny>, end: &Bound<'_, PyAny>, radius: f64) -> PyResult<usize> {
        let (start, end) = (vector("start", start)?, vector("end", end)?);
        self.add(Shape::Cylinder(Cylinder::new(start, end, radius).map_err(bad)?))
    }

    /// Moves an obstacle during the next step, so that it ends `offset` from where it was added.
    fn move_collider(&self, number: usize, offset: &Bound<'_, PyAny>) -> PyResult<()> {
        let offset = vector("offset", offset)?;
        let mut inner = self.inner()?;
        let (time, dt, count) = (inner.sim.state.time, inner.sim.params.dt, inner.obstacles.len());
        let obstacle = inner.obstacles.get_mut(number);
        let obstacle = obstacle
            .ok_or_else(|| bad(format!("collider {number}: the simulation has {count} colliders")))?;
        let moved = obstacle.move_to(offset, time, dt, &self.trouble)?;
        inner.sim.colliders[number] = moved;
        Ok(())
    }

    /// Takes all obstacles away.
    fn clear_colliders(&self) -> PyResult<()> {
        let mut inner = self.inner()?;
        inner.sim.colliders.clear();
        inner.obstacles.clear();
        Ok(())
    }

    /// Vertices within 1 mm of an obstacle: `vertices` (k,), `colliders` (k,), `distances` (k,), `points` (k, 3), `normals`
    /// (k, 3). For a model with contact, the contacts of the last step: see `contacts` in the guide.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.inner()?;
        let found = contacts(py, &inner.sim)?;
        self.trouble.take().map_or(Ok(found), Err)
    }

    /// Removes all forces except gravity.
    fn clear_forces(&self) -> PyResult<()> {
        self.inner()?.sim.forces.clear();
        Ok(())
    }

    /// Hash of the bits of the state.
    #[getter]
    fn hash(&self) -> PyResult<String> {
        Ok(format!("{:016x}", self.inner()?.sim.state.hash()))
    }
}
