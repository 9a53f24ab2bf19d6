//! Writing and reading back, bit for bit; real models with their published counts; the two output-only formats.

use crate::models;
use pd_mesh::io::{self, PlyFormat, read_medit, read_obj};
use pd_mesh::topology::Rings;
use pd_mesh::{Mesh, TetMesh, TriMesh, Vec3, generate};
use proptest::prelude::*;

/// Any finite bit pattern: subnormal, huge, negative zero.
fn any_coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        -10.0f64..10.0,
        any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |value| value.is_finite()),
    ]
}

fn any_positions() -> impl Strategy<Value = Vec<Vec3>> {
    prop::collection::vec(prop::array::uniform3(any_coordinate()).prop_map(Vec3::from), 1..30)
}

pub(crate) fn any_tri() -> impl Strategy<Value = TriMesh> {
    any_positions().prop_flat_map(|positions| {
        let corner = 0..positions.len() as u32;
        prop::collection::vec(prop::array::uniform3(corner), 1..40)
            .prop_map(move |triangles| TriMesh::new(positions.clone(), triangles).unwrap())
    })
}

pub(crate) fn any_tet() -> impl Strategy<Value = TetMesh> {
    any_positions().prop_flat_map(|positions| {
        let corner = 0..positions.len() as u32;
        prop::collection::vec(prop::array::uniform4(corner), 1..40)
            .prop_map(move |tets| TetMesh::new(positions.clone(), tets).unwrap())
    })
}

pub(crate) fn bits(positions: &[Vec3]) -> Vec<[u64; 3]> {
    positions.iter().map(|x| [x.x, x.y, x.z].map(f64::to_bits)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn triangle_meshes_come_back(mesh in any_tri()) {
        let (mut obj, mut medit) = (Vec::new(), Vec::new());
        io::write_obj(&mut obj, &mesh).unwrap();
        io::write_medit(&mut medit, &mesh).unwrap();
        for read in [read_obj(&obj[..], "x").unwrap(), read_medit(&medit[..], "x").unwrap().into_tri().unwrap()] {
            prop_assert_eq!(&read.triangles, &mesh.triangles);
            prop_assert_eq!(bits(&read.positions), bits(&mesh.positions));
        }
    }

    #[test]
    fn tet_meshes_come_back(mesh in any_tet()) {
        let mut medit = Vec::new();
        io::write_medit(&mut medit, &mesh).unwrap();
        let read = read_medit(&medit[..], "x").unwrap().into_tet().unwrap();
        prop_assert_eq!(&read.tets, &mesh.tets);
        prop_assert_eq!(bits(&read.positions), bits(&mesh.positions));
    }

    /// Line ends, spacing, comments and layout do not matter.
    #[test]
    fn layout_does_not_matter(mesh in any_tet(), gaps in prop::collection::vec(0usize..5, 1..50)) {
        let mut medit = Vec::new();
        io::write_medit(&mut medit, &mesh).unwrap();
        let gap = [" ", "\n", "\r\n", "\t  ", " # \u{e9} 7 Vertices\n"];
        let text: String = String::from_utf8(medit)
            .unwrap()
            .split_whitespace()
            .zip(gaps.iter().cycle())
            .flat_map(|(word, &g)| [word, gap[g]])
            .collect();
        let read = read_medit(text.as_bytes(), "x").unwrap().into_tet().unwrap();
        prop_assert_eq!(bits(&read.positions), bits(&mesh.positions));
        prop_assert_eq!(&read.tets, &mesh.tets);
    }
}

#[test]
fn obj_dialects_are_understood() {
    // A comment that ends in a backslash does not swallow the vertex on the next line.
    let text = b"mtllib a.mtl\r\no \xe9\r\n# \xa9 comment in Latin-1 \\\r\nv 0 0 0 1.0\r\nv +1.5 0 -0 0.1 0.2 0.3 # red\r\n\
        vt 0 0\r\nvn 0 0 1\r\nf 1//1 2/1 3/1/1 -1\r\nv 1 1e0 0\r\nv 0 1 0\r\nv 9 9 9\r\n  f 1 2 \\\r\n  4\r\nl 1 2\r\nf 5 5 1";
    let mesh = read_obj(&text[..], "x.obj").unwrap();
    // The −1 of the first face counts back from the two vertices before it: a degenerate but legal fan.
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 1], [0, 1, 3], [4, 4, 0]]);
    assert_eq!(mesh.positions.len(), 5);
    assert_eq!(mesh.positions[1].x, 1.5);
    assert!(mesh.positions[1].z.is_sign_negative());
}

#[test]
fn medit_skips_what_it_does_not_know() {
    let text = b"MeshVersionFormatted 1 Dimension 3 Corners 1 1 Vertices 4 0 0 0 9 1 0 0 9 0 1 0 9 0 0 1 9\n\
        Edges 2\n1 2 5\n2 3 5\nRequiredVertices\n2 1 2 Tetrahedra 1 1 2 3 4 7 Hexahedra 0 End trailing words";
    let mesh = read_medit(&text[..], "x.mesh").unwrap().into_tet().unwrap();
    assert_eq!((mesh.positions.len(), mesh.tets), (4, vec![[0, 1, 2, 3]]));
}

#[test]
fn ply_is_exact_in_both_encodings() {
    let mesh =
        TriMesh::new(vec![Vec3::new(0.1, -0.0, 1e-300), Vec3::x(), Vec3::y()], vec![[2, 1, 0]]).unwrap();
    let speed = [1.5, 2.5, 0.1];
    let mut text = Vec::new();
    io::write_ply(&mut text, &mesh, PlyFormat::Ascii, &[("speed", &speed)]).unwrap();
    let text = String::from_utf8(text).unwrap();
    let header = "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\nproperty double z\n\
        property double speed\nelement face 1\nproperty list uchar uint vertex_indices\nend_header\n";
    let body: Vec<&str> = text.strip_prefix(header).unwrap().lines().collect();
    let first: Vec<f64> = body[0].split(' ').map(|word| word.parse().unwrap()).collect();
    assert_eq!(
        first.iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
        [0.1, -0.0, 1e-300, 1.5].map(f64::to_bits)
    );
    assert_eq!(body[3], "3 2 1 0");

    let mut binary = Vec::new();
    io::write_ply(&mut binary, &mesh, PlyFormat::BinaryLittleEndian, &[("speed", &speed)]).unwrap();
    let header = header.replace("ascii", "binary_little_endian");
    let body = binary.strip_prefix(header.as_bytes()).unwrap();
    assert_eq!(body.len(), 3 * 4 * 8 + 13);
    let value = |k: usize| f64::from_le_bytes(body[8 * k..8 * k + 8].try_into().unwrap());
    assert_eq!((value(0), value(2), value(3), value(11)), (0.1, 1e-300, 1.5, 0.1));
    assert_eq!(body[96..], [3, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn columns_must_fit() {
    let mesh = generate::grid(1, 1, 1.0, 1.0).unwrap();
    for bad in [("speed", &[1.0][..]), ("two words", &[0.0; 4][..]), ("", &[0.0; 4][..])] {
        let error = io::write_ply(std::io::sink(), &mesh, PlyFormat::Ascii, &[bad]).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
        assert!(io::write_vtk(std::io::sink(), &mesh, &[bad]).is_err());
    }
}

#[test]
fn vtk_has_the_documented_layout() {
    let tet =
        TetMesh::new(vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z() * 0.5], vec![[0, 1, 2, 3]]).unwrap();
    let mut file = Vec::new();
    io::write_vtk(&mut file, &tet, &[("mass", &[1.0, 2.0, 3.0, 4.0])]).unwrap();
    let expected = "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0 0 0\n1 0 0\n\
        0 1 0\n0 0 0.5\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\nPOINT_DATA 4\nSCALARS mass double 1\n\
        LOOKUP_TABLE default\n1\n2\n3\n4\n";
    assert_eq!(String::from_utf8(file).unwrap(), expected);

    let mut file = Vec::new();
    io::write_vtk(&mut file, &generate::grid(1, 1, 1.0, 1.0).unwrap(), &[]).unwrap();
    let text = String::from_utf8(file).unwrap();
    assert!(text.contains("DATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n"));
    assert!(text.ends_with("CELLS 2 8\n3 0 1 3\n3 0 3 2\nCELL_TYPES 2\n5\n5\n"));
}

/// Vertices that no element touches.
fn unreferenced(mesh: &TriMesh) -> usize {
    let rings = Rings::new(mesh);
    (0..rings.len()).filter(|&v| rings.ring(v).is_empty()).count()
}

#[test]
fn real_surfaces_load_with_their_counts() {
    for (name, vertices, faces, loose, closed) in [
        ("armadillo_thesis_14793v.obj", 14793, 29582, 0, true),
        ("stanford_bunny_35947v.obj", 35947, 69451, 1113, false),
        ("spot.obj", 2930, 5856, 0, true),
        ("libigl_armadillo.obj", 43243, 86482, 0, true),
        ("codim_skirt8K.obj", 8121, 15858, 0, false),
        ("codim_dress_knife_stage.obj", 15656, 29456, 0, false),
    ] {
        let Some(path) = models::find(name) else { continue };
        let mesh = io::read_path(path).unwrap().into_tri().unwrap();
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (vertices, faces), "{name}");
        assert_eq!(unreferenced(&mesh), loose, "{name}");
        assert_eq!(mesh.boundary_edges().is_empty(), closed, "{name}");
        if closed {
            assert_eq!(vertices as i64 - mesh.edges().len() as i64 + faces as i64, 2, "{name}");
            assert!(mesh.enclosed_volume() > 0.0);
        }
    }
}

#[test]
fn real_solids_load_with_their_counts() {
    for (name, vertices, tets, surface) in [
        ("bunny_thesis_2531v_8121t.mesh", 2531, 8121, Some(5058)),
        ("armadillo_tetgen16_pq8.0Y_15666v_49393t.mesh", 15666, 49393, Some(29582)),
        ("bar_thesisrepo_208v_540t.mesh", 208, 540, None),
        ("bunny_ftetwild_default.mesh", 6185, 24142, None),
        ("libigl_octopus-low.mesh", 452, 1140, None),
    ] {
        let Some(path) = models::find(name) else { continue };
        let mesh = io::read_path(path).unwrap().into_tet().unwrap();
        assert_eq!((mesh.positions.len(), mesh.tets.len()), (vertices, tets), "{name}");
        let skin = mesh.surface_mesh();
        if let Some(surface) = surface {
            assert_eq!(skin.triangles.len(), surface, "{name}");
            assert!(mesh.volumes().iter().all(|&v| v > 0.0), "{name}");
        }
        assert!(skin.boundary_edges().is_empty(), "{name}");
        let volume: f64 = mesh.volumes().iter().map(|v| v.abs()).sum();
        assert!((skin.enclosed_volume() / volume - 1.0).abs() < 1e-9, "{name}");

        let mut file = Vec::new();
        io::write_medit(&mut file, &mesh).unwrap();
        assert!(read_medit(&file[..], name).unwrap() == Mesh::Tet(mesh), "{name}");
    }
}
