//! Files made to take as much memory as possible for their length, in every format.

/// A head, a piece many times, and a tail.
fn repeated(head: &str, piece: &[u8], times: usize, tail: &str) -> Vec<u8> {
    [head.as_bytes(), &piece.repeat(times), tail.as_bytes()].concat()
}

/// Format, what is greedy about the file, and the file.
pub(crate) fn files() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    const N: usize = 100_000;
    let mut files = vec![
        ("obj", "one polygon", repeated("v 0 0 0\nf", b" 1", N, "\n")),
        ("obj", "faces before their vertices", repeated("", b"f 1 1 1\n", N, "v 0 0 0\n")),
        ("obj", "many names on a line", names()),
        ("obj", "a group for every face", groups()),
        ("off", "one polygon", repeated("OFF\n1 1 0\n0 0 0\n100000", b" 0", N, "\n")),
        ("off", "short vertices", repeated("OFF\n100000 1 0\n", b"0 0 0\n", N, "3 0 1 2\n")),
        ("stl", "every corner another", stl()),
        (
            "medit",
            "short elements before the vertices",
            repeated(
                "MeshVersionFormatted 1 Triangles 100000\n",
                b"1 1 1 5\n",
                N,
                "Vertices 1 0 0 0 1 Tetrahedra 1 1 1 1 1 1",
            ),
        ),
        (
            "msh",
            "short nodes and triangles of a solid",
            repeated(
                "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n100001\n0 4 0 1 1 1 1\n",
                b"1 2 1 7 1 1 1\n",
                N,
                "$EndElements\n",
            ),
        ),
        ("msh", "many fields of one value", fields()),
        ("node_ele", "short points", node_ele()),
    ];
    files.extend(ply());
    files.extend(vtk());
    files.extend(vtu());
    files
}

/// Names of three letters, all on one line.
fn names() -> Vec<u8> {
    let letters = b'a'..=b'z';
    let pairs = letters.clone().flat_map(|a| letters.clone().map(move |b| [a, b]));
    let triples = pairs.flat_map(|[a, b]| letters.clone().map(move |c| [b' ', a, b, c]));
    let line: Vec<u8> = triples.flatten().collect();
    [b"v 0 0 0\ng".to_vec(), line, b"\nf 1 1 1\n".to_vec()].concat()
}

fn groups() -> Vec<u8> {
    let one = |k: usize| format!("g {k:x}\nf 1 1 1\n");
    let body: String = (0..50_000).map(one).collect();
    format!("v 0 0 0\n{body}").into_bytes()
}

fn stl() -> Vec<u8> {
    let count = 10_000u32;
    let mut file = vec![0; 80];
    file.extend(count.to_le_bytes());
    for k in 0..count {
        file.extend([0; 12]);
        for i in 0..9 {
            file.extend(((9 * k + i) as f32).to_le_bytes());
        }
        file.extend([0; 2]);
    }
    file
}

fn fields() -> Vec<u8> {
    let nodes: String = (1..=2_000).map(|k| format!("{k} 0 0 0\n")).collect();
    let head = format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2000\n{nodes}$EndNodes\n");
    let field = b"$NodeData\n0\n0\n3\n0\n1\n1\n2000 1\n$EndNodeData\n";
    repeated(&head, field, 2_000, "$Elements\n1\n1 2 0 1 2 3\n$EndElements\n")
}

fn node_ele() -> Vec<u8> {
    let points: String = (0..20_000).map(|k| format!("{k} 0 0 0 1\n")).collect();
    let tets: String = (0..20_000).map(|k| format!("{k} 0 0 0 0 1\n")).collect();
    format!("20000 3 0 1\n{points}\0{} 4 1\n{tets}", 20_000).into_bytes()
}

fn ply() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let head = |properties: &str, faces: usize| {
        format!(
            "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty uchar x\nproperty uchar y\nproperty uchar z\n\
             element face {faces}\nproperty list uchar uchar vertex_indices\n{properties}end_header\n\0\0\0\x01\0\0\0\x01\0"
        )
    };
    let polygon: Vec<u8> = std::iter::once(255).chain((0..255).map(|k| k % 3)).collect();
    let coloured: Vec<u8> = polygon.iter().copied().chain([1, 2, 3]).collect();
    let triangle = [3, 0, 1, 2, 9, 9, 9, 9, 9, 9];
    let bytes = "property uchar a\nproperty uchar b\nproperty uchar c\n";
    let many = format!("{bytes}{}", bytes.replace(" a", " d").replace(" b", " e").replace(" c", " f"));
    let mut vertices = String::from("ply\nformat binary_little_endian 1.0\nelement vertex 50000\n");
    for name in ["x", "y", "z", "a", "b", "c", "d"] {
        vertices.push_str(&format!("property uchar {name}\n"));
    }
    vertices.push_str("element face 1\nproperty list uchar uchar vertex_indices\nend_header\n");
    vec![
        ("ply", "polygons of bytes", repeated(&head("", 2_000), &polygon, 2_000, "")),
        ("ply", "polygons of bytes with columns", repeated(&head(bytes, 2_000), &coloured, 2_000, "")),
        ("ply", "triangles of bytes with columns", repeated(&head(&many, 50_000), &triangle, 50_000, "")),
        ("ply", "vertices of bytes with columns", repeated(&vertices, &[0; 7], 50_000, "\x03\0\x01\x02")),
    ]
}

fn vtk() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let head = "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 float\n0 0 0\n";
    let polygon = format!("{head}CELLS 1 100001\n100000");
    let small = format!("{head}CELLS 50000 200000\n");
    let types = format!("CELL_TYPES 50000\n{}", "5\n".repeat(50_000));
    let bytes = "# vtk DataFile Version 3.0\n\nBINARY\nDATASET POLYDATA\nPOINTS 1 float\n".to_owned()
        + "\0\0\0\0\0\0\0\0\0\0\0\0\nPOLYGONS 1 4\n\0\0\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\nPOINT_DATA 200000\nSCALARS a unsigned_char 1\n";
    vec![
        ("vtk", "one polygon", repeated(&polygon, b" 0", 100_000, "\nCELL_TYPES 1\n7\n")),
        ("vtk", "small cells", repeated(&small, b"3 0 0 0\n", 50_000, &types)),
        ("vtk", "a column of bytes", repeated(&bytes, &[7], 200_000, "")),
    ]
}

fn vtu() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let around = |arrays: String, data: &[u8]| {
        let mut file = format!(
            "<VTKFile type='UnstructuredGrid' byte_order='LittleEndian'><UnstructuredGrid><Piece><Points><DataArray \
             type='Float32' NumberOfComponents='3' format='ascii'>0 0 0</DataArray></Points><Cells><DataArray type='Int32' \
             Name='connectivity' format='ascii'>0 0 0</DataArray><DataArray type='Int32' Name='offsets' \
             format='ascii'>3</DataArray><DataArray type='UInt8' Name='types' format='ascii'>5</DataArray></Cells>\
             <PointData>{arrays}</PointData></Piece></UnstructuredGrid><AppendedData encoding='raw'>_"
        )
        .into_bytes();
        file.extend((data.len() as u32).to_le_bytes());
        file.extend(data);
        file.extend(b"</AppendedData></VTKFile>");
        file
    };
    let array = |k: usize| format!("<DataArray type='UInt8' Name='a{k}' format='appended' offset='0'/>");
    vec![
        ("vtu", "a column of bytes", around(array(0), &[7; 100_000])),
        ("vtu", "the same data many times", around((0..500).map(array).collect(), &[7; 100_000])),
    ]
}
