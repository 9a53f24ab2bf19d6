//! Angles between neighbouring triangles.

use pd_core::{Real, Vec3};

/// An edge with the triangles on both sides: its ends, then the opposite corners.
pub(super) type Hinge = [u32; 4];

/// Edges between two triangles; edges of one, or of more than two, have no fold angle.
pub(super) fn hinges(triangles: &[[u32; 3]]) -> Vec<Hinge> {
    let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(triangles.len() * 3);
    for &[a, b, c] in triangles {
        for (i, j, opposite) in [(a, b, c), (b, c, a), (c, a, b)] {
            sides.push(([i.min(j), i.max(j)], opposite));
        }
    }
    sides.sort_unstable();
    let groups = sides.chunk_by(|a, b| a.0 == b.0);
    groups
        .filter(|g| g.len() == 2 && g[0].1 != g[1].1)
        .map(|g| [g[0].0[0], g[0].0[1], g[0].1, g[1].1])
        .collect()
}

/// Signed angle between the triangles at a hinge, radians; 0 where they are flat.
pub(super) fn fold_angle(&[a, b, c, d]: &Hinge, x: &[Vec3]) -> Real {
    let [a, b, c, d] = [a, b, c, d].map(|v| x[v as usize]);
    let edge = b - a;
    let (left, right) = (edge.cross(&(c - a)), (d - a).cross(&edge));
    let length = edge.norm();
    if length == 0.0 {
        return 0.0;
    }
    (left.cross(&right).dot(&edge) / length).atan2(left.dot(&right))
}
