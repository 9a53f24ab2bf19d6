//! The body-centred cubic lattice: two cubic lattices of spacing h, one at the centres of the other's cells.
//!
//! Points have integer coordinates in steps of h/2: all even (corners) or all odd (centres). Every point has 6 neighbours
//! along the axes at distance h ("long" edges) and 8 along the diagonals at distance h √3/2 ("short" edges). A tetrahedron
//! of the lattice has one long edge of each cubic lattice and four short edges between them; 12 of them fill a volume h³.

use crate::Vec3;
use crate::geometry::Bounds;

/// Steps from one end of an edge to the other; the first three are long. Every edge has one end from which it leaves by
/// one of these.
pub(super) const STEPS: [[i64; 3]; 7] =
    [[2, 0, 0], [0, 2, 0], [0, 0, 2], [1, 1, 1], [-1, 1, 1], [1, -1, 1], [-1, -1, 1]];

/// A finite box of the lattice. Points are numbered row by row, corner and centre of a cell next to each other.
#[derive(Clone, Debug)]
pub(super) struct Lattice {
    /// Point (0, 0, 0), in metres.
    pub(super) origin: Vec3,
    /// Length of a long edge, in metres.
    pub(super) edge: f64,
    cells: [usize; 3],
}

/// Empty cells around the surface, so that every outermost point lies outside the body.
const MARGIN: f64 = 2.0;

/// Surfaces of made bodies often lie on round coordinates. An odd offset keeps lattice points off them.
const OFFSET: [f64; 3] = [0.137, 0.219, 0.311];

impl Lattice {
    /// A lattice of long edge `edge` around `bounds`, or `None` if more than `limit` points would be needed.
    pub(super) fn around(bounds: &Bounds, edge: f64, limit: usize) -> Option<Self> {
        let mut origin = Vec3::zeros();
        let mut cells = [0; 3];
        for axis in 0..3 {
            origin[axis] = bounds.low[axis] - edge * (MARGIN + OFFSET[axis]);
            let count = ((bounds.high[axis] - origin[axis]) / edge + MARGIN).ceil() + 1.0;
            if count.is_nan() || count >= limit as f64 {
                return None;
            }
            cells[axis] = count as usize;
        }
        let points = cells.iter().try_fold(2usize, |product, &n| product.checked_mul(n))?;
        (points <= limit).then_some(Self { origin, edge, cells })
    }

    /// Number of points.
    pub(super) fn len(&self) -> usize {
        2 * self.cells[0] * self.cells[1] * self.cells[2]
    }

    /// Integer coordinates of a point.
    pub(super) fn coordinates(&self, point: u32) -> [i64; 3] {
        let (cell, centre) = (point as usize / 2, point as usize % 2);
        let [nx, ny, _] = self.cells;
        [cell % nx, cell / nx % ny, cell / (nx * ny)].map(|i| (2 * i + centre) as i64)
    }

    /// Number of the point with these coordinates, or `None` outside the box.
    pub(super) fn point(&self, at: [i64; 3]) -> Option<u32> {
        let mut cell = [0usize; 3];
        for axis in 0..3 {
            cell[axis] = usize::try_from(at[axis] >> 1).ok().filter(|&i| i < self.cells[axis])?;
        }
        let row = (cell[2] * self.cells[1] + cell[1]) * self.cells[0] + cell[0];
        Some((2 * row) as u32 + (at[0] & 1) as u32)
    }

    /// Position of a point, in metres.
    pub(super) fn position(&self, point: u32) -> Vec3 {
        let [x, y, z] = self.coordinates(point).map(|c| c as f64);
        self.origin + Vec3::new(x, y, z) * (0.5 * self.edge)
    }

    /// Coordinates of a place in steps of h/2, not rounded.
    pub(super) fn scaled(&self, x: Vec3) -> Vec3 {
        (x - self.origin) / (0.5 * self.edge)
    }

    /// The point reached from `point` by a step.
    pub(super) fn step(&self, point: u32, step: usize) -> Option<u32> {
        let at = self.coordinates(point);
        self.point([0, 1, 2].map(|axis| at[axis] + STEPS[step][axis]))
    }

    /// The 14 neighbours of a point: the edge's key, the neighbour, whether the edge leaves from `point`, and the step.
    pub(super) fn neighbours(&self, point: u32) -> impl Iterator<Item = (u64, u32, bool, usize)> + '_ {
        let at = self.coordinates(point);
        (0..7).flat_map(move |step| {
            [true, false].into_iter().filter_map(move |forwards| {
                let sign = if forwards { 1 } else { -1 };
                let other = self.point([0, 1, 2].map(|axis| at[axis] + sign * STEPS[step][axis]))?;
                let key = edge_key(if forwards { point } else { other }, step);
                Some((key, other, forwards, step))
            })
        })
    }

    /// All cells' corner points, in ascending order.
    pub(super) fn corner_points(&self) -> impl Iterator<Item = u32> {
        (0..self.len() as u32).step_by(2)
    }
}

/// Number of the edge that leaves `from` by `step`.
pub(super) fn edge_key(from: u32, step: usize) -> u64 {
    u64::from(from) * 7 + step as u64
}

/// The point an edge leaves from, and its step.
pub(super) fn edge_of_key(key: u64) -> (u32, usize) {
    ((key / 7) as u32, (key % 7) as usize)
}
