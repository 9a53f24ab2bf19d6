//! Rays against a mesh.
//!
//! With the corners A, B, C relative to the ray's origin and its direction d, the signed volumes
//! u = d·(C × B), v = d·(A × C), w = d·(B × A) have one sign where the ray meets the triangle, and then
//! (u, v, w)/(u + v + w) are the barycentric weights of the hit. Volumes within their rounding error count as zero, so
//! that no ray slips through between neighbours or at a vertex.

use super::MeshQuery;
use super::tree::{DEPTH, Node};
use pd_core::{Aabb, Real, Vec3};

/// Where a ray meets a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The point is origin + time · direction.
    pub time: Real,
    /// The triangle.
    pub triangle: u32,
    /// Barycentric weights in it.
    pub weights: [Real; 3],
}

impl MeshQuery {
    /// The first point, from either side, at which a ray meets the mesh at a time from 0 to `end`. Rays within the plane
    /// of a triangle do not meet it.
    pub fn ray_cast(&self, origin: &Vec3, direction: &Vec3, end: Real) -> Option<RayHit> {
        let (mut end, mut hit) = (end, None);
        let inverse = direction.map(|x| 1.0 / x);
        let entry = |node: &Node, end: Real| enter(&node.bounds, origin, &inverse, end);
        let (mut waiting, mut count) = ([(0.0, 0); DEPTH], 0);
        if let Some(time) = entry(&self.nodes[0], end) {
            (waiting[0], count) = ((time, 0), 1);
        }
        while count > 0 {
            count -= 1;
            let (time, k) = waiting[count];
            if time > end {
                continue;
            }
            let node = &self.nodes[k];
            if node.count > 0 {
                for &triangle in &self.order[node.places()] {
                    let corners = self.corners(triangle).map(|x| x - origin);
                    if let Some((time, weights)) = meet(&corners, direction, end) {
                        (end, hit) = (time, Some(RayHit { time, triangle, weights }));
                    }
                }
                continue;
            }
            let children = [k + 1, node.link as usize].map(|k| (entry(&self.nodes[k], end), k));
            let first_last = if children[0].0 < children[1].0 { [1, 0] } else { [0, 1] };
            for (time, k) in first_last.map(|c| children[c]) {
                if let Some(time) = time {
                    waiting[count] = (time, k);
                    count += 1;
                }
            }
        }
        hit
    }
}

/// When a ray enters a box, if it does before `end`. Widened by a few units in the last place for rounding.
fn enter(b: &Aabb, origin: &Vec3, inverse: &Vec3, end: Real) -> Option<Real> {
    let (mut first, mut last) = (0.0 as Real, end);
    for a in 0..3 {
        let (t, u) = ((b.min[a] - origin[a]) * inverse[a], (b.max[a] - origin[a]) * inverse[a]);
        if t.is_nan() || u.is_nan() {
            continue; // zero times infinity: the ray runs within the plane of a face
        }
        first = first.max(t.min(u));
        last = last.min(t.max(u));
    }
    (first <= last * (1.0 + 8.0 * Real::EPSILON)).then_some(first)
}

/// Time and weights of a hit before `end`; corners relative to the origin of the ray.
fn meet([a, b, c]: &[Vec3; 3], d: &Vec3, end: Real) -> Option<(Real, [Real; 3])> {
    let length = d.norm();
    let volume = |p: &Vec3, q: &Vec3| {
        let volume = d.dot(&p.cross(q));
        if volume.abs() <= 8.0 * Real::EPSILON * length * p.norm() * q.norm() { 0.0 } else { volume }
    };
    let (u, v, w) = (volume(c, b), volume(a, c), volume(b, a));
    let total = u + v + w;
    let one_side = (u >= 0.0 && v >= 0.0 && w >= 0.0) || (u <= 0.0 && v <= 0.0 && w <= 0.0);
    if !one_side || total == 0.0 || total.is_nan() {
        return None;
    }
    let weights = [u / total, v / total, w / total];
    let time = (a * weights[0] + b * weights[1] + c * weights[2]).dot(d) / (length * length);
    (0.0 <= time && time <= end).then_some((time, weights))
}
