//! Topology against brute force, and the geometry of triangle and tetrahedron meshes.

use pd_mesh::topology::{self, Rings, VertexFaces};
use pd_mesh::{MeshError, TetMesh, TriMesh, Vec3, generate, transform};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn any_triangles() -> impl Strategy<Value = (usize, Vec<[u32; 3]>)> {
    (3usize..12)
        .prop_flat_map(|n| (Just(n), prop::collection::vec(prop::array::uniform3(0..n as u32), 1..20)))
}

fn flat(n: usize, triangles: Vec<[u32; 3]>) -> TriMesh {
    let positions = (0..n).map(|v| Vec3::new((v as f64).cos(), (v * v) as f64, v as f64)).collect();
    TriMesh::new(positions, triangles).unwrap()
}

/// All rotations of `ring`.
fn rotations(ring: &[u32]) -> Vec<Vec<u32>> {
    (0..ring.len().max(1)).map(|shift| [&ring[shift..], &ring[..shift]].concat()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn edges_equal_a_set_of_pairs((n, triangles) in any_triangles()) {
        let mesh = flat(n, triangles.clone());
        let mut uses: BTreeMap<[u32; 2], Vec<[u32; 2]>> = BTreeMap::new();
        for t in &triangles {
            for (a, b) in [(0, 1), (1, 2), (2, 0)] {
                if t[a] != t[b] {
                    uses.entry([t[a].min(t[b]), t[a].max(t[b])]).or_default().push([t[a], t[b]]);
                }
            }
        }
        prop_assert_eq!(mesh.edges(), uses.keys().copied().collect::<Vec<_>>());
        let border: Vec<[u32; 2]> = uses.values().filter(|u| u.len() == 1).map(|u| u[0]).collect();
        prop_assert_eq!(mesh.boundary_edges(), border);
    }

    #[test]
    fn vertex_faces_equal_a_search((n, triangles) in any_triangles()) {
        let mesh = flat(n, triangles);
        let table = VertexFaces::new(&mesh);
        for v in 0..n {
            let expected: Vec<u32> = (0..mesh.triangles.len() as u32)
                .filter(|&f| mesh.triangles[f as usize].contains(&(v as u32)))
                .collect();
            prop_assert_eq!(table.of(v), &expected[..]);
        }
    }

    /// On any soup: the ring holds exactly the neighbours, and its order is vouched for by triangles.
    #[test]
    fn rings_of_a_soup_are_sound((n, triangles) in any_triangles()) {
        let mesh = flat(n, triangles);
        let rings = Rings::new(&mesh);
        let proper: Vec<[u32; 3]> =
            mesh.triangles.iter().copied().filter(|[a, b, c]| a != b && b != c && a != c).collect();
        for v in 0..n {
            let around: Vec<[u32; 2]> = proper
                .iter()
                .flat_map(|&[a, b, c]| [(a, [b, c]), (b, [c, a]), (c, [a, b])])
                .filter(|(centre, _)| *centre as usize == v)
                .map(|(_, link)| link)
                .collect();
            let ring = rings.ring(v);
            let neighbours: BTreeSet<u32> = around.iter().flatten().copied().collect();
            prop_assert_eq!(ring.iter().copied().collect::<BTreeSet<_>>(), neighbours.clone());
            prop_assert_eq!(ring.len(), neighbours.len());

            let consecutive: BTreeSet<[u32; 2]> = ring.windows(2).map(|w| [w[0], w[1]]).collect();
            let links: BTreeSet<[u32; 2]> = around.iter().copied().collect();
            let chain = links == consecutive && around.len() == links.len();
            let mut closed = consecutive.clone();
            if ring.len() > 1 {
                closed.insert([ring[ring.len() - 1], ring[0]]);
            }
            let cycle = ring.len() > 1 && links == closed && around.len() == ring.len();
            let broken = rings.non_manifold.contains(&(v as u32));
            if broken {
                prop_assert!(rings.is_boundary(v));
                // No ordering of the neighbours could be a cycle or a chain: check by out- and in-degrees and connection.
                prop_assert!(!is_one_path(&around), "vertex {} is reported but fine: {:?}", v, around);
            } else if rings.is_boundary(v) {
                prop_assert!(chain, "{:?} {:?}", ring, around);
            } else {
                prop_assert!(cycle, "{:?} {:?}", ring, around);
                prop_assert_eq!(ring[0], *ring.iter().min().unwrap());
            }
        }
    }

    /// Renumbering the triangles changes nothing; turning the corners changes nothing.
    #[test]
    fn rings_do_not_depend_on_the_order_of_triangles(seed in prop::collection::vec(any::<(u32, u8)>(), 128)) {
        let mesh = generate::torus(8, 8, 1.0, 0.4).unwrap();
        let mut keyed: Vec<(u32, [u32; 3])> = mesh
            .triangles
            .iter()
            .zip(&seed)
            .map(|(t, (key, turn))| {
                let mut t = *t;
                t.rotate_left(*turn as usize % 3);
                (*key, t)
            })
            .collect();
        keyed.sort_unstable();
        let shuffled = TriMesh { positions: mesh.positions.clone(), triangles: keyed.into_iter().map(|k| k.1).collect() };
        prop_assert_eq!(Rings::new(&mesh), Rings::new(&shuffled));
    }

    #[test]
    fn random_tets_have_outward_surfaces(coordinates in prop::array::uniform12(-1.0f64..1.0)) {
        let positions: Vec<Vec3> = coordinates.chunks(3).map(|x| Vec3::new(x[0], x[1], x[2])).collect();
        let mut mesh = TetMesh::new(positions, vec![[0, 1, 2, 3]]).unwrap();
        let volume = mesh.volumes()[0];
        prop_assume!(volume.abs() > 1e-6);
        let enclosed = mesh.surface().enclosed_volume();
        prop_assert!((enclosed - volume.abs()).abs() < 1e-12);
        prop_assert_eq!(mesh.orient_positively(), usize::from(volume < 0.0));
        prop_assert_eq!(mesh.volumes()[0], volume.abs());
    }

    #[test]
    fn rigid_motion_keeps_lengths_and_normals_turn(
        axis in prop::array::uniform3(-1.0f64..1.0),
        angle in -7.0f64..7.0,
        offset in prop::array::uniform3(-5.0f64..5.0),
    ) {
        let axis = Vec3::from(axis);
        prop_assume!(axis.norm() > 1e-3);
        let mesh = generate::sphere(7, 5, 1.0).unwrap();
        let mut moved = mesh.clone();
        moved.rotate(axis, angle);
        moved.translate(Vec3::from(offset));
        let mut normals = mesh.vertex_normals();
        transform::rotate(&mut normals, axis, angle);
        for (a, b) in normals.iter().zip(moved.vertex_normals()) {
            prop_assert!((a - b).norm() < 1e-12);
        }
        for (a, b) in mesh.face_areas().iter().zip(moved.face_areas()) {
            prop_assert!((a - b).abs() < 1e-12);
        }
    }
}

/// Whether directed links form exactly one simple chain or one simple cycle.
fn is_one_path(links: &[[u32; 2]]) -> bool {
    let mut nodes: Vec<u32> = links.iter().flatten().copied().collect();
    nodes.sort_unstable();
    nodes.dedup();
    let degree = |node: u32, side: usize| links.iter().filter(|link| link[side] == node).count();
    if nodes.iter().any(|&node| degree(node, 0) > 1 || degree(node, 1) > 1) {
        return false;
    }
    // Connected: grow from the first node over undirected links.
    let mut reached = BTreeSet::from([nodes[0]]);
    loop {
        let before = reached.len();
        for link in links {
            if reached.contains(&link[0]) || reached.contains(&link[1]) {
                reached.extend(link);
            }
        }
        if reached.len() == before {
            return reached.len() == nodes.len();
        }
    }
}

#[test]
fn interior_rings_turn_counter_clockwise() {
    for mesh in [
        generate::grid(4, 5, 1.0, 2.0).unwrap(),
        generate::torus(12, 9, 1.0, 0.3).unwrap(),
        generate::hemisphere(9, 6, 1.0).unwrap(),
    ] {
        let rings = Rings::new(&mesh);
        let normals = mesh.vertex_normals();
        for v in (0..rings.len()).filter(|&v| !rings.is_boundary(v)) {
            let x = mesh.positions[v];
            let ring = rings.ring(v);
            let turn: f64 = (0..ring.len())
                .map(|k| {
                    let a = mesh.positions[ring[k] as usize] - x;
                    let b = mesh.positions[ring[(k + 1) % ring.len()] as usize] - x;
                    normals[v].dot(&a.cross(&b))
                })
                .sum();
            assert!(turn > 0.0, "vertex {v}");
        }
    }
}

#[test]
fn defective_fans_are_reported() {
    let at = |n: usize, triangles: &[[u32; 3]]| Rings::new(&flat(n, triangles.to_vec()));
    // Two triangles that meet in a point only.
    let bow_tie = at(5, &[[0, 1, 2], [0, 3, 4]]);
    assert_eq!((bow_tie.non_manifold.clone(), bow_tie.ring(0)), (vec![0], &[1, 2, 3, 4][..]));
    // Three triangles on one edge.
    assert_eq!(at(5, &[[0, 1, 2], [0, 1, 3], [1, 0, 4]]).non_manifold, [0, 1]);
    // Neighbours of opposite orientation.
    assert_eq!(at(4, &[[0, 1, 2], [1, 2, 3]]).non_manifold, [1, 2]);
    // Two closed cones that share their tip.
    let cone = |s: u32| [[0, s, s + 1], [0, s + 1, s + 2], [0, s + 2, s]];
    assert_eq!(at(7, &[cone(1), cone(4)].concat()).non_manifold, [0]);
    // An isolated vertex is boundary, not defective.
    let isolated = at(4, &[[0, 1, 2]]);
    assert!(isolated.is_boundary(3) && isolated.ring(3).is_empty() && isolated.non_manifold.is_empty());
    assert!(rotations(at(4, &cone(1)).ring(0)).contains(&vec![2, 3, 1]));
}

#[test]
fn areas_and_normals_of_known_bodies() {
    let cloth = generate::grid(3, 7, 2.0, 1.5).unwrap();
    assert!((cloth.vertex_areas().iter().sum::<f64>() - 3.0).abs() < 1e-12);
    assert!((cloth.face_areas().iter().sum::<f64>() - 3.0).abs() < 1e-12);
    let sphere = generate::sphere(40, 30, 1.0).unwrap();
    for (x, n) in sphere.positions.iter().zip(sphere.vertex_normals()) {
        assert!((n.norm() - 1.0).abs() < 1e-12 && n.dot(x) > 0.99);
    }
    let degenerate = TriMesh::new(vec![Vec3::zeros(), Vec3::x(), Vec3::x() * 2.0], vec![[0, 1, 2]]).unwrap();
    assert_eq!(degenerate.face_normals(), [Vec3::zeros()]);
    assert_eq!(degenerate.vertex_normals(), [Vec3::zeros(); 3]);
}

#[test]
fn edges_of_both_kinds_merge() {
    let bar = generate::bar(1, 1, 1, 1.0).unwrap();
    assert_eq!(bar.edges().len(), 18);
    assert_eq!(topology::edges(&bar.surface_triangles(), &bar.tets), bar.edges());
    assert_eq!(topology::edges(&[[0, 1, 9]], &[[0, 1, 2, 3]]).len(), 8);
}

#[test]
fn a_mirrored_solid_keeps_an_outward_surface() {
    let mut bar = generate::bar(2, 3, 2, 1.0).unwrap();
    let volume: f64 = bar.volumes().iter().sum();
    transform::scale_axes(&mut bar.positions, Vec3::new(-1.0, 1.0, 1.0));
    assert!(bar.volumes().iter().all(|&v| v < 0.0));
    assert!((bar.surface_mesh().enclosed_volume() - volume).abs() < 1e-12);
}

#[test]
fn normalize_extent_follows_its_definition() {
    let mut points = vec![Vec3::new(0.0, 0.0, 0.0), Vec3::new(4.0, 0.0, 0.0), Vec3::new(2.0, 3.0, 0.0)];
    transform::normalize_extent(&mut points);
    // Mean (2, 1, 0); centred coordinates run from −2 to 2 over all axes.
    assert_eq!(points, [Vec3::new(-0.5, -0.25, 0.0), Vec3::new(0.5, -0.25, 0.0), Vec3::new(0.0, 0.5, 0.0)]);
    let mut one = [Vec3::new(3.0, 4.0, 5.0)];
    transform::normalize_extent(&mut one);
    assert_eq!(one, [Vec3::zeros()]);
    transform::normalize_extent(&mut []);
}

#[test]
fn bad_meshes_are_refused_with_numbers() {
    let x = || vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
    assert_eq!(TriMesh::new(vec![], vec![]), Err(MeshError::NoVertices));
    assert_eq!(TriMesh::new(x(), vec![]), Err(MeshError::NoElements { element: "triangle", vertices: 4 }));
    assert_eq!(TetMesh::new(x(), vec![]), Err(MeshError::NoElements { element: "tetrahedron", vertices: 4 }));
    let error = TetMesh::new(x(), vec![[0, 1, 2, 3], [0, 4, 1, 2]]).unwrap_err();
    assert_eq!(
        error,
        MeshError::IndexOutOfRange { element: "tetrahedron", number: 1, corner: 1, index: 4, vertices: 4 }
    );
    assert_eq!(error.to_string(), "tetrahedron 1, corner 1: vertex 4 does not exist, there are 4 (0-based)");
    let mut bad = x();
    bad[2].y = f64::INFINITY;
    assert_eq!(
        TriMesh::new(bad, vec![[0, 1, 2]]),
        Err(MeshError::NotFinite { vertex: 2, axis: 1, value: f64::INFINITY })
    );
}
