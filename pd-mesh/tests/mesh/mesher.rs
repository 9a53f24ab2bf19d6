//! The mesher on made surfaces: angles, distance, determinism, watertightness, holes, thin parts; skins; fallback.

use crate::models;
use pd_mesh::geometry::{SurfaceTree, hausdorff};
use pd_mesh::quality::TetQuality;
use pd_mesh::tetrahedralize::{self, Options, Size, Skin, Stuffing, TetGen, Tetrahedralizer};
use pd_mesh::{MeshError, TetMesh, TriMesh, Vec3, generate, io};

/// Both surfaces in one.
fn joined(mut first: TriMesh, second: &TriMesh) -> TriMesh {
    let offset = first.positions.len() as u32;
    first.positions.extend(&second.positions);
    first.triangles.extend(second.triangles.iter().map(|t| t.map(|v| v + offset)));
    first
}

fn reversed(mut surface: TriMesh) -> TriMesh {
    surface.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    surface
}

/// A sphere flattened to a hundredth: thinner than any lattice used here.
fn plate() -> TriMesh {
    let mut plate = generate::sphere(32, 16, 1.0).unwrap();
    plate.positions.iter_mut().for_each(|x| x.y *= 0.01);
    plate
}

fn stuff(surface: &TriMesh, size: Size) -> TetMesh {
    Stuffing.tetrahedralize(surface, &Options { size, ..Options::default() }).unwrap()
}

/// What must hold for every result.
fn check(name: &str, surface: &TriMesh, edge: f64) -> TetMesh {
    let mesh = stuff(surface, Size::Edge(edge));
    let quality = TetQuality::new(&mesh);
    assert_eq!(quality.inverted, 0, "{name}");
    assert!(quality.min_dihedral > 10.0 && quality.max_dihedral < 161.0, "{name}: {quality:?}");
    let skin = mesh.surface_mesh();
    assert!(skin.boundary_edges().is_empty(), "{name} is not watertight");
    let distance = hausdorff::distance(surface, &skin, edge / 8.0);
    // What lies between the samples can be farther by their spacing.
    assert!(distance.symmetric() + edge / 8.0 < edge, "{name}: {distance:?} for an edge of {edge}");
    assert_eq!(stuff(surface, Size::Edge(edge)), mesh, "{name} differs from run to run");
    mesh
}

#[test]
fn made_surfaces_become_good_solids() {
    let ball = generate::sphere(32, 16, 1.0).unwrap();
    let solid = check("sphere", &ball, 0.2);
    let volume: f64 = solid.volumes().iter().sum();
    assert!((volume / ball.enclosed_volume() - 1.0).abs() < 0.02, "{volume}");

    let ring = generate::torus(48, 24, 1.0, 0.4).unwrap();
    let solid = check("torus", &ring, 0.12);
    let skin = solid.surface_mesh();
    let used = skin.triangles.iter().flatten().collect::<std::collections::BTreeSet<_>>().len();
    assert_eq!(
        used as i64 - skin.edges().len() as i64 + skin.triangles.len() as i64,
        0,
        "a ring has one hole"
    );

    check("bar", &generate::bar(2, 2, 6, 0.5).unwrap().surface_mesh(), 0.15);
    check("inside out", &reversed(ball), 0.2);
}

#[test]
fn real_surfaces_become_good_solids() {
    for name in ["spot.obj", "bunny_3485v.off", "stanford_bunny_35947v.obj"] {
        let Some(path) = models::find(name) else { continue };
        let surface = io::read_path(path).unwrap().into_tri().unwrap();
        let options = Options { size: Size::Cells(16), ..Options::default() };
        let edge = Stuffing.lattice_edge(&surface, &options).unwrap();
        let solid = Stuffing.tetrahedralize(&surface, &options).unwrap();
        let quality = TetQuality::new(&solid);
        assert_eq!(quality.inverted, 0, "{name}");
        assert!(quality.min_dihedral > 10.0, "{name}: {quality:?}");
        let skin = solid.surface_mesh();
        assert!(skin.boundary_edges().is_empty(), "{name}");
        let distance = hausdorff::distance(&surface, &skin, edge / 4.0).symmetric();
        assert!(distance < edge, "{name}: {distance} for an edge of {edge}");
        // Every vertex of the input finds its place in the solid.
        let carried = Skin::new(&surface, &solid).unwrap().positions(&solid.positions);
        assert!(surface.positions.iter().zip(carried).all(|(x, y)| (x - y).norm() < 1e-9), "{name}");
    }
}

#[test]
fn thin_parts_are_kept() {
    let solid = check("plate", &plate(), 0.15);
    assert!(solid.tets.len() > 1000);
}

#[test]
fn a_cavity_stays_empty_and_a_second_skin_does_no_harm() {
    let (outer, inner) = (generate::sphere(32, 16, 1.0).unwrap(), generate::sphere(32, 16, 0.5).unwrap());
    let hollow = check("shells", &joined(outer.clone(), &reversed(inner.clone())), 0.15);
    let volume = |mesh: &TetMesh| mesh.volumes().iter().sum::<f64>();
    let expected = outer.enclosed_volume() - inner.enclosed_volume();
    assert!((volume(&hollow) / expected - 1.0).abs() < 0.03);
    let filled = stuff(&joined(outer.clone(), &inner), Size::Edge(0.15));
    assert!((volume(&filled) / outer.enclosed_volume() - 1.0).abs() < 0.03);
}

#[test]
fn holes_and_self_intersections_are_bridged() {
    let mut open = generate::sphere(32, 16, 1.0).unwrap();
    // Every eleventh triangle is missing.
    let mut number = 0;
    open.triangles.retain(|_| {
        number += 1;
        number % 11 != 0
    });
    let solid = stuff(&open, Size::Cells(12));
    let volume: f64 = solid.volumes().iter().sum();
    assert!((volume / 4.1 - 1.0).abs() < 0.08, "{volume}");
    assert!(solid.surface_mesh().boundary_edges().is_empty());

    let mut other = generate::sphere(32, 16, 1.0).unwrap();
    other.translate(Vec3::x());
    let two = joined(generate::sphere(32, 16, 1.0).unwrap(), &other);
    let solid = stuff(&two, Size::Cells(20));
    let quality = TetQuality::new(&solid);
    // Two unit balls at distance 1: 2 · 4π/3 − 5π/12.
    assert!((quality.total_volume / 7.07 - 1.0).abs() < 0.03, "{}", quality.total_volume);
    assert!(quality.min_dihedral > 10.0);
}

#[test]
fn a_count_is_met() {
    let ring = generate::torus(48, 24, 1.0, 0.4).unwrap();
    for tets in [500, 8121] {
        let made = stuff(&ring, Size::Tets(tets)).tets.len();
        assert!(made.abs_diff(tets) * 50 <= tets, "{made} for {tets}");
    }
}

#[test]
fn skins_follow_their_solid() {
    let surface = generate::torus(64, 32, 1.0, 0.4).unwrap();
    let mut solid = stuff(&surface, Size::Cells(10));
    let skin = Skin::new(&surface, &solid).unwrap();
    for (x, y) in surface.positions.iter().zip(skin.positions(&solid.positions)) {
        assert!((x - y).norm() < 1e-12);
    }
    // An affine map of the solid is the same map of the skin.
    let map = |x: &Vec3| Vec3::new(1.0 + x.x + 0.5 * x.y, 2.0 * x.y - x.z, x.z * 0.7);
    solid.positions.iter_mut().for_each(|x| *x = map(x));
    for (x, y) in surface.positions.iter().zip(skin.positions(&solid.positions)) {
        assert!((map(x) - y).norm() < 1e-11);
    }
    // Vertices inside keep weights within [0, 1].
    let inside = generate::torus(64, 32, 1.0, 0.2).unwrap();
    let skin = Skin::new(&inside, &stuff(&surface, Size::Cells(10))).unwrap();
    assert!(skin.embeddings.iter().all(|one| one.weights.iter().all(|w| (-1e-12..=1.0 + 1e-12).contains(w))));
}

#[test]
fn the_winding_number_is_that_of_the_sum() {
    // Brute force: the sum of solid angles by the same formula, one triangle per tree.
    let ring = generate::torus(24, 12, 1.0, 0.4).unwrap();
    let tree = SurfaceTree::new(&ring);
    let single: Vec<SurfaceTree> = ring
        .triangles
        .iter()
        .map(|&t| SurfaceTree::new(&TriMesh { positions: ring.positions.clone(), triangles: vec![t] }))
        .collect();
    for i in 0..200 {
        let at = |k: f64| (f64::from(i) * k).sin() * 1.5;
        let q = Vec3::new(at(1.1), at(1.7) * 0.4, at(2.3));
        let inside = ((q.x.hypot(q.z) - 1.0).hypot(q.y) < 0.35, (q.x.hypot(q.z) - 1.0).hypot(q.y) > 0.42);
        let w = tree.winding_number(q);
        assert!(!inside.0 || (w - 1.0).abs() < 0.02, "{q:?} {w}");
        assert!(!inside.1 || w.abs() < 0.02, "{q:?} {w}");
        if i % 20 == 0 {
            let sum: f64 = single.iter().map(|one| one.winding_number(q)).sum();
            assert!((w - sum).abs() < 0.02, "{w} {sum}");
        }
        let least = single.iter().map(|one| one.distance(q)).fold(f64::INFINITY, f64::min);
        assert!((tree.distance(q) - least).abs() < 1e-12);
    }
}

#[test]
fn the_next_mesher_is_tried_with_the_reason_told() {
    let ball = generate::sphere(12, 6, 1.0).unwrap();
    let options = Options { tetgen_program: Some("/nowhere/tetgen".into()), ..Options::default() };
    let made = tetrahedralize::tetrahedralize_first(&["tetgen", "stuffing"], &ball, &options).unwrap();
    assert_eq!(made.mesher, "stuffing");
    assert_eq!(made.refused, [("tetgen".to_owned(), "there is no program /nowhere/tetgen".to_owned())]);
    let error = tetrahedralize::tetrahedralize_first(&["tetgen"], &ball, &options).unwrap_err();
    assert_eq!(error.to_string(), "no mesher made a solid: tetgen: there is no program /nowhere/tetgen");
    let error = tetrahedralize::tetrahedralize_first(&["delaunay"], &ball, &options).unwrap_err();
    assert!(matches!(error, MeshError::UnknownMesher { .. }));
}

#[test]
fn tetgen_keeps_the_surface_and_refuses_self_intersections() {
    if TetGen::find(None).is_none() {
        println!("skipped: tetgen is not on PATH");
        return;
    }
    let ball = generate::sphere(16, 8, 1.0).unwrap();
    let solid = TetGen.tetrahedralize(&ball, &Options::default()).unwrap();
    assert_eq!(solid.positions[..ball.positions.len()], ball.positions[..]);
    assert!(solid.volumes().iter().all(|&v| v > 0.0));
    assert_eq!(solid.surface_triangles().len(), ball.triangles.len());

    let mut other = ball.clone();
    other.translate(Vec3::new(0.5, 0.1, 0.2));
    let error = TetGen.tetrahedralize(&joined(ball, &other), &Options::default()).unwrap_err();
    assert!(error.to_string().contains("intersect"), "{error}");
}

#[cfg(feature = "tetgen")]
#[test]
fn the_library_makes_what_the_program_makes() {
    use pd_mesh::tetrahedralize::LinkedTetGen;
    let ball = generate::sphere(16, 8, 1.0).unwrap();
    let options = Options { tetgen_switches: "pq2.0Y".to_owned(), ..Options::default() };
    let solid = LinkedTetGen.tetrahedralize(&ball, &options).unwrap();
    assert_eq!(solid.positions[..ball.positions.len()], ball.positions[..]);
    if TetGen::find(None).is_some() {
        assert_eq!(solid.tets.len(), TetGen.tetrahedralize(&ball, &options).unwrap().tets.len());
    }
    let mut other = ball.clone();
    other.translate(Vec3::new(0.5, 0.1, 0.2));
    let error = LinkedTetGen.tetrahedralize(&joined(ball, &other), &options).unwrap_err();
    assert!(error.to_string().contains("intersects itself"), "{error}");
}

#[test]
fn a_surface_around_nothing_is_refused() {
    let options = Options { size: Size::Edge(1e-9), ..Options::default() };
    let error = Stuffing.tetrahedralize(&generate::sphere(8, 4, 1.0).unwrap(), &options).unwrap_err();
    assert!(error.to_string().contains("needs more than"), "{error}");
    for size in [Size::Cells(0), Size::Tets(0), Size::Edge(0.0), Size::Edge(f64::NAN)] {
        let options = Options { size, ..Options::default() };
        assert!(Stuffing.tetrahedralize(&generate::sphere(8, 4, 1.0).unwrap(), &options).is_err());
    }
}

/// Reports of progress start at 0, never fall, and end at 1.
fn rises(parts: &[f64]) {
    assert!(parts.len() > 2, "{parts:?}");
    assert!(parts.windows(2).all(|pair| pair[0] <= pair[1]), "{parts:?}");
    assert_eq!((parts[0], parts[parts.len() - 1]), (0.0, 1.0));
}

#[test]
fn meshers_and_the_decimator_tell_how_far_they_are() {
    let ring = generate::torus(48, 24, 1.0, 0.4).unwrap();
    for size in [Size::Cells(12), Size::Tets(3000)] {
        let mut parts = Vec::new();
        let options = Options { size, ..Options::default() };
        let observed =
            Stuffing.tetrahedralize_observed(&ring, &options, &mut |part| parts.push(part)).unwrap();
        rises(&parts);
        assert_eq!(observed, Stuffing.tetrahedralize(&ring, &options).unwrap());
    }
    let mut parts = Vec::new();
    let coarse = pd_mesh::decimate::decimate_observed(&ring, 800, &mut |part| parts.push(part)).unwrap();
    rises(&parts);
    assert_eq!(coarse, pd_mesh::decimate::decimate(&ring, 800).unwrap());
}
