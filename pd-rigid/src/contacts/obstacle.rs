//! A part of a body against an obstacle given by its signed distance.
//!
//! A part that may reach the obstacle within the step is looked at where the ball around it does: found by steps as long as the
//! distance of that ball (sphere tracing, Hart 1996), so that no obstacle is too thin for a fast body.

use super::pair::{FAST_TURN, add_core};
use super::{Manifolds, Motion, Reach};
use crate::Part;
use crate::narrow::{Touch, lowest, point_polyhedron, reduce};
use crate::solve::contact::{ContactPoint, Manifold, POINTS, tangents};
use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use pd_core::{Collider, Real, Surface, Vec3};

/// Keys of obstacles are counted down from the end of the parts' range.
const OBSTACLE: u64 = 0xffff_ffff;

/// Most points looked at.
const MOST: usize = 72;

/// Most steps towards an obstacle.
const STEPS: usize = 64;

/// Time (s) and pose of a body when the ball around a part comes within the margin of an obstacle; `None` if it does not within the step.
fn arrival(
    part: &Part,
    body: &(Isometry3<Real>, Vec3, Vec3),
    reach: &Reach,
    distance: impl Fn(Vec3) -> Real,
) -> Option<(Real, Isometry3<Real>)> {
    let radius = part.shape.reach() + part.pose.translation.vector.norm();
    let (start, v) = (body.0.translation.vector, body.1 + reach.gravity * (0.5 * reach.dt));
    let (speed, mut time) = (v.norm(), 0.0);
    for _ in 0..STEPS {
        let left = distance(start + v * time) - radius;
        if left <= reach.margin {
            break;
        }
        time += (left - 0.5 * reach.margin) / speed;
        if time.is_nan() || time >= reach.dt {
            return None;
        }
    }
    let turn = UnitQuaternion::from_scaled_axis(body.2 * time) * body.0.rotation;
    Some((time, Isometry3::from_parts(Translation3::from(start + v * time), turn)))
}

/// Adds the contacts of a part (its number and rank) with an obstacle (number, shape, time in s). Points with one normal share a
/// manifold; the deepest others have their own.
pub(super) fn touch(
    (part, p, rank): (&Part, usize, u32),
    motion: &Motion,
    reach: &Reach,
    obstacle: (usize, &dyn Collider, Real),
    manifolds: &mut Manifolds,
) {
    let body = &motion[part.body as usize];
    let far = reach.margin.max(reach.of(part, body));
    let (number, collider, time) = obstacle;
    let sample = |p: Vec3| {
        let mut surface = [Surface::default()];
        collider.sample(&[p], time, &mut surface);
        surface[0]
    };
    let (mut pose, mut ahead) = (body.0, false);
    if far > 2.0 * reach.margin {
        let Some((time, later)) = arrival(part, body, reach, |p| sample(p).distance) else { return };
        (pose, ahead) = (later, time > 0.0);
    }
    let world = pose * part.pose;
    let mut points = [(0, Vec3::zeros()); MOST];
    let mut len = 0;
    let mut look = |feature: u64, point: Vec3| {
        if len < MOST {
            points[len] = (feature, point);
            len += 1;
        }
    };
    // Round shapes have no vertices: their lowest point depends on where the obstacle is.
    let centre = sample(world.translation.vector);
    lowest((&part.shape, &world), &centre.normal, &mut look);
    if let Some(solid) = part.shape.solid() {
        let mut at = world.translation.vector;
        for feature in 0..2 {
            let surface = sample(at);
            let target = at - surface.normal * surface.distance;
            let local = world.rotation.inverse() * (target - world.translation.vector);
            let (foot, ..) = point_polyhedron(solid, &local);
            at = world.translation.vector + world.rotation * foot;
            if feature == 1 {
                look(1 << 20, at);
            }
        }
    }
    let points = &points[..len];
    let (places, mut surfaces) = (points.iter().map(|p| p.1), [Surface::default(); MOST]);
    let mut batch = [Vec3::zeros(); MOST];
    batch.iter_mut().zip(places).for_each(|(to, from)| *to = from);
    collider.sample(&batch[..len], time, &mut surfaces[..len]);
    let mut found = [(ContactPoint::default(), Vec3::zeros(), Vec3::zeros()); MOST];
    let mut near = 0;
    let fast = ahead || body.2.norm() * reach.dt > FAST_TURN;
    for (&(feature, point), surface) in points.iter().zip(&mut surfaces) {
        // A point of a fast part may be past the middle of a thin obstacle: it is held by the side on which the centre is.
        if fast && centre.distance > 0.0 && surface.distance < 0.0 && surface.normal.dot(&centre.normal) < 0.0
        {
            let below = point - (world.translation.vector - centre.normal * centre.distance);
            *surface = Surface { distance: centre.normal.dot(&below), ..centre };
        }
        if surface.distance < far && surface.normal.norm_squared() > 0.5 {
            let (place, gap) = (point - surface.normal * (0.5 * surface.distance), surface.distance);
            let core = point + surface.normal * part.shape.radius();
            let local = pose.rotation.inverse() * (core - pose.translation.vector);
            let foot = point - surface.normal * surface.distance;
            let round = [part.shape.radius(), 0.0];
            let contact =
                ContactPoint { place, gap, feature, local: [local, foot], round, ..Default::default() };
            found[near] = (contact, surface.normal, surface.velocity);
            near += 1;
        }
    }
    let found = &mut found[..near];
    let material = collider.material();
    found.sort_by(|a, b| a.0.gap.total_cmp(&b.0.gap).then(a.0.feature.cmp(&b.0.feature)));
    let manifold = |normal: Vec3, velocity: Vec3| Manifold {
        key: (p as u64) << 32 | (OBSTACLE - number as u64),
        order: u64::from(rank) << 32 | (OBSTACLE - number as u64),
        bodies: [part.body, u32::MAX],
        normal,
        tangents: tangents(&normal),
        friction: (part.friction * material.static_friction).sqrt(),
        restitution: part.restitution.max(material.restitution),
        drag: velocity,
        meets: ahead || normal.dot(&(velocity - body.1)) * reach.dt > 2.0 * reach.margin,
        ..Manifold::default()
    };
    let Some(&(_, normal, velocity)) = found.first() else { return };
    let mut flat = [Touch::default(); MOST];
    let mut count = 0;
    let alike = |n: &Vec3| n.dot(&normal) > 1.0 - 1e-9;
    for (point, ..) in found.iter().filter(|f| alike(&f.1)) {
        flat[count] = Touch { place: point.place, gap: point.gap, feature: point.feature };
        count += 1;
    }
    let kept = reduce(normal, &flat[..count]);
    let mut first = manifold(normal, velocity);
    for (point, ..) in
        found.iter().filter(|f| kept.points().iter().any(|t| alike(&f.1) && t.feature == f.0.feature))
    {
        first.points[first.len as usize] = *point;
        first.len += 1;
    }
    if first.meets || fast {
        add_core(&mut first, 0, part, &[pose, Isometry3::identity()], POINTS);
    }
    manifolds.push(first);
    for &(point, normal, velocity) in found.iter().filter(|f| !alike(&f.1)).take(POINTS) {
        let mut single = manifold(normal, velocity);
        (single.points[0], single.len) = (point, 1);
        manifolds.push(single);
    }
}
