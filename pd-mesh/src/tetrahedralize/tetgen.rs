//! TetGen as a separate program: the surface is passed as `.smesh`, the solid returned as `.node` and `.ele`, both in a
//! temporary directory. TetGen is not linked, so its licence (AGPL) does not apply to this crate (H. Si, TetGen, a
//! Delaunay-based quality tetrahedral mesh generator, 2015).

use super::{Options, Tetrahedralizer};
use crate::geometry::intersect;
use crate::{MeshError, TetMesh, TriMesh, io};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs the program `tetgen`.
#[derive(Clone, Copy, Debug, Default)]
pub struct TetGen;

fn failed(reason: impl Into<String>) -> MeshError {
    MeshError::MesherFailed { mesher: "tetgen", reason: reason.into() }
}

impl TetGen {
    /// The program: the path given, or `tetgen` in a directory of PATH.
    #[must_use]
    pub fn find(given: Option<&Path>) -> Option<PathBuf> {
        if let Some(path) = given {
            return path.is_file().then(|| path.to_owned());
        }
        let name = format!("tetgen{}", std::env::consts::EXE_SUFFIX);
        let directories = std::env::var_os("PATH")?;
        std::env::split_paths(&directories).map(|directory| directory.join(&name)).find(|path| path.is_file())
    }
}

impl Tetrahedralizer for TetGen {
    fn name(&self) -> &'static str {
        "tetgen"
    }

    fn tetrahedralize(&self, surface: &TriMesh, options: &Options) -> Result<TetMesh, MeshError> {
        surface.validate()?;
        let program = Self::find(options.tetgen_program.as_deref()).ok_or_else(|| match &options.tetgen_program {
            Some(path) => failed(format!("there is no program {}", path.display())),
            None => failed("the program tetgen is not on PATH; install it (Debian: apt install tetgen) or give its path"),
        })?;
        let switches = &options.tetgen_switches;
        check_switches(switches).map_err(failed)?;
        let directory =
            tempfile::tempdir().map_err(|error| failed(format!("no temporary directory: {error}")))?;
        let input = directory.path().join("surface.smesh");
        io::write_path(&input, surface).map_err(|error| failed(error.to_string()))?;
        let log = directory.path().join("log.txt");
        let success = run(&program, switches, &input, &log, options.time_limit)?;

        let output = directory.path().join("surface.1.ele");
        if !success || !output.is_file() {
            return Err(failed(why(surface, &said(&log))));
        }
        let mesh = io::read_path(&output).map_err(|error| failed(error.to_string()))?;
        let mut mesh = mesh.into_tet().ok_or_else(|| failed("it wrote no tetrahedra"))?;
        mesh.orient_positively();
        Ok(mesh)
    }
}

/// Runs the program in the directory of its input; returns whether it succeeded.
fn run(program: &Path, switches: &str, input: &Path, log: &Path, seconds: f64) -> Result<bool, MeshError> {
    let system = |error: std::io::Error| failed(format!("{} cannot be run: {error}", program.display()));
    let output = File::create(log).map_err(system)?;
    let errors = output.try_clone().map_err(system)?;
    let mut command = Command::new(program);
    command.arg(format!("-{switches}")).arg(input).stdin(Stdio::null()).stdout(output).stderr(errors);
    if let Some(directory) = input.parent() {
        command.current_dir(directory);
    }
    let mut child = command.spawn().map_err(system)?;
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(system)? {
            return Ok(status.success());
        }
        if started.elapsed().as_secs_f64() > seconds {
            // It may have ended by itself in between; then there is nothing to stop.
            let _ = child.kill();
            let _ = child.wait();
            return Err(failed(format!("it was stopped after {seconds} s")));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The switches become one argument of the program; a space in them could name another file.
pub(super) fn check_switches(switches: &str) -> Result<(), String> {
    let letters = switches.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '/'));
    if letters && switches.contains('p') {
        Ok(())
    } else {
        Err(format!("{switches:?} are no switches of TetGen for a surface, as in pq1.414Y"))
    }
}

/// The reason of a failure. Some builds abort without a message, so the usual causes are checked first.
pub(super) fn why(surface: &TriMesh, otherwise: &str) -> String {
    if let Some([a, b]) = intersect::self_intersections(surface, 1).first() {
        return format!(
            "the surface intersects itself, at triangles {a} and {b} among others; TetGen needs one that does not"
        );
    }
    match surface.boundary_edges().len() {
        0 => otherwise.to_owned(),
        holes => format!("the surface is not closed: {holes} sides belong to one triangle alone"),
    }
}

/// The part of the program's output that looks like an error message.
fn said(log: &Path) -> String {
    let text = fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let telling = ["Error", "error", "Invalid", "failed", "hole"];
    let found = lines().find(|line| telling.iter().any(|word| line.contains(word)));
    found
        .or_else(|| lines().next_back())
        .unwrap_or("it said nothing and wrote nothing")
        .chars()
        .take(200)
        .collect()
}
