//! Shells of revolution about the y axis: a profile (ρ_j, y_j) turned through the angles φ_i = 2πi/sectors,
//! x = (ρ cos φ, y, ρ sin φ). Seen from outside with +y up, i runs to the left.
//!
//! Open shells number vertex (ring j, sector i) as j·sectors + i. Closed shells put one vertex at each pole: the top
//! pole is vertex 0, ring j = 1.. begins at 1 + (j−1)·sectors, the bottom pole is last.

use super::{at_least, checked_count, positive};
use crate::{MeshError, TriMesh, Vec3};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Half of a sphere as an open shell, pole up, rim in the plane y = 0, normals outward.
///
/// Vertex number j·sectors + i; ring j = 0 is the pole with `sectors` coincident vertices, ring j = stacks the rim.
/// 2·sectors·stacks triangles, of which those at the pole's edge of zero length have no area. With 20 sectors and
/// 16 stacks: 340 vertices, 640 triangles, 980 edges of which 20 have no length.
///
/// # Errors
/// Fewer than 3 sectors, no stack, a radius that is not positive, or too many vertices.
pub fn hemisphere(sectors: usize, stacks: usize, radius: f64) -> Result<TriMesh, MeshError> {
    at_least("stacks", stacks, 1)?;
    positive("radius", radius)?;
    let profile = |j: usize| {
        // sin of the complement instead of cos: exactly zero at the rim, exactly one at the pole.
        let polar = FRAC_PI_2 * (j as f64 / stacks as f64);
        let elevation = FRAC_PI_2 * ((stacks - j) as f64 / stacks as f64);
        [radius * polar.sin(), radius * elevation.sin()]
    };
    open_shell(sectors, stacks, profile, Winding::RingsRunDown)
}

/// Open tube along y, normals outward: ring j at y = (j/stacks − ½)·height, vertex number j·sectors + i.
///
/// With 20 sectors and 16 stacks: 340 vertices, 640 triangles, 980 edges.
///
/// # Errors
/// Fewer than 3 sectors, no stack, a length that is not positive, or too many vertices.
pub fn cylinder(sectors: usize, stacks: usize, radius: f64, height: f64) -> Result<TriMesh, MeshError> {
    at_least("stacks", stacks, 1)?;
    positive("radius", radius)?;
    positive("height", height)?;
    let profile = |j: usize| [radius, (j as f64 / stacks as f64 - 0.5) * height];
    open_shell(sectors, stacks, profile, Winding::RingsRunUp)
}

/// Closed cone along y, tip up at y = height/2, base with a centre vertex at y = −height/2, normals outward.
///
/// sectors·stacks + 2 vertices: the tip is 0, ring j = 1..=stacks begins at 1 + (j−1)·sectors, the base's centre is last.
///
/// # Errors
/// Fewer than 3 sectors, no stack, a length that is not positive, or too many vertices.
pub fn cone(sectors: usize, stacks: usize, radius: f64, height: f64) -> Result<TriMesh, MeshError> {
    at_least("stacks", stacks, 1)?;
    positive("radius", radius)?;
    positive("height", height)?;
    let down = |j: usize| j as f64 / stacks as f64;
    closed_shell(
        sectors,
        stacks,
        height / 2.0,
        |j| [radius * down(j), (0.5 - down(j)) * height],
        -height / 2.0,
    )
}

/// Closed lat-long sphere with one vertex at each pole, normals outward, watertight.
///
/// sectors·(stacks−1) + 2 vertices: the top pole is 0, ring j = 1..stacks begins at 1 + (j−1)·sectors, the bottom pole
/// is last.
///
/// # Errors
/// Fewer than 3 sectors, fewer than 2 stacks, a radius that is not positive, or too many vertices.
pub fn sphere(sectors: usize, stacks: usize, radius: f64) -> Result<TriMesh, MeshError> {
    at_least("stacks", stacks, 2)?;
    positive("radius", radius)?;
    let profile = |j: usize| {
        let polar = PI * (j as f64 / stacks as f64);
        let elevation = FRAC_PI_2 * ((stacks as f64 - 2.0 * j as f64) / stacks as f64);
        [radius * polar.sin(), radius * elevation.sin()]
    };
    closed_shell(sectors, stacks - 1, radius, profile, -radius)
}

/// Which way ring numbers go, which decides the winding of outward triangles.
#[derive(Clone, Copy)]
enum Winding {
    RingsRunDown,
    RingsRunUp,
}

/// Rings 0..=stacks of `sectors` vertices each, no caps.
fn open_shell(
    sectors: usize,
    stacks: usize,
    profile: impl Fn(usize) -> [f64; 2],
    winding: Winding,
) -> Result<TriMesh, MeshError> {
    at_least("sectors", sectors, 3)?;
    let vertices = checked_count(&[sectors, stacks.saturating_add(1)])?;
    let mut positions = Vec::with_capacity(vertices);
    for j in 0..=stacks {
        push_ring(&mut positions, sectors, profile(j));
    }
    let mut triangles = Vec::with_capacity(2 * sectors * stacks);
    for j in 0..stacks {
        push_band(&mut triangles, (j * sectors) as u32, sectors as u32, winding);
    }
    Ok(TriMesh { positions, triangles })
}

/// Top pole, rings 1..=rings, bottom pole.
fn closed_shell(
    sectors: usize,
    rings: usize,
    top: f64,
    profile: impl Fn(usize) -> [f64; 2],
    bottom: f64,
) -> Result<TriMesh, MeshError> {
    at_least("sectors", sectors, 3)?;
    let vertices = checked_count(&[sectors, rings.saturating_add(1)])? + 2 - sectors;
    let mut positions = Vec::with_capacity(vertices);
    positions.push(Vec3::new(0.0, top, 0.0));
    for j in 1..=rings {
        push_ring(&mut positions, sectors, profile(j));
    }
    positions.push(Vec3::new(0.0, bottom, 0.0));

    let n = sectors as u32;
    let last_ring = 1 + (rings as u32 - 1) * n;
    let bottom_pole = last_ring + n;
    let mut triangles = Vec::with_capacity(2 * sectors * rings);
    triangles.extend((0..n).map(|i| [0, 1 + (i + 1) % n, 1 + i]));
    for j in 1..rings {
        push_band(&mut triangles, 1 + (j as u32 - 1) * n, n, Winding::RingsRunDown);
    }
    triangles.extend((0..n).map(|i| [bottom_pole, last_ring + i, last_ring + (i + 1) % n]));
    Ok(TriMesh { positions, triangles })
}

/// One ring of vertices of radius ρ at height y.
fn push_ring(positions: &mut Vec<Vec3>, sectors: usize, [rho, y]: [f64; 2]) {
    positions.extend((0..sectors).map(|i| {
        let (sin, cos) = (TAU * (i as f64 / sectors as f64)).sin_cos();
        Vec3::new(rho * cos, y, rho * sin)
    }));
}

/// Two outward triangles per sector between the ring that begins at `first` and the next.
fn push_band(triangles: &mut Vec<[u32; 3]>, first: u32, sectors: u32, winding: Winding) {
    for i in 0..sectors {
        let (a, b) = (first + i, first + (i + 1) % sectors);
        let (c, d) = (a + sectors, b + sectors);
        match winding {
            Winding::RingsRunDown => triangles.extend([[a, b, d], [a, d, c]]),
            Winding::RingsRunUp => triangles.extend([[a, d, b], [a, c, d]]),
        }
    }
}
