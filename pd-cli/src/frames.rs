//! `--out`: the scene as a mesh file per frame.

use crate::failure::Failure;
use pd_core::State;
use pd_mesh::{Mesh, TetMesh, TriMesh, io};
use pd_sim::scene::Scene;
use std::path::{Path, PathBuf};

/// File format of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Wavefront OBJ, surfaces.
    Obj,
    /// Binary PLY, surfaces with a speed column.
    Ply,
    /// Legacy VTK with a speed column; tetrahedra where all bodies are solids.
    Vtk,
}

/// Writes frames into a directory.
pub(crate) struct Frames {
    directory: PathBuf,
    format: Format,
    every: u64,
    mesh: Mesh,
}

impl Frames {
    /// Makes the directory, so that an unwritable place is found before anything is simulated.
    pub(crate) fn new(directory: &Path, format: Format, every: u64, scene: &Scene) -> Result<Self, Failure> {
        std::fs::create_dir_all(directory).map_err(|error| Failure::file(directory, error))?;
        let all_solid = scene.objects.iter().all(|object| object.is_solid());
        let mesh = if format == Format::Vtk && all_solid {
            let tets = scene.objects.iter().flat_map(|object| match &object.mesh {
                Mesh::Tet(solid) => solid.tets.iter().map(|t| t.map(|v| v + object.first)).collect(),
                Mesh::Tri(_) => vec![],
            });
            Mesh::Tet(TetMesh { positions: scene.rest(), tets: tets.collect() })
        } else {
            Mesh::Tri(TriMesh { positions: scene.rest(), triangles: scene.triangles() })
        };
        Ok(Self { directory: directory.to_owned(), format, every, mesh })
    }

    /// Writes the frame if it is one of those asked for.
    pub(crate) fn write(&mut self, frame: u64, state: &State) -> Result<(), Failure> {
        if !frame.is_multiple_of(self.every) {
            return Ok(());
        }
        self.mesh.positions_mut().copy_from_slice(&state.x);
        let speed: Vec<f64> = state.v.iter().map(|v| v.norm()).collect();
        let columns: [(&str, &[f64]); 1] = [("speed", &speed)];
        let extension = match self.format {
            Format::Obj => "obj",
            Format::Ply => "ply",
            Format::Vtk => "vtk",
        };
        let path = self.directory.join(format!("frame_{frame:05}.{extension}"));
        io::write_atomically(&path, |out| match self.format {
            Format::Obj => io::write_obj(out, &self.mesh),
            Format::Ply => io::write_ply(out, &self.mesh, io::PlyFormat::BinaryLittleEndian, &columns),
            Format::Vtk => io::write_vtk(out, &self.mesh, &columns),
        })
        .map_err(|error| Failure::file(&path, error))
    }
}
