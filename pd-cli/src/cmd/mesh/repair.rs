//! `pd mesh repair`: weld, drop, orient and fill a surface, and report the changes.

use super::{read_surface, save};
use crate::failure::Failure;
use crate::print_line::print_line;
use pd_mesh::check::repair;
use pd_mesh::{Mesh, check};
use pd_sim::ModelPaths;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(
    after_help = "Duplicate triangles are always removed, and triangles are always oriented consistently. Welding changes vertex \
    indices.\n\nExample:\n  pd mesh repair scan.stl scan.obj --weld 1e-6 --fill-holes 12"
)]
pub(super) struct Arguments {
    /// Surface to repair; of a solid, its boundary.
    input: PathBuf,
    /// File to write; the extension selects the format.
    output: PathBuf,
    /// Weld vertices within this distance, m; 0 welds only equal positions. Default: no welding.
    #[arg(long, value_name = "DISTANCE")]
    weld: Option<f64>,
    /// Drop triangles with at most this height, m.
    #[arg(long, value_name = "HEIGHT", default_value_t = 0.0)]
    slivers: f64,
    /// Fill holes with at most this many edges.
    #[arg(long, value_name = "SIDES", default_value_t = 0)]
    fill_holes: usize,
    /// Print exactly one JSON object on stdout.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments, models: &ModelPaths) -> Result<(), Failure> {
    let mut surface = read_surface(&arguments.input, models)?;
    let failed =
        |error: &dyn std::fmt::Display| Failure::Input(format!("{}: {error}", arguments.input.display()));
    if !(arguments.slivers >= 0.0 && arguments.slivers.is_finite()) {
        return Err(failed(&format!("--slivers {} is not a height of 0 or more", arguments.slivers)));
    }
    let welded = match arguments.weld {
        Some(distance) => repair::weld(&mut surface, distance).map_err(|error| failed(&error))?,
        None => 0,
    };
    let slivers = repair::drop_slivers(&mut surface, arguments.slivers);
    let doubled = repair::drop_duplicates(&mut surface);
    let turned = repair::orient(&mut surface);
    let filled =
        if arguments.fill_holes > 0 { repair::fill_holes(&mut surface, arguments.fill_holes) } else { 0 };
    if surface.triangles.is_empty() {
        return Err(failed(&"nothing is left after the repair"));
    }
    let clean = check::check_tri(&surface).is_clean();
    let (vertices, triangles) = (surface.positions.len(), surface.triangles.len());
    save(&arguments.output, &Mesh::Tri(surface))?;
    if arguments.json {
        return print_line(serde_json::json!({
            "output": arguments.output.display().to_string(), "vertices": vertices, "triangles": triangles,
            "welded": welded, "slivers": slivers, "doubled": doubled, "turned": turned, "filled": filled, "clean": clean
        }));
    }
    print_line(format_args!(
        "{}: {vertices} vertices, {triangles} triangles\n{welded} vertices welded, {slivers} slivers and {doubled} doubled \
         triangles dropped, {turned} triangles turned, {filled} holes filled; {}",
        arguments.output.display(),
        if clean { "no faults remain" } else { "faults remain, `pd check` lists them" }
    ))
}
