//! `pd mesh generate`: the generated bodies as files.

use super::write;
use crate::failure::Failure;
use clap::ValueEnum;
use pd_mesh::{Mesh, generate};
use std::path::PathBuf;

/// Generated meshes and the meaning of their counts and sizes.
#[derive(Clone, Copy, ValueEnum)]
enum Shape {
    /// Cloth: counts rows,columns; sizes width,depth.
    Grid,
    /// Hemisphere: counts sectors,stacks; size radius.
    Hemisphere,
    /// Sphere surface: counts sectors,stacks; size radius.
    Sphere,
    /// Open tube: counts sectors,stacks; sizes radius,height.
    Cylinder,
    /// Cone: counts sectors,stacks; sizes radius,height.
    Cone,
    /// Torus surface: counts around the axis, around the tube; sizes major,minor radius.
    Torus,
    /// Solid bar: counts cubes along x,y,z; size of the longest side.
    Bar,
    /// Solid ball: counts cells,layers; size radius.
    Ball,
    /// Solid of the size class of the bunny.
    BunnyClass,
    /// Solid of the size class of the armadillo.
    ArmadilloClass,
    /// Solid of the size class of the dragon.
    DragonClass,
}

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  pd mesh generate grid cloth.obj --counts 20,20 --sizes 1,1\n  pd mesh generate dragon-class dragon.msh"
)]
pub(super) struct Arguments {
    /// Shape.
    #[arg(value_enum)]
    shape: Shape,
    /// File to write; the extension selects the format.
    output: PathBuf,
    /// Counts, as listed for the shape.
    #[arg(long, value_delimiter = ',', value_name = "N")]
    counts: Vec<usize>,
    /// Lengths, m, as listed for the shape; default 1.
    #[arg(long, value_delimiter = ',', value_name = "L")]
    sizes: Vec<f64>,
    /// Print exactly one JSON object on stdout.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (expected_counts, expected_sizes) = match arguments.shape {
        Shape::Grid | Shape::Cylinder | Shape::Cone | Shape::Torus => (2, 2),
        Shape::Hemisphere | Shape::Sphere | Shape::Ball => (2, 1),
        Shape::Bar => (3, 1),
        Shape::BunnyClass | Shape::ArmadilloClass | Shape::DragonClass => (0, 0),
    };
    let wrong = |what: String| Err(Failure::Input(what));
    if !arguments.counts.is_empty() && arguments.counts.len() != expected_counts {
        return wrong(format!(
            "--counts: {} given, this body takes {expected_counts}",
            arguments.counts.len()
        ));
    }
    if arguments.sizes.len() > expected_sizes {
        return wrong(format!("--sizes: {} given, this body takes {expected_sizes}", arguments.sizes.len()));
    }
    let count = |i: usize| arguments.counts.get(i).copied().unwrap_or(20);
    let size = |i: usize| arguments.sizes.get(i).copied().unwrap_or(1.0);
    let mesh = match arguments.shape {
        Shape::Grid => generate::grid(count(0), count(1), size(0), size(1)).map(Mesh::Tri),
        Shape::Hemisphere => generate::hemisphere(count(0), count(1), size(0)).map(Mesh::Tri),
        Shape::Sphere => generate::sphere(count(0), count(1), size(0)).map(Mesh::Tri),
        Shape::Cylinder => generate::cylinder(count(0), count(1), size(0), size(1)).map(Mesh::Tri),
        Shape::Cone => generate::cone(count(0), count(1), size(0), size(1)).map(Mesh::Tri),
        Shape::Torus => {
            let minor = arguments.sizes.get(1).copied().unwrap_or(0.4 * size(0));
            generate::torus(count(0), count(1), size(0), minor).map(Mesh::Tri)
        }
        Shape::Bar => generate::bar(count(0), count(1), count(2), size(0)).map(Mesh::Tet),
        Shape::Ball => generate::ball(count(0), count(1), size(0)).map(Mesh::Tet),
        Shape::BunnyClass => generate::bunny_class().map(Mesh::Tet),
        Shape::ArmadilloClass => generate::armadillo_class().map(Mesh::Tet),
        Shape::DragonClass => generate::dragon_class().map(Mesh::Tet),
    };
    let mesh = mesh.map_err(|error| Failure::Input(error.to_string()))?;
    write(&arguments.output, &mesh, arguments.json)
}
