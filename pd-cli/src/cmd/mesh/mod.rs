//! `pd mesh`: inspect, convert, tetrahedralise, generate, decimate or repair a mesh.

mod decimate;
mod generate;
mod info;
mod repair;
mod tetrahedralize;

use crate::failure::Failure;
use crate::print_line::print_line;
use clap::Subcommand;
use pd_mesh::{Mesh, io};
use pd_sim::ModelPaths;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  pd mesh info spot.obj\n  pd mesh tetrahedralize spot.obj spot.msh --tets 8000\n  \
    pd mesh convert body.msh body.vtu\n  pd mesh generate torus ring.ply --counts 48,24 --sizes 1,0.4\n  \
    pd mesh decimate scan.ply small.obj --triangles 5000\n  \
    pd mesh repair scan.stl scan.obj --weld 1e-6 --fill-holes 12"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Counts, extent and quality of a mesh file.
    Info(info::Arguments),
    /// Convert a mesh file to the format given by the extension.
    Convert(Convert),
    /// Tetrahedralise a closed or nearly closed surface.
    Tetrahedralize(tetrahedralize::Arguments),
    /// Generate a mesh.
    Generate(generate::Arguments),
    /// Reduce the number of triangles.
    Decimate(decimate::Arguments),
    /// Repair a surface: weld, drop, orient, fill holes.
    Repair(repair::Arguments),
}

#[derive(clap::Args)]
#[command(after_help = "Example:\n  pd mesh convert body.msh body.vtu")]
struct Convert {
    /// Mesh file to read.
    input: PathBuf,
    /// File to write; the extension selects the format.
    output: PathBuf,
    /// Write only the surface of a solid.
    #[arg(long)]
    surface: bool,
    /// Print exactly one JSON object on stdout.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, models: &ModelPaths) -> Result<(), Failure> {
    match &arguments.command {
        Command::Info(arguments) => info::run(arguments, models),
        Command::Convert(arguments) => convert(arguments, models),
        Command::Tetrahedralize(arguments) => tetrahedralize::run(arguments, models),
        Command::Generate(arguments) => generate::run(arguments),
        Command::Decimate(arguments) => decimate::run(arguments, models),
        Command::Repair(arguments) => repair::run(arguments, models),
    }
}

fn convert(arguments: &Convert, models: &ModelPaths) -> Result<(), Failure> {
    let path = find(&arguments.input, models);
    let mut data = io::read_path_with_columns(path).map_err(|error| Failure::Input(error.to_string()))?;
    if arguments.surface
        && let Mesh::Tet(solid) = &data.mesh
    {
        // The surface has triangles of its own, and vertices inside go.
        data = io::MeshData::from(Mesh::Tri(solid.surface_mesh()));
    }
    let written = io::write_data_path(&arguments.output, &data);
    written.map_err(|error| Failure::Input(error.to_string()))?;
    told(&arguments.output, &data.mesh, arguments.json)
}

/// Path of a mesh file: as given, or in one of the model directories.
pub(crate) fn find(path: &Path, models: &ModelPaths) -> PathBuf {
    if path.is_file() {
        return path.to_owned();
    }
    models.find(&path.display().to_string(), None).unwrap_or_else(|| path.to_owned())
}

/// Reads a mesh file.
pub(crate) fn read(path: &Path, models: &ModelPaths) -> Result<Mesh, Failure> {
    io::read_path(find(path, models)).map_err(|error| Failure::Input(error.to_string()))
}

/// Reads a surface; of a solid its boundary.
fn read_surface(path: &Path, models: &ModelPaths) -> Result<pd_mesh::TriMesh, Failure> {
    Ok(match read(path, models)? {
        Mesh::Tri(surface) => surface,
        Mesh::Tet(solid) => solid.surface_mesh(),
    })
}

/// Writes a mesh file and reports it.
fn write(path: &Path, mesh: &Mesh, json: bool) -> Result<(), Failure> {
    save(path, mesh)?;
    told(path, mesh, json)
}

/// Reports what was written.
fn told(path: &Path, mesh: &Mesh, json: bool) -> Result<(), Failure> {
    let (vertices, elements, kind) = (mesh.positions().len(), mesh.element_count(), kind(mesh));
    if json {
        return print_line(
            serde_json::json!({ "output": path.display().to_string(), "vertices": vertices, kind: elements }),
        );
    }
    print_line(format_args!("{}: {vertices} vertices, {elements} {kind}", path.display()))
}

/// Writes a mesh file.
fn save(path: &Path, mesh: &Mesh) -> Result<(), Failure> {
    io::write_path(path, mesh).map_err(|error| Failure::Input(error.to_string()))
}

/// Name of its elements.
pub(crate) fn kind(mesh: &Mesh) -> &'static str {
    match mesh {
        Mesh::Tri(_) => "triangles",
        Mesh::Tet(_) => "tetrahedra",
    }
}
