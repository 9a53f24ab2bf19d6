//! What `pd` promises when all is well.

use crate::sandbox::Sandbox;
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

fn json(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let text = sandbox.good(arguments);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn hash(sandbox: &Sandbox, arguments: &[&str]) -> String {
    json(sandbox, &[arguments, &["--json"]].concat())["state_hash"].as_str().unwrap().to_owned()
}

#[test]
fn the_hash_is_that_of_a_program_on_the_library() {
    use pd_sim::{ModelPaths, Registry, scene::Scene, scene::SceneRun};
    let sandbox = Sandbox::new();
    for scene in ["bar", "cloth"] {
        let loaded = Scene::load(scene, &ModelPaths::default()).unwrap();
        let mut run = SceneRun::new(loaded, &Registry::standard()).unwrap();
        (0..6).for_each(|_| {
            run.advance().unwrap();
        });
        let expected = format!("{:016x}", run.sim.state.hash());
        assert_eq!(hash(&sandbox, &["run", scene, "--frames", "6"]), expected, "{scene}");
    }
}

#[test]
fn run_prints_exactly_one_json_object() {
    let sandbox = Sandbox::new();
    let value = json(&sandbox, &["run", "bar", "--frames", "5", "--threads", "2", "--json"]);
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
    let sandbox = Sandbox::new();
    let run = |threads| hash(&sandbox, &["run", "bridge", "--frames", "5", "--threads", threads]);
    assert_eq!(run("1"), run("3"));
}

#[test]
fn positions_have_17_digits_and_keep_every_bit() {
    let sandbox = Sandbox::new();
    sandbox.good(&["run", "bar", "--frames", "3", "--positions", "p.txt"]);
    let text = sandbox.read("p.txt");
    assert_eq!(text.lines().count(), 208);
    for word in text.split_whitespace() {
        let digits = word.split('e').next().unwrap().chars().filter(char::is_ascii_digit).count();
        assert_eq!(digits, 17, "{word}");
        let value: f64 = word.parse().unwrap();
        assert_eq!(format!("{value:.16e}"), word);
    }
    assert!(text.lines().all(|line| line.split_whitespace().count() == 3));
}

/// A box in free fall: p = m g t, whatever moves it.
#[test]
fn traces_of_bodies_have_energy_and_momentum() {
    let sandbox = Sandbox::new();
    let scene = "title = \"fall\"\nframes = 3\n[[body]]\nname = \"box\"\ndensity = 1000\n\
                 shape = { kind = \"box\", half-extents = [0.05, 0.05, 0.05] }\nposition = [0, 9, 0]\n";
    sandbox.write("fall.toml", scene);
    sandbox.good(&["run", "fall.toml", "--trace", "t.csv"]);
    let text = sandbox.read("t.csv");
    let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let column = |name: &str| header.iter().position(|h| *h == name).unwrap();
    let last = rows.next_back().unwrap();
    let value = |name: &str| last[column(name)].parse::<f64>().unwrap();
    assert!((value("momentum_y") + 9.8 * 3.0 / 60.0).abs() < 1e-9, "{}", value("momentum_y"));
    assert!(value("momentum_x").abs() < 1e-12 && value("kinetic") > 0.1);
}

#[test]
fn trace_has_a_row_a_frame() {
    let sandbox = Sandbox::new();
    sandbox.good(&["run", "bar", "--frames", "4", "--trace", "t.csv"]);
    let text = sandbox.read("t.csv");
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
    let sandbox = Sandbox::new();
    let whole = hash(&sandbox, &["run", "bar", "--frames", "8", "--positions", "whole.txt"]);
    let half = hash(&sandbox, &["run", "bar", "--frames", "4", "--checkpoint", "half.pdc"]);
    assert_ne!(half, whole);
    let rest = hash(
        &sandbox,
        &["run", "bar", "--frames", "8", "--resume", "half.pdc", "--positions", "resumed.txt"],
    );
    assert_eq!(rest, whole);
    assert_eq!(sandbox.read("resumed.txt"), sandbox.read("whole.txt"));
}

#[test]
fn frames_come_in_formats_of_one_file_each() {
    let sandbox = Sandbox::new();
    for (format, start) in [("obj", "v "), ("ply", "ply\n"), ("vtk", "# vtk DataFile"), ("vtu", "<VTKFile")] {
        sandbox.good(&["run", "bar", "--frames", "4", "--every", "2", "--out", format, "--format", format]);
        let mut names: Vec<_> = std::fs::read_dir(sandbox.path(format))
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
        let bytes = std::fs::read(sandbox.path(format).join(&names[0])).unwrap();
        assert!(bytes.starts_with(start.as_bytes()), "{format}");
    }
    let obj = sandbox.read("obj/frame_00004.obj");
    assert_eq!(obj.lines().filter(|line| line.starts_with("v ")).count(), 208);
    assert!(sandbox.read("vtk/frame_00004.vtk").contains("CELLS 540"));
}

/// A shorter second run would leave the end of the first beside its own frames.
#[test]
fn frames_of_a_former_run_are_refused_or_removed() {
    let sandbox = Sandbox::new();
    let run = |more: &[&str]| sandbox.pd(&[&["run", "bar", "--out", "f"], more].concat());
    assert!(run(&["--frames", "4"]).status.success());
    assert!(run(&["--frames", "4"]).status.success(), "the same frames again");
    for shorter in [&["--frames", "2"][..], &["--frames", "4", "--every", "2"]] {
        let said = String::from_utf8(run(shorter).stderr).unwrap();
        assert!(said.contains("frame_0000") && said.contains("--overwrite"), "{said}");
    }
    assert!(sandbox.path("f/frame_00004.obj").exists());
    assert!(run(&["--frames", "2", "--overwrite"]).status.success());
    assert!(sandbox.path("f/frame_00002.obj").exists() && !sandbox.path("f/frame_00003.obj").exists());
}

#[test]
fn scenes_are_listed() {
    let sandbox = Sandbox::new();
    let text = sandbox.good(&["scenes", "--show", "cloth"]);
    sandbox.write("my.toml", &text);
    let run = |scene: &str| hash(&sandbox, &["run", scene, "--frames", "1"]);
    assert_eq!(run("my.toml"), run("cloth"));
    assert!(!sandbox.pd(&["scenes", "--show", "cloths"]).status.success());
    assert!(sandbox.good(&["--version"]).starts_with("pd "));
    let value = json(&sandbox, &["scenes", "--json"]);
    let scenes = value["scenes"].as_array().unwrap();
    let find = |name: &str| scenes.iter().find(|s| s["name"] == name).unwrap();
    assert_eq!(scenes[0]["name"], "cloth");
    assert_eq!(find("hemispheres")["constraints"], 6400);
    assert_eq!(find("bunny")["missing"], "bunny_thesis_2531v_8121t.mesh");
    assert!(find("bunny")["vertices"].is_null());
    let table = sandbox.good(&["scenes"]);
    for scene in scenes {
        assert!(table.contains(scene["name"].as_str().unwrap()));
    }
}

#[test]
fn pictures_are_drawn() {
    let sandbox = Sandbox::new();
    sandbox.good(&["picture", "bar", "--frame", "2", "--size", "64x48", "--out", "a.png"]);
    let bytes = std::fs::read(sandbox.path("a.png")).unwrap();
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
    let size = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!((size(16), size(20)), (64, 48));
}

#[test]
fn doctor_names_what_there_is() {
    let text = Sandbox::new().good(&["doctor"]);
    for word in ["threads", "pd", "cholesky"] {
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn a_solver_that_diverges_ends_with_1_and_keeps_the_last_good_state() {
    let sandbox = Sandbox::new();
    // Undamped Jacobi on tetrahedra, as published: its spectral radius is above 1.
    let arguments = ["run", "ball", "--frames", "3", "--global", "jacobi", "--json", "--positions", "p.txt"];
    let scene = pd_sim::scene::builtins().iter().find(|b| b.name == "ball").unwrap();
    sandbox.write("ball.toml", format!("{}\n[solver]\ngamma = 1.0\ninner-iterations = 2000\n", scene.text));
    let mut arguments = arguments.to_vec();
    arguments[1] = "ball.toml";
    let output = sandbox.pd(&arguments);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["outcome"], "diverged");
    assert_eq!(sandbox.read("p.txt").lines().count(), 530);
}

/// `pd scenes | head -1`: a reader who leaves early is no reason to fail, and none to panic.
#[test]
fn a_reader_who_leaves_is_no_failure() {
    let sandbox = Sandbox::new();
    for arguments in [&["scenes"][..], &["scenes", "--json"], &["run", "bar", "--frames", "1"], &["doctor"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = sandbox.command(arguments).stdout(writer).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
        assert_eq!(stderr, "", "{arguments:?}");
    }
}

/// Two sheets, the upper one falls on the lower one, which lies on a floor.
const SHEETS: &str = r#"
title = "two sheets"
frames = 12
[[object]]
name = "lower"
shape = { kind = "grid", rows = 4, columns = 4 }
translate = [0, 0.06, 0]
mass = { total = 0.1 }
edge = { weight = 100.0 }
[[object]]
name = "upper"
shape = { kind = "grid", rows = 4, columns = 4 }
rotate = { axis = [0, 1, 0], degrees = 20 }
translate = [0, 0.13, 0]
mass = { total = 0.1 }
edge = { weight = 100.0 }
[[collider]]
kind = "floor"
height = 0.0
"#;

#[test]
fn contact_is_counted_traced_and_verified() {
    let sandbox = Sandbox::new();
    sandbox.write("sheets.toml", SHEETS);
    let value = json(&sandbox, &["run", "sheets.toml", "--verify", "--json", "--trace", "t.csv"]);
    assert_eq!((value["contact"].as_str(), value["intersections"].as_u64()), (Some("guard"), Some(0)));
    for key in ["contacts", "rebuilds"] {
        assert!(value[key].as_u64().unwrap() > 0, "{key} in {value}");
    }
    assert!(value["min_gap"].as_f64().unwrap() > 0.0 && value["clamped"].is_u64());
    assert!(value["contact_ms"].as_f64().unwrap() > 0.0);
    assert!(value["energy"]["potential"].as_f64().unwrap() > 0.0 && value["momentum"][1].is_f64());
    let text = sandbox.read("t.csv");
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let last: Vec<&str> = text.lines().last().unwrap().split(',').collect();
    assert_eq!(header.len(), last.len());
    let at = |name: &str| last[header.iter().position(|h| *h == name).unwrap()];
    assert!(at("residual").parse::<f64>().unwrap() < 1.0, "the balance of forces, contact included");
    assert!(at("force_y upper").parse::<f64>().unwrap() > 0.0, "the lower sheet holds the upper one");
    assert!(at("kinetic").parse::<f64>().is_ok() && at("contacts").parse::<f64>().unwrap() > 0.0);

    let through =
        json(&sandbox, &["run", "sheets.toml", "--verify", "--json", "--contact", "off", "--frames", "40"]);
    assert!(through.get("contacts").is_none() && through["contact"] == "off");
}

#[test]
fn a_stepper_without_contact_between_surfaces_falls_back_and_says_so() {
    let sandbox = Sandbox::new();
    sandbox.write("sheets.toml", SHEETS);
    let run =
        |more: &[&str]| sandbox.pd(&[&["run", "sheets.toml", "--frames", "2", "--json"], more].concat());
    let output = run(&["--stepper", "xpbd"]);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["contact"], "project");
    assert!(String::from_utf8_lossy(&output.stderr).contains("note: the stepper xpbd"), "{output:?}");
    let refused = run(&["--stepper", "xpbd", "--contact", "guard"]);
    assert!(
        !refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("guard"),
        "{refused:?}"
    );
}

#[test]
fn check_names_what_crosses_at_the_start() {
    let sandbox = Sandbox::new();
    sandbox.write("sheets.toml", SHEETS);
    sandbox.good(&["check", "sheets.toml"]);
    let tilted = SHEETS.replace("axis = [0, 1, 0], degrees = 20", "axis = [1, 0, 0], degrees = 30");
    let crossed = tilted.replace("height = 0.0", "height = -1.0");
    sandbox.write("crossed.toml", &crossed);
    let output = sandbox.pd(&["check", "crossed.toml", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(value["intersections"]["count"].as_u64().unwrap() > 0, "{value}");
    assert_eq!(value["intersections"]["pairs"][0]["bodies"], serde_json::json!(["lower", "upper"]));
    let refused = sandbox.pd(&["run", "crossed.toml", "--frames", "1"]);
    assert!(!refused.status.success());
    let ignored = crossed.replace("frames = 12", "frames = 12\n[contact]\nstart = \"ignore\"");
    sandbox.write("ignored.toml", &ignored);
    sandbox.good(&["run", "ignored.toml", "--frames", "1"]);
}
