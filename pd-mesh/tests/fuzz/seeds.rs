//! Sound small files of every dialect.

use pd_mesh::io::{self, MshFormat, PlyFormat, StlFormat};
use pd_mesh::{TetMesh, TriMesh, generate};

fn cloth() -> TriMesh {
    generate::grid(2, 2, 1.0, 0.7).unwrap()
}

fn bar() -> TetMesh {
    generate::bar(1, 1, 2, 0.3).unwrap()
}

/// What a writer writes.
fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Vec<u8> {
    let mut file = Vec::new();
    write(&mut file).unwrap();
    file
}

pub(crate) fn obj() -> Vec<Vec<u8>> {
    let dialect =
        b"mtllib a.mtl\no x\nv 0 0 0 1.0\nv 1.5 0 -0 0.1 0.2 0.3\nv 1 1e0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\n\
        g cloth\nusemtl red\ns off\nf 1//1 2/1 3/1/1 -1\nf 1 2 \\\n 4\n";
    vec![written(|out| io::write_obj(out, &cloth())), dialect.to_vec()]
}

pub(crate) fn ply() -> Vec<Vec<u8>> {
    let weights = [0.5; 9];
    let mut seeds: Vec<Vec<u8>> =
        [PlyFormat::Ascii, PlyFormat::BinaryLittleEndian, PlyFormat::BinaryBigEndian]
            .into_iter()
            .map(|format| written(|out| io::write_ply(out, &cloth(), format, &[("weight", &weights)])))
            .collect();
    seeds.push(
        b"ply\nformat ascii 1.0\ncomment x\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
        property uchar red\nelement face 1\nproperty list uchar int vertex_index\nproperty float area\n\
        element tetrahedron 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0 1\n1 0 0 2\n0 1 0 3\n0 0 1 4\n\
        4 0 1 2 3 0.5\n4 0 1 2 3\n"
            .to_vec(),
    );
    seeds
}

pub(crate) fn stl() -> Vec<Vec<u8>> {
    let mesh = generate::grid(1, 2, 1.0, 1.0).unwrap();
    [StlFormat::Ascii, StlFormat::Binary]
        .into_iter()
        .map(|format| written(|out| io::write_stl(out, &mesh, format)))
        .collect()
}

pub(crate) fn off() -> Vec<Vec<u8>> {
    let dialect = b"# x\nCOFF 4 1 0\n0 0 0 1 0 0 1\n1 0 0 # corner\n1 1 0\n\n0 1 0\n4 0 1 2 3 255 0 0\n";
    vec![written(|out| io::write_off(out, &cloth())), dialect.to_vec()]
}

pub(crate) fn medit() -> Vec<Vec<u8>> {
    let dialect =
        b"MeshVersionFormatted 1 Dimension 3 Corners 1 1 Vertices 4 0 0 0 9 1 0 0 9 0 1 0 9 0 0 1 9\n\
        Edges 2\n1 2 5\n2 3 5\nTetrahedra 1 1 2 3 4 7 Hexahedra 0 End\n";
    vec![
        written(|out| io::write_medit(out, &cloth())),
        written(|out| io::write_medit(out, &bar())),
        dialect.to_vec(),
    ]
}

pub(crate) fn msh() -> Vec<Vec<u8>> {
    let formats = [MshFormat::V22Ascii, MshFormat::V22Binary, MshFormat::V41Ascii, MshFormat::V41Binary];
    let mut seeds: Vec<Vec<u8>> =
        formats.into_iter().map(|format| written(|out| io::write_msh(out, &bar(), format))).collect();
    seeds.extend(formats.into_iter().map(|format| written(|out| io::write_msh(out, &cloth(), format))));
    seeds.push(
        b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 0\n$EndEntities\n$Nodes\n2 3 1 3\n0 1 0 1\n1\n0 0 0\n\
        2 5 1 2\n2\n3\n1 0 0 0.5 0.5\n0 1 0 0.5 0.5\n$EndNodes\n$Elements\n1 1 1 1\n2 5 2 1\n1 3 2 1\n$EndElements\n"
            .to_vec(),
    );
    seeds.push(
        b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"up side\"\n0 3 \"corner\"\n$EndPhysicalNames\n\
        $Entities\n1 0 1 0\n4 0 0 0 1 3\n5 0 0 0 1 1 0 1 7 2 1 2\n$EndEntities\n$Nodes\n1 3 1 3\n2 5 0 3\n1\n2\n3\n0 0 0\n\
        1 0 0\n0 1 0\n$EndNodes\n$Elements\n2 2 1 2\n0 4 15 1\n1 1\n2 5 2 1\n2 1 2 3\n$EndElements\n\
        $NodeData\n1\n\"heat\"\n1\n0.0\n3\n0\n1\n3\n1 0.5\n2 1.5\n3 nan\n$EndNodeData\n\
        $ElementData\n1\n\"load\"\n1\n0.0\n3\n0\n3\n1\n2 1 2 3\n$EndElementData\n"
            .to_vec(),
    );
    let data = pd_mesh::io::MeshData {
        mesh: pd_mesh::Mesh::Tet(bar()),
        vertex_columns: vec![io::Column { name: "heat".into(), values: vec![0.5; 12] }],
        element_columns: vec![io::Column { name: "load".into(), values: vec![0.5; 10] }],
        groups: vec![io::Group { name: "low".into(), elements: vec![0..3, 5..6], vertices: vec![] }],
    };
    seeds.push(written(|out| io::write_data(io::Format::Msh, out, &data)));
    seeds
}

pub(crate) fn node_ele() -> Vec<Vec<u8>> {
    let both = |mesh: io::MeshRef<'_>| {
        let mut file = written(|out| io::write_node(out, mesh));
        file.push(0);
        file.extend(written(|out| io::write_ele_or_face(out, mesh)));
        file
    };
    let dialect = b"# x\n4 3 2 1\n1 0 0 0 0.5 0.5 1\n2 1 0 0 1 1 1\n3 0 1 0 2 2 1\n4 0 0 1 3 3 1\n\x001 4 1\n1 1 2 3 4 7\n";
    vec![both((&bar()).into()), both((&cloth()).into()), dialect.to_vec()]
}

pub(crate) fn vtk() -> Vec<Vec<u8>> {
    let weights = [0.5; 12];
    let mut binary = b"# vtk DataFile Version 3.0\n\nBINARY\nDATASET POLYDATA\nPOINTS 3 float\n".to_vec();
    binary.extend([0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|c| c.to_be_bytes()));
    binary.extend(b"\nPOLYGONS 1 4\n");
    binary.extend([3i32, 0, 1, 2].iter().flat_map(|c| c.to_be_bytes()));
    let dialect = b"# vtk DataFile Version 5.1\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n\
        METADATA\nINFORMATION 0\n\nCELLS 3 7\nOFFSETS vtktypeint64\n0 3 7\nCONNECTIVITY vtktypeint64\n0 1 2 0 1 2 3\n\
        CELL_TYPES 2\n5\n10\nCELL_DATA 2\nSCALARS region int\nLOOKUP_TABLE default\n4 8\nFIELD FieldData 1\nload 2 2 double\n1 2 3 4\n\
        POINT_DATA 4\nVECTORS speed double\n0 0 0 1 1 1 2 2 2 3 3 3\n";
    vec![
        written(|out| io::write_vtk(out, &bar(), &[("weight", &weights)])),
        written(|out| io::write_vtk(out, &cloth(), &[])),
        binary,
        dialect.to_vec(),
    ]
}

pub(crate) fn vtu() -> Vec<Vec<u8>> {
    let weights = [0.5; 12];
    let head = "<VTKFile type='UnstructuredGrid' byte_order='LittleEndian'";
    let cells = "<Cells><DataArray type='Int32' Name='connectivity' format='ascii'>0 1 2</DataArray><DataArray type='Int32' \
        Name='offsets' format='ascii'>3</DataArray><DataArray type='UInt8' Name='types' format='ascii'>5</DataArray></Cells>";
    let points: Vec<u8> =
        [0f32, 0., 0., 1., 0., 0., 0., 1., 0.].iter().flat_map(|c| c.to_le_bytes()).collect();
    let around = |compressor: &str, encoded: &[u8]| {
        let mut file = format!(
            "{head}{compressor}><UnstructuredGrid><Piece><Points><DataArray type='Float32' NumberOfComponents='3' \
             format='appended' offset='0'/></Points>{cells}</Piece></UnstructuredGrid><AppendedData encoding='raw'>_"
        )
        .into_bytes();
        file.extend(encoded);
        file.extend(b"</AppendedData></VTKFile>");
        file
    };
    let mut raw = 36u32.to_le_bytes().to_vec();
    raw.extend(&points);
    // One zlib block, stored without compression.
    let mut block = vec![0x78, 0x01, 1, 36, 0, 0xdb, 0xff];
    block.extend(&points);
    let (a, b) = points.iter().fold((1u32, 0u32), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65521;
        (a, (b + a) % 65521)
    });
    block.extend(((b << 16) | a).to_be_bytes());
    let mut zlib: Vec<u8> =
        [1u32, 36, 36, block.len() as u32].iter().flat_map(|value| value.to_le_bytes()).collect();
    zlib.extend(block);
    vec![
        written(|out| io::write_vtu(out, &bar(), &[("weight", &weights)], &[])),
        around("", &raw),
        around(" compressor='vtkZLibDataCompressor'", &zlib),
    ]
}

pub(crate) fn gltf() -> Vec<Vec<u8>> {
    let mesh = cloth();
    let text = "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[1]}],\"nodes\":[{\"mesh\":0,\"scale\":[2,2,2]},\
        {\"children\":[0],\"translation\":[0,0,5],\"rotation\":[0,0,0,1]}],\"meshes\":[{\"primitives\":[{\"mode\":5,\
        \"attributes\":{\"POSITION\":0}}]}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],\
        \"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"buffers\":[{\"byteLength\":36,\"uri\":\
        \"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}";
    vec![
        written(|out| io::write_glb(out, &mesh)),
        written(|out| {
            io::write_glb_animation(out, &mesh.triangles, &[&mesh.positions, &mesh.positions], 0.1)
        }),
        text.as_bytes().to_vec(),
    ]
}

/// Some thousand vertices in every format.
pub(crate) fn large() -> Vec<(&'static str, Vec<u8>)> {
    let solid = generate::bar(10, 10, 40, 0.1).unwrap();
    let surface = generate::sphere(80, 40, 1.0).unwrap();
    let mut files = vec![
        ("obj", written(|out| io::write_obj(out, &surface))),
        ("off", written(|out| io::write_off(out, &surface))),
        ("medit", written(|out| io::write_medit(out, &solid))),
        ("vtk", written(|out| io::write_vtk(out, &solid, &[]))),
        ("vtk", written(|out| io::write_vtk(out, &surface, &[]))),
        ("vtu", written(|out| io::write_vtu(out, &solid, &[], &[]))),
        ("gltf", written(|out| io::write_glb(out, &surface))),
    ];
    for format in [PlyFormat::Ascii, PlyFormat::BinaryLittleEndian, PlyFormat::BinaryBigEndian] {
        files.push(("ply", written(|out| io::write_ply(out, &surface, format, &[]))));
    }
    for format in [StlFormat::Ascii, StlFormat::Binary] {
        files.push(("stl", written(|out| io::write_stl(out, &surface, format))));
    }
    for format in [MshFormat::V22Ascii, MshFormat::V22Binary, MshFormat::V41Ascii, MshFormat::V41Binary] {
        files.push(("msh", written(|out| io::write_msh(out, &solid, format))));
    }
    files
}
