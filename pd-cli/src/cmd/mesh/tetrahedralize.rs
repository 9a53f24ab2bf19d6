//! `pd mesh tetrahedralize`: from a surface to a solid.

use super::info::quality_json;
use super::{read_surface, save};
use crate::failure::Failure;
use crate::print_line::{eprint_line, print_line};
use crate::progress::PartProgress;
use pd_mesh::check::repair;
use pd_mesh::quality::TetQuality;
use pd_mesh::tetrahedralize::{NAMES, Options, Size, by_name, tetrahedralize_first_observed};
use pd_mesh::{Mesh, TriMesh};
use pd_sim::ModelPaths;
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  pd mesh tetrahedralize spot.obj spot.msh --cells 30\n  \
    pd mesh tetrahedralize armadillo.obj armadillo.mesh --mesher tetgen,stuffing --switches pq8.0Y\n\n\
    Meshers: stuffing (built in, any surface), tetgen (the program of that name, keeps the surface, AGPL).")]
pub(super) struct Arguments {
    /// Surface to tetrahedralise.
    input: PathBuf,
    /// File for the solid; the extension selects the format.
    output: PathBuf,
    /// Lattice cells along the longest side of the surface; default 20.
    #[arg(long, value_name = "N", group = "size")]
    cells: Option<usize>,
    /// Lattice edge, m.
    #[arg(long, value_name = "H", group = "size")]
    edge: Option<f64>,
    /// Approximate number of tetrahedra.
    #[arg(long, value_name = "N", group = "size")]
    tets: Option<usize>,
    /// Meshers to try in this order.
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "stuffing")]
    mesher: Vec<String>,
    /// TetGen switches.
    #[arg(long, default_value = "pq1.414Y")]
    switches: String,
    /// The TetGen program; default: `tetgen` on PATH.
    #[arg(long, value_name = "PATH")]
    tetgen: Option<PathBuf>,
    /// First weld vertices within this distance, m.
    #[arg(long, value_name = "D")]
    weld: Option<f64>,
    /// First orient triangles consistently.
    #[arg(long)]
    orient: bool,
    /// First fill holes with at most this many edges.
    #[arg(long, value_name = "N")]
    fill_holes: Option<usize>,
    /// Print exactly one JSON object on stdout.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments, models: &ModelPaths) -> Result<(), Failure> {
    if let Some(name) = arguments.mesher.iter().find(|name| by_name(name).is_none()) {
        return Err(Failure::Input(format!(
            "--mesher {name}: there is no such mesher, there are: {}",
            NAMES.join(", ")
        )));
    }
    let mut surface = read_surface(&arguments.input, models)?;
    repair(arguments, &mut surface)?;
    let size = match (arguments.cells, arguments.edge, arguments.tets) {
        (Some(cells), ..) => Size::Cells(cells),
        (_, Some(edge), _) => Size::Edge(edge),
        (_, _, Some(tets)) => Size::Tets(tets),
        _ => Size::Cells(20),
    };
    let options = Options {
        size,
        tetgen_switches: arguments.switches.clone(),
        tetgen_program: arguments.tetgen.clone(),
        ..Options::default()
    };
    let names: Vec<&str> = arguments.mesher.iter().map(String::as_str).collect();
    let started = Instant::now();
    let bar = PartProgress::new(format!("filling {} triangles", surface.triangles.len()), arguments.json);
    let made = tetrahedralize_first_observed(&names, &surface, &options, &mut |part| bar.show(part));
    bar.finish();
    let made =
        made.map_err(|error| Failure::Simulation(format!("{}: {error}", arguments.input.display())))?;
    let seconds = started.elapsed().as_secs_f64();
    for (name, reason) in &made.refused {
        eprint_line(format_args!("pd: {name} failed: {reason}"));
    }
    let quality = TetQuality::new(&made.mesh);
    let (vertices, tets) = (made.mesh.positions.len(), made.mesh.tets.len());
    save(&arguments.output, &Mesh::Tet(made.mesh))?;
    if arguments.json {
        let refused: Vec<_> =
            made.refused.iter().map(|(name, reason)| json!({ "mesher": name, "reason": reason })).collect();
        return print_line(json!({
            "output": arguments.output.display().to_string(),
            "mesher": made.mesher,
            "refused": refused,
            "vertices": vertices,
            "tetrahedra": tets,
            "seconds": seconds,
            "quality": quality_json(&quality),
        }));
    }
    print_line(format_args!(
        "{}: {vertices} vertices, {tets} tetrahedra by {} in {seconds:.2} s; dihedral angles {:.1}° to {:.1}°, {} inverted",
        arguments.output.display(),
        made.mesher,
        quality.min_dihedral,
        quality.max_dihedral,
        quality.inverted
    ))
}

fn repair(arguments: &Arguments, surface: &mut TriMesh) -> Result<(), Failure> {
    if let Some(distance) = arguments.weld {
        let went =
            repair::weld(surface, distance).map_err(|error| Failure::Input(format!("--weld: {error}")))?;
        eprint_line(format_args!("welded: {went} vertices removed"));
    }
    if arguments.orient {
        eprint_line(format_args!("oriented: {} triangles flipped", repair::orient(surface)));
    }
    if let Some(sides) = arguments.fill_holes {
        eprint_line(format_args!("filled: {} holes", repair::fill_holes(surface, sides)));
    }
    Ok(())
}
