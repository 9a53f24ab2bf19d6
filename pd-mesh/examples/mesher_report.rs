//! Meshes surfaces with the built-in mesher and with TetGen, and prints a table in Markdown: counts, angles, distance to
//! the input in lattice edges, watertightness, the same bits twice, time and tetrahedra per second.
//!
//! `cargo run --release -p pd-mesh --example mesher_report`; real models are looked up in the directories of PD_MODELS.
#![allow(clippy::print_stdout, reason = "a report is printed")]

use pd_mesh::geometry::{SurfaceTree, hausdorff};
use pd_mesh::quality::TetQuality;
use pd_mesh::tetrahedralize::{Options, Size, Stuffing, TetGen, Tetrahedralizer};
use pd_mesh::topology::components;
use pd_mesh::{TetMesh, TriMesh, generate, io};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A surface, the size it is meshed at, and the switches of TetGen that the thesis used for it.
struct Case {
    name: &'static str,
    surface: TriMesh,
    size: Size,
    switches: &'static str,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "| surface | triangles | mesher | vertices | tets | inverted | dihedral angles | edge | Hausdorff / edge | watertight | pieces | same bits | time s | tets/s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for case in cases()? {
        stuffing(&case)?;
        tetgen(&case);
    }
    Ok(())
}

fn cases() -> Result<Vec<Case>, Box<dyn Error>> {
    let made = |name, surface, size| Case { name, surface, size, switches: "pq1.414Y" };
    let mut plate = generate::sphere(48, 24, 1.0)?;
    plate.positions.iter_mut().for_each(|x| x.y *= 0.01);
    let mut shells = generate::sphere(48, 24, 1.0)?;
    let mut inner = generate::sphere(48, 24, 0.6)?;
    inner.triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
    let offset = shells.positions.len() as u32;
    shells.positions.extend(inner.positions);
    shells.triangles.extend(inner.triangles.iter().map(|corners| corners.map(|v| v + offset)));
    let mut cases = vec![
        made("sphere", generate::sphere(48, 24, 1.0)?, Size::Cells(16)),
        made("torus", generate::torus(64, 32, 1.0, 0.35)?, Size::Cells(24)),
        made("thin plate, 1:100", plate, Size::Cells(20)),
        made("two nested shells", shells, Size::Cells(20)),
    ];
    for (name, size, switches) in [
        ("spot.obj", Size::Cells(30), "pq1.414Y"),
        ("bunny_3485v.off", Size::Tets(8121), "pq8.0Y"),
        ("stanford_bunny_35947v.obj", Size::Tets(8121), "pq8.0Y"),
        ("armadillo_thesis_14793v.obj", Size::Tets(49_393), "pq8.0Y"),
        ("dragon_24929v_cleaned.obj", Size::Tets(167_882), "pq1.414Y"),
        ("dragon_thesisrepo_50000v.obj", Size::Tets(167_882), "pq1.414Y"),
        ("splish_Dragon_50k.obj", Size::Tets(167_882), "pq1.414Y"),
    ] {
        match model(name) {
            Some(path) => {
                let surface = io::read_path(path)?.into_tri().ok_or("a solid, a surface was expected")?;
                cases.push(Case { name, surface, size, switches });
            }
            None => println!("| {name} | not present |"),
        }
    }
    Ok(cases)
}

/// Path of a model in the directories of PD_MODELS.
fn model(name: &str) -> Option<PathBuf> {
    fn search(directory: &Path, name: &str) -> Option<PathBuf> {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(directory).ok()?.flatten().map(|e| e.path()).collect();
        entries.sort();
        entries.into_iter().find_map(|path| {
            if path.is_dir() { search(&path, name) } else { (path.file_name()? == name).then_some(path) }
        })
    }
    std::env::var("PD_MODELS").ok()?.split(':').find_map(|directory| search(Path::new(directory), name))
}

fn stuffing(case: &Case) -> Result<(), Box<dyn Error>> {
    let options = Options { size: case.size, ..Options::default() };
    // The edge that meets the count is found once; what is timed is the meshing itself.
    let edge = Stuffing.lattice_edge(&case.surface, &options)?;
    let options = Options { size: Size::Edge(edge), ..options };
    let started = Instant::now();
    let mesh = Stuffing.tetrahedralize(&case.surface, &options)?;
    let seconds = started.elapsed().as_secs_f64();
    let same = Stuffing.tetrahedralize(&case.surface, &options)? == mesh;
    let distance = distance(case, &mesh, edge);
    row(case, "stuffing", &mesh, &distance, if same { "yes" } else { "NO" }, seconds);
    Ok(())
}

/// The lattice edge, and the distance both ways in lattice edges. Sheets of a self-intersecting input that lie inside the body
/// bound nothing; if leaving them out changes the figure, both are given.
fn distance(case: &Case, mesh: &TetMesh, edge: f64) -> String {
    let skin = mesh.surface_mesh();
    let (input, output) = (SurfaceTree::new(&case.surface), SurfaceTree::new(&skin));
    let mut back: f64 = 0.0;
    hausdorff::for_samples(&skin, edge / 8.0, |_, x| back = back.max(input.distance(x)));
    let normals = case.surface.face_normals();
    let (mut all, mut border): (f64, f64) = (0.0, 0.0);
    hausdorff::for_samples(&case.surface, edge / 8.0, |face, x| {
        let distance = output.distance(x);
        all = all.max(distance);
        if distance > border && input.winding_number(x + normals[face] * (1e-3 * edge)) < 0.5 {
            border = distance;
        }
    });
    let (all, border) = (all.max(back) / edge, border.max(back) / edge);
    if all > border {
        format!("{edge:.4} | {border:.3} (with inner sheets {all:.3})")
    } else {
        format!("{edge:.4} | {all:.3}")
    }
}

fn tetgen(case: &Case) {
    let options = Options { tetgen_switches: case.switches.to_owned(), ..Options::default() };
    let started = Instant::now();
    match TetGen.tetrahedralize(&case.surface, &options) {
        Ok(mesh) => {
            let seconds = started.elapsed().as_secs_f64();
            row(case, &format!("tetgen {}", case.switches), &mesh, "- | 0", "-", seconds);
        }
        Err(error) => println!(
            "| {} | {} | tetgen {} | {error} |",
            case.name,
            case.surface.triangles.len(),
            case.switches
        ),
    }
}

fn row(case: &Case, mesher: &str, mesh: &TetMesh, distance: &str, same: &str, seconds: f64) {
    let quality = TetQuality::new(mesh);
    let closed = mesh.surface_mesh().boundary_edges().is_empty();
    println!(
        "| {} | {} | {mesher} | {} | {} | {} | {:.2}°…{:.2}° | {distance} | {} | {} | {same} | {seconds:.3} | {:.0} |",
        case.name,
        case.surface.triangles.len(),
        mesh.positions.len(),
        mesh.tets.len(),
        quality.inverted,
        quality.min_dihedral,
        quality.max_dihedral,
        if closed { "yes" } else { "NO" },
        components::<4>(mesh.positions.len(), &mesh.tets),
        mesh.tets.len() as f64 / seconds
    );
}
