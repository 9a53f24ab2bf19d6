//! Generators: vertex numbers and counts of the published scenes, reference files, and geometric sanity.

use crate::models;
use pd_mesh::topology::Rings;
use pd_mesh::{MeshError, TetMesh, TriMesh, Vec3, generate};
use proptest::prelude::*;
use std::f64::consts::PI;

fn counts(mesh: &TriMesh) -> (usize, usize, usize) {
    (mesh.positions.len(), mesh.edges().len(), mesh.triangles.len())
}

fn interior(mesh: &TriMesh) -> usize {
    let rings = Rings::new(mesh);
    (0..rings.len()).filter(|&v| !rings.is_boundary(v)).count()
}

/// Closed, manifold, consistently oriented, of one piece per Euler characteristic given.
fn assert_closed(mesh: &TriMesh, euler: i64) {
    mesh.validate().unwrap();
    assert_eq!(mesh.boundary_edges(), Vec::<[u32; 2]>::new());
    let rings = Rings::new(mesh);
    let used = (0..rings.len()).filter(|&v| !rings.ring(v).is_empty()).count();
    assert!((0..rings.len()).all(|v| rings.ring(v).is_empty() || !rings.is_boundary(v)));
    assert_eq!(rings.non_manifold, Vec::<u32>::new());
    assert_eq!(used as i64 - mesh.edges().len() as i64 + mesh.triangles.len() as i64, euler);
}

/// Positive volumes that add up to what the surface encloses, and a surface without border.
fn assert_solid(mesh: &TetMesh, euler: i64) {
    mesh.validate().unwrap();
    let volumes = mesh.volumes();
    assert!(volumes.iter().all(|&v| v > 0.0));
    let surface = mesh.surface_mesh();
    assert_closed(&surface, euler);
    let total: f64 = volumes.iter().sum();
    assert!((surface.enclosed_volume() - total).abs() < 1e-12 * total.max(1.0), "{total}");
    assert!((mesh.vertex_volumes().iter().sum::<f64>() - total).abs() < 1e-12 * total.max(1.0));
}

#[test]
fn cloth_has_the_published_counts() {
    let cloth = generate::grid(20, 20, 1.0, 1.0).unwrap();
    assert_eq!(counts(&cloth), (441, 1240, 800));
    assert_eq!(interior(&cloth), 361);
    assert_eq!(cloth.boundary_edges().len(), 80);
    let large = generate::grid(140, 140, 1.0, 1.0).unwrap();
    assert_eq!(counts(&large), (19881, 59080, 39200));
    assert!(cloth.face_normals().iter().all(|n| (n - Vec3::y()).norm() < 1e-12));
    assert_eq!(cloth.positions[0], Vec3::new(-0.5, 0.0, -0.5));
    assert_eq!(cloth.positions[20], Vec3::new(-0.5, 0.0, 0.5));
    assert_eq!(cloth.positions[420], Vec3::new(0.5, 0.0, -0.5));
}

#[test]
fn cloth_equals_the_reference_files() {
    let Some(reference) = models::rows::<f64, 3>("cloths2_nobend_init.txt") else { return };
    let Some(triangles) = models::rows::<u32, 3>("cloths2_nobend_elements.txt") else { return };
    let second = generate::grid(20, 20, 1.0, 1.0).unwrap();
    let mut first = second.clone();
    first.translate(Vec3::x());
    let shifted = second.triangles.iter().map(|t| t.map(|v| v + 441));
    let both: Vec<[u32; 3]> = first.triangles.iter().copied().chain(shifted).collect();
    assert_eq!(both, triangles);
    assert_eq!(reference.len(), 882);
    for (x, r) in first.positions.iter().chain(&second.positions).zip(&reference) {
        assert!((x - Vec3::from(*r)).amax() < 1e-6, "{x} {r:?}");
    }
}

#[test]
fn hemisphere_has_the_published_counts() {
    let shell = generate::hemisphere(20, 16, 1.0).unwrap();
    assert_eq!(counts(&shell), (340, 980, 640));
    assert_eq!(interior(&shell), 300);
    let length = |[a, b]: [u32; 2]| (shell.positions[a as usize] - shell.positions[b as usize]).norm();
    let short: Vec<[u32; 2]> = shell.edges().into_iter().filter(|&edge| length(edge) < 1e-5).collect();
    assert_eq!(short.len(), 20);
    assert!(short.iter().all(|&[a, b]| b < 20 && length([a, b]) == 0.0));
    assert!((0..20).all(|i| shell.positions[i] == Vec3::y()));
    assert!(
        (320..340).all(|i| shell.positions[i].y == 0.0 && (shell.positions[i].norm() - 1.0).abs() < 1e-15)
    );
    assert_outward_from(&shell, |x| *x);
    assert_eq!(shell.face_areas().iter().filter(|&&area| area == 0.0).count(), 20);
}

#[test]
fn tube_has_the_published_counts() {
    let tube = generate::cylinder(20, 16, 0.5, 3.0).unwrap();
    assert_eq!(counts(&tube), (340, 980, 640));
    assert_eq!(interior(&tube), 300);
    assert_outward_from(&tube, |x| Vec3::new(x.x, 0.0, x.z));
    for (v, x) in tube.positions.iter().enumerate() {
        assert!((x.y - (-1.5 + 3.0 * (v / 20) as f64 / 16.0)).abs() < 1e-15);
    }
}

/// Every triangle with area looks along `outward` of its centre.
fn assert_outward_from(mesh: &TriMesh, outward: impl Fn(&Vec3) -> Vec3) {
    for (corners, normal) in mesh.triangles.iter().zip(mesh.face_normals()) {
        let centre = corners.iter().map(|&v| mesh.positions[v as usize]).sum::<Vec3>() / 3.0;
        assert!(normal == Vec3::zeros() || normal.dot(&outward(&centre)) > 0.0, "{corners:?}");
    }
}

#[test]
fn closed_shells_are_watertight_and_outward() {
    let sphere = generate::sphere(20, 16, 0.5).unwrap();
    assert_eq!(sphere.positions.len(), 2 + 20 * 15);
    assert_closed(&sphere, 2);
    assert_outward_from(&sphere, |x| *x);
    assert!(sphere.positions.iter().all(|x| (x.norm() - 0.5).abs() < 1e-15));

    let cone = generate::cone(24, 3, 1.0, 2.0).unwrap();
    assert_eq!(cone.positions.len(), 2 + 24 * 3);
    assert_closed(&cone, 2);
    let prism_share = 24.0 / 2.0 * (2.0 * PI / 24.0).sin();
    assert!((cone.enclosed_volume() - prism_share * 2.0 / 3.0).abs() < 1e-12);

    let torus = generate::torus(30, 12, 1.0, 0.25).unwrap();
    assert_eq!(torus.positions.len(), 360);
    assert_closed(&torus, 0);
    assert_outward_from(&torus, |x| x - Vec3::new(x.x, 0.0, x.z).normalize());
    let exact = 2.0 * PI * PI * 0.25 * 0.25;
    assert!((torus.enclosed_volume() / exact - 1.0).abs() < 0.06);
}

#[test]
fn bar_equals_the_reference_files() {
    let Some(reference) = models::rows::<f64, 3>("bar_init.txt") else { return };
    let Some(tets) = models::rows::<u32, 4>("bar_elements.txt") else { return };
    let bar = generate::bar(3, 3, 12, 1.0).unwrap();
    assert_eq!(bar.tets, tets, "same tetrahedra, same corners, same order");
    let positions: Vec<[f64; 3]> = bar.positions.iter().map(|x| [x.x, x.y, x.z]).collect();
    assert_eq!(positions, reference, "bit for bit");
}

#[test]
fn bars_have_the_published_counts() {
    for (w, h, d, vertices, tets) in [(3, 3, 12, 208, 540), (2, 2, 20, 189, 400), (1, 1, 1, 8, 5)] {
        let bar = generate::bar(w, h, d, 1.0).unwrap();
        assert_eq!((bar.positions.len(), bar.tets.len()), (vertices, tets));
        assert_solid(&bar, 2);
        let edge = 1.0 / w.max(h).max(d) as f64;
        assert!((bar.volumes().iter().sum::<f64>() - (w * h * d) as f64 * edge.powi(3)).abs() < 1e-12);
    }
}

#[test]
fn ball_is_solid_and_has_no_slivers() {
    for (n, layers) in [(1, 1), (2, 1), (3, 2), (4, 2), (6, 3), (8, 4)] {
        let ball = generate::ball(n, layers, 2.0).unwrap();
        assert_eq!(ball.positions.len(), (n + 1).pow(3) + layers * (6 * n * n + 2));
        assert_eq!(ball.tets.len(), 6 * n.pow(3) + 36 * n * n * layers);
        assert_solid(&ball, 2);
        let degrees = ball.min_dihedral_angle().to_degrees();
        println!("ball({n}, {layers}): smallest dihedral angle {degrees:.1} degrees");
        let least = if n == 1 { 10.0 } else { 18.0 };
        assert!(degrees > least, "ball({n}, {layers}): {degrees}");
        let surface = ball.surface_triangles();
        assert!(surface.iter().flatten().all(|&v| (ball.positions[v as usize].norm() - 2.0).abs() < 1e-14));
    }
    let volume: f64 = generate::ball(12, 6, 1.0).unwrap().volumes().iter().sum();
    assert!((volume / (4.0 / 3.0 * PI) - 1.0).abs() < 0.02);
}

#[test]
fn creatures_fill_their_size_classes() {
    for (mesh, vertices, tets) in [
        (generate::bunny_class(), 2531, 8121),
        (generate::armadillo_class(), 15666, 49393),
        (generate::dragon_class(), 41262, 167_882),
        (generate::ball_class(), 530, 1539),
    ] {
        let mesh = mesh.unwrap();
        let off = |made: usize, wanted: usize| (made as f64 / wanted as f64 - 1.0).abs();
        println!(
            "{} / {} for {vertices} / {tets}, smallest dihedral angle {:.1} degrees",
            mesh.positions.len(),
            mesh.tets.len(),
            mesh.min_dihedral_angle().to_degrees()
        );
        assert!(off(mesh.positions.len(), vertices) < 0.05);
        assert!(off(mesh.tets.len(), tets) < 0.05);
        // Outer and inner surface: two spheres.
        assert_solid(&mesh, 4);
    }
}

#[test]
fn creature_stands_on_four_legs() {
    let creature = generate::creature(24, 1).unwrap();
    let surface = 6 * 24 * 24 + 2;
    assert_eq!((creature.positions.len(), creature.tets.len()), (2 * surface, 36 * 24 * 24));
    let lowest = creature.positions.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    let feet = |sx: f64, sz: f64| {
        let leg = creature.positions.iter().filter(|x| x.x * sx > 0.05 && x.z * sz > 0.05);
        leg.map(|x| x.y).fold(f64::INFINITY, f64::min)
    };
    for (sx, sz) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        assert!(feet(sx, sz) - lowest < 0.01);
    }
    // Between the legs the belly is well above the ground.
    let belly = creature.positions.iter().filter(|x| x.x.abs() < 0.05 && x.z.abs() < 0.05);
    assert!(belly.map(|x| x.y).fold(f64::INFINITY, f64::min) - lowest > 0.1);
}

#[test]
fn parameters_without_a_mesh_are_named() {
    let small = |parameter, value, least| MeshError::CountTooSmall { parameter, value, least };
    assert_eq!(generate::grid(0, 3, 1.0, 1.0).unwrap_err(), small("rows", 0, 1));
    assert_eq!(generate::grid(3, 0, 1.0, 1.0).unwrap_err(), small("columns", 0, 1));
    assert_eq!(generate::hemisphere(2, 3, 1.0).unwrap_err(), small("sectors", 2, 3));
    assert_eq!(generate::sphere(9, 1, 1.0).unwrap_err(), small("stacks", 1, 2));
    assert_eq!(generate::bar(1, 0, 1, 1.0).unwrap_err(), small("h", 0, 1));
    assert_eq!(generate::creature(0, 1).unwrap_err(), small("k", 0, 1));
    assert_eq!(generate::creature(4, 0).unwrap_err(), small("layers", 0, 1));
    assert_eq!(generate::ball(3, 0, 1.0).unwrap_err(), small("layers", 0, 1));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = generate::cylinder(5, 5, bad, 1.0).unwrap_err();
        assert!(matches!(error, MeshError::BadLength { parameter: "radius", .. }), "{error}");
    }
    assert!(matches!(
        generate::torus(9, 9, 1.0, 1.0),
        Err(MeshError::BadLength { parameter: "minor_radius", .. })
    ));
    for huge in [
        generate::grid(usize::MAX, usize::MAX, 1.0, 1.0),
        generate::sphere(70_000, 70_000, 1.0),
        generate::torus(usize::MAX, 3, 1.0, 0.5),
    ] {
        assert!(matches!(huge, Err(MeshError::TooManyVertices { .. })));
    }
    assert!(matches!(generate::bar(2000, 2000, 2000, 1.0), Err(MeshError::TooManyVertices { .. })));
    assert!(matches!(generate::creature(usize::MAX, usize::MAX), Err(MeshError::TooManyVertices { .. })));
    assert!(matches!(generate::ball(4000, 1, 1.0), Err(MeshError::TooManyVertices { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn bars_of_any_shape_are_solid(w in 1usize..5, h in 1usize..5, d in 1usize..5, size in 0.1f64..10.0) {
        assert_solid(&generate::bar(w, h, d, size).unwrap(), 2);
    }

    #[test]
    fn creatures_of_any_shape_are_solid(cells in prop::array::uniform3(1usize..7), layers in 1usize..4) {
        let mesh = generate::creature_with_cells(cells, layers).unwrap();
        let [a, b, c] = cells;
        let quads = 2 * (a * b + b * c + c * a);
        prop_assert_eq!(mesh.positions.len(), (quads + 2) * (layers + 1));
        prop_assert_eq!(mesh.tets.len(), 6 * quads * layers);
        assert_solid(&mesh, 4);
    }

    #[test]
    fn closed_shells_of_any_resolution_are_closed(sectors in 3usize..12, stacks in 2usize..9) {
        assert_closed(&generate::sphere(sectors, stacks, 1.0).unwrap(), 2);
        assert_closed(&generate::cone(sectors, stacks, 1.0, 1.0).unwrap(), 2);
        assert_closed(&generate::torus(sectors, stacks + 1, 1.0, 0.3).unwrap(), 0);
    }
}
