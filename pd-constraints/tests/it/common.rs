//! Shapes and random values shared by the tests.

use pd_constraints::RingsRef;
use pd_core::{EnergyBatch, Mat3, Real, Vec3};
use proptest::prelude::*;

/// A grid of triangles bent into a surface, with edges and the rings of its interior vertices.
pub(crate) struct Patch {
    pub(crate) x: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) edges: Vec<[u32; 2]>,
    vertices: Vec<u32>,
    offsets: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Patch {
    /// `cells`×`cells` squares over (u, v) ∈ [−1, 1]², mapped by `surface`. Rings turn from u to v.
    pub(crate) fn new(cells: u32, surface: impl Fn(Real, Real) -> Vec3) -> Self {
        let side = cells + 1;
        let id = |i: u32, j: u32| j * side + i;
        let at = |k: u32| 2.0 * Real::from(k) / Real::from(cells) - 1.0;
        let mut patch = Self {
            x: (0..side * side).map(|k| surface(at(k % side), at(k / side))).collect(),
            triangles: vec![],
            edges: vec![],
            vertices: vec![],
            offsets: vec![0],
            neighbours: vec![],
        };
        for j in 0..cells {
            for i in 0..cells {
                let [a, b, c, d] = [id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)];
                patch.triangles.extend([[a, b, c], [a, c, d]]);
                patch.edges.extend([[a, b], [a, c], [a, d]]);
            }
            patch.edges.extend([[id(cells, j), id(cells, j + 1)], [id(j, cells), id(j + 1, cells)]]);
        }
        for j in 1..cells {
            for i in 1..cells {
                patch.vertices.push(id(i, j));
                let ring = [(1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1)];
                patch.neighbours.extend(
                    ring.map(|(a, b)| id(i.checked_add_signed(a).unwrap(), j.checked_add_signed(b).unwrap())),
                );
                patch.offsets.push(patch.neighbours.len() as u32);
            }
        }
        patch
    }

    pub(crate) fn rings(&self) -> RingsRef<'_> {
        RingsRef { vertices: &self.vertices, offsets: &self.offsets, neighbours: &self.neighbours }
    }

    pub(crate) fn flat(cells: u32) -> Self {
        Self::new(cells, |u, v| Vec3::new(u, v, 0.0))
    }

    /// A cap of a sphere of the given radius around the origin, convex towards +z.
    pub(crate) fn cap(cells: u32, radius: Real) -> Self {
        Self::new(cells, |u, v| Vec3::new(0.6 * u, 0.6 * v, 1.0).normalize() * radius)
    }
}

/// A box of 5 tetrahedra per cube, alternating so that neighbours match.
pub(crate) fn bar(nx: u32, ny: u32, nz: u32) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let id = |i: u32, j: u32, k: u32| (k * (ny + 1) + j) * (nx + 1) + i;
    let mut x = vec![];
    for k in 0..=nz {
        for j in 0..=ny {
            x.extend((0..=nx).map(|i| Vec3::new(Real::from(i), Real::from(j), Real::from(k)) * 0.25));
        }
    }
    let mut tets = vec![];
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let c = |bits: u32| {
                    let flip = (i + j + k) & 1;
                    id(i + ((bits & 1) ^ flip), j + (bits >> 1 & 1), k + (bits >> 2 & 1))
                };
                tets.extend([
                    [c(0), c(1), c(2), c(4)],
                    [c(3), c(1), c(2), c(7)],
                    [c(5), c(1), c(4), c(7)],
                    [c(6), c(2), c(4), c(7)],
                    [c(1), c(2), c(4), c(7)],
                ]);
            }
        }
    }
    (x, tets)
}

pub(crate) fn vector(size: Real) -> impl Strategy<Value = Vec3> {
    [-size..size, -size..size, -size..size].prop_map(Vec3::from)
}

pub(crate) fn vectors(count: usize, size: Real) -> impl Strategy<Value = Vec<Vec3>> {
    proptest::collection::vec(vector(size), count)
}

/// Any rotation.
pub(crate) fn rotation() -> impl Strategy<Value = Mat3> {
    vector(3.1).prop_map(|axis| *nalgebra::Rotation3::new(axis).matrix())
}

/// All of `D x` and its projection.
pub(crate) fn gather_and_project(batch: &dyn EnergyBatch, x: &[Vec3]) -> (Vec<Vec3>, Vec<Vec3>) {
    let all = 0..batch.stencil().elements();
    let mut dx = vec![Vec3::zeros(); batch.stencil().rows()];
    batch.gather(all.clone(), x, &mut dx);
    let mut projected = dx.clone();
    batch.project(all, &mut projected);
    (dx, projected)
}

pub(crate) fn residual(batch: &dyn EnergyBatch, x: &[Vec3]) -> Vec<Vec3> {
    let mut r = vec![Vec3::zeros(); batch.stencil().rows()];
    batch.residual(0..batch.stencil().elements(), x, &mut r);
    r
}

pub(crate) fn distance(a: &[Vec3], b: &[Vec3]) -> Real {
    a.iter().zip(b).map(|(a, b)| (a - b).norm_squared()).sum::<Real>().sqrt()
}

pub(crate) fn largest(values: &[Vec3]) -> Real {
    values.iter().fold(0.0, |m, v| m.max(v.norm()))
}

/// A few distinct rest tetrahedra that share no vertex, of both orientations.
pub(crate) fn loose_tets(count: usize) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let mut x = vec![];
    for k in 0..count {
        let s = 0.5 + 0.3 * k as Real;
        let z = if k % 2 == 0 { s } else { -s };
        let corner = Vec3::new(3.0 * k as Real, -1.0, 0.5);
        x.extend([
            corner + Vec3::new(s, 0.1, 0.0),
            corner + Vec3::new(0.2 * s, 1.1 * s, 0.05),
            corner + Vec3::new(0.3 * s, 0.2, z),
            corner,
        ]);
    }
    (x, (0..count as u32).map(|k| [4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3]).collect())
}

/// A few distinct rest triangles that share no vertex.
pub(crate) fn loose_triangles(count: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let (x, _) = loose_tets(count);
    (x, (0..count as u32).map(|k| [4 * k, 4 * k + 1, 4 * k + 3]).collect())
}

/// Applies one matrix to the four vertices of each loose element.
pub(crate) fn deform(x: &[Vec3], gradients: &[Mat3]) -> Vec<Vec3> {
    x.iter().enumerate().map(|(v, p)| gradients[v / 4] * p).collect()
}
