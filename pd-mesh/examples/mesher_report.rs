//! Meshes a set of surfaces and prints a table: counts, angles, distance to the input, time.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a report")]

use pd_mesh::geometry::hausdorff;
use pd_mesh::quality::TetQuality;
use pd_mesh::tetrahedralize::{Options, Size, Stuffing, Tetrahedralizer};
use pd_mesh::{TriMesh, Vec3, generate, io};
use std::time::Instant;

fn find(dir: &std::path::Path, name: &str) -> Option<std::path::PathBuf> {
    std::fs::read_dir(dir)
        .ok()?
        .flatten()
        .map(|e| e.path())
        .find_map(|p| if p.is_dir() { find(&p, name) } else { (p.file_name()? == name).then_some(p) })
}

fn main() {
    let mut list: Vec<(String, TriMesh, Size)> = vec![
        ("sphere".into(), generate::sphere(48, 24, 1.0).unwrap(), Size::Cells(16)),
        ("torus".into(), generate::torus(64, 32, 1.0, 0.35).unwrap(), Size::Cells(24)),
    ];
    let mut plate = generate::sphere(48, 24, 1.0).unwrap();
    for x in &mut plate.positions {
        x.y *= 0.01;
    }
    list.push(("plate".into(), plate, Size::Cells(20)));
    let mut shells = generate::sphere(48, 24, 1.0).unwrap();
    let mut inner = generate::sphere(48, 24, 0.6).unwrap();
    inner.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    let n = shells.positions.len() as u32;
    shells.positions.extend(inner.positions);
    shells.triangles.extend(inner.triangles.iter().map(|t| t.map(|v| v + n)));
    list.push(("shells".into(), shells, Size::Cells(20)));
    if let Ok(dirs) = std::env::var("PD_MODELS") {
        for (name, size) in [
            ("spot.obj", Size::Cells(30)),
            ("stanford_bunny_35947v.obj", Size::Tets(8121)),
            ("armadillo_thesis_14793v.obj", Size::Tets(49393)),
            ("dragon_24929v_cleaned.obj", Size::Tets(167882)),
            ("dragon_thesisrepo_50000v.obj", Size::Tets(167882)),
            ("splish_Dragon_50k.obj", Size::Cells(60)),
        ] {
            for d in dirs.split(':') {
                if let Some(p) = find(d.as_ref(), name) {
                    list.push((name.into(), io::read_path(p).unwrap().into_tri().unwrap(), size));
                }
            }
        }
    }
    for (name, surface, size) in list {
        let options = Options { size, ..Options::default() };
        let start = Instant::now();
        let mesh = Stuffing.tetrahedralize(&surface, &options).unwrap();
        let time = start.elapsed().as_secs_f64();
        let q = TetQuality::new(&mesh);
        let mut referenced = surface.clone();
        referenced.positions =
            surface.triangles.iter().flatten().map(|&v| surface.positions[v as usize]).collect();
        let longest = mesh
            .edges()
            .iter()
            .map(|e| (mesh.positions[e[0] as usize] - mesh.positions[e[1] as usize]).norm())
            .fold(0.0, f64::max);
        let skin = mesh.surface_mesh();
        let lo = referenced.positions.iter().fold(Vec3::repeat(1e300), |a, b| a.inf(b));
        let hi = referenced.positions.iter().fold(Vec3::repeat(-1e300), |a, b| a.sup(b));
        let h = hausdorff::distance(&surface, &skin, longest / 5.0);
        println!(
            "{name:32} V {:6} T {:6} inv {} dihedral {:.2}..{:.2} aspect {:.2} hausdorff/edge {:.3} {:.3} cells {:.1} closed {} time {:.3}",
            mesh.positions.len(),
            mesh.tets.len(),
            q.inverted,
            q.min_dihedral,
            q.max_dihedral,
            q.max_aspect,
            h.forward / longest,
            h.backward / longest,
            (hi - lo).max() / longest,
            skin.boundary_edges().is_empty(),
            time
        );
    }
}
