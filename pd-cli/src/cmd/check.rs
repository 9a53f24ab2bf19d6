//! `pd check`: lists defects that would harm a run. Exit code 1 if there are any.

use crate::cmd::mesh;
use crate::failure::Failure;
use crate::print_line::print_line;
use pd_mesh::check::{self, Report};
use pd_mesh::io::write_atomically;
use pd_mesh::{Mesh, MeshError};
use pd_sim::scene::{Crossing, Scene, SceneRun};
use pd_sim::{ModelPaths, Registry, SceneError};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  pd check bunny\n  pd check scan.obj --ply defects.ply\n  pd check my_scene.toml --json"
)]
pub(crate) struct Arguments {
    /// Name of a built-in scene, path of a .toml file, or a mesh file.
    target: String,
    /// Write the surface with defects coloured (of a scene: the first body with defects).
    #[arg(long, value_name = "FILE.ply")]
    ply: Option<PathBuf>,
    /// Print exactly one JSON object on stdout.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, models: &ModelPaths) -> Result<(), Failure> {
    let Checked { bodies, faults, crossings } = match bodies(&arguments.target, models) {
        Ok(found) => found,
        // A wrong scene is a defect; an unreadable file is a failure.
        Err(failure) => {
            if let (true, Failure::Simulation(fault)) = (arguments.json, &failure) {
                print_line(
                    json!({ "target": arguments.target, "clean": false, "faults": [fault], "bodies": [] }),
                )?;
            }
            return Err(failure);
        }
    };
    let reports: Vec<(String, Mesh, Report)> = bodies
        .into_iter()
        .map(|(name, mesh)| {
            let report = match &mesh {
                Mesh::Tri(surface) => check::check_tri(surface),
                Mesh::Tet(solid) => check::check_tet(solid),
            };
            (name, mesh, report)
        })
        .collect();
    if let Some(path) = &arguments.ply {
        paint(path, &reports)?;
    }
    let faulty = reports.iter().filter(|(_, _, report)| !report.is_clean()).count()
        + usize::from(!crossings.is_empty());
    if arguments.json {
        let bodies: Vec<Value> =
            reports.iter().map(|(name, mesh, report)| body(name, mesh, report)).collect();
        let clean = faulty == 0 && faults.is_empty();
        let mut found =
            json!({ "target": arguments.target, "clean": clean, "faults": faults, "bodies": bodies });
        if !crossings.is_empty() {
            let pair = |c: &Crossing| json!({ "bodies": c.bodies, "triangles": c.triangles });
            let pairs: Vec<Value> = crossings.iter().take(MOST).map(pair).collect();
            found["intersections"] = json!({ "count": crossings.len(), "pairs": pairs });
        }
        print_line(found)?;
    } else {
        faults.iter().try_for_each(print_line)?;
        if !crossings.is_empty() {
            print_line(format_args!("{} pairs of triangles intersect at the start:", crossings.len()))?;
            for crossing in crossings.iter().take(SHOWN) {
                print_line(format_args!("  {crossing}"))?;
            }
        }
        for (name, _, report) in &reports {
            print_line(format_args!("{name}: {}", report.to_string().trim_end()))?;
        }
    }
    if faulty == 0 && faults.is_empty() {
        Ok(())
    } else {
        Err(Failure::Simulation(format!("{}: faults found", arguments.target)))
    }
}

/// Smallest initial overlap of rigid bodies that is reported, m: smaller ones are resolved without visible motion.
const OVERLAP: f64 = 1e-3;

/// Maximum number of intersecting pairs in JSON and in text output.
const MOST: usize = 100;
const SHOWN: usize = 10;

/// What there is to check.
struct Checked {
    /// Names and meshes.
    bodies: Vec<(String, Mesh)>,
    /// In words: rigid bodies that overlap at the start, bodies that lie in obstacles, vertices that nothing holds, and why a run would not start.
    faults: Vec<String>,
    /// Triangles that intersect at the start, with intersection-free contact.
    crossings: Vec<Crossing>,
}

fn bodies(target: &str, models: &ModelPaths) -> Result<Checked, Failure> {
    let path = Path::new(target);
    let is_mesh = path.extension().is_some_and(|extension| extension != "toml" && extension != "urdf");
    if is_mesh {
        let mesh = pd_mesh::io::read_path(mesh::find(path, models))
            .map_err(|error| Failure::Input(error.to_string()))?;
        return Ok(Checked { bodies: vec![(target.to_owned(), mesh)], faults: vec![], crossings: vec![] });
    }
    let scene = Scene::load(target, models)?;
    let mut faults = scene.body_overlaps(OVERLAP)?;
    let apart = !scene.objects.is_empty() && scene.desc.contact_mode().keeps_apart();
    let (mut crossings, mut immersed) = (vec![], false);
    if apart {
        let x = scene.initial_state().x;
        crossings = scene.crossings(&x)?;
        let found = scene.immersions(&x, 0.0)?;
        immersed = !found.is_empty();
        faults.extend(found.iter().map(ToString::to_string));
        faults.extend(scene.loose_vertices().iter().map(|(name, count)| {
            format!("{name:?} has {count} vertices that belong to no element: they fall through everything")
        }));
    }
    let bodies = scene.objects.iter().map(|object| (object.name.clone(), object.mesh.clone())).collect();
    // What `pd run` looks at before its first frame; it refuses crossings and immersions too, which are listed already.
    if !immersed {
        match SceneRun::new(scene, &Registry::standard())?.prepare() {
            Err(SceneError::Intersecting { .. }) if !crossings.is_empty() => {}
            Err(error) => faults.push(error.to_string()),
            Ok(()) => {}
        }
    }
    Ok(Checked { bodies, faults, crossings })
}

fn paint(path: &Path, reports: &[(String, Mesh, Report)]) -> Result<(), Failure> {
    let with_faults = reports.iter().find(|(_, _, report)| !report.findings.is_empty());
    let Some((_, mesh, report)) = with_faults.or(reports.first()) else {
        return Err(Failure::Input(MeshError::NoVertices.to_string()));
    };
    write_atomically(path, |out| check::painted(out, mesh, report))
        .map_err(|error| Failure::file(path, error))
}

/// A report as JSON: every kind of defect that occurs, with at most 100 locations.
fn body(name: &str, mesh: &Mesh, report: &Report) -> Value {
    let mut findings = serde_json::Map::new();
    for finding in &report.findings {
        let places: Vec<_> = finding.places.iter().take(100).collect();
        findings.insert(
            finding.defect.key().to_owned(),
            json!({ "count": finding.places.len(), "fault": finding.defect.is_fault(), "more": finding.more, "places": places }),
        );
    }
    json!({
        "name": name,
        "vertices": report.vertices,
        mesh::kind(mesh): report.elements,
        "pieces": report.components,
        "clean": report.is_clean(),
        "findings": findings,
    })
}
