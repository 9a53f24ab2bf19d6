//! NumPy's `.npz`: a ZIP archive of `.npy` arrays (NumPy Enhancement Proposal 1, format version 1.0).
//!
//! | array | shape and type | |
//! |---|---|---|
//! | `positions` | (frames, n, 3) f64 | m |
//! | `velocities` | (frames, n, 3) f64 | m/s, if the film has them |
//! | `times` | (frames,) f64 | s |
//! | `triangles` | (m, 3) u32 | surfaces of all parts |
//! | `tets` | (m, 4) u32 | solids of all parts |
//! | `objects` | (parts, 2) u32 | first vertex and one past the last of every part |
//! | `object_names` | (parts,) str | |
//! | `body_positions` | (frames, b, 3) f64 | m, if there are rigid bodies |
//! | `body_rotations` | (frames, b, 4) f64 | x y z w |
//! | `body_names` | (b,) str | |

use super::zip::Zip;
use super::{Film, Pose, Rigid};
use crate::Vec3;
use std::borrow::Cow;
use std::io::{BufWriter, Write};

/// Writes all frames as arrays.
///
/// # Errors
/// An inconsistent film or takes more than 4 GiB; errors of the writer.
pub fn write_npz(out: impl Write, film: &Film) -> std::io::Result<()> {
    film.check()?;
    let mut file = Zip::new(BufWriter::new(out));
    let (frames, n) = (film.frames.len(), film.vertices());
    let bodies: Vec<&Rigid> = film.rigid.iter().filter(|rigid| !rigid.obstacle).collect();
    array(&mut file, "times", "<f8", &[frames], || [bytes(film.times.iter().copied())].into_iter())?;
    array(&mut file, "positions", "<f8", &[frames, n, 3], || vectors(&film.frames))?;
    if !film.velocities.is_empty() {
        array(&mut file, "velocities", "<f8", &[frames, n, 3], || vectors(&film.velocities))?;
    }
    let triangles = film.triangles();
    indices(&mut file, "triangles", &[triangles.len(), 3], triangles.as_flattened())?;
    let tets = film.tets();
    indices(&mut file, "tets", &[tets.len(), 4], tets.as_flattened())?;
    let ranges: Vec<u32> =
        film.parts.iter().flat_map(|part| [part.vertices.start, part.vertices.end]).collect();
    indices(&mut file, "objects", &[film.parts.len(), 2], &ranges)?;
    names(&mut file, "object_names", film.parts.iter().map(|part| part.name.as_str()))?;
    if !bodies.is_empty() {
        let poses: Vec<Pose> =
            (0..frames).flat_map(|k| bodies.iter().map(move |body| body.pose(k))).collect();
        let positions = || [bytes(poses.iter().flat_map(|pose| pose.position.iter().copied()))].into_iter();
        array(&mut file, "body_positions", "<f8", &[frames, bodies.len(), 3], positions)?;
        let rotations =
            || [bytes(poses.iter().flat_map(|pose| pose.rotation.coords.iter().copied()))].into_iter();
        array(&mut file, "body_rotations", "<f8", &[frames, bodies.len(), 4], rotations)?;
        names(&mut file, "body_names", bodies.iter().map(|body| body.name.as_str()))?;
    }
    file.finish()
}

/// Writes a table: columns of numbers, then columns of text, each one array.
///
/// # Errors
/// What the writer reports; more than 4 GiB.
pub fn write_npz_columns(
    out: impl Write,
    columns: &[(String, Vec<f64>)],
    texts: &[(&str, Vec<&str>)],
) -> std::io::Result<()> {
    let mut file = Zip::new(BufWriter::new(out));
    for (name, values) in columns {
        array(&mut file, name, "<f8", &[values.len()], || [bytes(values.iter().copied())].into_iter())?;
    }
    for (name, values) in texts {
        names(&mut file, name, values.iter().copied())?;
    }
    file.finish()
}

/// A header of `.npy` padded to 64 bytes, then the numbers.
fn array<'a, I: Iterator<Item = Cow<'a, [u8]>>>(
    file: &mut Zip<impl Write>,
    name: &str,
    kind: &str,
    shape: &[usize],
    pieces: impl Fn() -> I,
) -> std::io::Result<()> {
    let shape: String = shape.iter().map(|length| format!("{length}, ")).collect();
    let mut head = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    let length = (10 + head.len() + 1).next_multiple_of(64);
    head.push_str(&" ".repeat(length - 10 - head.len() - 1));
    head.push('\n');
    let mut start = b"\x93NUMPY\x01\x00".to_vec();
    start.extend((head.len() as u16).to_le_bytes());
    start.extend(head.as_bytes());
    file.member(&format!("{name}.npy"), || std::iter::once(Cow::Owned(start.clone())).chain(pieces()))
}

fn vectors<'a>(frames: &'a [Vec<Vec3>]) -> impl Iterator<Item = Cow<'a, [u8]>> {
    frames.iter().map(|frame| bytes(frame.iter().flat_map(|x| [x.x, x.y, x.z])))
}

fn bytes<'a>(values: impl IntoIterator<Item = f64>) -> Cow<'a, [u8]> {
    Cow::Owned(values.into_iter().flat_map(f64::to_le_bytes).collect())
}

fn indices(file: &mut Zip<impl Write>, name: &str, shape: &[usize], values: &[u32]) -> std::io::Result<()> {
    let raw: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    array(file, name, "<u4", shape, || [Cow::Borrowed(&raw[..])].into_iter())
}

/// Text as NumPy has it: all of one length, four bytes a character, filled up with zeros.
fn names<'a>(
    file: &mut Zip<impl Write>,
    name: &str,
    names: impl Iterator<Item = &'a str>,
) -> std::io::Result<()> {
    let names: Vec<Vec<char>> = names.map(|name| name.chars().collect()).collect();
    let width = names.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let mut raw = vec![];
    for name in &names {
        let filled = name.iter().map(|&c| c as u32).chain(std::iter::repeat(0)).take(width);
        raw.extend(filled.flat_map(u32::to_le_bytes));
    }
    array(file, name, &format!("<U{width}"), &[names.len()], || [Cow::Borrowed(&raw[..])].into_iter())
}
