//! The tables of the thesis on a device: 7.2 (frames per second), 7.3 (local step), 7.4 and 7.5 (solvers).

use super::Outcome;
use crate::{CudaLocal, CudaPd, Device, DeviceReal, Method};
use pd_constraints::{StrainRange, TetStrain};
use pd_core::{CpuLocal, LinearError, LocalInput, LocalStep, Model, Real, StepError, Vec3};
use pd_linear::JacobiOptions;
use pd_sim::scene::{Scene, SceneRun};
use pd_sim::{ModelPaths, SceneError};
use std::fmt::Write;
use std::time::Instant;

/// How much of the tables is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableScale<'a> {
    /// Frames per scene.
    pub frames: u64,
    /// Scenes of table 7.2.
    pub scenes: &'a [&'a str],
    /// Scenes of tables 7.4 and 7.5.
    pub solver_scenes: &'a [&'a str],
    /// Tetrahedra of table 7.3, in cubes of five.
    pub cubes: &'a [usize],
}

impl TableScale<'static> {
    /// All rows whose meshes are generated, or shipped, with their twins for the others.
    pub fn full() -> Self {
        Self {
            frames: 120,
            scenes: &[
                "cloth-pair",
                "cloth-pair-wind",
                "cloth-140",
                "hemispheres",
                "tubes",
                "bar",
                "bridge",
                "ball",
                "sandbox",
                "bunny-twin",
                "armadillo-free-twin",
                "dragon-twin",
            ],
            solver_scenes: &["cloths-8", "cloth-100", "tubes", "ball", "bunny-twin"],
            cubes: &[1_600, 3_200, 8_000, 15_600, 40_000],
        }
    }
}

/// The tables as Markdown.
pub fn tables<T: DeviceReal>(device: &Device, scale: &TableScale<'_>) -> Outcome<String> {
    let mut text = String::new();
    writeln!(text, "## Table 7.2: frames per second ({}, a-jacobi-1 and the direct solve)\n", T::NAME)?;
    writeln!(
        text,
        "| scene | vertices | constraints | prepare ms | ms a frame, a-jacobi-1 | ms a frame, direct |"
    )?;
    writeln!(text, "|---|---|---|---|---|---|")?;
    for name in scale.scenes {
        let iterative = measure::<T>(device, name, Method::AJacobi { order: 1 }, scale.frames)?;
        let direct = measure::<T>(device, name, Method::Cholesky, scale.frames)?;
        let Cell { vertices, constraints, prepare_ms, .. } = iterative;
        let (a, b) = (iterative.time(), direct.time());
        writeln!(text, "| {name} | {vertices} | {constraints} | {prepare_ms:.0} | {a} | {b} |")?;
    }
    writeln!(
        text,
        "\n## Table 7.3: local step of tetrahedra, ms\n\n| tetrahedra | host | device | copies included |"
    )?;
    writeln!(text, "|---|---|---|---|")?;
    for &cubes in scale.cubes {
        let (tets, host, device) = local_step::<T>(device, cubes)?;
        writeln!(text, "| {tets} | {host:.3} | {device:.3} | yes |")?;
    }
    writeln!(text, "\n## Tables 7.4 and 7.5: ms a frame by solver\n")?;
    writeln!(
        text,
        "| scene | direct | Jacobi | A-Jacobi 1 | A-Jacobi 2 | A-Jacobi 3 | PCG |\n|---|---|---|---|---|---|---|"
    )?;
    for name in scale.solver_scenes {
        write!(text, "| {name} |")?;
        let orders = [1, 2, 3].map(|order| Method::AJacobi { order });
        for method in [&[Method::Cholesky, Method::Jacobi][..], &orders, &[Method::Pcg]].concat() {
            write!(text, " {} |", measure::<T>(device, name, method, scale.frames)?.time())?;
        }
        writeln!(text)?;
    }
    Ok(text)
}

/// One cell of a table.
struct Cell {
    vertices: usize,
    constraints: usize,
    prepare_ms: Real,
    outcome: Result<Real, &'static str>,
}

impl Cell {
    fn time(&self) -> String {
        match self.outcome {
            Ok(ms) => format!("{ms:.3} ({:.0} FPS)", 1e3 / ms),
            Err(why) => why.to_owned(),
        }
    }
}

/// Frames of a scene with the state left on the device where no force needs it on the host.
fn measure<T: DeviceReal>(device: &Device, name: &str, method: Method, frames: u64) -> Outcome<Cell> {
    let scene = Scene::load(name, &ModelPaths::from_env(vec![]))?;
    let mut options = JacobiOptions::default();
    options.stopping.tolerance = 1e-4;
    let stepper = CudaPd::<T>::new(device, method, options);
    let mut run = SceneRun::with_stepper(scene, Box::new(stepper))?;
    let (vertices, constraints) = (run.scene.vertices(), run.sim.model.constraints());
    let started = Instant::now();
    let prepared = run.prepare();
    let prepare_ms = started.elapsed().as_secs_f64() * 1e3;
    let mut outcome = prepared.map(|()| 0.0);
    let started = Instant::now();
    for _ in 0..frames {
        if outcome.is_ok() {
            outcome = run.advance().map(|_| 0.0);
        }
    }
    let ms = started.elapsed().as_secs_f64() * 1e3 / frames.max(1) as Real;
    let outcome = match outcome {
        Ok(_) => Ok(ms),
        Err(SceneError::Step(StepError::Linear(LinearError::TooLarge { .. }))) => Err("too large"),
        Err(SceneError::Step(
            StepError::Linear(LinearError::Diverged { .. }) | StepError::NotFinite { .. },
        )) => Err("diverges"),
        Err(error) => return Err(error.into()),
    };
    Ok(Cell { vertices, constraints, prepare_ms, outcome })
}

/// Tetrahedra, and the median ms of a local step on one thread of the host and on the device.
fn local_step<T: DeviceReal>(device: &Device, cubes: usize) -> Outcome<(usize, Real, Real)> {
    let side = 10;
    let mesh = pd_mesh::generate::bar(side, side, (cubes / (side * side)).max(1), 0.1)?;
    let strain = TetStrain::new(&mesh.positions, &mesh.tets, 1000.0, StrainRange::uniform(0.95, 1.05))?;
    let model = Model::builder(&mesh.positions, 1.0).energy(strain).build()?;
    let x: Vec<Vec3> = mesh.positions.iter().map(|p| p.component_mul(&Vec3::new(1.2, 0.9, 1.0))).collect();
    let input = LocalInput { model: &model, dt: 1.0 / 60.0, s: &mesh.positions, x: &x };
    let median = |local: &mut dyn LocalStep| -> Outcome<Real> {
        let mut b = vec![Vec3::zeros(); x.len()];
        local.prepare(&model)?;
        local.run(input, &mut b)?;
        let mut times = vec![];
        for _ in 0..9 {
            let started = Instant::now();
            local.run(input, &mut b)?;
            times.push(started.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(Real::total_cmp);
        Ok(times[4])
    };
    let host = median(&mut CpuLocal::default())?;
    Ok((mesh.tets.len(), host, median(&mut CudaLocal::<T>::new(device))?))
}
