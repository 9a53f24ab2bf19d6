//! Recording of the bodies themselves.

use super::RecordError;
use pd_core::Vec3;
use pd_mesh::{TriMesh, io};
use std::path::{Path, PathBuf};

/// Output format of meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// One glTF file that plays in any viewer. All frames are kept in memory until it is written.
    Glb,
    /// A directory of OBJ files.
    ObjSequence,
}

/// Records positions and writes the surfaces to files.
///
/// ```
/// use pd_viewer::record::{MeshFormat, MeshRecorder};
/// let cloth = pd_mesh::generate::grid(4, 4, 1.0, 1.0)?;
/// let directory = tempfile::tempdir()?;
/// let path = directory.path().join("frames");
/// let mut recorder = MeshRecorder::new(&path, MeshFormat::ObjSequence, cloth.triangles.clone(), 60)?;
/// recorder.add(&cloth.positions)?;
/// assert_eq!(recorder.finish()?, 1);
/// assert!(path.join("frame_00000.obj").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MeshRecorder {
    path: PathBuf,
    format: MeshFormat,
    fps: u32,
    mesh: TriMesh,
    kept: Vec<Vec<Vec3>>,
    frames: usize,
}

impl MeshRecorder {
    /// Starts a recording at `fps` frames per second.
    pub fn new(
        path: &Path,
        format: MeshFormat,
        triangles: Vec<[u32; 3]>,
        fps: u32,
    ) -> Result<Self, RecordError> {
        if !(1..=1000).contains(&fps) {
            return Err(RecordError::Rate { fps, most: 1000 });
        }
        if format == MeshFormat::ObjSequence {
            std::fs::create_dir_all(path).map_err(|error| RecordError::file(path, error))?;
        }
        let mesh = TriMesh { positions: vec![], triangles };
        Ok(Self { path: path.to_owned(), format, fps, mesh, kept: vec![], frames: 0 })
    }

    /// Frames so far.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Adds the positions of all vertices, m.
    pub fn add(&mut self, x: &[Vec3]) -> Result<(), RecordError> {
        match self.format {
            MeshFormat::Glb => self.kept.push(x.to_vec()),
            MeshFormat::ObjSequence => {
                self.mesh.positions.clear();
                self.mesh.positions.extend_from_slice(x);
                let path = self.path.join(format!("frame_{:05}.obj", self.frames));
                io::write_atomically(&path, |out| io::write_obj(out, &self.mesh))
                    .map_err(|error| RecordError::file(&path, error))?;
            }
        }
        self.frames += 1;
        Ok(())
    }

    /// Ends the recording; returns the number of frames.
    pub fn finish(self) -> Result<usize, RecordError> {
        if self.frames == 0 {
            return Err(RecordError::Empty { path: self.path });
        }
        if self.format == MeshFormat::Glb {
            let seconds = 1.0 / f64::from(self.fps);
            io::write_atomically(&self.path, |out| {
                io::write_glb_animation(out, &self.mesh.triangles, &self.kept, seconds)
            })
            .map_err(|error| RecordError::file(&self.path, error))?;
        }
        Ok(self.frames)
    }
}
