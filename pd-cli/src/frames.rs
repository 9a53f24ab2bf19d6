//! `--out`: the scene as a mesh file per frame, or the whole run as one file. The start is frame 0 in all formats.

use crate::failure::Failure;
use crate::print_line::eprint_line;
use pd_core::State;
use pd_mesh::film::{self, Film};
use pd_mesh::{Mesh, TetMesh, TriMesh, io};
use pd_sim::Recorder;
use pd_sim::scene::Scene;
use std::io::Write;
use std::path::{Path, PathBuf};

/// File format of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Wavefront OBJ, surfaces.
    Obj,
    /// Binary PLY, surfaces with a speed column.
    Ply,
    /// Legacy VTK with a speed column; tetrahedra if all bodies are solids. frames.vtk.series lists the times.
    Vtk,
    /// Like vtk, in XML and half the size; frames.pvd lists the times.
    Vtu,
    /// frames.glb: all frames as an animation, surfaces and obstacles.
    Gltf,
    /// frames.npz: positions and velocities of the simulated vertices, times and topology as NumPy arrays.
    Npz,
    /// frames.pc2: a point cache for the mesh frames.obj beside it.
    Pc2,
    /// frames.usda: surfaces sampled over time, and obstacles.
    Usd,
    /// frames.html: a player for any browser.
    Html,
}

impl Format {
    /// Whether there is one file for the whole run.
    fn whole(self) -> bool {
        matches!(self, Self::Gltf | Self::Npz | Self::Pc2 | Self::Usd | Self::Html)
    }

    fn extension(self) -> &'static str {
        match self {
            Self::Obj => "obj",
            Self::Ply => "ply",
            Self::Vtk => "vtk",
            Self::Vtu => "vtu",
            Self::Gltf => "glb",
            Self::Npz => "npz",
            Self::Pc2 => "pc2",
            Self::Usd => "usda",
            Self::Html => "html",
        }
    }
}

/// Which surface of a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Surface {
    /// The original surface, embedded in the tetrahedra; if there is none, the simulated surface.
    Skin,
    /// The simulated mesh.
    Simulation,
}

/// Largest animated file, bytes: glTF and ZIP use 32-bit sizes.
const MAX_BYTES: u64 = u32::MAX as u64;
/// Morph targets that viewers in browsers support; others support thousands.
const SURE_TARGETS: u64 = 256;

/// What is written, and how often.
pub(crate) struct Choice {
    pub(crate) format: Format,
    pub(crate) surface: Surface,
    pub(crate) every: u64,
    /// Frames of the whole run.
    pub(crate) frames: u64,
    /// Removes frames of a former run that this run does not write again.
    pub(crate) overwrite: bool,
}

/// Writes frames into a directory.
pub(crate) struct Frames {
    directory: PathBuf,
    choice: Choice,
    recorder: Recorder,
    /// Names and times of the files so far.
    series: Vec<(String, f64)>,
}

impl Frames {
    /// Creates the directory before the simulation starts, so that an error is reported early, and records frame 0.
    pub(crate) fn new(
        directory: &Path,
        choice: Choice,
        (scene, state, frame): (&Scene, &State, u64),
    ) -> Result<Self, Failure> {
        std::fs::create_dir_all(directory).map_err(|error| Failure::file(directory, error))?;
        // Arrays are for computation: they contain the simulated vertices.
        let skins = choice.surface == Surface::Skin && choice.format != Format::Npz;
        let velocities = matches!(choice.format, Format::Npz | Format::Ply | Format::Vtk | Format::Vtu);
        let mut recorder = Recorder::new(scene, skins, velocities);
        // The other formats move rigid bodies as a whole.
        if !choice.format.whole() || choice.format == Format::Pc2 {
            recorder = recorder.with_bodies_as_vertices(scene);
        }
        let mut frames = Self { directory: directory.to_owned(), choice, recorder, series: vec![] };
        frames.clear_stale(frame)?;
        frames.take(frame, scene, state)?;
        frames.check_size()?;
        Ok(frames)
    }

    /// Rejects a run that is too large for the format.
    fn check_size(&self) -> Result<(), Failure> {
        let (film, format) = (self.recorder.film(), self.choice.format);
        let frames = self.choice.frames / self.choice.every + 1;
        let vertices = film.vertices() as u64;
        let bytes = match format {
            Format::Gltf => film::glb_bytes(frames, vertices, film.triangles().len() as u64),
            Format::Npz => frames.saturating_mul(vertices).saturating_mul(24),
            _ => 0,
        };
        if bytes > MAX_BYTES {
            return Err(Failure::Input(format!(
                "--format {}: {frames} frames of {vertices} vertices take {bytes} bytes, the format holds \
                 {MAX_BYTES}; write fewer with --every, or use --format usd",
                if format == Format::Npz { "npz" } else { "gltf" }
            )));
        }
        if format == Format::Gltf && frames > SURE_TARGETS + 1 {
            eprint_line(format_args!(
                "note: {} morph targets; some viewers stop at {SURE_TARGETS}. --every writes fewer frames, --format \
                 usd and html have no such bound",
                frames - 1
            ));
        }
        Ok(())
    }

    /// Frames of a former run after the first of this one would be read as its end: they are refused, or removed on request.
    fn clear_stale(&self, first: u64) -> Result<(), Failure> {
        if self.choice.format.whole() {
            return Ok(());
        }
        let refused = |error| Failure::file(&self.directory, error);
        let mut stale = vec![];
        for entry in std::fs::read_dir(&self.directory).map_err(refused)? {
            let path = entry.map_err(refused)?.path();
            let of_format = path.extension().is_some_and(|e| e == self.choice.format.extension());
            let stem = path.file_stem().and_then(|stem| stem.to_str()).filter(|_| of_format);
            let number = stem.and_then(|stem| stem.rsplit_once('_')?.1.parse::<u64>().ok());
            let last = first + self.choice.frames;
            if number.is_some_and(|k| k > first && (k > last || !k.is_multiple_of(self.choice.every))) {
                stale.push(path);
            }
        }
        let Some(example) = stale.iter().min() else { return Ok(()) };
        if !self.choice.overwrite {
            let what = format!(
                "is one of {} frames of a former run that this run does not write again; use another --out, or \
                 --overwrite to remove them",
                stale.len()
            );
            return Err(Failure::file(example, what));
        }
        stale
            .iter()
            .try_for_each(|path| std::fs::remove_file(path).map_err(|error| Failure::file(path, error)))
    }

    /// Writes the frame if it is requested.
    pub(crate) fn write(&mut self, frame: u64, scene: &Scene, state: &State) -> Result<(), Failure> {
        if !frame.is_multiple_of(self.choice.every) {
            return Ok(());
        }
        self.take(frame, scene, state)
    }

    fn take(&mut self, frame: u64, scene: &Scene, state: &State) -> Result<(), Failure> {
        self.recorder.push(scene, state);
        if self.choice.format.whole() {
            return Ok(());
        }
        let film = self.recorder.take_frame();
        let name = format!("frame_{frame:05}.{}", self.choice.format.extension());
        let path = self.directory.join(&name);
        self.series.push((name, state.time));
        write_frame(&path, self.choice.format, &film)?;
        // The surface of water has other triangles in every frame, so it is a file of its own.
        for (fluid, mesh) in scene.water_surfaces(state)? {
            let plain = |c: char| if c.is_alphanumeric() || c == '-' { c } else { '_' };
            let fluid: String = fluid.chars().map(plain).collect();
            let name = format!("{fluid}_{frame:05}.{}", self.choice.format.extension());
            write_mesh(&self.directory.join(name), self.choice.format, &Mesh::Tri(mesh), &[])?;
        }
        Ok(())
    }

    /// Writes the files of the whole run; also after a failed run, up to its last good frame.
    /// Returns a message if a file contains less than the run.
    pub(crate) fn finish(self, scene: &Scene) -> Result<Option<String>, Failure> {
        let format = self.choice.format;
        let place = |name: &str| self.directory.join(name);
        if !format.whole() {
            match format {
                Format::Vtk => put(&place("frames.vtk.series"), |out| write_series(out, &self.series))?,
                Format::Vtu => put(&place("frames.pvd"), |out| write_collection(out, &self.series))?,
                _ => {}
            }
            return Ok(None);
        }
        let film = self.recorder.finish(scene);
        if format == Format::Pc2 {
            put(&place("frames.obj"), |out| {
                let positions = film.frames[0].clone();
                io::write_obj(out, &TriMesh { positions, triangles: film.triangles() })
            })?;
        }
        let path = place(&format!("frames.{}", format.extension()));
        put(&path, |out| match format {
            Format::Npz => film::write_npz(out, &film),
            Format::Pc2 => film::write_pc2(out, &film),
            Format::Usd => film::write_usda(out, &film),
            Format::Html => film::write_html(out, &film),
            _ => film::write_glb_film(out, &film),
        })?;
        let rounded = (format == Format::Html).then(|| film::html_error(&film));
        Ok(rounded.map(|error| format!("{}: positions to within {error:.1e} m", path.display())))
    }
}

fn put(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Failure> {
    io::write_atomically(path, write).map_err(|error| Failure::file(path, error))
}

/// One frame as a mesh: tetrahedra if the format has them and all parts are solids, else surfaces.
fn write_frame(path: &Path, format: Format, film: &Film) -> Result<(), Failure> {
    let (positions, tets) = (film.frames[0].clone(), film.tets());
    let solid = !film.parts.is_empty() && film.parts.iter().all(|part| !part.tets.is_empty());
    let mesh = if matches!(format, Format::Vtk | Format::Vtu) && solid {
        Mesh::Tet(TetMesh { positions, tets })
    } else {
        Mesh::Tri(TriMesh { positions, triangles: film.triangles() })
    };
    let speed: Vec<f64> = film.velocities.iter().flatten().map(|v| v.norm()).collect();
    write_mesh(path, format, &mesh, &[("speed", &speed)])
}

fn write_mesh(path: &Path, format: Format, mesh: &Mesh, columns: &[(&str, &[f64])]) -> Result<(), Failure> {
    put(path, |out| match format {
        Format::Ply => io::write_ply(out, mesh, io::PlyFormat::BinaryLittleEndian, columns),
        Format::Vtk => io::write_vtk(out, mesh, columns),
        Format::Vtu => io::write_vtu(out, mesh, columns, &[]),
        _ => io::write_obj(out, mesh),
    })
}

/// ParaView's list of legacy files with their times.
fn write_series(out: &mut dyn Write, series: &[(String, f64)]) -> std::io::Result<()> {
    let files: Vec<String> = series
        .iter()
        .map(|(name, time)| format!("    {{ \"name\": \"{name}\", \"time\": {time} }}"))
        .collect();
    writeln!(out, "{{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n{}\n  ]\n}}", files.join(",\n"))
}

/// ParaView's list of XML files with their times.
fn write_collection(out: &mut dyn Write, series: &[(String, f64)]) -> std::io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>")?;
    for (name, time) in series {
        writeln!(out, "    <DataSet timestep=\"{time}\" part=\"0\" file=\"{name}\"/>")?;
    }
    writeln!(out, "  </Collection>\n</VTKFile>")
}
