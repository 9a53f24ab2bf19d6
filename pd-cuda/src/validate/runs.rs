//! Whole runs: thirty frames of small scenes with contacts, device against host.

use super::{Agreement, Outcome};
use crate::{CudaLocal, CudaPd, Device, DeviceReal, Method};
use pd_core::{ProjectiveDynamics, Real, Stepper};
use pd_linear::{JacobiOptions, Registry, SolverOptions, Stopping};
use pd_sim::ModelPaths;
use pd_sim::scene::{Scene, SceneRun};

/// Frames of a run.
const FRAMES: usize = 30;

/// A small scene, the method that solves it, and how far device and host may be apart at the end, as a part of the size
/// of the scene (1 m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Name.
    pub name: &'static str,
    /// The scene, as `pd run` reads it.
    pub text: &'static str,
    /// Global solver, by its name on the host.
    pub method: &'static str,
    /// Sweeps of each solve, on the host as on the device.
    pub sweeps: usize,
    /// Allowed distance in single and in double precision, m.
    pub allowed: [Real; 2],
}

const CLOTH: &str = r#"
title = "cloth over a moving ball"
contact = "project"
frames = 30
[step]
damping = 0.5
[[object]]
name = "cloth"
shape = { kind = "grid", rows = 10, columns = 10 }
mass = { total = 0.2 }
edge = { weight = 150.0 }
bending = { weight = 1e-5, laplacian = "cotan-voronoi" }
pin = [{ select = { ranges = [[0, 11, 1]] }, weight = 1e4 }]
[[collider]]
kind = "sphere"
centre = [0.0, -0.3, 0.0]
radius = 0.2
path = [[0.0, 0.0, 0.0, 0.0], [0.5, 0.1, 0.05, 0.1]]
"#;

const SHELL: &str = r#"
title = "a shell with bending, pushed"
contact = "project"
frames = 30
[[object]]
name = "shell"
shape = { kind = "hemisphere", sectors = 10, stacks = 8 }
normalize = true
edge = { weight = 100.0 }
bending = { weight = 5e-3 }
pin = [{ select = { ranges = [[10, 20, 1]] }, weight = 100.0 }]
[[force]]
kind = "push"
object = "shell"
select = { ranges = [[70, 80, 1]] }
force = [0.0, 0.03, 0.0]
from = 0.1
to = 0.3
[[collider]]
kind = "block"
centre = [0.6, -0.6, 0.0]
half-extents = [0.3, 0.3, 0.3]
"#;

const BAR: &str = r#"
title = "a bar sags onto a torus"
contact = "project"
frames = 30
[[object]]
name = "bar"
shape = { kind = "bar", width = 2, height = 2, depth = 6 }
normalize = true
tet = { weight = 1000.0, min = 0.95, max = 1.05 }
pin = [{ select = { ranges = [[0, 63, 7]] }, weight = 100.0 }]
[[collider]]
kind = "torus"
centre = [0.0, -0.5, 0.2]
major-radius = 0.3
minor-radius = 0.08
"#;

const BALL: &str = r#"
title = "a ball falls onto the floor"
contact = "project"
frames = 30
[step]
iterations = 5
[[object]]
name = "ball"
shape = { kind = "ball", cells = 3, radius = 0.4 }
mass = { per-vertex = 0.001 }
translate = [0.0, 0.1, 0.0]
tet = { weight = 5000.0, min = 0.9, max = 1.0 }
volume = { weight = 1000.0 }
[[collider]]
kind = "floor"
height = -0.6
"#;

/// All runs.
pub fn runs() -> Vec<Run> {
    let run = |name, text, method, sweeps, allowed| Run { name, text, method, sweeps, allowed };
    vec![
        run("cloth", CLOTH, "a-jacobi-1", 30, [2e-4, 1e-11]),
        run("cloth", CLOTH, "a-jacobi-2", 15, [2e-4, 1e-11]),
        run("shell", SHELL, "chebyshev", 40, [1e-4, 1e-12]),
        run("bar", BAR, "a-jacobi-3", 10, [2e-4, 1e-12]),
        run("bar", BAR, "cholesky", 1, [2e-4, 1e-12]),
        run("ball", BALL, "cholesky", 1, [5e-5, 1e-12]),
        run("ball", BALL, "jacobi", 20, [5e-5, 1e-12]),
    ]
}

fn scene(run: &Run) -> Outcome<Scene> {
    Ok(Scene::parse(run.name, run.text, None, &ModelPaths::default())?)
}

fn host(run: &Run) -> Outcome<Box<dyn Stepper>> {
    let options =
        SolverOptions { iterations: Some(run.sweeps), tolerance: Some(0.0), ..SolverOptions::default() };
    let solver = Registry::standard().create_with(run.method, &options)?;
    Ok(Box::new(ProjectiveDynamics::new(solver)))
}

/// One run with the whole step on the device.
pub fn whole_runs<T: DeviceReal>(device: &Device, run: &Run) -> Outcome<Agreement> {
    let method = Method::by_name(run.method).ok_or("the device has no such method")?;
    let stopping = Stopping { tolerance: 0.0, iterations: run.sweeps };
    let options = JacobiOptions { stopping, ..JacobiOptions::default() };
    let stepper = CudaPd::<T>::new(device, method, options).with_sweeps(run.sweeps);
    compare::<T>(run, format!("{} frames of {}, {}", FRAMES, run.name, run.method), Box::new(stepper))
}

/// One run in the thesis' mixed mode: projections on the device, the solver on the host.
pub fn mixed_mode<T: DeviceReal>(device: &Device, run: &Run) -> Outcome<Agreement> {
    let options =
        SolverOptions { iterations: Some(run.sweeps), tolerance: Some(0.0), ..SolverOptions::default() };
    let solver = Registry::standard().create_with(run.method, &options)?;
    let stepper = ProjectiveDynamics::with_local(Box::new(CudaLocal::<T>::new(device)), solver);
    compare::<T>(run, format!("{} frames of {}, local step alone", FRAMES, run.name), Box::new(stepper))
}

fn compare<T: DeviceReal>(run: &Run, what: String, stepper: Box<dyn Stepper>) -> Outcome<Agreement> {
    let mut on_host = SceneRun::with_stepper(scene(run)?, host(run)?)?;
    let mut on_device = SceneRun::with_stepper(scene(run)?, stepper)?;
    let (mut worst, mut touched): (Real, usize) = (0.0, 0);
    for _ in 0..FRAMES {
        let report = on_host.advance()?;
        on_device.advance()?;
        touched = touched.max(report.collisions);
        let pairs = on_host.sim.state.x.iter().zip(&on_device.sim.state.x);
        worst = pairs.map(|(a, b)| (a - b).norm()).fold(worst, |worst, d| if d <= worst { worst } else { d });
    }
    if touched == 0 {
        return Err(format!("{what}: nothing touched an obstacle, so contacts were not compared").into());
    }
    let allowed = run.allowed[usize::from(T::NAME == "f64")];
    Ok(Agreement::new::<T>(what, worst, allowed))
}
