//! `pd check`: what would spoil a run, each named. Exit code 1 if there is any.

use crate::cmd::mesh;
use crate::failure::Failure;
use crate::say::say;
use pd_mesh::check::{self, Report};
use pd_mesh::io::write_atomically;
use pd_mesh::{Mesh, MeshError};
use pd_sim::scene::Scene;
use pd_sim::{ModelPaths, SceneError};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  pd check bunny\n  pd check scan.obj --ply defects.ply\n  pd check my_scene.toml --json"
)]
pub(crate) struct Arguments {
    /// Name of a built-in scene, path of a .toml file, or a mesh file.
    target: String,
    /// Write the surface coloured by its defects (of a scene: of its first body with any).
    #[arg(long, value_name = "FILE.ply")]
    ply: Option<PathBuf>,
    /// Print one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, models: &ModelPaths) -> Result<(), Failure> {
    let bodies = match bodies(&arguments.target, models) {
        Ok(bodies) => bodies,
        // A value that makes no sense is a finding; a file that cannot be read is not.
        Err(SceneError::Value { file, field, what }) => {
            let fault = format!("{file}: {field}: {what}");
            if arguments.json {
                say(json!({ "target": arguments.target, "clean": false, "faults": [fault], "bodies": [] }))?;
            }
            return Err(Failure::Simulation(fault));
        }
        Err(error) => return Err(error.into()),
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
    let faulty = reports.iter().filter(|(_, _, report)| !report.is_clean()).count();
    if arguments.json {
        let bodies: Vec<Value> =
            reports.iter().map(|(name, mesh, report)| body(name, mesh, report)).collect();
        say(json!({ "target": arguments.target, "clean": faulty == 0, "faults": [], "bodies": bodies }))?;
    } else {
        for (name, _, report) in &reports {
            say(format_args!("{name}: {}", report.to_string().trim_end()))?;
        }
    }
    if faulty == 0 { Ok(()) } else { Err(Failure::Simulation(format!("{}: faults found", arguments.target))) }
}

/// Names and meshes of what is to be checked.
fn bodies(target: &str, models: &ModelPaths) -> Result<Vec<(String, Mesh)>, SceneError> {
    let path = Path::new(target);
    let is_mesh = path.extension().is_some_and(|extension| extension != "toml");
    if is_mesh {
        let mesh = pd_mesh::io::read_path(mesh::find(path, models))
            .map_err(|error| SceneError::Mesh(error.to_string()))?;
        return Ok(vec![(target.to_owned(), mesh)]);
    }
    let scene = Scene::load(target, models)?;
    // Weights, masses and pins are looked at when the model is built.
    scene.model(0.0)?;
    Ok(scene.objects.into_iter().map(|object| (object.name, object.mesh)).collect())
}

fn paint(path: &Path, reports: &[(String, Mesh, Report)]) -> Result<(), Failure> {
    let with_faults = reports.iter().find(|(_, _, report)| !report.findings.is_empty());
    let Some((_, mesh, report)) = with_faults.or(reports.first()) else {
        return Err(Failure::Input(MeshError::NoVertices.to_string()));
    };
    write_atomically(path, |out| check::painted(out, mesh, report))
        .map_err(|error| Failure::file(path, error))
}

/// A report as data: every kind that occurs, with at most 100 places.
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
