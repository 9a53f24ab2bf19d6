//! A part of a body against an obstacle given by its signed distance.

use super::{Motion, Reach};
use crate::Part;
use crate::narrow::{lowest, point_polyhedron};
use crate::solve::contact::{ContactPoint, Manifold, POINTS, tangents};
use pd_core::{Collider, Real, Vec3};

/// Keys of obstacles are counted down from the end of the parts' range.
const OBSTACLE: u64 = 0xffff_ffff;

/// Most points looked at.
const MOST: usize = 72;

/// Adds the contacts of part number `p` with an obstacle (number, shape, time in s). Points with one normal share a
/// manifold; the deepest others have their own.
pub(super) fn touch(
    part: &Part,
    p: usize,
    motion: &Motion,
    reach: &Reach,
    obstacle: (usize, &dyn Collider, Real),
    manifolds: &mut Vec<Manifold>,
) {
    let body = &motion[part.body as usize];
    let world = body.0 * part.pose;
    let far = reach.margin.max(reach.of(part, body));
    let (number, collider, time) = obstacle;
    let mut found = [(ContactPoint::default(), Vec3::zeros(), Vec3::zeros()); MOST];
    let mut len = 0;
    // Round shapes have no vertices: their lowest point depends on where the obstacle is.
    let towards = collider.sample(&world.translation.vector, time).normal;
    let mut look = |feature: u64, point: Vec3| {
        let surface = collider.sample(&point, time);
        if surface.distance < far && len < MOST && surface.normal.norm_squared() > 0.5 {
            let place = point - surface.normal * (0.5 * surface.distance);
            let local = body.0.rotation.inverse() * (place - body.0.translation.vector);
            let contact = ContactPoint {
                place,
                gap: surface.distance,
                feature,
                local: [local, place],
                ..Default::default()
            };
            found[len] = (contact, surface.normal, surface.velocity);
            len += 1;
        }
    };
    lowest((&part.shape, &world), &towards, &mut look);
    if let Some(solid) = part.shape.solid() {
        let mut at = world.translation.vector;
        for feature in 0..2 {
            let surface = collider.sample(&at, time);
            let target = at - surface.normal * surface.distance;
            let local = world.rotation.inverse() * (target - world.translation.vector);
            let (foot, ..) = point_polyhedron(solid, &local);
            at = world.translation.vector + world.rotation * foot;
            if feature == 1 {
                look(1 << 20, at);
            }
        }
    }
    let found = &mut found[..len];
    found.sort_by(|a, b| a.0.gap.total_cmp(&b.0.gap).then(a.0.feature.cmp(&b.0.feature)));
    let key = (p as u64) << 32 | (OBSTACLE - number as u64);
    let mut added = 0;
    for &(point, normal, velocity) in found.iter() {
        let last = manifolds.len();
        let same = manifolds[last - added..].iter_mut().find(|m| m.normal.dot(&normal) > 1.0 - 1e-9);
        match same {
            Some(m) if m.len < POINTS => {
                m.points[m.len] = point;
                m.len += 1;
            }
            Some(_) => {}
            None if added < POINTS => {
                let mut m = Manifold {
                    key,
                    bodies: [part.body, u32::MAX],
                    normal,
                    tangents: tangents(&normal),
                    friction: part.friction,
                    restitution: part.restitution,
                    drag: velocity,
                    len: 1,
                    ..Manifold::default()
                };
                m.points[0] = point;
                manifolds.push(m);
                added += 1;
            }
            None => {}
        }
    }
}
