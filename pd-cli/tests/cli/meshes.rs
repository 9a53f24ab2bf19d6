//! `pd mesh` and `pd check`: files in, files out, exit codes 0, 1 and 2, one JSON object.

use crate::sandbox::{Report, Sandbox};
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_surface_goes_through_every_command() {
    let sandbox = Sandbox::new();
    let text =
        sandbox.good(&["mesh", "generate", "torus", "ring.ply", "--counts", "32,16", "--sizes", "1,0.4"]);
    assert!(text.contains("512 vertices, 1024 triangles"), "{text}");
    let made =
        json(&sandbox.good(&["mesh", "tetrahedralize", "ring.ply", "ring.msh", "--tets", "2000", "--json"]));
    let tets = made["tetrahedra"].as_u64().unwrap();
    assert!(tets.abs_diff(2000) < 100, "{made}");
    assert_eq!((made["mesher"].as_str(), made["quality"]["inverted"].as_u64()), (Some("stuffing"), Some(0)));
    assert!(made["quality"]["min_dihedral_deg"].as_f64().unwrap() > 10.0);

    for output in ["ring.vtu", "ring.vtk", "ring.mesh", "ring.node"] {
        let converted = json(&sandbox.good(&["mesh", "convert", "ring.msh", output, "--json"]));
        assert_eq!(converted["tetrahedra"].as_u64(), Some(tets), "{output}");
        let info = json(&sandbox.good(&["mesh", "info", output, "--json"]));
        assert_eq!(info["quality"]["dihedral"]["counts"].as_array().unwrap().len(), 18, "{output}");
    }
    let surface = json(&sandbox.good(&["mesh", "convert", "ring.msh", "skin.glb", "--surface", "--json"]));
    assert!(surface["triangles"].as_u64().unwrap() > 100);
    let coarse =
        json(&sandbox.good(&["mesh", "decimate", "ring.ply", "coarse.stl", "--triangles", "300", "--json"]));
    assert!(coarse["triangles"].as_u64().unwrap() <= 300);
    assert!(sandbox.good(&["mesh", "info", "ring.msh"]).contains("dihedral angle"));
    assert_eq!(json(&sandbox.good(&["check", "ring.msh", "--json"]))["clean"], Value::Bool(true));
}

#[test]
fn a_torn_cube_is_mended() {
    let sandbox = Sandbox::new();
    // A unit cube: corner 7 twice, one triangle turned over, one doubled, one missing.
    sandbox.write(
        "torn.obj",
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nv 1 1 1\n\
         f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 9 8\nf 1 2 6\nf 1 6 5\nf 2 3 9\nf 2 6 7\nf 3 4 8\nf 3 8 9\nf 4 1 5\nf 4 1 5\n",
    );
    assert_eq!(sandbox.pd(&["check", "torn.obj"]).status.code(), Some(1));
    let order = ["mesh", "repair", "torn.obj", "whole.ply", "--weld", "0", "--fill-holes", "3", "--json"];
    let mended = json(&sandbox.good(&order));
    let count = |key: &str| mended[key].as_u64().unwrap();
    assert_eq!((count("vertices"), count("triangles")), (8, 12), "{mended}");
    assert_eq!(["welded", "doubled", "turned", "filled"].map(count), [1, 1, 1, 1], "{mended}");
    assert_eq!(mended["clean"], Value::Bool(true));
    assert_eq!(sandbox.pd(&["check", "whole.ply"]).status.code(), Some(0));
    for (option, value) in [("--weld", "-1"), ("--slivers", "nan"), ("--slivers", "10")] {
        let refused = sandbox.pd(&["mesh", "repair", "torn.obj", "no.ply", &format!("{option}={value}")]);
        assert_eq!(refused.status.code(), Some(2), "{option} {value}");
    }
    assert!(!sandbox.path("no.ply").exists());
}

#[test]
fn faults_end_with_one_and_are_named() {
    let sandbox = Sandbox::new();
    // Two triangles through each other.
    sandbox.write(
        "cross.obj",
        "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0.5 0.5 -1\nv 0.5 0.5 1\nv 3 3 0\nf 1 2 3\nf 4 5 6\n",
    );
    let output = sandbox.pd(&["check", "cross.obj", "--ply", "painted.ply"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("fault: 1 self-intersection: triangles 0–1"));
    assert!(sandbox.read("painted.ply").contains("255 0 0"));
    let output = sandbox.pd(&["check", "cross.obj", "--json"]);
    let found = json(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(found["bodies"][0]["findings"]["self_intersections"]["count"].as_u64(), Some(1));

    // A pin out of range is a fault of the scene.
    let scene = "title = \"x\"\n[[object]]\nname = \"a\"\nshape = { kind = \"grid\", rows = 2, columns = 2 }\n\
        edge = { weight = 1.0 }\n[[object.pin]]\nweight = 1000.0\nselect = { vertices = [99] }\n";
    sandbox.write("pin.toml", scene);
    let output = sandbox.pd(&["check", "pin.toml"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("vertex 99 does not exist"), "{said}");
    assert!(sandbox.good(&["check", "cloth"]).contains("no faults"));
}

#[test]
fn a_scene_fills_its_surface_and_runs() {
    let sandbox = Sandbox::new();
    sandbox.good(&["mesh", "generate", "sphere", "ball.stl", "--counts", "24,12", "--sizes", "0.5"]);
    sandbox.write(
        "scene.toml",
        "title = \"x\"\nframes = 3\n[[object]]\nname = \"ball\"\nshape = { kind = \"file\", file = \"ball.stl\" }\n\
         tetrahedralize = { cells = 6 }\ntet = { weight = 1000.0 }\n",
    );
    let run = json(&sandbox.good(&["run", "scene.toml", "--json"]));
    assert_eq!((run["outcome"].as_str(), run["inverted"].as_u64()), (Some("ran"), Some(0)));
    assert!(run["elements"].as_u64().unwrap() > 300);
}

#[test]
fn wrong_usage_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("body.xyz", "1 2 3");
    sandbox.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let mut report = Report::default();
    for (name, arguments, words) in [
        ("unknown input", &["mesh", "info", "body.xyz"][..], &["xyz", "obj"][..]),
        ("no input", &["mesh", "info", "none.obj"], &["none.obj"]),
        ("unknown output", &["mesh", "convert", "flat.obj", "flat.xyz"], &["xyz"]),
        (
            "unknown mesher",
            &["mesh", "tetrahedralize", "flat.obj", "x.msh", "--mesher", "magic"],
            &["magic", "stuffing"],
        ),
        ("counts", &["mesh", "generate", "bar", "x.msh", "--counts", "1"], &["counts", "3"]),
        ("bad length", &["mesh", "generate", "sphere", "x.obj", "--sizes=-1"], &["-1"]),
        ("unreadable", &["check", "body.xyz"], &["xyz"]),
    ] {
        report.refuses(name, &sandbox, arguments, words);
    }
    report.finish(7);
}
