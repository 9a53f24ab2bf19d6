//! Nearest points of points, segments and polyhedra.

use crate::{Polyhedron, Shape};
use pd_core::{Real, Vec3};

/// Parameters in [0, 1] of the nearest points of segments p + s d and q + t e (Ericson 2005, 5.1.9).
pub(super) fn segment_segment(p: &Vec3, d: &Vec3, q: &Vec3, e: &Vec3) -> (Real, Real) {
    let r = p - q;
    let (a, f, c, b, g) = (d.norm_squared(), e.norm_squared(), d.dot(&r), d.dot(e), e.dot(&r));
    let tiny = 1e-24;
    if a <= tiny && f <= tiny {
        return (0.0, 0.0);
    }
    if a <= tiny {
        return (0.0, (g / f).clamp(0.0, 1.0));
    }
    if f <= tiny {
        return ((-c / a).clamp(0.0, 1.0), 0.0);
    }
    let denominator = a * f - b * b;
    let mut s =
        if denominator > 1e-14 * a * f { ((b * g - c * f) / denominator).clamp(0.0, 1.0) } else { 0.5 };
    let mut t = (b * s + g) / f;
    if !(0.0..=1.0).contains(&t) {
        t = t.clamp(0.0, 1.0);
        s = ((b * t - c) / a).clamp(0.0, 1.0);
    }
    (s, t)
}

/// The point of a bounded shape's surface nearest to a point, own frame; of a point inside, one of those nearest.
pub(crate) fn nearest(shape: &Shape, p: &Vec3) -> Vec3 {
    let away = |d: Vec3| d.try_normalize(1e-12).unwrap_or_else(Vec3::y);
    match shape {
        Shape::Sphere { radius } => away(*p) * *radius,
        Shape::Capsule { half, radius } => {
            let core = Vec3::y() * p.y.clamp(-half, *half);
            core + away(p - core) * *radius
        }
        Shape::Cylinder { half, radius, .. } => {
            let across = Vec3::new(p.x, 0.0, p.z);
            let out = across.try_normalize(1e-12).unwrap_or_else(Vec3::x);
            let (side, cap) = (across.norm() - radius, p.y.abs() - half);
            let inside = side < 0.0 && cap < 0.0;
            let flat = if inside && cap < side { out * *radius } else { out * across.norm().min(*radius) };
            let height = if inside && cap >= side { half.copysign(p.y) } else { p.y.clamp(-half, *half) };
            flat + Vec3::y() * height
        }
        _ => shape.solid().map_or(*p, |solid| point_polyhedron(solid, p).0),
    }
}

/// The point of a polyhedron's surface nearest to a point, the unit normal there (towards the point, or outwards if it is
/// inside) and the signed distance; all in the frame of the polyhedron.
pub(super) fn point_polyhedron(solid: &Polyhedron, p: &Vec3) -> (Vec3, Vec3, Real) {
    let mut inside = (Real::NEG_INFINITY, 0);
    for (k, face) in solid.faces().iter().enumerate() {
        let distance = face.normal.dot(p) - face.offset;
        if distance > inside.0 {
            inside = (distance, k);
        }
    }
    let face = &solid.faces()[inside.1];
    let foot = p - face.normal * inside.0;
    if inside.0 <= 0.0 || in_face(solid, inside.1, &foot) {
        return (foot, face.normal, inside.0);
    }
    // Outside and not above the face seen best: the nearest point of all faces that the point is above.
    let mut best = (Real::INFINITY, foot);
    for (k, face) in solid.faces().iter().enumerate() {
        let distance = face.normal.dot(p) - face.offset;
        if distance <= 0.0 {
            continue;
        }
        let foot = p - face.normal * distance;
        let candidate = if in_face(solid, k, &foot) { foot } else { on_border(solid, k, p) };
        let square = (p - candidate).norm_squared();
        if square < best.0 {
            best = (square, candidate);
        }
    }
    let distance = best.0.sqrt();
    let normal = (p - best.1).try_normalize(1e-12).unwrap_or(face.normal);
    (best.1, normal, distance)
}

/// Whether a point of a face's plane lies in the face.
pub(super) fn in_face(solid: &Polyhedron, k: usize, p: &Vec3) -> bool {
    let face = &solid.faces()[k];
    let corner = |i: usize| solid.vertices()[face.corners[i % face.corners.len()] as usize];
    (0..face.corners.len()).all(|i| {
        let (a, b) = (corner(i), corner(i + 1));
        (b - a).cross(&(p - a)).dot(&face.normal) >= 0.0
    })
}

/// The nearest point of a face's border.
fn on_border(solid: &Polyhedron, k: usize, p: &Vec3) -> Vec3 {
    let face = &solid.faces()[k];
    let corner = |i: usize| solid.vertices()[face.corners[i % face.corners.len()] as usize];
    let mut best = (Real::INFINITY, corner(0));
    for i in 0..face.corners.len() {
        let (a, d) = (corner(i), corner(i + 1) - corner(i));
        let t = ((p - a).dot(&d) / d.norm_squared()).clamp(0.0, 1.0);
        let candidate = a + d * t;
        let square = (p - candidate).norm_squared();
        if square < best.0 {
            best = (square, candidate);
        }
    }
    best.1
}
