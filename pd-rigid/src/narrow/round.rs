//! Spheres and capsules: a point or segment with a radius.

use super::closest::{point_polyhedron, segment_segment};
use super::{Placed, Touches};
use crate::{Polyhedron, Shape};
use pd_core::{Real, Vec3};

/// Ends of the core in the world and the radius; a sphere has both ends in one place.
fn core(a: Placed<'_>) -> ([Vec3; 2], Real) {
    let centre = a.1.translation.vector;
    match a.0 {
        Shape::Capsule { half, radius } => {
            let up = a.1.rotation * Vec3::new(0.0, *half, 0.0);
            ([centre - up, centre + up], *radius)
        }
        Shape::Sphere { radius } => ([centre; 2], *radius),
        _ => ([centre; 2], 0.0),
    }
}

/// Two spheres or capsules. Nearly parallel capsules touch at both ends of their overlap.
pub(super) fn segments(a: Placed<'_>, b: Placed<'_>, reach: Real) -> Touches {
    let (([p, p2], ra), ([q, q2], rb)) = (core(a), core(b));
    let (d, e) = (p2 - p, q2 - q);
    let (s, t) = segment_segment(&p, &d, &q, &e);
    let (x, y) = (p + d * s, q + e * t);
    let apart = (x - y).norm();
    // Cores that cross have no direction between them: across both, or up.
    let normal =
        (x - y).try_normalize(1e-9).or_else(|| d.cross(&e).try_normalize(1e-12)).unwrap_or_else(Vec3::y);
    let mut touches = Touches { normal, ..Touches::default() };
    let gap = apart - ra - rb;
    if gap >= reach {
        return touches;
    }
    let parallel = d.cross(&e).norm_squared() <= 1e-4 * d.norm_squared() * e.norm_squared();
    if parallel && d.norm_squared() > 0.0 && e.norm_squared() > 0.0 {
        // Ends of b's core on a's, cut to it.
        let along = |z: &Vec3| ((z - p).dot(&d) / d.norm_squared()).clamp(0.0, 1.0);
        let (mut s0, mut s1) = (along(&q), along(&q2));
        if s0 > s1 {
            std::mem::swap(&mut s0, &mut s1);
        }
        if s1 - s0 > 1e-3 {
            for (feature, s) in [s0, s1].into_iter().enumerate() {
                let x = p + d * s;
                let t = ((x - q).dot(&e) / e.norm_squared()).clamp(0.0, 1.0);
                let gap = (x - (q + e * t)).dot(&normal) - ra - rb;
                if gap < reach {
                    touches.push(x - normal * (ra + 0.5 * gap), gap, feature as u64);
                }
            }
            return touches;
        }
    }
    touches.push(x - normal * (ra + 0.5 * gap), gap, 0);
    touches
}

/// A sphere or capsule against a polyhedron (or cylinder).
pub(super) fn polyhedron(a: Placed<'_>, b: Placed<'_>, reach: Real) -> Touches {
    let Some(solid) = b.0.solid() else { return Touches::default() };
    let (ends, radius) = core(a);
    let back = |p: &Vec3| b.1.rotation.inverse() * (p - b.1.translation.vector);
    let ends = ends.map(|p| back(&p));
    let world = |p: &Vec3| b.1.translation.vector + b.1.rotation * p;
    if ends[0] == ends[1] {
        let (_, n, distance) = point_polyhedron(solid, &ends[0]);
        let gap = distance - radius;
        let mut touches = Touches { normal: b.1.rotation * n, ..Touches::default() };
        if gap < reach {
            touches.push(world(&(ends[0] - n * (radius + 0.5 * gap))), gap, 0);
        }
        return touches;
    }
    let (n, distance, at) = nearest(solid, &ends);
    let mut touches = Touches { normal: b.1.rotation * n, ..Touches::default() };
    if distance - radius >= reach {
        return touches;
    }
    // Lying on a face the capsule touches along its core, cut to the face.
    let face = &solid.faces()[solid.face_along(&n)];
    let d = ends[1] - ends[0];
    if face.normal.dot(&n) > 0.999 && d.dot(&face.normal).abs() < 0.2 * d.norm() {
        let (mut low, mut high) = (0.0f64, 1.0f64);
        for i in 0..face.corners.len() {
            let corner = |i: usize| solid.vertices()[face.corners[i % face.corners.len()] as usize];
            let outwards = (corner(i + 1) - corner(i)).cross(&face.normal);
            let (start, change) = (outwards.dot(&(ends[0] - corner(i))), outwards.dot(&d));
            if change.abs() > 1e-12 * outwards.norm() * d.norm() {
                let t = -start / change;
                if change > 0.0 { high = high.min(t) } else { low = low.max(t) }
            }
        }
        if high - low > 1e-3 {
            // Gaps are those along the face's normal, so that is the direction of the contact. An end that hangs over the
            // border of a face below may be nearer than all of the core above the face: then the face is not what it meets.
            let mut lying = Touches { normal: b.1.rotation * face.normal, ..Touches::default() };
            let cut = [low, high].map(|t| ends[0] + d * t);
            let heights = cut.map(|p| face.normal.dot(&p) - face.offset);
            if distance <= 0.0 || heights[0].min(heights[1]) <= distance + 1e-3 * radius {
                for (feature, (p, height)) in cut.into_iter().zip(heights).enumerate() {
                    let gap = height - radius;
                    if gap < reach {
                        lying.push(world(&(p - face.normal * (radius + 0.5 * gap))), gap, feature as u64);
                    }
                }
                return lying;
            }
        }
    }
    let gap = distance - radius;
    touches.push(world(&(at - n * (radius + 0.5 * gap))), gap, 2);
    touches
}

/// Normal, signed distance and place on the segment where a segment and a polyhedron are nearest or overlap most.
fn nearest(solid: &Polyhedron, ends: &[Vec3; 2]) -> (Vec3, Real, Vec3) {
    let d = ends[1] - ends[0];
    // The part of the segment inside all faces.
    let (mut low, mut high, mut best) = (0.0f64, 1.0f64, (Real::NEG_INFINITY, 0));
    for (k, face) in solid.faces().iter().enumerate() {
        let heights = ends.map(|p| face.normal.dot(&p) - face.offset);
        let least = heights[0].min(heights[1]);
        if least > best.0 {
            best = (least, k);
        }
        let change = heights[1] - heights[0];
        if change > 0.0 {
            high = high.min(-heights[0] / change);
        } else if change < 0.0 {
            low = low.max(-heights[0] / change);
        } else if heights[0] > 0.0 {
            high = -1.0;
        }
    }
    if low <= high {
        let normal = solid.faces()[best.1].normal;
        let deep = if normal.dot(&ends[0]) < normal.dot(&ends[1]) { ends[0] } else { ends[1] };
        return (normal, best.0, deep);
    }
    let mut nearest = (Vec3::y(), Real::INFINITY, ends[0]);
    for p in ends {
        let (_, n, distance) = point_polyhedron(solid, p);
        if distance < nearest.1 {
            nearest = (n, distance, *p);
        }
    }
    for ([i, j], _) in solid.edges() {
        let (a, b) = (solid.vertices()[*i as usize], solid.vertices()[*j as usize]);
        let (s, t) = segment_segment(&ends[0], &d, &a, &(b - a));
        let (x, y) = (ends[0] + d * s, a + (b - a) * t);
        let distance = (x - y).norm();
        if distance < nearest.1 - 1e-9
            && let Some(n) = (x - y).try_normalize(1e-12)
        {
            nearest = (n, distance, x);
        }
    }
    nearest
}
