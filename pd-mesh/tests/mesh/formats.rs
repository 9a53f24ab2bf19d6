//! Every format written and read back on random meshes, its dialects, its defects, and real files with published counts.

use crate::models;
use crate::round_trip::{any_tet, any_tri, bits};
use pd_mesh::io::{self, Elements, FileErrorKind as Kind, MshFormat, PlyFormat, StlFormat};
use pd_mesh::{Mesh, TetMesh, TriMesh, Vec3, generate};
use proptest::prelude::*;

const MSH: [MshFormat; 4] =
    [MshFormat::V22Ascii, MshFormat::V22Binary, MshFormat::V41Ascii, MshFormat::V41Binary];
const PLY: [PlyFormat; 3] = [PlyFormat::Ascii, PlyFormat::BinaryLittleEndian, PlyFormat::BinaryBigEndian];

fn same_tri(read: &Mesh, mesh: &TriMesh) {
    let Mesh::Tri(read) = read else { panic!("a solid") };
    assert_eq!(read.triangles, mesh.triangles);
    assert_eq!(bits(&read.positions), bits(&mesh.positions));
}

fn same_tet(read: &Mesh, mesh: &TetMesh) {
    let Mesh::Tet(read) = read else { panic!("a surface") };
    assert_eq!(read.tets, mesh.tets);
    assert_eq!(bits(&read.positions), bits(&mesh.positions));
}

/// The same mesh with coordinates that 32 bits can hold.
fn rounded(mut mesh: TriMesh) -> TriMesh {
    for x in &mut mesh.positions {
        *x = x.map(|c| f64::from((c % 1e6) as f32));
    }
    mesh
}

/// Corner positions of every triangle, −0 taken as 0.
fn soup(mesh: &TriMesh) -> Vec<[[u64; 3]; 3]> {
    let corner = |v: u32| <[f64; 3]>::from(mesh.positions[v as usize]).map(|c| (c + 0.0).to_bits());
    mesh.triangles.iter().map(|t| t.map(corner)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn surfaces_come_back_bit_for_bit(mesh in any_tri()) {
        let mut file = Vec::new();
        for format in PLY {
            file.clear();
            io::write_ply(&mut file, &mesh, format, &[]).unwrap();
            same_tri(&io::read_ply(&file[..], "x").unwrap().mesh, &mesh);
        }
        for format in MSH {
            file.clear();
            io::write_msh(&mut file, &mesh, format).unwrap();
            same_tri(&io::read_msh(&file[..], "x").unwrap(), &mesh);
        }
        file.clear();
        io::write_off(&mut file, &mesh).unwrap();
        same_tri(&Mesh::Tri(io::read_off(&file[..], "x").unwrap()), &mesh);
        file.clear();
        io::write_vtk(&mut file, &mesh, &[]).unwrap();
        same_tri(&io::read_vtk(&file[..], "x").unwrap().mesh, &mesh);
        file.clear();
        io::write_vtu(&mut file, &mesh, &[], &[]).unwrap();
        same_tri(&io::read_vtu(&file[..], "x").unwrap().mesh, &mesh);
        let (mut nodes, mut faces) = (Vec::new(), Vec::new());
        io::write_node(&mut nodes, &mesh).unwrap();
        io::write_ele_or_face(&mut faces, &mesh).unwrap();
        let read = io::read_node_ele(&nodes[..], "n", Elements::Triangles(&faces[..]), "f").unwrap();
        same_tri(&read.mesh, &mesh);
        file.clear();
        io::write_stl(&mut file, &mesh, StlFormat::Ascii).unwrap();
        prop_assert_eq!(soup(&io::read_stl(&file[..], "x").unwrap()), soup(&mesh));
    }

    #[test]
    fn formats_of_32_bits_keep_what_fits(mesh in any_tri().prop_map(rounded)) {
        let mut file = Vec::new();
        io::write_glb(&mut file, &mesh).unwrap();
        same_tri(&Mesh::Tri(io::read_gltf(&file[..], "x", |_| None).unwrap()), &mesh);
        file.clear();
        io::write_stl(&mut file, &mesh, StlFormat::Binary).unwrap();
        prop_assert_eq!(soup(&io::read_stl(&file[..], "x").unwrap()), soup(&mesh));
    }

    #[test]
    fn solids_come_back_bit_for_bit(mesh in any_tet()) {
        let mut file = Vec::new();
        for format in MSH {
            file.clear();
            io::write_msh(&mut file, &mesh, format).unwrap();
            same_tet(&io::read_msh(&file[..], "x").unwrap(), &mesh);
        }
        file.clear();
        io::write_vtk(&mut file, &mesh, &[]).unwrap();
        same_tet(&io::read_vtk(&file[..], "x").unwrap().mesh, &mesh);
        file.clear();
        io::write_vtu(&mut file, &mesh, &[], &[]).unwrap();
        same_tet(&io::read_vtu(&file[..], "x").unwrap().mesh, &mesh);
        let (mut nodes, mut tets) = (Vec::new(), Vec::new());
        io::write_node(&mut nodes, &mesh).unwrap();
        io::write_ele_or_face(&mut tets, &mesh).unwrap();
        let read = io::read_node_ele(&nodes[..], "n", Elements::Tets(&tets[..]), "e").unwrap();
        same_tet(&read.mesh, &mesh);
    }

    #[test]
    fn columns_come_back(mesh in any_tet()) {
        let weights: Vec<f64> = (0..mesh.positions.len()).map(|v| 0.1 * v as f64).collect();
        let stiffness: Vec<f64> = (0..mesh.tets.len()).map(|t| 1e9 / (t + 3) as f64).collect();
        let mut file = Vec::new();
        io::write_vtu(&mut file, &mesh, &[("weight", &weights)], &[("stiffness", &stiffness)]).unwrap();
        let read = io::read_vtu(&file[..], "x").unwrap();
        prop_assert_eq!(read.vertex_column("weight"), Some(&weights[..]));
        prop_assert_eq!(read.element_column("stiffness"), Some(&stiffness[..]));
        file.clear();
        io::write_vtk(&mut file, &mesh, &[("weight", &weights), ("again", &weights)]).unwrap();
        let read = io::read_vtk(&file[..], "x").unwrap();
        prop_assert_eq!(read.vertex_column("again"), Some(&weights[..]));
        for format in PLY {
            file.clear();
            io::write_ply(&mut file, &TriMesh::new(mesh.positions.clone(), vec![[0; 3]]).unwrap(), format, &[("w", &weights)]).unwrap();
            let read = io::read_ply(&file[..], "x").unwrap();
            prop_assert_eq!(read.vertex_column("w"), Some(&weights[..]));
        }
    }
}

#[test]
fn every_extension_goes_through_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let solid = generate::bar(1, 1, 2, 1.0).unwrap();
    for extension in io::WRITABLE.replace(" or", ",").split(", ") {
        let path = directory.path().join(format!("bar.{extension}"));
        io::write_path(&path, &solid).unwrap();
        if extension == "smesh" {
            continue;
        }
        let read = io::read_path(&path).unwrap_or_else(|error| panic!("{error}"));
        let surface = ["obj", "ply", "stl", "off", "glb"].contains(&extension);
        assert_eq!(
            read.element_count(),
            if surface { solid.surface_triangles().len() } else { solid.tets.len() },
            "{extension}"
        );
    }
    let error = io::read_path(directory.path().join("bar.xyz")).unwrap_err();
    assert!(matches!(error.kind, Kind::UnknownExtension { .. }));
}

#[test]
fn ply_dialects_are_understood() {
    let text = b"ply\r\nformat ascii 1.0\r\ncomment made by hand\r\nelement camera 1\r\nproperty float zoom\r\n\
        element vertex 4\r\nproperty float nx\r\nproperty float64 x\r\nproperty float y\r\nproperty float z\r\n\
        property uchar red\r\nelement face 1\r\nproperty float area\r\nproperty list uint8 int32 vertex_index\r\n\
        property list uchar float texcoord\r\nend_header\r\n9\r\n0 0 0 0 255\r\n0 1 0 0 7\r\nnan 1 1 0 7\r\n0 0 1 0 7\r\n\
        1.5 4 0 1 2 3 2 0.5 0.5\r\n";
    let data = io::read_ply(&text[..], "x.ply").unwrap();
    let Mesh::Tri(mesh) = &data.mesh else { panic!() };
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(data.vertex_column("red").unwrap()[0], 255.0);
    assert!(data.vertex_column("nx").unwrap()[2].is_nan());
    // Both halves of the quadrangle have its number.
    assert_eq!(data.element_column("area"), Some(&[1.5, 1.5][..]));
}

#[test]
fn stl_and_off_dialects_are_understood() {
    let text = b"SOLID two words\nfacet normal 0 nan 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n\
        facet normal 0 0 1 outer loop vertex 1 0 0 vertex 1 1 0 vertex 0 1 0 endloop endfacet\nendsolid two words\n";
    let mesh = io::read_stl(&text[..], "x.stl").unwrap();
    assert_eq!((mesh.positions.len(), mesh.triangles), (4, vec![[0, 1, 2], [1, 3, 2]]));

    let text =
        b"# made by hand\nCOFF 4 1 0\n0 0 0 1 0 0 1\n1 0 0 # corner\n1 1 0\n\n0 1 0\n4 0 1 2 3 255 0 0\n";
    assert_eq!(io::read_off(&text[..], "x.off").unwrap().triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(
        io::read_off(&b"3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 2 1 0"[..], "x.off").unwrap().triangles,
        [[2, 1, 0]]
    );
}

#[test]
fn msh_dialects_are_understood() {
    // Sparse tags, a line element, a curved tetrahedron, sections to skip.
    let text = b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n$Nodes\n5\n\
        10 0 0 0\n20 1 0 0\n7 0 1 0\n40 0 0 1\n50 0.5 0 0\n$EndNodes\n$Elements\n3\n1 1 2 0 1 10 20\n2 2 0 10 20 7\n\
        3 11 1 9 10 20 7 40 50 50 50 50 50 50\n$EndElements\n$Periodic\n1\n\"t\"\n$EndPeriodic\n";
    let mesh = io::read_msh(&text[..], "x.msh").unwrap().into_tet().unwrap();
    assert_eq!((mesh.positions.len(), mesh.tets), (5, vec![[0, 1, 2, 3]]));
    // Parametric nodes in two blocks.
    let text = b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n2 3 1 3\n0 1 0 1\n1\n0 0 0\n2 5 1 2\n2\n3\n1 0 0 0.5 0.5\n\
        0 1 0 0.5 0.5\n$EndNodes\n$Elements\n1 1 1 1\n2 5 2 1\n1 3 2 1\n$EndElements\n";
    let mesh = io::read_msh(&text[..], "x.msh").unwrap().into_tri().unwrap();
    assert_eq!((mesh.positions[2], mesh.triangles), (Vec3::y(), vec![[2, 1, 0]]));
}

#[test]
fn vtk_dialects_are_understood() {
    let text = b"# vtk DataFile Version 5.1\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n0 0 0 1 0 0 0 1 0 0 0 1 1 1 1\n\
        METADATA\nINFORMATION 0\n\nCELLS 3 7\nOFFSETS vtktypeint64\n0 3 7\nCONNECTIVITY vtktypeint64\n0 1 2 0 1 2 3\n\
        CELL_TYPES 2\n5\n10\nCELL_DATA 2\nSCALARS region int\nLOOKUP_TABLE default\n4 8\nFIELD FieldData 1\nload 2 2 double\n1 2 3 4\n\
        POINT_DATA 5\nVECTORS speed double\n0 0 0 1 1 1 2 2 2 3 3 3 4 4 4\n";
    let data = io::read_vtk(&text[..], "x.vtk").unwrap();
    assert_eq!(data.mesh.element_count(), 1);
    // Of the triangle and the tetrahedron only the tetrahedron is kept, with its own numbers.
    assert_eq!(data.element_column("region"), Some(&[8.0][..]));
    assert_eq!(data.element_column("load_1"), Some(&[4.0][..]));
    assert_eq!(data.vertex_column("speed_2"), Some(&[0.0, 1.0, 2.0, 3.0, 4.0][..]));

    let mut file = b"# vtk DataFile Version 3.0\n\nBINARY\nDATASET POLYDATA\nPOINTS 3 float\n".to_vec();
    file.extend([0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|c| c.to_be_bytes()));
    file.extend(b"\nPOLYGONS 1 4\n");
    file.extend([3i32, 0, 1, 2].iter().flat_map(|c| c.to_be_bytes()));
    assert_eq!(io::read_vtk(&file[..], "x.vtk").unwrap().mesh.element_count(), 1);
}

#[test]
fn vtu_of_other_writers_is_understood() {
    let head = "<?xml version=\"1.0\"?>\n<!-- a > comment -->\n<VTKFile type='UnstructuredGrid' version='0.1' byte_order='LittleEndian'";
    let cells = "<Cells><DataArray type='Int32' Name='connectivity' format='ascii'>0 1 2 3</DataArray>\
        <DataArray type='Int32' Name='offsets' format='ascii'>4</DataArray><DataArray type='UInt8' Name='types' format='ascii'>10\
        </DataArray></Cells>";
    let points: Vec<u8> =
        [0f32, 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.].iter().flat_map(|c| c.to_le_bytes()).collect();
    // Raw appended data, with a '<' among the bytes of the length (48 = 0x30, so add one by a 60-byte column).
    let mut file = format!(
        "{head}><UnstructuredGrid><Piece NumberOfPoints='4' NumberOfCells='1'><Points>\
         <DataArray type='Float32' NumberOfComponents='3' format='appended' offset='0'/></Points>{cells}</Piece></UnstructuredGrid>\
         <AppendedData encoding='raw'>\n_"
    )
    .into_bytes();
    file.extend(48u32.to_le_bytes());
    file.extend(&points);
    file.extend(b"</AppendedData></VTKFile>");
    assert_eq!(io::read_vtu(&file[..], "x.vtu").unwrap().mesh.positions()[3], Vec3::z());

    // One zlib block (deflate without compression), appended raw.
    let mut block = vec![0x78, 0x01, 1];
    block.extend(48u16.to_le_bytes());
    block.extend((!48u16).to_le_bytes());
    block.extend(&points);
    let (mut a, mut b) = (1u32, 0u32);
    for &byte in &points {
        a = (a + u32::from(byte)) % 65521;
        b = (b + a) % 65521;
    }
    block.extend(((b << 16) | a).to_be_bytes());
    let mut file = format!(
        "{head} compressor='vtkZLibDataCompressor'><UnstructuredGrid><Piece NumberOfPoints='4' NumberOfCells='1'><Points>\
         <DataArray type='Float32' NumberOfComponents='3' format='appended' offset='0'/></Points>{cells}</Piece></UnstructuredGrid>\
         <AppendedData encoding='raw'>_"
    )
    .into_bytes();
    for value in [1u32, 48, 48, block.len() as u32] {
        file.extend(value.to_le_bytes());
    }
    file.extend(&block);
    assert_eq!(io::read_vtu(&file[..], "x.vtu").unwrap().mesh.positions()[1], Vec3::x());
}

#[test]
fn gltf_nodes_move_their_meshes() {
    let points: Vec<u8> =
        [0f32, 0., 0., 1., 0., 0., 0., 1., 0., 1., 1., 0.].iter().flat_map(|c| c.to_le_bytes()).collect();
    let base64 = {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let groups =
            points.chunks(3).map(|g| (u32::from(g[0]) << 16) | (u32::from(g[1]) << 8) | u32::from(g[2]));
        groups
            .flat_map(|w| [18, 12, 6, 0].map(|s| LETTERS[(w >> s) as usize & 63] as char))
            .collect::<String>()
    };
    let json = format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"scenes\":[{{\"nodes\":[1]}}],\"nodes\":[{{\"mesh\":0,\"scale\":[2,2,2]}},\
         {{\"children\":[0],\"translation\":[0,0,5]}}],\"meshes\":[{{\"primitives\":[{{\"mode\":5,\"attributes\":{{\"POSITION\":0}}}}]}}],\
         \"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"}}],\
         \"bufferViews\":[{{\"buffer\":0,\"byteLength\":48}}],\"buffers\":[{{\"byteLength\":48,\"uri\":\"data:application/octet-stream;base64,{base64}\"}}]}}"
    );
    let mesh = io::read_gltf(json.as_bytes(), "x.gltf", |_| None).unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(mesh.positions[3], Vec3::new(2.0, 2.0, 5.0));
    let looped = json.replace("\"scale\":[2,2,2]", "\"children\":[1]");
    assert!(matches!(
        io::read_gltf(looped.as_bytes(), "x", |_| None).unwrap_err().kind,
        Kind::Contradiction { .. }
    ));
}

#[test]
fn defects_are_named() {
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n";
    let error = io::read_ply(ply.as_bytes(), "cut.ply").unwrap_err();
    assert_eq!(error.to_string(), "cut.ply:11: the file ends inside vertex after 2 of 3 entries");
    let error = io::read_off(&b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n"[..], "bad.off").unwrap_err();
    assert_eq!(error.to_string(), "bad.off:6: vertex 3 does not exist, the file has 3");
    let error = io::read_stl(&b"solid x\nfacet\nvertex 0 0 0\nendfacet\n"[..], "bad.stl").unwrap_err();
    assert_eq!(error.to_string(), "bad.stl:4: a face with 1 corners, at least 3 were expected");
    let error = io::read_msh(&b"$MeshFormat\n3.0 0 8\n$EndMeshFormat\n"[..], "old.msh").unwrap_err();
    assert_eq!(error.to_string(), "old.msh:2: \"3.0\" is not supported, version 2.2 or 4.1 was expected");
    let error =
        io::read_vtk(&b"# vtk DataFile Version 3.0\n\nASCII\nDATASET RECTILINEAR_GRID\n"[..], "grid.vtk")
            .unwrap_err();
    assert!(error.to_string().starts_with("grid.vtk:4: \"RECTILINEAR_GRID\" is not supported"));
    let nodes = b"1 3 0 0\n5 0 0 0\n";
    let error = io::read_node_ele(&nodes[..], "a.node", Elements::Tets(&b""[..]), "a.ele").unwrap_err();
    assert_eq!(error.to_string(), "a.node:2: the index of a point: 5 found, 5 was expected");
}

#[test]
fn real_files_load_with_their_counts() {
    for (name, vertices, elements, solid) in [
        ("bunny_thesis_2531v_8121t.mesh", 2531, 8121, true),
        ("bunny_thesis_2531v_8121t.v22.msh", 2531, 8121, true),
        ("bunny_thesis_2531v_8121t.v41a.msh", 2531, 8121, true),
        ("bunny_thesis_2531v_8121t.v41b.msh", 2531, 8121, true),
        ("bunny_thesis_2531v_8121t.vtk", 2531, 8121, true),
        ("armadillo_tetgen16_pq8.0Y_15666v_49393t.v22.msh", 15666, 49393, true),
        ("armadillo_tetgen16_pq8.0Y_15666v_49393t.v41b.msh", 15666, 49393, true),
        ("bunny_tetgen16_pq8.0Y.mesh", 3659, 11069, true),
        ("bunny_ftetwild_default.v41b.msh", 6185, 24142, true),
        ("ipc_Armadillo13K.msh", 13230, 54985, true),
        ("ipc_bunny.msh", 4670, 19379, true),
        ("ipc_mat40x40.msh", 3200, 9126, true),
        ("libuipc_bunny0.msh", 1869, 7356, true),
        ("codim_Armadillo2.5K.vtk", 2542, 9199, true),
        ("pbd_armadillo_4k.node", 1180, 3717, true),
        ("libigl_octopus-low.mesh", 452, 1140, true),
        ("libigl_hand.msh", 7234, 0, true),
        ("dragon_thesisrepo_50000v.obj", 50000, 100000, false),
        ("splish_Dragon_50k.obj", 25007, 50000, false),
        ("dragon_24929v_cleaned.obj", 24929, 49858, false),
        ("bunny_3485v.off", 3485, 6966, false),
        ("stanford_bunny_vtk.ply", 35947, 69451, false),
        ("sphere_thesisrepo.obj", 482, 0, false),
        ("cloth_ball92.ply", 46598, 92230, false),
        ("cloth_ball93.ply", 46598, 92230, false),
        ("codim_dress_knife_drape.obj", 28467, 54928, false),
        ("codim_kick_body_20.obj", 12811, 25472, false),
        ("codim_kick_body_21.obj", 12811, 25472, false),
        ("silk_dress.ply", 4072, 8106, false),
    ] {
        let Some(path) = models::find(name) else { continue };
        let mesh = io::read_path(path).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(matches!(mesh, Mesh::Tet(_)), solid, "{name}");
        assert_eq!(mesh.positions().len(), vertices, "{name}");
        // 0: not published.
        assert!(elements == 0 || mesh.element_count() == elements, "{name}: {}", mesh.element_count());
    }
    // All ways of writing the bunny hold the same solid.
    let Some(path) = models::find("bunny_thesis_2531v_8121t.v41b.msh") else { return };
    let bunny = io::read_path(path).unwrap();
    for name in [
        "bunny_thesis_2531v_8121t.mesh",
        "bunny_thesis_2531v_8121t.v22.msh",
        "bunny_thesis_2531v_8121t.v41a.msh",
    ] {
        assert!(models::find(name).is_none_or(|path| io::read_path(path).unwrap() == bunny), "{name}");
    }
}
