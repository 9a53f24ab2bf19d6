//! Rapier's soft bodies: the cloth as distance constraints, the solid as corotational cells.
//!
//! `rapier-peer cloth|solid MESH FRAMES SECONDS SETTING` answers in lines of JSON; see `pd_tables::peers`. The setting is the
//! number of substeps for the cloth, `constraints` or `fem` for the solid.

use rapier3d::prelude::*;
use std::time::{Duration, Instant};

const DT: f32 = 1.0 / 60.0;
const VERTEX_MASS: f32 = 0.001;
const ENGINE: &str = "Rapier 0.36 (soft bodies, f32)";

struct Mesh {
    x: Vec<Vector>,
    pins: Vec<u32>,
    edges: Vec<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
    tets: Vec<[u32; 4]>,
}

fn read(path: &str) -> Option<Mesh> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut lines = text.lines();
    let counts: Vec<usize> = lines.next()?.split(' ').filter_map(|w| w.parse().ok()).collect();
    let &[v, p, e, f, t, _] = &counts[..] else { return None };
    let mut rows = |count: usize| -> Vec<Vec<f64>> {
        let parse = |line: &str| line.split(' ').filter_map(|w| w.parse().ok()).collect();
        lines.by_ref().take(count).map(parse).collect()
    };
    fn indices<const N: usize>(rows: Vec<Vec<f64>>) -> Vec<[u32; N]> {
        rows.iter().map(|r| std::array::from_fn(|k| r[k] as u32)).collect()
    }
    Some(Mesh {
        x: rows(v).iter().map(|r| Vector::new(r[0] as f32, r[1] as f32, r[2] as f32)).collect(),
        pins: rows(p).iter().map(|r| r[0] as u32).collect(),
        edges: indices(rows(e)),
        triangles: indices(rows(f)),
        tets: indices(rows(t)),
    })
}

/// `"p99": …` and, for solids, `"volume": …, "inverted": …`; as `pd_tables::quality`.
fn quality(mesh: &Mesh, x: &[Vector]) -> String {
    if x.iter().any(|p| !p.is_finite() || p.length() > 1e6) {
        return "\"p99\": null".into();
    }
    let length = |p: &[Vector], [i, j]: [u32; 2]| f64::from((p[i as usize] - p[j as usize]).length());
    let lengths = mesh.edges.iter().map(|&e| (length(&mesh.x, e), length(x, e)));
    let mut strain: Vec<f64> = lengths.filter(|l| l.0 > 1e-5).map(|(rest, now)| (now / rest - 1.0).abs()).collect();
    strain.sort_by(f64::total_cmp);
    let at = ((strain.len() as f64 * 0.99).ceil() as usize).saturating_sub(1);
    let mut out = format!("\"p99\": {}", strain.get(at).copied().unwrap_or(0.0));
    if !mesh.tets.is_empty() {
        let volume = |p: &[Vector], t: &[u32; 4]| {
            let [a, b, c, d] = t.map(|v| p[v as usize]);
            f64::from((a - d).dot((b - d).cross(c - d))) / 6.0
        };
        let (mut before, mut now, mut inverted) = (0.0, 0.0, 0);
        for tet in &mesh.tets {
            let (v0, v) = (volume(&mesh.x, tet), volume(x, tet));
            before += v0.abs();
            now += v * v0.signum();
            inverted += usize::from(v * v0 <= 0.0);
        }
        out += &format!(", \"volume\": {}, \"inverted\": {inverted}", now / before);
    }
    out
}

/// Natural frequency of a spring of `stiffness` N/m between two vertices, Hz: the softness is relative to its reduced mass.
fn frequency(stiffness: f32) -> f32 {
    (stiffness / (VERTEX_MASS / 2.0)).sqrt() / std::f32::consts::TAU
}

/// Runs the frames, or as many as end before `until`. The first is not counted: set-up is left to it.
fn run(mesh: &Mesh, frames: usize, until: Instant, substeps: usize, body: SoftBodyBuilder) {
    println!("{{\"engine\": \"{ENGINE}\", \"begun\": \"finished\"}}");
    let mut world = PhysicsWorld::new();
    world.gravity = Vector::new(0.0, -9.8, 0.0);
    world.integration_parameters.dt = DT;
    world.integration_parameters.num_solver_iterations = substeps;
    if !mesh.tets.is_empty() {
        let floor = ColliderBuilder::cuboid(20.0, 0.5, 20.0).friction(0.0);
        world.insert(RigidBodyBuilder::fixed().translation(Vector::new(0.0, -1.5, 0.0)), floor);
    }
    let handle = world.insert_soft_body(body);
    world.step();
    let (begun, mut longest, mut done) = (Instant::now(), Duration::ZERO, 1);
    // Another frame only while there is time for one as long as the longest.
    while done < frames && (done < 2 || Instant::now() + longest < until) {
        let started = Instant::now();
        world.step();
        longest = longest.max(started.elapsed());
        done += 1;
    }
    let ms = begun.elapsed().as_secs_f64() * 1e3 / (done - 1).max(1) as f64;
    let x: Vec<Vector> = world.soft_bodies[handle].particle_positions().collect();
    println!("{{\"engine\": \"{ENGINE}\", \"frames\": {done}, \"ms\": {ms}, {}}}", quality(mesh, &x));
}

fn main() {
    let started = Instant::now();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [task, path, frames, seconds, setting] = &words[..] else {
        panic!("cloth|solid MESH FRAMES SECONDS SETTING")
    };
    println!("{{\"engine\": \"{ENGINE}\", \"begun\": \"loaded\"}}");
    let mesh = read(path).expect("a mesh as pd tables writes it");
    let frames = frames.parse().expect("a number of frames");
    // A part of the time is kept for the last words.
    let until = started + Duration::from_secs_f64(0.9 * seconds.parse::<f64>().expect("seconds"));
    let base = SoftBodyBuilder::new(mesh.x.clone())
        .surface(mesh.triangles.clone())
        .pinned_particles(mesh.pins.iter().copied())
        .particle_mass(VERTEX_MASS)
        .self_contacts(false)
        .can_sleep(false);
    if task == "cloth" {
        let softness = SpringCoefficients::new(frequency(1500.0), 0.0);
        let body = base.edges(mesh.edges.clone()).softness(softness).no_surface_collider();
        run(&mesh, frames, until, setting.parse().expect("a number of substeps"), body);
    } else {
        let solver = if setting == "fem" { SoftBodySolver::Fem } else { SoftBodySolver::Constraints };
        let material = SoftBodyMaterial {
            young_modulus: 1e4,
            poisson_ratio: 0.0,
            elastic_damping_ratio: 0.0,
            ..Default::default()
        };
        let body = base
            .cells(mesh.tets.clone())
            .cell_model(SoftBodyCellModel::Corotational)
            .solver(solver)
            .material(material);
        run(&mesh, frames, until, 4, body);
    }
}
