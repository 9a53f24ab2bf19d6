//! What `pd` promises when all is well.

use crate::desk::Desk;
use serde_json::Value;

/// The keys scripts rely on, sorted.
const KEYS: [&str; 20] = [
    "collide_ms",
    "colliders",
    "constraints",
    "elements",
    "frames",
    "global",
    "global_ms",
    "inverted",
    "local_ms",
    "max_edge_strain",
    "ms_per_frame",
    "outcome",
    "peak_bytes",
    "prepare_ms",
    "residual",
    "scene",
    "state_hash",
    "stepper",
    "threads",
    "vertices",
];

fn json(desk: &Desk, arguments: &[&str]) -> Value {
    let text = desk.good(arguments);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn hash(desk: &Desk, arguments: &[&str]) -> String {
    json(desk, &[arguments, &["--json"]].concat())["state_hash"].as_str().unwrap().to_owned()
}

#[test]
fn run_prints_exactly_one_json_object() {
    let desk = Desk::new();
    let value = json(&desk, &["run", "bar", "--frames", "5", "--threads", "2", "--json"]);
    let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
    let mut sorted = keys.clone();
    sorted.sort();
    for key in KEYS {
        assert!(sorted.iter().any(|k| *k == key), "no {key} in {value}");
    }
    for (key, expected) in [
        ("frames", 5),
        ("vertices", 208),
        ("elements", 540),
        ("constraints", 556),
        ("colliders", 1),
        ("threads", 2),
    ] {
        assert_eq!(value[key], expected, "{key}");
    }
    for (key, expected) in [("scene", "bar"), ("stepper", "pd"), ("global", "panels"), ("outcome", "ran")] {
        assert_eq!(value[key], expected, "{key}");
    }
    for key in ["median", "min", "p95"] {
        assert!(value["ms_per_frame"][key].as_f64().unwrap() > 0.0, "{key}");
    }
    for key in ["prepare_ms", "local_ms", "global_ms", "residual", "max_edge_strain"] {
        assert!(value[key].as_f64().unwrap() > 0.0, "{key} in {value}");
    }
    assert_eq!(value["state_hash"].as_str().unwrap().len(), 16);
}

#[test]
fn threads_do_not_change_the_result() {
    let desk = Desk::new();
    let run = |threads| hash(&desk, &["run", "bridge", "--frames", "5", "--threads", threads]);
    assert_eq!(run("1"), run("3"));
}

#[test]
fn positions_have_17_digits_and_keep_every_bit() {
    let desk = Desk::new();
    desk.good(&["run", "bar", "--frames", "3", "--positions", "p.txt"]);
    let text = desk.read("p.txt");
    assert_eq!(text.lines().count(), 208);
    for word in text.split_whitespace() {
        let digits = word.split('e').next().unwrap().chars().filter(char::is_ascii_digit).count();
        assert_eq!(digits, 17, "{word}");
        let value: f64 = word.parse().unwrap();
        assert_eq!(format!("{value:.16e}"), word);
    }
    assert!(text.lines().all(|line| line.split_whitespace().count() == 3));
}

#[test]
fn trace_has_a_row_a_frame() {
    let desk = Desk::new();
    desk.good(&["run", "bar", "--frames", "4", "--trace", "t.csv"]);
    let text = desk.read("t.csv");
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    for column in
        ["time", "kinetic", "elastic", "potential", "residual", "worst_strain", "inverted", "local_ms"]
    {
        assert!(header.contains(&column), "no {column} in {header:?}");
    }
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|l| l.split(',').map(|w| w.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 4);
    let at = |name: &str| header.iter().position(|h| *h == name).unwrap();
    for (k, row) in rows.iter().enumerate() {
        assert_eq!(row.len(), header.len());
        assert_eq!(row[at("frame")], (k + 1) as f64);
        assert!((row[at("time")] - (k + 1) as f64 / 60.0).abs() < 1e-12);
        let sum = row[at("kinetic")] + row[at("elastic")] + row[at("potential")];
        assert!((row[at("total")] - sum).abs() <= 1e-12 * sum.abs());
        assert!(row[at("kinetic")] > 0.0);
    }
}

#[test]
fn a_resumed_run_is_the_same_run() {
    let desk = Desk::new();
    let whole = hash(&desk, &["run", "bar", "--frames", "8", "--positions", "whole.txt"]);
    let half = hash(&desk, &["run", "bar", "--frames", "4", "--checkpoint", "half.pdc"]);
    assert_ne!(half, whole);
    let rest =
        hash(&desk, &["run", "bar", "--frames", "8", "--resume", "half.pdc", "--positions", "resumed.txt"]);
    assert_eq!(rest, whole);
    assert_eq!(desk.read("resumed.txt"), desk.read("whole.txt"));
}

#[test]
fn frames_come_in_formats_of_one_file_each() {
    let desk = Desk::new();
    for (format, start) in [("obj", "v "), ("ply", "ply\n"), ("vtk", "# vtk DataFile"), ("vtu", "<VTKFile")] {
        desk.good(&["run", "bar", "--frames", "4", "--every", "2", "--out", format, "--format", format]);
        let mut names: Vec<_> = std::fs::read_dir(desk.path(format))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let frame = |k: u32| format!("frame_{k:05}.{format}");
        let mut expected = vec![frame(0), frame(2), frame(4)];
        expected.extend(["frames.vtk.series", "frames.pvd"].map(str::to_owned).into_iter().filter(|name| {
            (format == "vtk" && name.ends_with("series")) || (format == "vtu" && name.ends_with("pvd"))
        }));
        assert_eq!(names, expected);
        let bytes = std::fs::read(desk.path(format).join(&names[0])).unwrap();
        assert!(bytes.starts_with(start.as_bytes()), "{format}");
    }
    let obj = desk.read("obj/frame_00004.obj");
    assert_eq!(obj.lines().filter(|line| line.starts_with("v ")).count(), 208);
    assert!(desk.read("vtk/frame_00004.vtk").contains("CELLS 540"));
}

#[test]
fn scenes_are_listed() {
    let desk = Desk::new();
    let value = json(&desk, &["scenes", "--json"]);
    let scenes = value["scenes"].as_array().unwrap();
    let find = |name: &str| scenes.iter().find(|s| s["name"] == name).unwrap();
    assert_eq!(scenes[0]["name"], "cloth");
    assert_eq!(find("hemispheres")["constraints"], 6400);
    assert_eq!(find("bunny")["missing"], "bunny_thesis_2531v_8121t.mesh");
    assert!(find("bunny")["vertices"].is_null());
    let table = desk.good(&["scenes"]);
    for scene in scenes {
        assert!(table.contains(scene["name"].as_str().unwrap()));
    }
}

#[test]
fn pictures_are_drawn() {
    let desk = Desk::new();
    desk.good(&["picture", "bar", "--frame", "2", "--size", "64x48", "--out", "a.png"]);
    let bytes = std::fs::read(desk.path("a.png")).unwrap();
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
    let size = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!((size(16), size(20)), (64, 48));
}

#[test]
fn doctor_names_what_there_is() {
    let text = Desk::new().good(&["doctor"]);
    for word in ["threads", "pd", "cholesky"] {
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn a_solver_that_diverges_ends_with_1_and_keeps_the_last_good_state() {
    let desk = Desk::new();
    // Undamped Jacobi on tetrahedra, as published: its spectral radius is above 1.
    let arguments = ["run", "ball", "--frames", "3", "--global", "jacobi", "--json", "--positions", "p.txt"];
    let scene = pd_sim::scene::builtins().iter().find(|b| b.name == "ball").unwrap();
    desk.write("ball.toml", format!("{}\n[solver]\ngamma = 1.0\ninner-iterations = 2000\n", scene.text));
    let mut arguments = arguments.to_vec();
    arguments[1] = "ball.toml";
    let output = desk.pd(&arguments);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["outcome"], "diverged");
    assert_eq!(desk.read("p.txt").lines().count(), 530);
}

/// `pd scenes | head -1`: a reader who leaves early is no reason to fail, and none to panic.
#[test]
fn a_reader_who_leaves_is_no_failure() {
    let desk = Desk::new();
    for arguments in [&["scenes"][..], &["scenes", "--json"], &["run", "bar", "--frames", "1"], &["doctor"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = desk.command(arguments).stdout(writer).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
        assert_eq!(stderr, "", "{arguments:?}");
    }
}
