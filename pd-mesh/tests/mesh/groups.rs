//! Groups, tags and data fields: what comes in from each format, and what survives writing and reading.
#![allow(clippy::single_range_in_vec_init, reason = "groups are lists of ranges, often of one")]

use pd_mesh::io::{self, Column, Format, Group, Limits, MeshData, read_within, write_data};
use pd_mesh::{Mesh, generate};

fn read(format: Format, bytes: &[u8]) -> MeshData {
    read_within(format, bytes, "x", Limits::default()).unwrap()
}

fn written(format: Format, data: &MeshData) -> Vec<u8> {
    let mut file = Vec::new();
    write_data(format, &mut file, data).unwrap();
    file
}

/// A bar with everything that a file can carry.
fn rich() -> MeshData {
    let bar = generate::bar(1, 1, 2, 1.0).unwrap();
    let column = |name: &str, count: usize, factor: f64| Column {
        name: name.into(),
        values: (0..count).map(|i| factor * i as f64).collect(),
    };
    MeshData {
        mesh: Mesh::Tet(bar),
        vertex_columns: vec![column("heat", 12, 0.1), column("reference", 12, 1.0)],
        element_columns: vec![column("load", 10, -1.5), column("reference", 10, 2.0)],
        groups: vec![
            Group { name: "left half".into(), elements: vec![0..2, 4..5], vertices: vec![] },
            Group { name: "right".into(), elements: vec![2..4, 5..10], vertices: vec![] },
        ],
    }
}

#[test]
fn obj_names_become_groups_of_triangles() {
    let text = b"o body\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\ng a b\nusemtl red\nf 1 2 3 4\ng b\nf 1 2 3\nusemtl blue\n\
        g empty\ng a\nf 2 3 4\n";
    let data = read(Format::Obj, text);
    let ranges = |name: &str| data.group(name).unwrap().elements.clone();
    assert_eq!(ranges("a"), [0..2, 3..4]);
    assert_eq!(ranges("b"), [0..3]);
    assert_eq!(ranges("red"), [0..3]);
    assert_eq!(ranges("blue"), [3..4]);
    assert_eq!(ranges("body"), [0..4]);
    assert!(data.group("empty").is_none());
    assert_eq!(data.group_vertices(data.group("blue").unwrap()), [1, 2, 3]);
    let again = read(Format::Obj, &written(Format::Obj, &data));
    for group in &data.groups {
        assert_eq!(again.group(&group.name).unwrap().elements, group.elements, "{}", group.name);
    }
    assert_eq!(again.mesh, data.mesh);
}

#[test]
fn msh_carries_fields_and_physical_groups() {
    let data = rich();
    let again = read(Format::Msh, &written(Format::Msh, &data));
    assert_eq!(again.mesh, data.mesh);
    assert_eq!(again.vertex_columns, data.vertex_columns);
    assert_eq!(again.groups, data.groups);
    assert_eq!(again.element_column("load"), data.element_column("load"));
    assert_eq!(again.element_column("physical").unwrap(), [1., 1., 2., 2., 1., 2., 2., 2., 2., 2.]);
    // Text and binary, 2.2 and 4.1: fields alone.
    let mut plain = data;
    plain.groups.clear();
    assert_eq!(read(Format::Msh, &written(Format::Msh, &plain)), plain);
}

#[test]
fn msh_entities_name_surfaces_and_points_of_a_solid() {
    let text = b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"wet side\"\n3 1 \"all\"\n$EndPhysicalNames\n\
        $Entities\n1 0 1 1\n4 0 0 0 1 3\n5 0 0 0 1 1 0 1 7 0\n6 0 0 0 1 1 1 1 1 1 5\n$EndEntities\n\
        $Nodes\n1 4 10 40\n3 6 0 4\n10\n20\n30\n40\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n\
        $Elements\n3 3 1 3\n0 4 15 1\n1 40\n2 5 2 1\n2 10 20 30\n3 6 4 1\n3 10 20 30 40\n$EndElements\n\
        $NodeData\n1\n\"heat\"\n1\n0\n3\n0\n1\n2\n40 4\n20 2\n$EndNodeData\n\
        $ElementData\n1\n\"pull\"\n1\n0\n3\n0\n3\n1\n3 1 2 3\n$EndElementData\n";
    let data = read(Format::Msh, text);
    assert_eq!(data.group("all").unwrap().elements, [0..1]);
    assert_eq!(data.group("wet side").unwrap().vertices, [0, 1, 2]);
    assert_eq!(data.group("point-3").unwrap().vertices, [3]);
    let heat = data.vertex_column("heat").unwrap();
    assert!(heat[0].is_nan() && heat[2].is_nan());
    assert_eq!((heat[1], heat[3]), (2.0, 4.0));
    assert_eq!(data.element_column("pull_2"), Some(&[3.0][..]));
    assert_eq!(data.element_column("physical"), Some(&[1.0][..]));
}

#[test]
fn medit_references_survive() {
    let mut data = rich();
    let again = read(Format::Medit, &written(Format::Medit, &data));
    assert_eq!(again.mesh, data.mesh);
    assert_eq!(again.vertex_column("reference"), data.vertex_column("reference"));
    assert_eq!(again.element_column("reference"), data.element_column("reference"));
    let text = b"MeshVersionFormatted 2 Dimension 3 Vertices 4 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 Triangles 2 1 2 3 5 1 2 4 0 \
        Tetrahedra 1 1 2 3 4 0 End";
    data = read(Format::Medit, text);
    assert_eq!(data.groups, [Group { name: "surface-5".into(), elements: vec![], vertices: vec![0, 1, 2] }]);
    assert!(data.vertex_columns.is_empty() && data.element_columns.is_empty());
}

#[test]
fn columns_survive_where_the_format_has_room() {
    let data = rich();
    for format in [Format::Vtk, Format::Vtu] {
        let again = read(format, &written(format, &data));
        assert_eq!(again.mesh, data.mesh, "{format:?}");
        assert_eq!(again.vertex_columns, data.vertex_columns, "{format:?}");
        assert_eq!(again.element_columns, data.element_columns, "{format:?}");
    }
    let surface = MeshData {
        mesh: Mesh::Tri(generate::grid(2, 2, 1.0, 1.0).unwrap()),
        vertex_columns: vec![Column { name: "heat".into(), values: (0..9).map(f64::from).collect() }],
        element_columns: vec![Column { name: "chosen".into(), values: (0..8).map(f64::from).collect() }],
        groups: vec![],
    };
    assert_eq!(read(Format::Ply, &written(Format::Ply, &surface)), surface);
    let directory = tempfile::tempdir().unwrap();
    let mut tets = rich();
    tets.groups.clear();
    for (k, column) in tets.vertex_columns.iter_mut().chain(&mut tets.element_columns).enumerate() {
        column.name = format!("attribute_{}", k % 2);
    }
    tets.vertex_columns[1].name = "marker".into();
    let path = directory.path().join("a.node");
    io::write_data_path(&path, &tets).unwrap();
    assert_eq!(io::read_path_with_columns(&path).unwrap(), tets);
}

#[test]
fn limits_hold_while_reading() {
    let data = MeshData::from(Mesh::Tri(generate::grid(10, 10, 1.0, 1.0).unwrap()));
    let formats = [
        Format::Obj,
        Format::Ply,
        Format::Stl,
        Format::Off,
        Format::Medit,
        Format::Msh,
        Format::Vtk,
        Format::Vtu,
        Format::Gltf,
    ];
    for format in formats {
        let file = written(format, &data);
        let enough = Limits { bytes: file.len() as u64, vertices: 121, elements: 200 };
        assert!(read_within(format, &file[..], "x", enough).is_ok(), "{format:?}");
        let bounds = [
            (Limits { bytes: file.len() as u64 - 1, ..enough }, "longer than"),
            (Limits { vertices: 120, ..enough }, "more than 120 vertices"),
            (Limits { elements: 199, ..enough }, "more than 199 elements"),
        ];
        for (limits, expected) in bounds {
            let error = read_within(format, &file[..], "x", limits).unwrap_err().to_string();
            assert!(error.contains(expected), "{format:?}: {error}");
        }
    }
}
