//! A sheet that tips over and folds onto itself, by several engines in one run: pairs of triangles that cross in each frame, by exact
//! predicates, and processor time of a frame on one thread.
//!
//! `cargo run --release -p benches --features rapier --bin fold_report -- [--size N] [--frames N] [--python PROGRAM]`. The sheet is that
//! of the scene `fold`, with N² cells: the same start, masses, springs and gravity for all; bending, damping and the friction of the
//! floor only where an engine has them in the same units. pypbd runs if the Python named has it (`pip install pypbd numpy`).
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a report program")]

use pd_collide::broad::{BroadPhase, LinearBvh};
use pd_collide::intersect::mesh_intersections;
use pd_core::{Aabb, Vec3};
use pd_sim::scene::desc::{ContactMode, ShapeDesc};
use pd_sim::scene::{Scene, SceneRun, read_desc};
use pd_sim::{ModelPaths, Registry};
use std::error::Error;
use std::fmt::Write as _;
use std::process::Command;

/// The sheet before it falls.
struct Sheet {
    x: Vec<Vec3>,
    edges: Vec<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
    /// Of a vertex, kg.
    mass: f64,
}

/// Springs of the scene, N/m.
const WEIGHT: f64 = 300.0;

/// What an engine did.
#[derive(Default)]
struct Tally {
    frames: usize,
    crossed: usize,
    most: usize,
    last: usize,
    /// Lowest height of the highest vertex, m: that of a sheet that lies.
    height: f64,
}

impl Tally {
    fn look(&mut self, x: &[Vec3], triangles: &[[u32; 3]]) {
        let boxes: Vec<Aabb> = triangles.iter().map(|t| Aabb::of_points(&t.map(|v| x[v as usize]))).collect();
        let (mut tree, mut pairs) = (LinearBvh::default(), vec![]);
        tree.build(&boxes);
        tree.self_pairs(&mut pairs);
        let count = mesh_intersections(x, triangles, &pairs).len();
        self.frames += 1;
        self.crossed += usize::from(count > 0);
        self.most = self.most.max(count);
        self.last = count;
        self.height = x.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
    }

    fn print(&self, engine: &str, ms: f64) {
        println!(
            "| {engine} | {} of {} | {} | {} | {:.3} | {ms:.2} |",
            self.crossed, self.frames, self.most, self.last, self.height
        );
    }
}

/// Processor time of this thread, s.
fn seconds() -> f64 {
    let used = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    used.and_then(|text| text.split(' ').next()?.parse::<f64>().ok()).map_or(f64::NAN, |ns| 1e-9 * ns)
}

fn text(flag: &str) -> Option<String> {
    std::env::args().skip_while(|arg| arg != flag).nth(1)
}

fn number(flag: &str, default: usize) -> usize {
    text(flag).and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn ours(size: usize, frames: usize, mode: ContactMode) -> Result<(Sheet, Tally, f64), Box<dyn Error>> {
    let (mut desc, _) = read_desc("fold")?;
    desc.contact.mode = Some(mode);
    if let ShapeDesc::Grid { rows, columns, .. } = &mut desc.objects[0].shape {
        (*rows, *columns) = (size, size);
    }
    let scene = Scene::from_desc("fold", desc, None, &ModelPaths::default())?;
    let mut run = SceneRun::new(scene, &Registry::standard())?;
    run.prepare()?;
    let object = &run.scene.objects[0];
    let (range, triangles, edges) = (object.range(), object.surface.clone(), object.edges.clone());
    let x = run.sim.state.x[range.clone()].to_vec();
    let sheet = Sheet { mass: 0.2 / x.len() as f64, x, edges, triangles };
    let (mut tally, mut spent) = (Tally::default(), 0.0);
    for _ in 0..frames {
        let started = seconds();
        run.advance()?;
        spent += seconds() - started;
        tally.look(&run.sim.state.x[range.clone()], &sheet.triangles);
    }
    Ok((sheet, tally, 1e3 * spent / frames as f64))
}

/// Soft bodies of rapier: distance constraints along the edges, self-contact at a thickness, m.
fn rapier(sheet: &Sheet, thickness: f64, frames: usize, iterations: usize) -> (Tally, f64) {
    use rapier3d::prelude::*;
    // Natural frequency of a spring between two vertices, Hz.
    let frequency = (WEIGHT / (sheet.mass / 2.0)).sqrt() / std::f64::consts::TAU;
    let positions = sheet.x.iter().map(|p| Vector::new(p.x as f32, p.y as f32, p.z as f32));
    let body = SoftBodyBuilder::new(positions.collect())
        .edges(sheet.edges.clone())
        .surface(sheet.triangles.clone())
        .particle_mass(sheet.mass as f32)
        .particle_radius(0.5 * thickness as f32)
        .softness(SpringCoefficients::new(frequency as f32, 0.0))
        .surface_collider(ColliderBuilder::ball(0.01).friction(0.4))
        .self_contacts(true)
        .linear_damping(0.5)
        .can_sleep(false);
    let mut world = PhysicsWorld::new();
    world.gravity = Vector::new(0.0, -9.8, 0.0);
    world.integration_parameters.dt = 1.0 / 60.0;
    world.integration_parameters.num_solver_iterations = iterations;
    let floor = ColliderBuilder::cuboid(20.0, 0.5, 20.0).friction(0.4);
    world.insert(RigidBodyBuilder::fixed().translation(Vector::new(0.0, -0.5, 0.0)), floor);
    let handle = world.insert_soft_body(body);
    let (mut tally, mut spent) = (Tally::default(), 0.0);
    for _ in 0..frames {
        let started = seconds();
        world.step();
        spent += seconds() - started;
        let place = |p: Vector| pd_core::Vec3::new(f64::from(p.x), f64::from(p.y), f64::from(p.z));
        let x: Vec<pd_core::Vec3> = world.soft_bodies[handle].particle_positions().map(place).collect();
        tally.look(&x, &sheet.triangles);
    }
    (tally, 1e3 * spent / frames as f64)
}

/// PositionBasedDynamics in a Python of its own.
fn pypbd(sheet: &Sheet, frames: usize, setting: &str) -> Result<(Tally, f64), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("fold_report_{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let (mesh, out) = (folder.join("mesh"), folder.join("frames"));
    let mut file = String::new();
    let [v, e, t] = [sheet.x.len(), sheet.edges.len(), sheet.triangles.len()];
    writeln!(file, "{v} {e} {t} {} {WEIGHT}", sheet.mass)?;
    sheet.x.iter().try_for_each(|p| writeln!(file, "{} {} {}", p.x, p.y, p.z))?;
    sheet.edges.iter().try_for_each(|[a, b]| writeln!(file, "{a} {b}"))?;
    sheet.triangles.iter().try_for_each(|[a, b, c]| writeln!(file, "{a} {b} {c}"))?;
    std::fs::write(&mesh, file)?;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../pd-tables/peers/fold_pbd.py");
    let done = Command::new(text("--python").unwrap_or_else(|| "python3".to_owned()))
        .env("OMP_NUM_THREADS", "1")
        .args([script.as_ref(), mesh.as_os_str()])
        .args([&frames.to_string(), setting])
        .arg(&out)
        .output()?;
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    let last = said.lines().last().and_then(|line| line.trim().parse::<f64>().ok());
    let ms = last.ok_or_else(|| String::from_utf8_lossy(&done.stderr).into_owned())?;
    let bytes = std::fs::read(&out)?;
    std::fs::remove_dir_all(&folder)?;
    let numbers: Vec<f64> =
        bytes.chunks_exact(8).map(|b| f64::from_ne_bytes(std::array::from_fn(|k| b[k]))).collect();
    let mut tally = Tally::default();
    for frame in numbers.chunks_exact(3 * v) {
        let x: Vec<Vec3> = frame.chunks_exact(3).map(Vec3::from_column_slice).collect();
        tally.look(&x, &sheet.triangles);
    }
    Ok((tally, ms))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (size, frames) = (number("--size", 40), number("--frames", 150));
    // This thread is the only one of the pool.
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global()?;
    println!("fold of {size}² cells, {frames} frames, one thread");
    println!(
        "| engine | frames with intersections | most pairs | in the last frame | top at the end, m | ms a frame |"
    );
    println!("|---|---:|---:|---:|---:|---:|");
    let (sheet, tally, ms) = ours(size, frames, ContactMode::Guard)?;
    tally.print("`contact = \"guard\"`", ms);
    let (_, tally, ms) = ours(size, frames, ContactMode::Project)?;
    tally.print("`contact = \"project\"` (no self-contact)", ms);
    // The thickness that ours rests at, and that of their own cloth: an edge.
    for (iterations, part) in [(4, 0.2), (16, 0.2), (16, 1.0)] {
        let (tally, ms) = rapier(&sheet, part / size as f64, frames, iterations);
        let engine =
            format!("rapier3d 0.36.1, soft bodies, {iterations} solver iterations, thickness {part} edges");
        tally.print(&engine, ms);
    }
    for setting in ["1x10", "10x1"] {
        match pypbd(&sheet, frames, setting) {
            Ok((tally, ms)) => {
                tally.print(&format!("pypbd 2.2.2, XPBD, substeps x iterations {setting}"), ms)
            }
            Err(error) => eprintln!("pypbd did not run: {error}"),
        }
    }
    Ok(())
}
