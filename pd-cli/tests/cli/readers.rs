//! Files of a run, opened by readers that others wrote (from PyPI). Needs python3, and a network the first time; the
//! environment is kept under `target/`.

use crate::sandbox::Sandbox;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGES: [&str; 7] =
    ["numpy", "meshio==5.3.5", "trimesh", "pygltflib", "pyvista", "usd-core", "pytest"];

/// The interpreter of an environment with all readers, or why there is none.
fn environment() -> Result<PathBuf, String> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().ok_or("no target directory")?;
    let place = target.join("readers");
    let python = place.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let works = |python: &Path| {
        let imports = "import numpy, meshio, trimesh, pygltflib, pyvista, pxr";
        Command::new(python).args(["-c", imports]).output().is_ok_and(|output| output.status.success())
    };
    if works(&python) {
        return Ok(python);
    }
    let run = |program: &Path, arguments: &[&str]| -> Result<(), String> {
        let output =
            Command::new(program).args(arguments).output().map_err(|e| format!("{program:?}: {e}"))?;
        let said = String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_owned();
        if output.status.success() { Ok(()) } else { Err(said) }
    };
    run(Path::new("python3"), &["-m", "venv", &place.to_string_lossy()])?;
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--timeout",
        "15",
        "--retries",
        "1",
    ];
    run(&python, &[&install[..], &PACKAGES[..]].concat())?;
    if works(&python) { Ok(python) } else { Err("the readers were installed and do not import".to_owned()) }
}

#[test]
fn independent_readers_see_the_run() {
    let python = match environment() {
        Ok(python) => python,
        Err(why) => return println!("skipped: no readers from PyPI: {why}"),
    };
    let mut table = String::from(
        "| scene | format | reader | version | frames | worst error (m) |\n|---|---|---|---|---|---|\n",
    );
    for scene in ["cloth", "bar"] {
        let sandbox = Sandbox::new();
        let mut last = None;
        for format in ["obj", "ply", "vtk", "vtu", "gltf", "npz", "pc2", "usd"] {
            let arguments = [
                "run", scene, "--frames", "12", "--every", "3", "--json", "--format", format, "--out", format,
            ];
            let said: Value = serde_json::from_str(
                &sandbox.good(&[&arguments[..], &["--positions", "positions.txt"]].concat()),
            )
            .unwrap();
            let hash = said["state_hash"].clone();
            assert_eq!(*last.get_or_insert(hash.clone()), hash, "writing files changes no result");
        }
        let times: Vec<f64> = (0..5).map(|k| f64::from(k) / 20.0).collect();
        let (bodies, obstacles) = if scene == "cloth" { (["cloth"], 2) } else { (["bar"], 1) };
        let about =
            serde_json::json!({ "times": times, "obstacles": obstacles, "bodies": 1, "names": bodies });
        sandbox.write("frames.json", about.to_string());
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers.py");
        let output = Command::new(&python).arg(&script).arg(sandbox.path("")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        // Libraries may print before the script does.
        let text = String::from_utf8(output.stdout).unwrap();
        let rows: Vec<Value> = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        for row in &rows {
            let text = |name: &str| row[name].as_str().unwrap_or_default();
            let (format, reader) = (text("format"), text("reader"));
            assert!(
                row["failure"].is_null() && row["missing"].is_null(),
                "{scene}, {format}, {reader}: {row}"
            );
            let still = (format, reader) == ("gltf", "trimesh");
            assert_eq!(row["frames"], if still { 1 } else { 5 }, "{scene}, {format}, {reader}");
            let most = match (format, reader) {
                // OBJ, VTK and VTU hold the bits; meshio and pyvista may keep fewer of an OBJ.
                ("npz" | "vtk" | "vtu", _) => 0.0,
                _ => 5e-7,
            };
            let error = row["error"].as_f64();
            assert!(still || error.unwrap() <= most, "{scene}, {format}, {reader}: {error:?} over {most}");
            let error = error.map_or("frame 0 only".to_owned(), |e| {
                if e == 0.0 { "0".to_owned() } else { format!("{e:.0e}") }
            });
            let frames = row["frames"].as_u64().unwrap();
            writeln!(table, "| {scene} | {format} | {reader} | {} | {frames} | {error} |", text("version"))
                .unwrap();
        }
    }
    crate::readers_page::compare(&table);
}
