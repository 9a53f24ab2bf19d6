//! `pd run --out`: frames with the skin or the simulated surface, and the animated file.

use crate::sandbox::Sandbox;
use serde_json::Value;

/// A ring of 512 vertices, filled coarsely, falling for a few frames.
fn filled_ring() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.good(&["mesh", "generate", "torus", "ring.ply", "--counts", "32,16", "--sizes", "1,0.4"]);
    let scene = "title = \"x\"\nframes = 5\n[[object]]\nname = \"ring\"\nshape = { kind = \"file\", file = \"ring.ply\" }\n\
        tetrahedralize = { cells = 8 }\nscale = 0.5\ntranslate = [0, 2, 0]\ntet = { weight = 1e5 }\n";
    sandbox.write("ring.toml", scene);
    sandbox
}

/// JSON and binary chunk of a `.glb`.
fn chunks(file: &[u8]) -> (Value, &[u8]) {
    let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&file[..4], number(4), number(8)), (&b"glTF"[..], 2, file.len()));
    let length = number(12);
    assert_eq!((&file[16..20], length % 4), (&b"JSON"[..], 0));
    let json = serde_json::from_slice(&file[20..20 + length]).unwrap();
    let binary = 20 + length;
    assert_eq!(&file[binary + 4..binary + 8], b"BIN\0");
    assert_eq!(number(binary), file.len() - binary - 8);
    (json, &file[binary + 8..])
}

/// Numbers of an accessor.
fn floats(json: &Value, binary: &[u8], accessor: &Value) -> Vec<f32> {
    let accessor = &json["accessors"][accessor.as_u64().unwrap() as usize];
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let start = view["byteOffset"].as_u64().unwrap() as usize;
    let raw = &binary[start..start + view["byteLength"].as_u64().unwrap() as usize];
    let width = if accessor["type"] == "VEC3" { 3 } else { 1 };
    assert_eq!(raw.len() as u64, 4 * width * accessor["count"].as_u64().unwrap());
    raw.chunks_exact(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect()
}

#[test]
fn an_animation_holds_every_frame_of_the_skin() {
    let sandbox = filled_ring();
    sandbox.good(&["run", "ring.toml", "--out", "film", "--format", "gltf"]);
    let file = std::fs::read(sandbox.path("film/frames.glb")).unwrap();
    let (json, binary) = chunks(&file);
    let primitive = &json["meshes"][0]["primitives"][0];
    let base = floats(&json, binary, &primitive["attributes"]["POSITION"]);
    assert_eq!(base.len(), 3 * 512, "the skin has the vertices of the file");
    let targets = primitive["targets"].as_array().unwrap();
    assert_eq!(targets.len(), 5);
    let sampler = &json["animations"][0]["samplers"][0];
    let times = floats(&json, binary, &sampler["input"]);
    let weights = floats(&json, binary, &sampler["output"]);
    assert_eq!(times.len(), 6);
    assert!((times[5] - 5.0 / 60.0).abs() < 1e-6);
    // At frame k exactly target k counts; frame 0 is the mesh itself.
    for (k, row) in weights.chunks_exact(5).enumerate() {
        assert_eq!(row.iter().sum::<f32>(), if k == 0 { 0.0 } else { 1.0 });
        assert!(k == 0 || row[k - 1] == 1.0);
    }
    // The ring falls: the last frame lies below the first, by about g t²/2.
    let last = floats(&json, binary, &targets[4]["POSITION"]);
    let mean = last.iter().skip(1).step_by(3).sum::<f32>() / 512.0;
    assert!((-0.06..-0.02).contains(&mean), "{mean}");
    // The same frames as files, with the skin and with the simulated surface.
    sandbox.good(&["run", "ring.toml", "--out", "skin", "--format", "ply", "--every", "5"]);
    let info: Value =
        serde_json::from_str(&sandbox.good(&["mesh", "info", "skin/frame_00005.ply", "--json"])).unwrap();
    assert_eq!(info["vertices"], 512);
    assert_eq!(info["vertex_columns"][0], "speed");
    let simulated =
        ["run", "ring.toml", "--out", "sim", "--surface", "simulation", "--format", "vtk", "--every", "5"];
    sandbox.good(&simulated);
    let info: Value =
        serde_json::from_str(&sandbox.good(&["mesh", "info", "sim/frame_00005.vtk", "--json"])).unwrap();
    assert!(info["tetrahedra"].as_u64().unwrap() > 100, "{info}");
}

#[test]
fn an_animation_that_cannot_be_written_is_refused_at_once() {
    let sandbox = Sandbox::new();
    let output = sandbox.pd(&["run", "cloth-140", "--frames", "100000", "--out", "film", "--format", "gltf"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("--every"), "{said}");
}

#[test]
fn groups_of_a_file_go_through_formats_and_into_scenes() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "flag.obj",
        "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 0 1\nv 1 0 1\nv 2 0 1\ng pole\nf 1 4 5 2\ng free\nf 2 5 6 3\n",
    );
    sandbox.good(&["mesh", "convert", "flag.obj", "flag.msh"]);
    let info: Value = serde_json::from_str(&sandbox.good(&["mesh", "info", "flag.msh", "--json"])).unwrap();
    assert_eq!(info["groups"], serde_json::json!(["pole", "free"]));
    let scene = "title = \"x\"\nframes = 10\n[[object]]\nname = \"flag\"\nshape = { kind = \"file\", file = \"flag.msh\" }\n\
        edge = { weight = 10 }\n[[object.pin]]\nselect = { group = \"pole\" }\nweight = 1e6\n";
    sandbox.write("flag.toml", scene);
    sandbox.good(&["run", "flag.toml", "--positions", "end.txt"]);
    let heights: Vec<f64> = sandbox
        .read("end.txt")
        .lines()
        .map(|line| line.split(' ').nth(1).unwrap().parse().unwrap())
        .collect();
    assert!([0, 1, 3, 4].iter().all(|&v| heights[v].abs() < 1e-3), "{heights:?}");
    assert!([2, 5].iter().all(|&v| heights[v] < -0.01), "{heights:?}");
}

/// Water is written as its points and as a closed surface around them.
#[test]
fn water_has_a_surface_in_every_frame() {
    let sandbox = Sandbox::new();
    sandbox.good(&["run", "dam-break", "--frames", "2", "--every", "2", "--format", "obj", "--out", "dam"]);
    for frame in ["00000", "00002"] {
        let text = sandbox.read(&format!("dam/water_{frame}.obj"));
        let mesh = pd_mesh::io::read_obj(text.as_bytes(), "water.obj").unwrap();
        let corner = |t: &[u32; 3], k: usize| mesh.positions[t[k] as usize];
        let volume: f64 =
            mesh.triangles.iter().map(|t| corner(t, 0).cross(&corner(t, 1)).dot(&corner(t, 2)) / 6.0).sum();
        // 0.48 m × 0.96 m × 0.24 m, and a skin of a point's distance around it.
        assert!((0.11..0.16).contains(&volume), "frame {frame}: {volume} m³");
    }
    assert!(!sandbox.path("dam/water_00001.obj").exists());
}

/// Formats with a file per frame write rigid bodies by their vertices, beside cloth or alone.
#[test]
fn rigid_bodies_are_in_every_frame() {
    let sandbox = Sandbox::new();
    let scene = "title = \"x\"\n[[object]]\nname = \"sheet\"\nshape = { kind = \"grid\", rows = 2, columns = 2 }\n\
        edge = { weight = 10 }\n\
        [[body]]\nname = \"box\"\nshape = { kind = \"box\", half-extents = [0.1, 0.1, 0.1] }\nposition = [0, 5, 0]\n";
    sandbox.write("box.toml", scene);
    sandbox.good(&["run", "box.toml", "--frames", "6", "--every", "6", "--format", "obj", "--out", "out"]);
    let read = |name: &str| pd_mesh::io::read_obj(sandbox.read(name).as_bytes(), name).unwrap();
    let (start, end) = (read("out/frame_00000.obj"), read("out/frame_00006.obj"));
    let centre = |mesh: &pd_mesh::TriMesh| {
        let corners = &mesh.positions[9..];
        assert_eq!(corners.len() % 8, 0, "the corners of a box");
        corners.iter().map(|p| p.y).sum::<f64>() / corners.len() as f64
    };
    // It falls by g t²/2 in a tenth of a second.
    assert!((centre(&start) - 5.0).abs() < 1e-6);
    assert!((centre(&start) - centre(&end) - 0.049).abs() < 0.01, "{}", centre(&end));
}
