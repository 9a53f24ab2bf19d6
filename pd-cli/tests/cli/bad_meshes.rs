//! Mesh files that are malformed, cut off, empty or degenerate: each named with its line.

use crate::sandbox::{Report, Sandbox, run_with_all_outputs};

fn scene(file: &str, law: &str) -> String {
    format!(
        "title = \"mesh\"\n[[object]]\nname = \"body\"\nshape = {{ kind = \"file\", file = \"{file}\" }}\n{law}\n"
    )
}

const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 3 2\nf 2 3 4\n";

const MEDIT: &str = "MeshVersionFormatted 2\nDimension 3\nVertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1 0\n\
                     Tetrahedra\n2\n1 2 3 4 0\n2 3 4 5 0\nEnd\n";

/// What is wrong, the text replaced, its replacement, and words the message must have.
type Case = (&'static str, &'static str, &'static str, &'static [&'static str]);

const OBJ_CASES: &[Case] = &[
    ("coordinate NaN", "v 1 0 0", "v 1 nan 0", &["body.obj:2", "nan"]),
    ("coordinate infinite", "v 1 0 0", "v 1 inf 0", &["body.obj:2", "inf"]),
    ("coordinate too large", "v 1 0 0", "v 1 1e999 0", &["body.obj:2", "1e999"]),
    ("text for a coordinate", "v 1 0 0", "v 1 up 0", &["body.obj:2", "up"]),
    ("coordinate missing", "v 1 0 0", "v 1 0", &["body.obj:2", "coordinate"]),
    ("index 0", "f 1 3 2", "f 0 3 2", &["body.obj:5", "from 1"]),
    ("index too large", "f 1 3 2", "f 1 3 5", &["body.obj:5", "vertex 5", "4"]),
    ("index too far back", "f 1 3 2", "f 1 3 -9", &["body.obj:5", "-9"]),
    ("text for an index", "f 1 3 2", "f 1 3 b", &["body.obj:5", "\"b\""]),
    ("two corners", "f 1 3 2", "f 1 3", &["body.obj:5", "2 corners"]),
    ("no faces", "f 1 3 2\nf 2 3 4\n", "", &["body.obj", "4 vertices"]),
    ("empty", OBJ, "", &["body.obj", "no vertices"]),
];

const MEDIT_CASES: &[Case] = &[
    ("empty", MEDIT, "", &["body.mesh", "MeshVersionFormatted"]),
    ("something else", "MeshVersionFormatted 2", "solid cube", &["body.mesh:1", "MeshVersionFormatted"]),
    ("unknown version", "Formatted 2", "Formatted 9", &["body.mesh:1", "9"]),
    ("in the plane", "Dimension 3", "Dimension 2", &["body.mesh:2", "Dimension", "2"]),
    ("text for a count", "Vertices\n5", "Vertices\nfive", &["body.mesh:4", "five"]),
    ("count beyond 32 bits", "Vertices\n5", "Vertices\n99999999999", &["body.mesh:4", "99999999999"]),
    ("fewer vertices than declared", "Vertices\n5", "Vertices\n6", &["body.mesh:10"]),
    ("fewer tetrahedra than declared", "Tetrahedra\n2", "Tetrahedra\n3", &["body.mesh:14"]),
    (
        "cut inside the vertices",
        "0 1 0 0\n0 0 1 0\n1 1 1 0\nTetrahedra\n2\n1 2 3 4 0\n2 3 4 5 0\nEnd\n",
        "0 1",
        &["body.mesh", "Vertices", "2 of 5"],
    ),
    ("cut inside the tetrahedra", "2 3 4 5 0\nEnd\n", "2 3", &["body.mesh", "Tetrahedra", "1 of 2"]),
    (
        "cut before the tetrahedra",
        "Tetrahedra\n2\n1 2 3 4 0\n2 3 4 5 0\nEnd\n",
        "",
        &["body.mesh", "Tetrahedra"],
    ),
    ("no tetrahedra", "Tetrahedra\n2\n1 2 3 4 0\n2 3 4 5 0\n", "", &["body.mesh"]),
    ("coordinate NaN", "0 0 1 0\n", "0 0 NaN 0\n", &["body.mesh:8", "NaN"]),
    ("index 0", "1 2 3 4 0", "0 2 3 4 0", &["body.mesh:12", "from 1"]),
    ("index too large", "1 2 3 4 0", "1 2 3 6 0", &["body.mesh:12", "vertex 6", "5"]),
    ("index negative", "1 2 3 4 0", "1 2 3 -4 0", &["body.mesh:12", "-4"]),
    ("vertices twice", "Tetrahedra", "Vertices\n0\nTetrahedra", &["body.mesh", "second", "Vertices"]),
    ("corner used twice", "1 2 3 4 0", "1 2 3 3 0", &["body"]),
    ("flat tetrahedron", "0 0 1 0\n", "1 1 0 0\n", &["\"body\".tet", "tet", "volume"]),
    ("vertex of no tetrahedron", "2 3 4 5 0", "2 3 4 1 0", &["vertex 4", "mass 0"]),
];

#[test]
fn wrong_surfaces_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("scene.toml", scene("body.obj", "edge = { weight = 10.0 }"));
    sandbox.write("body.obj", OBJ);
    sandbox.good(&["run", "scene.toml", "--frames", "1"]);
    let mut report = Report::default();
    for (what, from, to, words) in OBJ_CASES {
        assert!(OBJ.contains(from), "{what}");
        sandbox.write("body.obj", OBJ.replacen(from, to, 1));
        report.faults(what, &sandbox, "scene.toml", words);
    }
    report.finish(12);
}

/// A triangle without area may be part of a mesh (the poles of a globe), but has no strain.
#[test]
fn strain_of_triangles_without_area_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("scene.toml", scene("body.obj", "triangle = { weight = 10.0 }"));
    let mut report = Report::default();
    for (what, face) in [("corner used twice", "f 1 3 3"), ("corners on a line", "f 1 2 5")] {
        sandbox.write("body.obj", OBJ.replacen("f 1 3 2", &format!("v 3 0 0\n{face}"), 1));
        let words = ["scene.toml", "\"body\".triangle", "degenerate", "area"];
        report.faults(what, &sandbox, "scene.toml", &words);
    }
    report.finish(2);
}

#[test]
fn wrong_solids_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("scene.toml", scene("body.mesh", "mass = { density = 100.0 }\ntet = { weight = 10.0 }"));
    sandbox.write("body.mesh", MEDIT);
    sandbox.good(&["run", "scene.toml", "--frames", "1"]);
    let mut report = Report::default();
    for (what, from, to, words) in MEDIT_CASES {
        assert!(MEDIT.contains(from), "{what}");
        sandbox.write("body.mesh", MEDIT.replacen(from, to, 1));
        report.faults(what, &sandbox, "scene.toml", words);
    }
    report.finish(20);
}

/// Any prefix of a solid that ends before its last tetrahedron is noticed.
#[test]
fn solids_cut_anywhere_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("scene.toml", scene("body.mesh", "tet = { weight = 10.0 }"));
    let mut report = Report::default();
    let last = MEDIT.find("2 3 4 5 0").unwrap() + "2 3 4 5".len();
    for length in (0..=last).step_by(9) {
        sandbox.write("body.mesh", &MEDIT[..length]);
        report.faults(&format!("cut at {length}"), &sandbox, "scene.toml", &["body.mesh"]);
    }
    report.finish(10);
}

#[test]
fn files_that_are_no_meshes_are_refused() {
    let sandbox = Sandbox::new();
    let mut report = Report::default();
    std::fs::create_dir(sandbox.path("directory.obj")).unwrap();
    sandbox.write("body.stl", "solid");
    sandbox.write("binary.mesh", b"\x00\x01\x02\xff\xfe");
    for (file, words) in [
        ("directory.obj", &["directory.obj"][..]),
        ("body.stl", &["body.stl", "stl"]),
        ("binary.mesh", &["binary.mesh"]),
        ("none.obj", &["scene.toml", "none.obj"]),
    ] {
        sandbox.write("scene.toml", scene(file, "edge = { weight = 10.0 }"));
        match file {
            "directory.obj" | "none.obj" => {
                report.refuses(file, &sandbox, &run_with_all_outputs("scene.toml"), words);
            }
            _ => report.faults(file, &sandbox, "scene.toml", words),
        }
    }
    report.finish(6);
}
