//! Importing a mesh in its own thread, so that a large file does not block the window.

use super::advice::Problem;
use super::{App, Selected, edit};
use pd_mesh::Mesh;
use pd_sim::scene::desc::{ShapeDesc, TetrahedralizeDesc};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};

struct Found {
    path: PathBuf,
    solid: bool,
    fill: bool,
}

/// Imports under way.
#[derive(Default)]
pub struct Imports {
    waiting: Vec<Receiver<Result<Found, Problem>>>,
    /// Whether closed surfaces are filled with tetrahedra.
    pub fill: bool,
}

impl Imports {
    /// Whether an import is running.
    pub fn is_busy(&self) -> bool {
        !self.waiting.is_empty()
    }
}

impl App {
    /// Reads a mesh file and adds it as a body.
    pub fn import(&mut self, path: &Path) {
        let (answer, wait) = channel();
        let (path, fill, context) = (path.to_owned(), self.imports.fill, self.context.clone());
        let read = move || {
            let _ = answer.send(inspect(path, fill));
            context.request_repaint();
        };
        match std::thread::Builder::new().name("import".into()).spawn(read) {
            Ok(_) => self.imports.waiting.push(wait),
            Err(error) => {
                self.problem = Some(Problem::words("The mesh could not be read.", error.to_string()))
            }
        }
    }

    pub(super) fn take_imports(&mut self) {
        let mut done = vec![];
        self.imports.waiting.retain(|wait| match wait.try_recv() {
            Ok(result) => {
                done.push(result);
                false
            }
            Err(error) => error == std::sync::mpsc::TryRecvError::Empty,
        });
        for result in done {
            match result {
                Ok(found) => self.add_import(&found),
                Err(problem) => self.problem = Some(problem),
            }
        }
    }

    fn add_import(&mut self, found: &Found) {
        let stem =
            found.path.file_stem().map_or_else(|| "mesh".into(), |stem| stem.to_string_lossy().into_owned());
        // An absolute path is found from wherever the scene is saved.
        let file = std::path::absolute(&found.path).unwrap_or_else(|_| found.path.clone());
        let shape = ShapeDesc::File { file: file.display().to_string() };
        let mut object = edit::body(&stem, shape, found.solid || found.fill);
        object.normalize = true;
        if found.fill && !found.solid {
            object.tetrahedralize = Some(TetrahedralizeDesc::default());
        }
        let index = edit::add_object(&mut self.document.desc, object);
        self.selected = Selected::Object(index);
        self.note = format!("Imported {}", found.path.display());
    }
}

fn inspect(path: PathBuf, fill: bool) -> Result<Found, Problem> {
    let mesh = pd_mesh::io::read_path(&path)
        .map_err(|error| Problem::of(&pd_sim::SceneError::Mesh(error.to_string())))?;
    if mesh.positions().is_empty() || mesh.element_count() == 0 {
        let details = format!("{}: it has no triangles and no tetrahedra", path.display());
        return Err(Problem::of(&pd_sim::SceneError::Mesh(details)));
    }
    Ok(Found { solid: matches!(mesh, Mesh::Tet(_)), path, fill })
}
