//! Visualisation of defects: the surface with colours per vertex, grey where there is none.

use super::{Defect, Report};
use crate::io::MeshRef;
use std::io::Write;

/// Colour of vertices at a defect, by kind: red, green and blue from 0 to 255.
fn colour(defect: Defect) -> [u8; 3] {
    match defect {
        Defect::Inverted => [255, 0, 255],
        Defect::Sliver => [255, 160, 0],
        Defect::Degenerate => [160, 80, 0],
        Defect::Duplicate => [255, 255, 0],
        Defect::NonManifoldEdge => [0, 0, 255],
        Defect::InconsistentEdge => [0, 200, 255],
        Defect::BoundaryEdge => [0, 160, 0],
        Defect::SelfIntersection => [255, 0, 0],
        Defect::UnreferencedVertex | Defect::DuplicateVertex => [0, 0, 0],
    }
}

/// Writes the surface of `mesh` as PLY (text) with `red`, `green`, `blue` per vertex: grey, or the colour of the most severe
/// defect at the vertex.
///
/// # Errors
/// What the writer reports.
pub fn painted<'a>(out: impl Write, mesh: impl Into<MeshRef<'a>>, report: &Report) -> std::io::Result<()> {
    let mesh = mesh.into();
    let positions = mesh.positions();
    let mut colours = vec![[170u8; 3]; positions.len()];
    let surface = mesh.surface();
    // The most severe is painted last: notes before faults, faults in reverse order.
    let notes = report.findings.iter().filter(|finding| !finding.defect.is_fault());
    let faults = report.findings.iter().rev().filter(|finding| finding.defect.is_fault());
    for finding in notes.chain(faults) {
        let mut paint = |v: u32| {
            if let Some(place) = colours.get_mut(v as usize) {
                *place = colour(finding.defect);
            }
        };
        for &number in finding.places.iter().flatten() {
            match finding.defect {
                Defect::NonManifoldEdge
                | Defect::InconsistentEdge
                | Defect::BoundaryEdge
                | Defect::UnreferencedVertex
                | Defect::DuplicateVertex => paint(number),
                Defect::SelfIntersection => {
                    surface.get(number as usize).into_iter().flatten().for_each(|&v| paint(v))
                }
                _ => match mesh {
                    MeshRef::Tri(tri) => {
                        tri.triangles.get(number as usize).into_iter().flatten().for_each(|&v| paint(v))
                    }
                    MeshRef::Tet(tet) => {
                        tet.tets.get(number as usize).into_iter().flatten().for_each(|&v| paint(v))
                    }
                },
            }
        }
    }
    let mut out = std::io::BufWriter::new(out);
    writeln!(out, "ply\nformat ascii 1.0\nelement vertex {}", positions.len())?;
    for axis in ["x", "y", "z"] {
        writeln!(out, "property double {axis}")?;
    }
    for channel in ["red", "green", "blue"] {
        writeln!(out, "property uchar {channel}")?;
    }
    writeln!(out, "element face {}\nproperty list uchar uint vertex_indices\nend_header", surface.len())?;
    for (x, [r, g, b]) in positions.iter().zip(colours) {
        writeln!(out, "{} {} {} {r} {g} {b}", x.x, x.y, x.z)?;
    }
    for [a, b, c] in surface.iter() {
        writeln!(out, "3 {a} {b} {c}")?;
    }
    out.flush()
}
