//! Checks and repairs: every kind of defect made on purpose, found, and mended; intersections against brute force.

use pd_mesh::check::{self, Defect, repair};
use pd_mesh::geometry::{hausdorff, intersect};
use pd_mesh::{Mesh, TriMesh, Vec3, decimate, generate, io};
use proptest::prelude::*;

#[test]
fn sound_meshes_have_no_faults() {
    for surface in [
        generate::sphere(24, 12, 1.0).unwrap(),
        generate::torus(24, 12, 1.0, 0.3).unwrap(),
        generate::grid(5, 7, 1.0, 1.0).unwrap(),
    ] {
        let report = check::check_tri(&surface);
        assert!(report.is_clean(), "{report}");
        assert_eq!(report.components, 1);
    }
    let report = check::check_tet(&generate::bunny_class().unwrap());
    assert!(report.is_clean(), "{report}");
    let cloth = check::check_tri(&generate::grid(2, 2, 1.0, 1.0).unwrap());
    assert_eq!(cloth.count(Defect::BoundaryEdge), 8);
}

#[test]
fn every_defect_of_a_surface_is_named() {
    let mut mesh = generate::sphere(16, 8, 1.0).unwrap();
    let count = mesh.positions.len() as u32;
    mesh.positions.push(Vec3::repeat(5.0));
    let double = mesh.positions[3];
    mesh.positions.push(double);
    let first = mesh.triangles[0];
    mesh.triangles.push([first[1], first[2], first[0]]);
    mesh.triangles.push([1, 1, 2]);
    mesh.triangles[20].swap(0, 1);
    let report = check::check_tri(&mesh);
    let faces = mesh.triangles.len() as u32;
    let places = |defect| report.findings.iter().find(|f| f.defect == defect).map(|f| f.places.clone());
    assert_eq!(places(Defect::Duplicate), Some(vec![vec![faces - 2]]));
    assert_eq!(places(Defect::Degenerate), Some(vec![vec![faces - 1]]));
    assert_eq!(places(Defect::UnreferencedVertex), Some(vec![vec![count], vec![count + 1]]));
    assert_eq!(places(Defect::DuplicateVertex), Some(vec![vec![count + 1]]));
    assert_eq!(report.count(Defect::InconsistentEdge), 3);
    // Three sides of the doubled triangle, and the side of the degenerate one, have more than two triangles.
    assert!(report.count(Defect::NonManifoldEdge) >= 3);
    assert!(!report.is_clean());
    let text = report.to_string();
    assert!(text.contains(&format!("fault: 1 duplicate element: triangle {}", faces - 2)), "{text}");

    let mut file = Vec::new();
    check::painted(&mut file, &mesh, &report).unwrap();
    let data = io::read_ply(&file[..], "x").unwrap();
    let channel = |name| data.vertex_column(name).unwrap()[first[0] as usize];
    assert_eq!([channel("red"), channel("green"), channel("blue")], [255.0, 255.0, 0.0]);
    assert_eq!(data.mesh, Mesh::Tri(mesh));
}

#[test]
fn defects_of_a_solid_are_named() {
    let mut bar = generate::bar(1, 1, 3, 1.0).unwrap();
    bar.tets[4].swap(1, 2);
    let copy = bar.tets[7];
    bar.tets.push(copy);
    // A vertex pushed nearly into the opposite face of its tetrahedron.
    let report = check::check_tet(&bar);
    assert_eq!(report.findings[0].places, [[4]]);
    assert_eq!(report.count(Defect::Duplicate), 1);
    let mut flat = generate::bar(1, 1, 1, 1.0).unwrap();
    flat.positions.iter_mut().for_each(|x| x.y *= 1e-3);
    assert!(check::check_tet(&flat).count(Defect::Sliver) > 0);
}

/// A point of a small lattice: coplanar, touching and equal cases come often.
fn lattice_point() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-2i32..=2).prop_map(|p| Vec3::from(p.map(f64::from)))
}

/// Whether two triangles of whole coordinates meet, by integer arithmetic: they do not iff one of the separating axes of
/// two convex sets parts them.
fn meet_exactly(a: [Vec3; 3], b: [Vec3; 3]) -> bool {
    let sides = |t: [Vec3; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let normal = |t: [Vec3; 3]| (t[1] - t[0]).cross(&(t[2] - t[0]));
    let (na, nb) = (normal(a), normal(b));
    let mut axes = vec![na, nb];
    for u in sides(a) {
        axes.push(na.cross(&u));
        axes.push(nb.cross(&u));
        axes.extend(sides(b).map(|v| u.cross(&v)));
    }
    for v in sides(b) {
        axes.push(nb.cross(&v));
        axes.push(na.cross(&v));
    }
    !axes.iter().any(|axis| {
        let range = |t: [Vec3; 3]| {
            let d = t.map(|x| axis.dot(&x));
            (d[0].min(d[1]).min(d[2]), d[0].max(d[1]).max(d[2]))
        };
        let ((a_low, a_high), (b_low, b_high)) = (range(a), range(b));
        a_high < b_low || b_high < a_low
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn triangles_meet_as_integers_say(a in prop::array::uniform3(lattice_point()), b in prop::array::uniform3(lattice_point())) {
        let area = |t: [Vec3; 3]| (t[1] - t[0]).cross(&(t[2] - t[0])) != Vec3::zeros();
        if area(a) && area(b) {
            prop_assert_eq!(intersect::triangles_meet(a, b), meet_exactly(a, b));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The tree misses no pair.
    #[test]
    fn all_pairs_are_found(points in prop::collection::vec(lattice_point(), 9..30)) {
        let triangles: Vec<[u32; 3]> = (0..points.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let mesh = TriMesh::new(points, triangles).unwrap();
        let corners = |t: usize| mesh.triangles[t].map(|v| mesh.positions[v as usize]);
        let area = |t: usize| { let [a, b, c] = corners(t); (b - a).cross(&(c - a)) != Vec3::zeros() };
        let mut expected = Vec::new();
        for i in 0..mesh.triangles.len() {
            for j in i + 1..mesh.triangles.len() {
                if area(i) && area(j) && meet_exactly(corners(i), corners(j)) {
                    expected.push([i as u32, j as u32]);
                }
            }
        }
        prop_assert_eq!(intersect::self_intersections(&mesh, usize::MAX), expected);
    }
}

#[test]
fn neighbours_cross_only_if_they_fold_over() {
    let points =
        vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(0.8, 0.8, 0.0), Vec3::new(0.1, 0.1, 0.0)];
    let crossing = |triangles: Vec<[u32; 3]>| {
        intersect::self_intersections(&TriMesh::new(points.clone(), triangles).unwrap(), 9).len()
    };
    // Beside each other, folded flat onto each other, and one corner in common with and without overlap.
    assert_eq!(crossing(vec![[0, 1, 2], [1, 3, 2]]), 0);
    assert_eq!(crossing(vec![[0, 1, 2], [1, 4, 2]]), 1);
    assert_eq!(crossing(vec![[0, 1, 4], [4, 3, 2]]), 0);
    assert_eq!(crossing(vec![[0, 1, 2], [0, 3, 4]]), 0);
}

#[test]
fn welding_undoes_a_soup() {
    let ball = generate::sphere(16, 8, 1.0).unwrap();
    let mut soup = TriMesh::default();
    for corners in &ball.triangles {
        let first = soup.positions.len() as u32;
        soup.positions.extend(corners.map(|v| ball.positions[v as usize]));
        soup.triangles.push([first, first + 1, first + 2]);
    }
    let mut noisy = soup.clone();
    assert_eq!(repair::weld(&mut soup, 0.0).unwrap(), 3 * ball.triangles.len() - ball.positions.len());
    assert!(soup.boundary_edges().is_empty());
    assert_eq!(soup.positions.len(), ball.positions.len());
    for (i, x) in noisy.positions.iter_mut().enumerate() {
        *x += Vec3::repeat((i as f64).sin() * 1e-6);
    }
    repair::weld(&mut noisy, 1e-5).unwrap();
    assert_eq!((noisy.positions.len(), noisy.boundary_edges().len()), (ball.positions.len(), 0));
    assert!(repair::weld(&mut noisy, -1.0).is_err());
}

#[test]
fn orienting_undoes_turned_triangles() {
    let ring = generate::torus(24, 12, 1.0, 0.3).unwrap();
    let mut mixed = ring.clone();
    for face in (0..mixed.triangles.len()).step_by(3) {
        mixed.triangles[face].swap(1, 2);
    }
    let turned = repair::orient(&mut mixed);
    assert_eq!(turned, ring.triangles.len().div_ceil(3));
    assert!((mixed.enclosed_volume() - ring.enclosed_volume()).abs() < 1e-12);
    mixed.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    assert_eq!(repair::orient(&mut mixed), ring.triangles.len());
    assert_eq!(check::check_tri(&mixed).count(Defect::InconsistentEdge), 0);
}

#[test]
fn small_holes_are_filled_and_large_ones_left() {
    let ball = generate::sphere(16, 8, 1.0).unwrap();
    let mut open = ball.clone();
    open.triangles.remove(200);
    open.triangles.retain(|corners| !corners.contains(&40));
    let sides = open.boundary_edges().len();
    assert_eq!(repair::fill_holes(&mut open.clone(), 2), 0);
    let mut closed = open.clone();
    assert_eq!(repair::fill_holes(&mut closed, sides), 2);
    assert!(closed.boundary_edges().is_empty());
    assert!(check::check_tri(&closed).is_clean());
    assert!((closed.enclosed_volume() / ball.enclosed_volume() - 1.0).abs() < 0.02);
    // A cloth is one large hole: its border stays.
    let mut cloth = generate::grid(10, 10, 1.0, 1.0).unwrap();
    assert_eq!(repair::fill_holes(&mut cloth, 12), 0);
}

#[test]
fn slivers_and_doubles_are_dropped() {
    let mut cloth = generate::grid(2, 2, 1.0, 1.0).unwrap();
    let first = cloth.triangles[0];
    cloth.triangles.push([first[2], first[0], first[1]]);
    cloth.positions.push(cloth.positions[0] + Vec3::new(0.25, 1e-7, 0.0));
    cloth.triangles.push([0, 3, 9]);
    assert_eq!(repair::drop_duplicates(&mut cloth), 1);
    assert_eq!(repair::drop_slivers(&mut cloth, 1e-6), 1);
    assert_eq!(cloth.triangles.len(), 8);
}

#[test]
fn decimation_keeps_the_shape() {
    let ring = generate::torus(64, 32, 1.0, 0.4).unwrap();
    let coarse = decimate::decimate(&ring, 800).unwrap();
    assert!(coarse.triangles.len() <= 800 && coarse.triangles.len() > 790);
    let report = check::check_tri(&coarse);
    assert_eq!(
        (report.count(Defect::BoundaryEdge), report.count(Defect::NonManifoldEdge), report.components),
        (0, 0, 1)
    );
    let euler = coarse.positions.len() as i64 - coarse.edges().len() as i64 + coarse.triangles.len() as i64;
    assert_eq!(euler, 0, "a ring keeps its hole");
    assert!(hausdorff::distance(&ring, &coarse, 0.05).symmetric() < 0.06);
    assert_eq!(decimate::decimate(&ring, 800).unwrap(), coarse);

    // A flat cloth costs nothing: its border stays where it is.
    let cloth = generate::grid(20, 20, 1.0, 1.0).unwrap();
    let coarse = decimate::decimate(&cloth, 50).unwrap();
    let area: f64 = coarse.face_areas().iter().sum();
    assert!((area - 1.0).abs() < 1e-6, "{area}");
    assert!(coarse.triangles.len() <= 50);
    // Asking for nothing ends at the least the shape allows.
    assert!(decimate::decimate(&generate::sphere(16, 8, 1.0).unwrap(), 0).unwrap().triangles.len() >= 4);
}
