//! `pd mesh decimate`: fewer triangles for the same shape.

use super::{read_surface, write};
use crate::failure::Failure;
use crate::progress::PartProgress;
use pd_mesh::{Mesh, decimate};
use pd_sim::ModelPaths;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Example:\n  pd mesh decimate scan.ply small.obj --triangles 5000")]
pub(super) struct Arguments {
    /// Surface to decimate; of a solid, its boundary.
    input: PathBuf,
    /// File to write; the extension selects the format.
    output: PathBuf,
    /// Approximate number of triangles to keep.
    #[arg(long, value_name = "N")]
    triangles: usize,
    /// Print exactly one JSON object on stdout.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments, models: &ModelPaths) -> Result<(), Failure> {
    let surface = read_surface(&arguments.input, models)?;
    let bar =
        PartProgress::new(format!("thinning out {} triangles", surface.triangles.len()), arguments.json);
    let coarse = decimate::decimate_observed(&surface, arguments.triangles, &mut |part| bar.show(part));
    bar.finish();
    let coarse = coarse.map_err(|error| Failure::Input(format!("{}: {error}", arguments.input.display())))?;
    write(&arguments.output, &Mesh::Tri(coarse), arguments.json)
}
