//! Other engines for table 7.6, run as programs of their own: what they are given and what they answer.
//!
//! Scripts live in `pd-tables/peers/`; each reads a mesh, simulates, and prints one line of JSON per setting:
//! `{"engine": …, "settings": …, "ms": …, "p99": …, "volume": …, "inverted": …, "note": …}`, or `"missing": …`.

use crate::Outcome;
use crate::lab::{Lab, Stand, TableError};
use crate::quality::Quality;
use pd_mesh::Mesh;
use pd_sim::scene::Scene;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// What is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// The 140×140 cloth hung by two corners.
    Cloth,
    /// Two Armadillos dropped on the floor.
    Pair,
}

impl Task {
    /// All tasks.
    pub const ALL: [Self; 2] = [Self::Cloth, Self::Pair];

    /// Name in table 7.6.
    pub fn title(self) -> &'static str {
        match self {
            Self::Cloth => "cloth 140×140",
            Self::Pair => "2 Armadillos",
        }
    }

    /// Our scene.
    pub fn scene(self) -> &'static str {
        match self {
            Self::Cloth => "cloth-140",
            Self::Pair => "armadillo-pair",
        }
    }

    /// Its stand-in where the model is missing.
    pub fn twin(self) -> Option<&'static str> {
        match self {
            Self::Cloth => None,
            Self::Pair => Some("armadillo-pair-twin"),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Cloth => "cloth",
            Self::Pair => "solid",
        }
    }
}

/// A measurement of a peer.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerRow {
    /// What it simulated.
    pub task: Task,
    /// Name and version.
    pub engine: String,
    /// Iterations, substeps, stiffness.
    pub settings: String,
    /// Ms a frame and quality, or why there is none.
    pub result: Result<(f64, Quality), Outcome>,
    /// What to know.
    pub note: String,
}

/// Measurements of all peers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PeerRows {
    /// Rows in the order they were taken.
    pub rows: Vec<PeerRow>,
}

/// A peer: its name, the package that brings it, the program that runs it.
struct Peer {
    name: &'static str,
    kind: Kind,
}

enum Kind {
    /// A Python package and the script that uses it.
    Python { package: &'static str, module: &'static str, script: &'static str },
    /// A Rust program, built on its own.
    Rust { files: [(&'static str, &'static str); 2] },
}

/// Time given to a peer for a task.
const PATIENCE: Duration = Duration::from_secs(20 * 60);

const COMMON: &str = include_str!("../peers/common.py");
const PEERS: [Peer; 3] = [
    Peer {
        name: "Bullet",
        kind: Kind::Python {
            package: "pybullet",
            module: "pybullet",
            script: include_str!("../peers/bullet_peer.py"),
        },
    },
    Peer {
        name: "PositionBasedDynamics",
        kind: Kind::Python {
            package: "pypbd",
            module: "pypbd",
            script: include_str!("../peers/pbd_peer.py"),
        },
    },
    Peer {
        name: "Rapier",
        kind: Kind::Rust {
            files: [
                ("Cargo.toml", include_str!("../peers/rapier/Cargo.toml.in")),
                ("src/main.rs", include_str!("../peers/rapier/src/main.rs")),
            ],
        },
    },
];

/// Installs what is missing under `directory` and runs every peer on every task.
pub fn run(lab: &Lab<'_>, directory: &Path) -> Result<PeerRows, TableError> {
    let file = |path: &Path| {
        let path = path.to_owned();
        move |error| TableError::File { path, error }
    };
    std::fs::create_dir_all(directory).map_err(file(directory))?;
    let mut rows = PeerRows::default();
    let mut tasks = vec![];
    for task in Task::ALL.into_iter().filter(|task| lab.wants(task.scene())) {
        let stands = lab.stand_ins(task.scene(), task.twin())?;
        let Some(Stand::Scene(scene) | Stand::Twin(scene)) = stands.last() else { continue };
        let path = directory.join(format!("{}.txt", task.word()));
        std::fs::write(&path, mesh_text(&Scene::load(scene, lab.models)?)).map_err(file(&path))?;
        tasks.push((task, path));
    }
    for peer in &PEERS {
        lab.say(&format!("{}: installing", peer.name));
        match install(peer, directory)? {
            Ok(program) => {
                for (task, mesh) in &tasks {
                    lab.say(&format!("{}: {}", peer.name, task.title()));
                    rows.rows.extend(measure(lab, peer, &program, *task, mesh));
                }
            }
            Err(why) => rows.rows.extend(tasks.iter().map(|(task, _)| missing(*task, peer, &why))),
        }
    }
    Ok(rows)
}

fn missing(task: Task, peer: &Peer, why: &str) -> PeerRow {
    let result = Err(Outcome::Missing(why.to_owned()));
    PeerRow { task, engine: peer.name.into(), settings: String::new(), result, note: String::new() }
}

/// The words to run a peer with, or why it cannot be had.
fn install(peer: &Peer, directory: &Path) -> Result<Result<Vec<PathBuf>, String>, TableError> {
    let write = |path: PathBuf, text: &str| -> Result<PathBuf, TableError> {
        let parent = path.parent().unwrap_or(directory).to_owned();
        let done = std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&path, text));
        done.map(|()| path.clone()).map_err(|error| TableError::File { path, error })
    };
    match &peer.kind {
        Kind::Python { package, module, script } => {
            write(directory.join("common.py"), COMMON)?;
            let script = write(directory.join(format!("{module}_peer.py")), script)?;
            Ok(python(directory, package, module).map(|python| vec![python, script]))
        }
        Kind::Rust { files } => {
            let root = directory.join("rapier");
            for (name, text) in files {
                write(root.join(name), text)?;
            }
            let built =
                call(Command::new("cargo").args(["build", "--release", "--quiet"]).current_dir(&root));
            Ok(built
                .map(|_| vec![root.join("target/release/rapier-peer")])
                .map_err(|why| format!("no build: {why}")))
        }
    }
}

/// A Python with the module: that of the virtual environment under `directory`, made and filled if need be.
fn python(directory: &Path, package: &str, module: &str) -> Result<PathBuf, String> {
    let venv = directory.join("venv");
    let python = venv.join("bin/python");
    if !python.is_file() {
        call(Command::new("python3").args(["-m", "venv"]).arg(&venv))
            .map_err(|why| format!("no Python venv: {why}"))?;
    }
    let works = |python: &Path| call(Command::new(python).args(["-c", &format!("import numpy, {module}")]));
    if works(&python).is_err() {
        // Only ready-made packages: building an engine from source is not this program's business.
        call(Command::new(&python).args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--only-binary",
            ":all:",
            "numpy",
            package,
        ]))
        .map_err(|why| format!("no package {package} for this Python: {why}"))?;
        works(&python).map_err(|why| format!("{package} does not load: {why}"))?;
    }
    Ok(python)
}

/// Runs a command to its end; its output, or the last line of what it complained of.
fn call(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{:?}: {error}", command.get_program()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(complaint(&String::from_utf8_lossy(&output.stderr)))
}

fn complaint(text: &str) -> String {
    text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it failed without a word").trim().to_owned()
}

/// Runs a peer until its end or the limit. What it printed by then counts; the second value says why there is no more.
fn listen(command: &mut Command, log: &Path) -> Result<(String, Option<String>), String> {
    let program = format!("{:?}", command.get_program());
    let (out, errors) = (log.with_extension("out"), log.with_extension("err"));
    let file =
        |path: &Path| std::fs::File::create(path).map_err(|error| format!("{}: {error}", path.display()));
    let (stdout, stderr) = (file(&out)?, file(&errors)?);
    let mut child =
        command.stdout(stdout).stderr(stderr).spawn().map_err(|error| format!("{program}: {error}"))?;
    let begun = Instant::now();
    let end = loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => break None,
            Ok(Some(_)) => break Some(complaint(&std::fs::read_to_string(&errors).unwrap_or_default())),
            Ok(None) if begun.elapsed() > PATIENCE => {
                // If it cannot be ended it has ended by itself.
                let _ = child.kill();
                let _ = child.wait();
                break Some(format!("no more after {} minutes", PATIENCE.as_secs() / 60));
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(50)),
            Err(error) => break Some(error.to_string()),
        }
    };
    Ok((std::fs::read_to_string(&out).unwrap_or_default(), end))
}

fn measure(lab: &Lab<'_>, peer: &Peer, program: &[PathBuf], task: Task, mesh: &Path) -> Vec<PeerRow> {
    let Some((first, rest)) = program.split_first() else { return vec![] };
    let frames = lab.effort.settle_frames.to_string();
    let log = mesh.with_file_name(format!("{}-{}", peer.name, task.word()));
    match listen(Command::new(first).args(rest).arg(task.word()).arg(mesh).arg(frames), &log) {
        Err(why) => vec![missing(task, peer, &why)],
        Ok((text, end)) => {
            let mut rows: Vec<PeerRow> = text.lines().filter_map(|line| read(task, line)).collect();
            let end = end.or_else(|| rows.is_empty().then(|| "it printed no result".into()));
            rows.extend(end.map(|why| missing(task, peer, &why)));
            rows
        }
    }
}

/// One line of an answer; lines that are no JSON object are the engine's own chatter.
fn read(task: Task, line: &str) -> Option<PeerRow> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    let words = |key: &str| value.get(key).and_then(|v| v.as_str()).unwrap_or("").to_owned();
    let number = |key: &str| value.get(key).and_then(serde_json::Value::as_f64);
    let engine = value.get("engine")?.as_str()?.to_owned();
    let result = match (number("ms"), number("p99")) {
        (Some(ms), Some(p99)) if p99.is_finite() => {
            let inverted = number("inverted").map(|n| n as usize);
            Ok((ms, Quality { p99_edge_strain: p99, volume_ratio: number("volume"), inverted }))
        }
        (Some(_), None) => Err(Outcome::Diverges),
        _ => Err(Outcome::Missing(words("missing"))),
    };
    Some(PeerRow { task, engine, settings: words("settings"), result, note: words("note") })
}

/// What peers read: counts, then vertices, pins, edges, triangles and tetrahedra, one a line.
fn mesh_text(scene: &Scene) -> String {
    let (rest, edges, triangles) = (scene.rest(), scene.edges(), scene.triangles());
    let tets: Vec<[u32; 4]> = scene
        .objects
        .iter()
        .flat_map(|o| match &o.mesh {
            Mesh::Tet(mesh) => mesh.tets.iter().map(|t| t.map(|v| v + o.first)).collect(),
            Mesh::Tri(_) => vec![],
        })
        .collect();
    let pins: Vec<u32> = scene
        .desc
        .objects
        .iter()
        .flat_map(|o| &o.pins)
        .flat_map(|pin| pin.select.vertices.iter().copied())
        .collect();
    let mut out = format!(
        "{} {} {} {} {} {}\n",
        rest.len(),
        pins.len(),
        edges.len(),
        triangles.len(),
        tets.len(),
        scene.objects.len()
    );
    for p in &rest {
        let _ = writeln!(out, "{} {} {}", p.x, p.y, p.z);
    }
    for pin in &pins {
        let _ = writeln!(out, "{pin}");
    }
    let mut list = |indices: &[u32]| {
        let words: Vec<String> = indices.iter().map(ToString::to_string).collect();
        let _ = writeln!(out, "{}", words.join(" "));
    };
    edges.iter().for_each(|e| list(e));
    triangles.iter().for_each(|t| list(t));
    tets.iter().for_each(|t| list(t));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_and_chatter_is_not() {
        let good =
            r#"{"engine":"E 1","settings":"s","ms":2.0,"p99":0.5,"volume":0.9,"inverted":3,"note":"n"}"#;
        let row = read(Task::Pair, good).unwrap();
        let quality = Quality { p99_edge_strain: 0.5, volume_ratio: Some(0.9), inverted: Some(3) };
        assert_eq!((row.engine.as_str(), row.result), ("E 1", Ok((2.0, quality))));
        let wild = read(Task::Cloth, r#"{"engine":"E","ms":2.0,"p99":null}"#).unwrap();
        assert_eq!(wild.result, Err(Outcome::Diverges));
        let gone = read(Task::Cloth, r#"{"engine":"E","missing":"no tets"}"#).unwrap();
        assert_eq!(gone.result, Err(Outcome::Missing("no tets".into())));
        assert_eq!(read(Task::Cloth, "pybullet build time: now"), None);
    }

    #[test]
    fn a_program_that_is_not_there_is_a_word_in_a_cell() {
        let models = pd_sim::ModelPaths::default();
        let lab = Lab::new(&models, crate::Effort::QUICK, 1, &|_| {}).unwrap();
        let program = [PathBuf::from("no/such/program")];
        let directory = tempfile::tempdir().unwrap();
        let rows = measure(&lab, &PEERS[0], &program, Task::Cloth, &directory.path().join("mesh.txt"));
        assert!(
            matches!(&rows[..], [PeerRow { result: Err(Outcome::Missing(why)), .. }] if why.contains("no/such"))
        );
    }

    #[test]
    fn the_mesh_file_says_what_the_scene_is() {
        let scene = Scene::load("cloth-140", &pd_sim::ModelPaths::default()).unwrap();
        let text = mesh_text(&scene);
        assert_eq!(text.lines().next(), Some("19881 2 59080 39200 0 1"));
        assert_eq!(text.lines().count(), 1 + 19881 + 2 + 59080 + 39200);
    }
}
