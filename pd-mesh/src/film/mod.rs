//! A recorded run as plain data, and its file formats.
//!
//! A [`Film`] consists of parts whose vertices change in every frame (cloth, bodies, grains), and shapes that
//! move rigidly (obstacles, rigid bodies). Frame 0 is the initial state in all formats.
//!
//! | writer | file | for |
//! |---|---|---|
//! | [`write_glb_film`] | `.glb`, one morph target per frame | any viewer of 3D models |
//! | [`write_usda`] | `.usda`, points sampled over time | Houdini, Omniverse, Blender |
//! | [`write_pc2`] | `.pc2` point cache, beside a mesh of the same vertices | Blender, Maya, 3ds Max |
//! | [`write_npz`] | `.npz`, all frames as arrays in double precision | NumPy |
//! | [`write_html`] | `.html`, a self-contained player | any browser |
//!
//! glTF and PC2 hold 32-bit floats; the page holds 16 bits per coordinate, see [`html_error`].

mod error;
mod gltf;
mod html;
mod names;
mod npy;
mod pc2;
mod shape;
mod usd;
mod zip;

pub use error::FilmError;
pub use gltf::{glb_bytes, write_glb_film};
pub use html::{html_error, write_html};
pub use npy::{write_npz, write_npz_columns};
pub use pc2::write_pc2;
pub use shape::Shape;
pub use usd::write_usda;

use crate::Vec3;
use nalgebra::UnitQuaternion;
use std::ops::Range;

/// A recorded run: parts and shapes, and their positions in every frame.
///
/// ```
/// use pd_mesh::{Vec3, film::{self, Film, Part}, generate};
/// let cloth = generate::grid(4, 4, 1.0, 1.0)?;
/// let lifted: Vec<Vec3> = cloth.positions.iter().map(|x| x + Vec3::y()).collect();
/// let mut run = Film::new("lift");
/// run.parts.push(Part::surface("cloth", 0..25, cloth.triangles));
/// run.push(0.0, cloth.positions);
/// run.push(0.5, lifted);
/// let mut file = Vec::new();
/// film::write_glb_film(&mut file, &run)?;
/// assert!(file.starts_with(b"glTF"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Film {
    /// Title, for people.
    pub title: String,
    /// Deforming parts, in vertex order.
    pub parts: Vec<Part>,
    /// What moves as a whole.
    pub rigid: Vec<Rigid>,
    /// Time of every frame, s, ascending.
    pub times: Vec<f64>,
    /// Positions of all vertices in every frame, m.
    pub frames: Vec<Vec<Vec3>>,
    /// Velocities of all vertices in every frame, m/s; empty if they are not recorded.
    pub velocities: Vec<Vec<Vec3>>,
}

/// A surface, a solid or a cloud of points that deforms.
#[derive(Clone, Debug)]
pub struct Part {
    /// Name.
    pub name: String,
    /// Red, green and blue from 0 to 1 as a screen shows them (sRGB).
    pub colour: [f64; 3],
    /// Its vertices among those of the film.
    pub vertices: Range<u32>,
    /// Triangles of its surface, numbered from its first vertex; without triangles, points are drawn.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra, numbered from its first vertex.
    pub tets: Vec<[u32; 4]>,
    /// Radius of its points, m, where there are no triangles.
    pub radius: f64,
}

/// A rigidly moving shape.
#[derive(Clone, Debug)]
pub struct Rigid {
    /// Name.
    pub name: String,
    /// Red, green and blue from 0 to 1 as a screen shows them (sRGB).
    pub colour: [f64; 3],
    /// Its shape about its own origin.
    pub shape: Shape,
    /// One pose if it does not move, else one per frame.
    pub poses: Vec<Pose>,
    /// Whether it is an obstacle, which follows a path, rather than a rigid body, which was simulated.
    pub obstacle: bool,
}

/// Pose of a rigid shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position of its origin, m.
    pub position: Vec3,
    /// Rotation from its own axes to those of the world.
    pub rotation: UnitQuaternion<f64>,
}

impl Film {
    /// An empty film.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Adds a frame.
    pub fn push(&mut self, time: f64, positions: Vec<Vec3>) {
        self.times.push(time);
        self.frames.push(positions);
    }

    /// Number of vertices of the first frame.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.frames.first().map_or(0, Vec::len)
    }

    /// Frames per second, from the last two frames; 60 if there is only one frame.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let rate = match self.times[..] {
            [.., before, last] if last > before => 1.0 / (last - before),
            _ => 60.0,
        };
        // Remove rounding errors of summed time steps from the output.
        if (rate - rate.round()).abs() < 1e-6 * rate { rate.round() } else { rate }
    }

    /// Triangles of all parts in the numbers of the film.
    #[must_use]
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let of = |part: &Part| part.triangles.iter().map(|t| t.map(|v| v + part.vertices.start)).collect();
        self.parts.iter().flat_map(|part| -> Vec<_> { of(part) }).collect()
    }

    /// Tetrahedra of all parts in the numbers of the film.
    #[must_use]
    pub fn tets(&self) -> Vec<[u32; 4]> {
        let of = |part: &Part| part.tets.iter().map(|t| t.map(|v| v + part.vertices.start)).collect();
        self.parts.iter().flat_map(|part| -> Vec<_> { of(part) }).collect()
    }

    /// Validates the film; every writer calls this first.
    ///
    /// # Errors
    /// The first inconsistency between frames, times, parts and poses.
    pub fn check(&self) -> Result<(), FilmError> {
        error::check(self)
    }
}

impl Part {
    /// A grey surface.
    #[must_use]
    pub fn surface(name: impl Into<String>, vertices: Range<u32>, triangles: Vec<[u32; 3]>) -> Self {
        Self { name: name.into(), colour: [0.7; 3], vertices, triangles, tets: vec![], radius: 0.0 }
    }

    /// Its vertices in one frame.
    pub(crate) fn of<'a>(&self, frame: &'a [Vec3]) -> &'a [Vec3] {
        &frame[self.vertices.start as usize..self.vertices.end as usize]
    }
}

impl Pose {
    /// Moved, not rotated.
    #[must_use]
    pub fn at(position: Vec3) -> Self {
        Self { position, rotation: UnitQuaternion::identity() }
    }
}

impl Rigid {
    /// The pose in a frame.
    #[must_use]
    pub fn pose(&self, frame: usize) -> Pose {
        self.poses.get(frame).or(self.poses.last()).copied().unwrap_or(Pose::at(Vec3::zeros()))
    }
}

/// One channel of sRGB to linear light.
pub(crate) fn linear(channel: f64) -> f64 {
    if channel <= 0.04045 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
}
