//! The matrices of real scenes: spectra against values computed independently, and convergence of the Jacobi family
//! where plain Jacobi diverges.

use crate::matrices::*;
use pd_constraints::{Bending, BendingWeights, EdgeSprings, Pins, RingsRef, StrainRange, TetStrain};
use pd_core::{Model, ModelBuilder, Vec3};
use pd_linear::*;
use pd_mesh::topology::Rings;
use pd_mesh::{TetMesh, TriMesh, generate};
use std::path::PathBuf;

const DT: Real = 1.0 / 60.0;

fn builder(positions: &[Vec3]) -> ModelBuilder {
    Model::with_masses(vec![0.001; positions.len()])
}

fn shell(mesh: &TriMesh, edge: Real, pins: &[u32], pin: Real, bend: Real) -> Csr {
    let x = &mesh.positions;
    let mut model = builder(x)
        .energy(EdgeSprings::new(x, &mesh.edges(), edge).unwrap())
        .energy(Pins::new(x, pins, pin).unwrap());
    if bend > 0.0 {
        let rings = Rings::new(mesh);
        let (mut vertices, mut offsets, mut neighbours) = (vec![], vec![0], vec![]);
        for v in (0..rings.len()).filter(|&v| !rings.is_boundary(v) && !rings.ring(v).is_empty()) {
            vertices.push(v as u32);
            neighbours.extend_from_slice(rings.ring(v));
            offsets.push(neighbours.len() as u32);
        }
        let rings = RingsRef { vertices: &vertices, offsets: &offsets, neighbours: &neighbours };
        model = model.energy(Bending::new(x, rings, bend, BendingWeights::MeanValue).unwrap());
    }
    model.build().unwrap().system_matrix(DT)
}

fn solid_model(mesh: &TetMesh, weight: Real, pins: &[u32], pin: Real) -> Model {
    let x = &mesh.positions;
    let tets = TetStrain::new(x, &mesh.tets, weight, StrainRange::uniform(1.0, 1.0)).unwrap();
    builder(x).energy(tets).energy(Pins::new(x, pins, pin).unwrap()).build().unwrap()
}

fn solid(mesh: &TetMesh, weight: Real, pins: &[u32], pin: Real) -> Csr {
    solid_model(mesh, weight, pins, pin).system_matrix(DT)
}

fn square(cells: usize, edge: Real, bend: Real) -> Csr {
    let mesh = generate::grid(cells, cells, 1.0, 1.0).unwrap();
    let corner = ((cells + 1) * cells) as u32;
    shell(&mesh, edge, &[0, corner], edge, bend)
}

fn hemisphere(bend: Real) -> Csr {
    let mut mesh = generate::hemisphere(20, 16, 1.0).unwrap();
    mesh.normalize_extent();
    shell(&mesh, 100.0, &(20..40).collect::<Vec<_>>(), 100.0, bend)
}

fn tube(bend: Real) -> Csr {
    let mut mesh = generate::cylinder(20, 16, 0.5, 3.0).unwrap();
    mesh.normalize_extent();
    let pins: Vec<u32> = (40..60).chain(320..340).collect();
    shell(&mesh, 20.0, &pins, 10.0, bend)
}

/// A file of `PD_MODELS`, a list of directories searched recursively.
fn model_file(name: &str) -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PD_MODELS")?).collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path if path.file_name().is_some_and(|file| file == name) => return Some(path),
                _ => {}
            }
        }
    }
    None
}

const EARS: [u32; 4] = [1107, 1600, 1575, 1591];

fn bunny() -> Option<Csr> {
    Some(solid(&bunny_mesh()?, 1000.0, &EARS, 100.0))
}

/// The bunny of the thesis, or `None` with a line that says so.
fn bunny_mesh() -> Option<TetMesh> {
    let name = "bunny_thesis_2531v_8121t.mesh";
    let Some(path) = model_file(name) else {
        println!("skipped: {name} is not in PD_MODELS");
        return None;
    };
    let pd_mesh::Mesh::Tet(mut mesh) = pd_mesh::io::read_path(path).unwrap() else {
        panic!("{name} holds no tetrahedra")
    };
    mesh.normalize_extent();
    Some(mesh)
}

#[test]
fn spectra_are_those_computed_independently() {
    let bar = |w, h, d| {
        let mut mesh = generate::bar(w, h, d, 1.0).unwrap();
        mesh.normalize_extent();
        mesh
    };
    let mut expected = vec![
        ("cloth 20", square(20, 100.0, 0.0), 6.7e-3, 1.534),
        ("cloth 100", square(100, 1500.0, 0.0), 4.2e-4, 1.539),
        ("cloth 140", square(140, 1500.0, 0.0), 4.1e-4, 1.539),
        ("hemisphere, bending 5e-4", hemisphere(5e-4), 8.9e-3, 1.499),
        ("hemisphere, bending 5e-2", hemisphere(5e-2), 4.3e-3, 2.266),
        ("tube, bending 5e-2", tube(5e-2), 4.7e-3, 2.188),
        ("bar", solid(&bar(3, 3, 12), 1000.0, &[0, 1, 2, 3], 100.0), 1.9e-2, 1.654),
    ];
    expected.extend(bunny().map(|a| ("bunny", a, 1.45e-3, 3.98)));
    for (name, a, min, max) in expected {
        let found = Spectrum::estimate(&a).unwrap();
        println!("{name}: {found:?}, condition {:.0}", found.condition());
        // From below (to 10 %, less when all steps are used up, as on the largest cloth) and from above.
        assert!(found.min > 0.7 * min && found.min < 1.03 * min, "{name}: {found:?} for {min}");
        assert!(found.max > 0.999 * max && found.max < 1.02 * max, "{name}: {found:?} for {max}");
    }
}

#[test]
fn the_family_converges_by_default_where_it_diverged_as_published() {
    let scenes = [
        ("hemisphere, bending 5e-2", Some(hemisphere(5e-2))),
        ("tube, bending 5e-2", Some(tube(5e-2))),
        ("bunny", bunny()),
    ];
    let registry = Registry::standard();
    for (scene, a) in scenes {
        let Some(a) = a else { continue };
        let b = noise(3 * a.rows(), 12);
        for name in ["dense-jacobi", "jacobi", "chebyshev", "a-jacobi-1", "a-jacobi-2", "a-jacobi-3"] {
            if name == "dense-jacobi" && a.rows() > 1000 {
                continue; // 461 MB and the iteration of "jacobi"
            }
            let mut published = registry.create(&format!("{name}-published")).unwrap();
            published.factor(&a).unwrap();
            let result = published.solve(&b, &mut vec![0.0; b.len()], 3);
            assert!(matches!(result, Err(LinearError::Diverged { .. })), "{scene}, {name}: {result:?}");

            let tolerance = Some(if name == "dense-jacobi" { 1e-2 } else { 1e-4 });
            let options = SolverOptions { tolerance, ..SolverOptions::default() };
            let mut solver = registry.create_with(name, &options).unwrap();
            solver.factor(&a).unwrap();
            let mut x = vec![0.0; b.len()];
            let report = solver.solve(&b, &mut x, 3).unwrap();
            println!("{scene}, {name}: {report:?}; published: {}", result.unwrap_err());
            assert!(report.converged && relative_residual(&a, &b, &x, 3) <= 1e-2);
        }
    }
}

#[test]
fn every_other_solver_agrees_on_the_hard_scenes() {
    for a in [Some(hemisphere(5e-2)), bunny()].into_iter().flatten() {
        let b = noise(3 * a.rows(), 13);
        for name in
            ["cholesky-simplicial", "cholesky-supernodal", "pcg", "pcg-ic", "pcg-amg", "gauss-seidel", "sor"]
        {
            let mut solver = Registry::standard().create(name).unwrap();
            let started = std::time::Instant::now();
            solver.factor(&a).unwrap();
            let factor = started.elapsed();
            let mut x = vec![0.0; b.len()];
            let report = solver.solve(&b, &mut x, 3).unwrap();
            println!(
                "{} rows, {name}: factor {factor:.1?}, all {:.1?}, {report:?}",
                a.rows(),
                started.elapsed()
            );
            assert!(report.converged && relative_residual(&a, &b, &x, 3) < 1.01e-8, "{name}");
        }
    }
}
