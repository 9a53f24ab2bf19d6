//! `--out`: the scene as a mesh file per frame, or as one animated file.

use crate::failure::Failure;
use pd_core::{State, Vec3};
use pd_mesh::{Mesh, TetMesh, TriMesh, io};
use pd_sim::scene::{Object, Scene};
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
    /// One file frames.glb with all frames as an animation, surfaces.
    Gltf,
}

/// Which surface of a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Surface {
    /// The surface that a body was filled from, carried by its tetrahedra; where there is none, the simulated one.
    Skin,
    /// The simulated mesh.
    Simulation,
}

/// Longest animated file, bytes: the format counts them with 32 bits.
const MOST_BYTES: u64 = u32::MAX as u64;

/// What is written, and how often.
pub(crate) struct Choice {
    pub(crate) format: Format,
    pub(crate) surface: Surface,
    pub(crate) every: u64,
    /// Frames of the whole run.
    pub(crate) frames: u64,
}

/// Writes frames into a directory.
pub(crate) struct Frames {
    directory: PathBuf,
    choice: Choice,
    mesh: Mesh,
    /// Frames of an animation so far.
    animation: Vec<Vec<Vec3>>,
    /// Time between two of them, s.
    seconds: f64,
}

impl Frames {
    /// Makes the directory, so that an unwritable place is found before anything is simulated.
    pub(crate) fn new(
        directory: &Path,
        choice: Choice,
        scene: &Scene,
        start: &State,
    ) -> Result<Self, Failure> {
        std::fs::create_dir_all(directory).map_err(|error| Failure::file(directory, error))?;
        let skins = scene.objects.iter().any(|object| choice.skin(object).is_some());
        let all_solid = scene.objects.iter().all(|object| object.is_solid());
        let mesh = if choice.format == Format::Vtk && all_solid && !skins {
            let tets = scene.objects.iter().flat_map(|object| match &object.mesh {
                Mesh::Tet(solid) => solid.tets.iter().map(|t| t.map(|v| v + object.first)).collect(),
                Mesh::Tri(_) => vec![],
            });
            Mesh::Tet(TetMesh { positions: scene.rest(), tets: tets.collect() })
        } else {
            Mesh::Tri(choice.shown(scene))
        };
        let written = choice.frames / choice.every;
        if choice.format == Format::Gltf {
            let bytes = (written + 1).saturating_mul(12 * mesh.positions().len() as u64);
            if bytes > MOST_BYTES {
                return Err(Failure::Input(format!(
                    "--format gltf: {written} frames of {} vertices take {bytes} bytes, the format holds \
                     {MOST_BYTES}; write fewer with --every",
                    mesh.positions().len()
                )));
            }
        }
        let seconds = scene.desc.step.dt * choice.every as f64;
        let mut frames = Self { directory: directory.to_owned(), choice, mesh, animation: vec![], seconds };
        if frames.choice.format == Format::Gltf {
            // An animation starts where the run starts.
            frames.animation.push(frames.choice.carried(scene, &start.x));
        }
        Ok(frames)
    }

    /// Writes the frame if it is one of those asked for.
    pub(crate) fn write(&mut self, frame: u64, scene: &Scene, state: &State) -> Result<(), Failure> {
        if !frame.is_multiple_of(self.choice.every) {
            return Ok(());
        }
        let positions = self.choice.carried(scene, &state.x);
        let extension = match self.choice.format {
            Format::Obj => "obj",
            Format::Ply => "ply",
            Format::Vtk => "vtk",
            Format::Gltf => {
                self.animation.push(positions);
                return Ok(());
            }
        };
        self.mesh.positions_mut().copy_from_slice(&positions);
        // Velocities are carried as positions are.
        let speed: Vec<f64> = self.choice.carried(scene, &state.v).iter().map(|v| v.norm()).collect();
        let columns: [(&str, &[f64]); 1] = [("speed", &speed)];
        let path = self.directory.join(format!("frame_{frame:05}.{extension}"));
        io::write_atomically(&path, |out| match self.choice.format {
            Format::Ply => io::write_ply(out, &self.mesh, io::PlyFormat::BinaryLittleEndian, &columns),
            Format::Vtk => io::write_vtk(out, &self.mesh, &columns),
            Format::Obj | Format::Gltf => io::write_obj(out, &self.mesh),
        })
        .map_err(|error| Failure::file(&path, error))
    }

    /// Writes the animation, if that is what was asked for; also after a run that failed, up to its last good frame.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let Mesh::Tri(surface) = &self.mesh else { return Ok(()) };
        if self.choice.format != Format::Gltf {
            return Ok(());
        }
        let path = self.directory.join("frames.glb");
        io::write_atomically(&path, |out| {
            io::write_glb_animation(out, &surface.triangles, &self.animation, self.seconds)
        })
        .map_err(|error| Failure::file(&path, error))
    }
}

impl Choice {
    fn skin<'a>(&self, object: &'a Object) -> Option<&'a pd_mesh::tetrahedralize::Skin> {
        object.skin.as_ref().filter(|_| self.surface == Surface::Skin)
    }

    /// Positions or velocities of what is written, from those of the simulation.
    fn carried(&self, scene: &Scene, simulated: &[Vec3]) -> Vec<Vec3> {
        let mut carried = Vec::with_capacity(simulated.len());
        for object in &scene.objects {
            let own = &simulated[object.range()];
            match self.skin(object) {
                Some(skin) => carried.extend(skin.positions(own)),
                None => carried.extend_from_slice(own),
            }
        }
        carried
    }

    /// The surfaces that are written, at rest.
    fn shown(&self, scene: &Scene) -> TriMesh {
        let mut triangles: Vec<[u32; 3]> = vec![];
        let mut first = 0;
        for object in &scene.objects {
            let (own, vertices) = match self.skin(object) {
                Some(skin) => (&skin.triangles, skin.embeddings.len()),
                None => (&object.surface, object.mesh.positions().len()),
            };
            triangles.extend(own.iter().map(|corners| corners.map(|v| v + first)));
            first += vertices as u32;
        }
        TriMesh { positions: self.carried(scene, &scene.rest()), triangles }
    }
}
