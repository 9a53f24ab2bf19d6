//! glTF output of one surface as `.glb`; whole films are written by [`crate::film`].

use crate::Vec3;
use crate::film::{Film, Part, write_glb_film};
use crate::io::MeshRef;
use std::io::Write;

/// Writes a surface; of a solid all vertices and the boundary triangles.
///
/// # Errors
/// A file over 4 GiB; errors of the writer.
pub fn write_glb<'a>(out: impl Write, mesh: impl Into<MeshRef<'a>>) -> std::io::Result<()> {
    let mesh = mesh.into();
    write_glb_animation(out, &mesh.surface(), &[mesh.positions()], 1.0)
}

/// Writes frames of one surface, `seconds` apart, as an animation that plays in any viewer.
///
/// # Errors
/// No frames, frames of different lengths, coordinates beyond 32-bit floats, or a file over 4 GiB; errors of the writer.
///
/// ```
/// use pd_mesh::{Vec3, generate, io};
/// let cloth = generate::grid(4, 4, 1.0, 1.0)?;
/// let lifted: Vec<Vec3> = cloth.positions.iter().map(|x| x + Vec3::y()).collect();
/// let mut file = Vec::new();
/// io::write_glb_animation(&mut file, &cloth.triangles, &[&cloth.positions, &lifted], 0.5)?;
/// assert_eq!(io::read_gltf(&file[..], "run.glb", |_| None)?.triangles, cloth.triangles);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_glb_animation(
    out: impl Write,
    triangles: &[[u32; 3]],
    frames: &[impl AsRef<[Vec3]>],
    seconds: f64,
) -> std::io::Result<()> {
    let mut film = Film::new("surface");
    let vertices = frames.first().map_or(0, |frame| frame.as_ref().len());
    film.parts.push(Part::surface("surface", 0..vertices as u32, triangles.to_vec()));
    for (k, frame) in frames.iter().enumerate() {
        film.push(k as f64 * seconds, frame.as_ref().to_vec());
    }
    write_glb_film(out, &film)
}
