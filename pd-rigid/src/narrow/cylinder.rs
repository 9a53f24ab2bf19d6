//! A cylinder on a face: its rims touch at their lowest points, wherever the sides of its prism are, so that it rolls as a round
//! body does.

use super::plane::above;
use super::{Placed, Touches};
use crate::Shape;
use pd_core::{Real, Vec3};

/// Cosine of the largest angle between the axis along which prism and polyhedron overlap least and a face that is meant: a little
/// more than half of the angle between two sides of the prism.
const MEANT: Real = 0.99;

/// Where a cylinder touches a face of another shape that all of its lowest points are above, or the other way round; `None` where no
/// shape is a cylinder or none of the faces is met so. The normal is that of the prism.
pub(super) fn touches(a: Placed<'_>, b: Placed<'_>, normal: &Vec3, reach: Real) -> Option<Touches> {
    match (a.0, b.0) {
        (Shape::Cylinder { .. }, _) => on_face(a, b, normal, reach),
        (_, Shape::Cylinder { .. }) => on_face(b, a, &-normal, reach).map(Touches::flipped),
        _ => None,
    }
}

fn on_face(cylinder: Placed<'_>, other: Placed<'_>, normal: &Vec3, reach: Real) -> Option<Touches> {
    let solid = other.0.solid()?;
    let local = other.1.rotation.inverse() * normal;
    let k = solid.face_along(&local);
    let face = &solid.faces()[k];
    // Of another cylinder only the ends are flat.
    let flat = !matches!(other.0, Shape::Cylinder { .. }) || face.normal.y.abs() > MEANT;
    if !flat || face.normal.dot(&local) < MEANT {
        return None;
    }
    let into_world = |p: &Vec3| other.1.translation.vector + other.1.rotation * p;
    let origin = into_world(&solid.vertices()[face.corners[0] as usize]);
    let found = above(cylinder, other.1.rotation * face.normal, origin, reach);
    let over = |place: &Vec3| {
        let p = other.1.rotation.inverse() * (place - other.1.translation.vector);
        super::closest::in_face(solid, k, &p)
    };
    (found.len > 0 && found.points().iter().all(|p| over(&p.place))).then_some(found)
}
