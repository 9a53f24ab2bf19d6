//! The peers and their installation: Python packages in a virtual environment, a Rust program built in
//! its own directory. Nothing is installed outside the given directory.

use super::child::{self, End};
use crate::lab::TableError;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A peer: its name, the package that brings it, the program that runs it, and the settings it is run with.
pub(super) struct Peer {
    pub(super) name: &'static str,
    kind: Kind,
    pub(super) cloth: &'static [Setting],
    pub(super) solid: &'static [Setting],
}

/// A way to run a peer on a task: the word its program is given, and what the table says. The first of a list is the one
/// nearest to what we do.
pub(super) struct Setting {
    pub(super) word: &'static str,
    pub(super) says: &'static str,
}

const fn setting(word: &'static str, says: &'static str) -> Setting {
    Setting { word, says }
}

pub(super) enum Kind {
    /// A Python package and the script that uses it.
    Python { package: &'static str, module: &'static str, script: &'static str },
    /// A Rust program, built on its own.
    Rust { files: [(&'static str, &'static str); 2] },
}

/// Longest time to install or build one peer.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

const COMMON: &str = include_str!("../../peers/common.py");
pub(super) const PEERS: [Peer; 3] = [
    Peer {
        name: "Bullet",
        kind: Kind::Python {
            package: "pybullet",
            module: "pybullet",
            script: include_str!("../../peers/bullet_peer.py"),
        },
        cloth: &[setting("32", "springs 1500 N/m, 32 substeps"), setting("1", "springs 1500 N/m, 1 substep")],
        solid: &[
            setting("32", "Neo-Hookean, mu = lambda = 5 kPa, 32 substeps"),
            setting("1", "Neo-Hookean, mu = lambda = 5 kPa, 1 substep"),
        ],
    },
    Peer {
        name: "PositionBasedDynamics",
        kind: Kind::Python {
            package: "pypbd",
            module: "pypbd",
            script: include_str!("../../peers/pbd_peer.py"),
        },
        cloth: &[
            setting("20x1", "XPBD springs 1500 N/m, 20 substeps of 1 iteration"),
            setting("60x1", "XPBD springs 1500 N/m, 60 substeps of 1 iteration"),
            setting("1x10", "XPBD springs 1500 N/m, 1 substep of 10 iterations"),
        ],
        solid: &[
            setting("10x1", "XPBD finite elements, E = 10 kPa, 10 substeps of 1 iteration"),
            setting("1x10", "XPBD finite elements, E = 10 kPa, 1 substep of 10 iterations"),
        ],
    },
    Peer {
        name: "Rapier",
        kind: Kind::Rust {
            files: [
                ("Cargo.toml", include_str!("../../peers/rapier/Cargo.toml.in")),
                ("src/main.rs", include_str!("../../peers/rapier/src/main.rs")),
            ],
        },
        cloth: &[
            setting("20", "edges 1500 N/m, 20 substeps"),
            setting("60", "edges 1500 N/m, 60 substeps"),
            setting("4", "edges 1500 N/m, 4 substeps"),
        ],
        solid: &[
            setting("constraints", "corotational cells as constraints, E = 10 kPa, 4 substeps"),
            setting("fem", "corotational cells as finite elements, E = 10 kPa, 4 substeps"),
        ],
    },
];

/// The command line of a peer, or why it is not available.
pub(super) fn install(peer: &Peer, directory: &Path) -> Result<Result<Vec<PathBuf>, String>, TableError> {
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
            let mut build = Command::new("cargo");
            build.args(["build", "--release", "--quiet"]).current_dir(&root);
            Ok(call(&mut build, &root.join("build"))
                .map(|()| vec![root.join("target/release/rapier-peer")])
                .map_err(|why| format!("no build: {why}")))
        }
    }
}

/// A Python with the package (and module) of that name, and a script beside it.
pub(super) fn python_script(
    directory: &Path,
    package: &str,
    script: &str,
) -> Result<Result<[PathBuf; 2], String>, TableError> {
    let path = directory.join(format!("{package}_peer.py"));
    std::fs::create_dir_all(directory)
        .and_then(|()| std::fs::write(&path, script))
        .map_err(|error| TableError::File { path: path.clone(), error })?;
    Ok(python(directory, package, package).map(|python| [python, path]))
}

/// A Python with the module: that of the virtual environment under `directory`, made and filled if need be.
fn python(directory: &Path, package: &str, module: &str) -> Result<PathBuf, String> {
    let (venv, log) = (directory.join("venv"), directory.join(format!("install-{module}")));
    let python = venv.join("bin/python");
    if !python.is_file() {
        call(Command::new("python3").args(["-m", "venv"]).arg(&venv), &log)
            .map_err(|why| format!("no Python venv: {why}"))?;
    }
    let works = || call(Command::new(&python).args(["-c", &format!("import numpy, {module}")]), &log);
    if works().is_err() {
        // Only binary packages: engines are not built from source.
        let words = ["-m", "pip", "install", "--quiet", "--only-binary", ":all:", "numpy", package];
        call(Command::new(&python).args(words), &log)
            .map_err(|why| format!("no package {package} for this Python: {why}"))?;
        works().map_err(|why| format!("{package} does not load: {why}"))?;
    }
    Ok(python)
}

/// Runs a step of an installation; why it failed, if it did.
fn call(command: &mut Command, log: &Path) -> Result<(), String> {
    match child::run(command, log, PATIENCE)?.1 {
        End::Well => Ok(()),
        End::Failed(why) => Err(why),
        End::Late => Err(format!("not done within {} s", PATIENCE.as_secs())),
    }
}
