//! A convex shape against a triangle of a mesh.

use super::axis::{self, Axis, Best};
use super::closest::{in_face, point_polyhedron};
use super::{Placed, Touches, clip, plane, round};
use crate::{MeshTriangle, Shape};
use pd_core::Vec3;

/// The convex shape `a` against a triangle; the normal is from the triangle to `a`.
pub(super) fn touches(a: Placed<'_>, b: (&MeshTriangle, Placed<'_>), reach: f64) -> Touches {
    let (triangle, placed) = b;
    let local = |n: &Vec3| placed.1.rotation.inverse() * n;
    match a.0 {
        Shape::Sphere { radius } => sphere(a, *radius, b, reach),
        Shape::Capsule { half, radius } => {
            let found = round::polyhedron(a, placed, reach);
            if found.len > 0 && triangle.allows(&local(&found.normal)) {
                return found;
            }
            // Over an inner edge: what lies above the triangle itself.
            let up = a.1.rotation * Vec3::new(0.0, *half, 0.0);
            let mut touches = Touches { normal: placed.1.rotation * triangle.normal(), ..Touches::default() };
            for (feature, end) in
                [a.1.translation.vector - up, a.1.translation.vector + up].iter().enumerate()
            {
                front(end, *radius, b, reach, feature as u64, &mut touches);
            }
            touches
        }
        Shape::HalfSpace | Shape::Triangle(_) => Touches::default(), // neither moves
        _ => {
            let Some(found) = axis::polyhedra(a, placed, reach) else { return Touches::default() };
            let normal = placed.1.rotation * triangle.normal();
            let axis = if triangle.allows(&local(&found.normal)) {
                found
            } else {
                Axis { best: Best::FaceB(0), normal }
            };
            let mut touches = clip::touches(a, placed, axis, reach);
            touches.keep(|p| p.gap > -triangle.depth());
            touches
        }
    }
}

/// A shape that comes to the border of a triangle on its way to a neighbour: where the two meet in a plane or a valley neither may be
/// what it is above at the time at which it is looked at, so it counts as above the plane of this one, unless it is below already.
pub(crate) fn passing(a: Placed<'_>, b: Placed<'_>, reach: f64) -> Touches {
    let (shape, (triangle, pose), flip) = match (a.0, b.0) {
        (_, Shape::Triangle(t)) => (a, (t, b.1), false),
        (Shape::Triangle(t), _) => (b, (t, a.1), true),
        _ => return Touches::default(),
    };
    let corner = pose.translation.vector + pose.rotation * triangle.corners()[0];
    let touches = plane::above(shape, pose.rotation * triangle.normal(), corner, reach);
    if touches.points().iter().any(|p| p.gap < 0.0) {
        return Touches::default();
    }
    if flip { touches.flipped() } else { touches }
}

fn sphere(a: Placed<'_>, radius: f64, b: (&MeshTriangle, Placed<'_>), reach: f64) -> Touches {
    let (triangle, placed) = b;
    let p = placed.1.rotation.inverse() * (a.1.translation.vector - placed.1.translation.vector);
    let face = &triangle.prism.faces()[0];
    let mut touches = Touches { normal: placed.1.rotation * face.normal, ..Touches::default() };
    if face.normal.dot(&p) <= face.offset {
        front(&a.1.translation.vector, radius, b, reach, 0, &mut touches);
        return touches;
    }
    let (_, n, distance) = point_polyhedron(&triangle.prism, &p);
    let gap = distance - radius;
    if gap < reach && triangle.allows(&n) {
        touches.normal = placed.1.rotation * n;
        touches.push(a.1.translation.vector - touches.normal * (radius + 0.5 * gap), gap, 0);
    }
    touches
}

/// Adds the contact of a ball whose centre is above or not too far below the triangle, along the triangle's normal.
fn front(
    centre: &Vec3,
    radius: f64,
    b: (&MeshTriangle, Placed<'_>),
    reach: f64,
    feature: u64,
    touches: &mut Touches,
) {
    let (triangle, placed) = b;
    let p = placed.1.rotation.inverse() * (centre - placed.1.translation.vector);
    let face = &triangle.prism.faces()[0];
    let height = face.normal.dot(&p) - face.offset;
    let gap = height - radius;
    if gap < reach && height > -triangle.depth() && in_face(&triangle.prism, 0, &(p - face.normal * height)) {
        touches.push(centre - touches.normal * (radius + 0.5 * gap), gap, feature);
    }
}
