//! Where the surface crosses the edges of the lattice. Every triangle is projected along each of the seven directions of
//! edges; the lattice lines inside its shadow cross it.
//!
//! A line through the common side of two triangles must cross exactly one of them. The test is therefore exact (crate
//! `robust`), and a line that touches a side counts for the triangle on one fixed side of it.

use super::lattice::{Lattice, STEPS, edge_key};
use crate::{TriMesh, Vec3};
use robust::Coord;

/// Crossings sorted by edge and place: key of the edge, and the fraction of its length from where it leaves.
pub(super) type Crossings = Vec<(u64, f64)>;

/// All crossings of the triangles of `surface`.
pub(super) fn crossings(surface: &TriMesh, lattice: &Lattice) -> Crossings {
    let points: Vec<Vec3> = surface.positions.iter().map(|&x| lattice.scaled(x)).collect();
    let mut found = Vec::new();
    for corners in &surface.triangles {
        let triangle = corners.map(|v| points[v as usize]);
        for step in 0..7 {
            along(step, &triangle, lattice, &mut found);
        }
    }
    found.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    found
}

/// Crossings of one triangle with the edges of one direction.
fn along(step: usize, triangle: &[Vec3; 3], lattice: &Lattice, found: &mut Crossings) {
    // Shadow coordinates (u, v) and height w along the direction. Lattice lines stand at whole numbers u, v: for an axis
    // at (u, v) of equal parity with points of that parity, for a diagonal at even (u, v) with points at every whole w.
    let long = step < 3;
    let [dx, dy, _] = STEPS[step].map(|c| c as f64);
    let shadow = |x: &Vec3| {
        if long {
            (Coord { x: x[(step + 1) % 3], y: x[(step + 2) % 3] }, x[step])
        } else {
            (Coord { x: x.x - dx * x.z, y: x.y - dy * x.z }, x.z)
        }
    };
    let [(a, wa), (b, wb), (c, wc)] = [0, 1, 2].map(|i| shadow(&triangle[i]));
    let low = a.y.min(b.y).min(c.y).ceil() as i64;
    let high = a.y.max(b.y).max(c.y).floor() as i64;
    for v in low..=high {
        if !long && v & 1 != 0 {
            continue;
        }
        let Some((left, right)) = row_extent([a, b, c], v as f64) else { continue };
        let first = left.ceil() as i64;
        // The first column of the right parity.
        let first = first + ((first ^ v) & 1);
        for u in (first..=right.floor() as i64).step_by(2) {
            let p = Coord { x: u as f64, y: v as f64 };
            let Some([la, lb, lc]) = barycentric([a, b, c], p) else { continue };
            let height = (la * wa + lb * wb + lc * wc).clamp(wa.min(wb).min(wc), wa.max(wb).max(wc));
            let (from, fraction) = if long {
                let below = height.floor() as i64;
                let below = below - ((below ^ v) & 1);
                let mut at = [below; 3];
                (at[(step + 1) % 3], at[(step + 2) % 3]) = (u, v);
                (at, (height - below as f64) / 2.0)
            } else {
                let below = height.floor() as i64;
                let [dx, dy, _] = STEPS[step];
                ([u + dx * below, v + dy * below, below], height - below as f64)
            };
            if let Some(point) = lattice.point(from) {
                found.push((edge_key(point, step), fraction.clamp(0.0, 1.0)));
            }
        }
    }
}

/// Extent of the triangle on the line y = v, a little too wide rather than too narrow.
fn row_extent(triangle: [Coord<f64>; 3], v: f64) -> Option<(f64, f64)> {
    let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
    for i in 0..3 {
        let (p, q) = (triangle[i], triangle[(i + 1) % 3]);
        if (p.y - v) * (q.y - v) > 0.0 {
            continue;
        }
        let slanted = p.y != q.y;
        let t = if slanted { ((v - p.y) / (q.y - p.y)).clamp(0.0, 1.0) } else { 0.0 };
        let x = p.x + (q.x - p.x) * t;
        left = left.min(x);
        right = right.max(x);
        if !slanted {
            left = left.min(q.x);
            right = right.max(q.x);
        }
    }
    let slack = 1e-9 * (1.0 + left.abs().max(right.abs()));
    (left <= right).then_some((left - slack, right + slack))
}

/// Barycentric coordinates of `p`, or `None` outside. Exact about inside and outside; rounded in the values.
fn barycentric(triangle: [Coord<f64>; 3], p: Coord<f64>) -> Option<[f64; 3]> {
    let mut turns = [0.0; 3];
    let mut positive = 0;
    for i in 0..3 {
        let (from, to) = (triangle[(i + 1) % 3], triangle[(i + 2) % 3]);
        turns[i] = robust::orient2d(from, to, p);
        let upwards = to.y > from.y || (to.y == from.y && to.x > from.x);
        positive += usize::from(turns[i] > 0.0 || (turns[i] == 0.0 && upwards));
    }
    let sum = turns[0] + turns[1] + turns[2];
    let inside = (positive == 0 || positive == 3) && sum != 0.0;
    inside.then(|| turns.map(|turn| turn / sum))
}
