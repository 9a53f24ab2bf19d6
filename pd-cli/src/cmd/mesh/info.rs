//! `pd mesh info`: counts, extent, and the quality of a solid with histograms.

use super::{find, kind};
use crate::failure::Failure;
use crate::print_line::print_line;
use pd_mesh::io::{self, MeshData};
use pd_mesh::quality::{Histogram, TetQuality};
use pd_mesh::{Mesh, Vec3, topology};
use pd_sim::ModelPaths;
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Example:\n  pd mesh info body.msh --json")]
pub(super) struct Arguments {
    /// Mesh file.
    file: PathBuf,
    /// Print exactly one JSON object on stdout.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments, models: &ModelPaths) -> Result<(), Failure> {
    let path = find(&arguments.file, models);
    let data = io::read_path_with_columns(&path).map_err(|error| Failure::Input(error.to_string()))?;
    let facts = facts(&data);
    if arguments.json {
        return print_line(facts);
    }
    print_line(format_args!("{}", path.display()))?;
    let line = |name: &str, value: &Value| print_line(format_args!("{name:<18} {value}"));
    for name in ["vertices", "triangles", "tetrahedra", "edges", "pieces", "boundary_edges", "unreferenced"] {
        if let Some(value) = facts.get(name) {
            line(name, value)?;
        }
    }
    for name in ["low", "high", "area_m2", "volume_m3", "vertex_columns", "element_columns", "groups"] {
        if let Some(value) = facts.get(name) {
            line(name, value)?;
        }
    }
    let Mesh::Tet(solid) = &data.mesh else { return Ok(()) };
    let quality = TetQuality::new(solid);
    print_line(format_args!("inverted           {}", quality.inverted))?;
    print_line(format_args!(
        "dihedral angle     {:.2}° to {:.2}°",
        quality.min_dihedral, quality.max_dihedral
    ))?;
    chart(&quality.dihedral, "°")?;
    print_line(format_args!("aspect ratio       at most {:.2}", quality.max_aspect))?;
    chart(&quality.aspect, "")?;
    print_line(format_args!(
        "volume             {:.3e} to {:.3e} m³",
        quality.min_volume, quality.max_volume
    ))?;
    chart(&quality.volume, " m³")
}

/// All facts as JSON.
fn facts(data: &MeshData) -> Value {
    let mesh = &data.mesh;
    let positions = mesh.positions();
    let low = positions.iter().fold(Vec3::repeat(f64::INFINITY), |low, x| low.inf(x));
    let high = positions.iter().fold(Vec3::repeat(f64::NEG_INFINITY), |high, x| high.sup(x));
    let (edges, pieces, surface) = match mesh {
        Mesh::Tri(mesh) => {
            (mesh.edges(), topology::components(positions.len(), &mesh.triangles), mesh.clone())
        }
        Mesh::Tet(mesh) => {
            (mesh.edges(), topology::components(positions.len(), &mesh.tets), mesh.surface_mesh())
        }
    };
    let mut used = vec![false; positions.len()];
    for &[a, b] in &edges {
        used[a as usize] = true;
        used[b as usize] = true;
    }
    let names = |columns: &[io::Column]| columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
    let boundary = surface.boundary_edges().len();
    let mut facts = json!({
        "vertices": positions.len(),
        kind(mesh): mesh.element_count(),
        "edges": edges.len(),
        "pieces": pieces,
        "boundary_edges": boundary,
        "unreferenced": used.iter().filter(|used| !**used).count(),
        "low": [low.x, low.y, low.z],
        "high": [high.x, high.y, high.z],
        "area_m2": surface.face_areas().iter().sum::<f64>(),
        "vertex_columns": names(&data.vertex_columns),
        "element_columns": names(&data.element_columns),
        "groups": data.groups.iter().map(|group| group.name.clone()).collect::<Vec<_>>(),
    });
    if boundary == 0 {
        facts["volume_m3"] = json!(surface.enclosed_volume());
    }
    if let Mesh::Tet(solid) = mesh {
        facts["quality"] = quality_json(&TetQuality::new(solid));
    }
    facts
}

/// The quality of a solid as JSON. Infinite values become null.
pub(super) fn quality_json(quality: &TetQuality) -> Value {
    let histogram = |h: &Histogram| json!({ "low": h.low, "high": h.high, "counts": h.counts });
    json!({
        "inverted": quality.inverted,
        "min_dihedral_deg": quality.min_dihedral,
        "max_dihedral_deg": quality.max_dihedral,
        "max_aspect": quality.max_aspect,
        "min_volume_m3": quality.min_volume,
        "max_volume_m3": quality.max_volume,
        "total_volume_m3": quality.total_volume,
        "dihedral": histogram(&quality.dihedral),
        "aspect": histogram(&quality.aspect),
        "volume": histogram(&quality.volume),
    })
}

/// A histogram as bars of at most 50 characters.
fn chart(histogram: &Histogram, unit: &str) -> Result<(), Failure> {
    let most = histogram.counts.iter().copied().max().unwrap_or(0).max(1);
    for (bin, &count) in histogram.counts.iter().enumerate() {
        let start = histogram.bin_start(bin);
        let start =
            if start != 0.0 && start.abs() < 0.1 { format!("{start:.2e}") } else { format!("{start:.4}") };
        // Rounded up, so that what is there can be seen.
        let bar = "#".repeat((count * 50).div_ceil(most));
        print_line(format_args!("  {start:>10}{unit:<3} {count:>9} {bar}"))?;
    }
    Ok(())
}
