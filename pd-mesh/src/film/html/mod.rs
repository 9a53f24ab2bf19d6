//! A self-contained HTML player: player, topology, frames and obstacles in one file.
//!
//! Positions are rounded to 65,535 steps along the longest side of the box around the whole run. Of every coordinate the
//! second difference in time is stored (uniform motion compresses to almost nothing), its sign in the lowest bit, all low bytes before
//! all high bytes, and all of it deflated. Differences wrap at 16 bits, which the decoder undoes.

use super::names::json;
use super::{Film, Part, Rigid, Shape};
use crate::Vec3;
use crate::io::base64_encode;
use std::io::{BufWriter, Write};

const PAGE: &str = include_str!("page.html");
const PLAYER: &str = include_str!("player.js");

/// Steps along the longest side.
const STEPS: f64 = 65_535.0;

/// Initial camera direction: angles about +y and above the horizon, radians.
const VIEW: [f64; 2] = [0.6, 0.4];

/// Largest difference between a coordinate in the page and in the film, m: half a step.
#[must_use]
pub fn html_error(film: &Film) -> f64 {
    bounds(film).1.max() / STEPS / 2.0
}

/// Writes the page.
///
/// # Errors
/// An inconsistent film; errors of the writer.
pub fn write_html(out: impl Write, film: &Film) -> std::io::Result<()> {
    film.check()?;
    let kept: Vec<Kept<'_>> = film.parts.iter().map(Kept::new).collect();
    let vertices: usize = kept.iter().map(|kept| kept.vertices.len()).sum();
    let (low, size) = bounds(film);
    let step = if size.max() > 0.0 { size.max() / STEPS } else { 1.0 };
    let (middle, diagonal) = framing(film);
    let mut raw = planes(film, &kept, low, step);
    let (mut parts, mut first) = (vec![], 0);
    for kept in &kept {
        let part = kept.part;
        raw.extend(kept.triangles.iter().flatten().flat_map(|v| (v + first).to_le_bytes()));
        parts.push(format!(
            "{{\"name\":{},\"colour\":{},\"first\":{first},\"count\":{},\"triangles\":{},\"radius\":{}}}",
            json(&part.name),
            numbers(part.colour),
            kept.vertices.len(),
            kept.triangles.len(),
            part.radius
        ));
        first += kept.vertices.len() as u32;
    }
    let rigid: Vec<String> = film.rigid.iter().map(|shape| add_shape(shape, &mut raw)).collect();
    let data = base64_encode(&miniz_oxide::deflate::compress_to_vec_zlib(&raw, 9));
    let meta = format!(
        "{{\"title\":{},\"frames\":{},\"vertices\":{vertices},\"low\":{},\"step\":{step},\"middle\":{},\"extent\":{},\
         \"view\":{},\"times\":{},\"parts\":[{}],\"rigid\":[{}]}}",
        json(&film.title),
        film.frames.len(),
        numbers(low.iter().copied()),
        numbers(middle.iter().copied()),
        diagonal / 2.0,
        numbers(VIEW),
        numbers(film.times.iter().map(|t| (t * 1e9).round() / 1e9)),
        parts.join(","),
        rigid.join(",")
    );
    let mut out = BufWriter::new(out);
    let title = film.title.replace('&', "&amp;").replace('<', "&lt;");
    let mut rest = PAGE;
    for (mark, text) in [
        ("@TITLE@", &title[..]),
        ("@TITLE@", &title[..]),
        ("@META@", &meta),
        ("@DATA@", &data),
        ("@PLAYER@", PLAYER),
    ] {
        let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
        out.write_all(before.as_bytes())?;
        out.write_all(text.as_bytes())?;
        rest = after;
    }
    out.write_all(rest.as_bytes())?;
    out.flush()
}

/// The vertices of a part that are seen: those of its triangles, or all of a cloud of points.
struct Kept<'a> {
    part: &'a Part,
    /// In the numbers of the film, ascending.
    vertices: Vec<u32>,
    /// In the numbers of the kept vertices.
    triangles: Vec<[u32; 3]>,
}

impl<'a> Kept<'a> {
    fn new(part: &'a Part) -> Self {
        if part.triangles.is_empty() {
            return Self { part, vertices: part.vertices.clone().collect(), triangles: vec![] };
        }
        let mut number = vec![u32::MAX; part.vertices.len()];
        part.triangles.iter().flatten().for_each(|&v| number[v as usize] = 0);
        let seen = (0..number.len()).filter(|&v| number[v] == 0);
        let vertices: Vec<u32> = seen.map(|v| v as u32 + part.vertices.start).collect();
        for (k, &v) in vertices.iter().enumerate() {
            number[(v - part.vertices.start) as usize] = k as u32;
        }
        let triangles = part.triangles.iter().map(|t| t.map(|v| number[v as usize])).collect();
        Self { part, vertices, triangles }
    }
}

/// Least corner and size of the box around all parts in all frames.
fn bounds(film: &Film) -> (Vec3, Vec3) {
    let mut all = film.frames.iter().flatten().copied();
    let Some(first) = all.next() else { return (Vec3::zeros(), Vec3::zeros()) };
    let (low, high) = all.fold((first, first), |(low, high), x| (low.inf(&x), high.sup(&x)));
    (low, high - low)
}

/// Centre and diagonal of the box that the camera shows: of all that moves, or of the obstacles if nothing does.
fn framing(film: &Film) -> (Vec3, f64) {
    let bodies =
        |obstacles: bool| film.rigid.iter().filter(move |r| r.obstacle == obstacles).flat_map(corners);
    let box_of = |points: &mut dyn Iterator<Item = Vec3>| {
        let first = points.next()?;
        Some(points.fold((first, first), |(low, high), x| (low.inf(&x), high.sup(&x))))
    };
    let moving = box_of(&mut film.frames.iter().flatten().copied().chain(bodies(false)));
    let (low, high) = moving.or_else(|| box_of(&mut bodies(true))).unwrap_or_default();
    ((low + high) / 2.0, (high - low).norm())
}

/// Corners of the box around a shape, in each of its poses.
fn corners(rigid: &Rigid) -> impl Iterator<Item = Vec3> + '_ {
    let own = rigid.shape.surface().0.positions;
    let low = own.iter().copied().reduce(|a, b| a.inf(&b)).unwrap_or_default();
    let high = own.iter().copied().reduce(|a, b| a.sup(&b)).unwrap_or_default();
    rigid.poses.iter().flat_map(move |pose| {
        (0..8).map(move |k| {
            let corner = Vec3::from_fn(|axis, _| if k >> axis & 1 == 0 { low[axis] } else { high[axis] });
            pose.position + pose.rotation * corner
        })
    })
}

/// Low bytes, then high bytes, of the second differences.
fn planes(film: &Film, kept: &[Kept<'_>], low: Vec3, step: f64) -> Vec<u8> {
    let vertices: Vec<u32> = kept.iter().flat_map(|kept| kept.vertices.iter().copied()).collect();
    let total = 3 * vertices.len() * film.frames.len();
    let (mut lows, mut highs) = (Vec::with_capacity(2 * total), Vec::with_capacity(total));
    let (mut before, mut last) = (vec![0u16; 3 * vertices.len()], vec![0u16; 3 * vertices.len()]);
    for (k, frame) in film.frames.iter().enumerate() {
        let coordinates = (0..3).flat_map(|axis| vertices.iter().map(move |&v| (axis, v as usize)));
        for (i, (axis, v)) in coordinates.enumerate() {
            let now = ((frame[v][axis] - low[axis]) / step).round() as u16;
            let expected = match k {
                0 => 0,
                1 => last[i],
                _ => last[i].wrapping_mul(2).wrapping_sub(before[i]),
            };
            let difference = now.wrapping_sub(expected) as i16;
            let [a, b] = (((difference << 1) ^ (difference >> 15)) as u16).to_le_bytes();
            lows.push(a);
            highs.push(b);
            before[i] = last[i];
            last[i] = now;
        }
    }
    lows.append(&mut highs);
    lows
}

/// Appends a shape's surface and poses; returns what the page says of it.
fn add_shape(shape: &Rigid, raw: &mut Vec<u8>) -> String {
    let (mesh, normals) = shape.shape.surface();
    for x in mesh.positions.iter().chain(&normals) {
        raw.extend(x.iter().flat_map(|c| (*c as f32).to_le_bytes()));
    }
    raw.extend(mesh.triangles.iter().flatten().flat_map(|v| v.to_le_bytes()));
    for pose in &shape.poses {
        let (p, q) = (pose.position, pose.rotation.coords);
        raw.extend([p.x, p.y, p.z, q.x, q.y, q.z, q.w].iter().flat_map(|c| (*c as f32).to_le_bytes()));
    }
    format!(
        "{{\"name\":{},\"colour\":{},\"vertices\":{},\"triangles\":{},\"poses\":{},\"floor\":{}}}",
        json(&shape.name),
        numbers(shape.colour),
        mesh.positions.len(),
        mesh.triangles.len(),
        shape.poses.len(),
        matches!(shape.shape, Shape::Floor(_))
    )
}

fn numbers(values: impl IntoIterator<Item = f64>) -> String {
    let list: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    format!("[{}]", list.join(","))
}

#[cfg(test)]
mod tests;
