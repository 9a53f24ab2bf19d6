//! The surface of a lattice of a × b × c cubes, blown up to a star-shaped body, and its thick wall of hexahedra.
//!
//! A surface point of the lattice with coordinates u ∈ [−1, 1]³ gets the direction of (tan πu₁/4, tan πu₂/4, tan πu₃/4),
//! which spaces a cube's grid lines by equal angles (C. Ronchi, R. Iacono, P. S. Paolucci, The cubed sphere, J. Comput.
//! Phys. 124, 1996). The surface has 2(ab+bc+ca) quadrilaterals and 2 more vertices than that.

use super::hexahedron::push_hexahedron;
use crate::{TetMesh, Vec3};
use std::f64::consts::FRAC_PI_4;

/// Vertices and outward quadrilaterals of the lattice's surface.
pub(super) struct CubeShell {
    /// Lattice coordinates of the surface vertices, lexicographic: the place in this list is the vertex number.
    pub(super) points: Vec<[usize; 3]>,
    /// Corners, counter-clockwise seen from outside.
    pub(super) quads: Vec<[u32; 4]>,
}

impl CubeShell {
    /// Lists the surface; all counts must be at least 1.
    pub(super) fn new(cells: [usize; 3]) -> Self {
        let [a, b, c] = cells;
        let mut points = Vec::new();
        for i in 0..=a {
            for j in 0..=b {
                let side = i == 0 || i == a || j == 0 || j == b;
                let step = if side { 1 } else { c };
                points.extend((0..=c).step_by(step).map(|k| [i, j, k]));
            }
        }
        // Every looked-up point is on the surface, so the search always succeeds.
        let number = |point: [usize; 3]| points.partition_point(|other| *other < point) as u32;

        let mut quads = Vec::new();
        for axis in 0..3 {
            // (axis, u, v) is right-handed, so the u-v order is outward at the far end and is reversed at the near one.
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for end in [0, cells[axis]] {
                for p in 0..cells[u] {
                    for q in 0..cells[v] {
                        let corner = |du: usize, dv: usize| {
                            let mut point = [0; 3];
                            (point[axis], point[u], point[v]) = (end, p + du, q + dv);
                            number(point)
                        };
                        let [near, along_u, far, along_v] =
                            [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                        quads.push(if end == 0 {
                            [near, along_v, far, along_u]
                        } else {
                            [near, along_u, far, along_v]
                        });
                    }
                }
            }
        }
        Self { points, quads }
    }
}

/// Lattice point → tan-spaced coordinates in [−1, 1]³.
pub(super) fn spread(point: [usize; 3], cells: [usize; 3]) -> Vec3 {
    Vec3::from_fn(|axis, _| {
        // Signed steps from the middle: opposite points get exactly opposite coordinates.
        let steps = 2.0 * point[axis] as f64 - cells[axis] as f64;
        let u = steps / cells[axis] as f64;
        // The ends are faces of the cube and must be exactly ±1.
        if u.abs() == 1.0 { u } else { (FRAC_PI_4 * u).tan() }
    })
}

/// Appends the 6 tetrahedra of the hexahedron between an inner and an outer quadrilateral (counter-clockwise seen from
/// the outer side).
pub(super) fn push_wall([a, b, c, d]: [u32; 4], [p, q, r, s]: [u32; 4], tets: &mut Vec<[u32; 4]>) {
    push_hexahedron([a, p, d, s, b, q, c, r], tets);
}

/// Wall of `layers` hexahedron layers between the surface radius(d)·d and `inner` times that surface.
///
/// Layer 0 is the outer surface; vertex number layer·S + s with S surface vertices. Numbers grow alike in every layer,
/// so both diagonals of a wall cell agree and every tetrahedron has a radial edge; its volume is then a positive
/// multiple of det[d_a, d_b, d_c] of three neighbouring directions: positive for every radius function.
pub(super) fn thick_wall(
    cells: [usize; 3],
    layers: usize,
    inner: f64,
    radius: impl Fn(&Vec3) -> f64,
) -> TetMesh {
    let shell = CubeShell::new(cells);
    let surface: Vec<Vec3> = shell
        .points
        .iter()
        .map(|&point| {
            let direction = spread(point, cells).normalize();
            direction * radius(&direction)
        })
        .collect();

    let mut positions = Vec::with_capacity(surface.len() * (layers + 1));
    let mut tets = Vec::with_capacity(6 * layers * shell.quads.len());
    for layer in 0..=layers {
        let depth = 1.0 - (1.0 - inner) * layer as f64 / layers as f64;
        positions.extend(surface.iter().map(|x| x * depth));
        if layer < layers {
            let start = (layer * surface.len()) as u32;
            for quad in &shell.quads {
                let outer = quad.map(|v| start + v);
                push_wall(outer.map(|v| v + surface.len() as u32), outer, &mut tets);
            }
        }
    }
    TetMesh { positions, tets }
}
