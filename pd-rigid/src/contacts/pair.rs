//! Contact of two parts that are near each other or meet within the step.

use super::{Motion, Reach};
use crate::narrow::{BoxAt, Moving, Touches, above, meeting, nearest, passing, touches};
use crate::solve::contact::{ContactPoint, Manifold, POINTS, tangents};
use crate::{Part, RigidModel, Shape};
use nalgebra::{Isometry3, Point3};
use pd_core::{Aabb, Mat3, Real, Vec3};

/// Turn of a body in a step beyond which its points of contact do not stand for it, rad.
pub(super) const FAST_TURN: Real = 0.3;

/// The box of a part, grown by what its body may move in a step and half of the margin.
pub(super) fn swept(
    model: &RigidModel,
    part: &Part,
    placed: &Placed,
    motion: &Motion,
    reach: &Reach,
) -> Aabb {
    let (_, v, w) = &motion[part.body as usize];
    let mut bounds = match &part.shape {
        Shape::Cuboid { half, .. } => {
            let (centre, reach) = (placed.pose.translation.vector, placed.as_box.turn.abs() * half);
            Aabb { min: centre - reach, max: centre + reach }
        }
        shape => shape.bounds(&placed.pose),
    };
    let fall = if model.is_dynamic(part.body as usize) { reach.gravity * reach.dt } else { Vec3::zeros() };
    let far = part.shape.reach() + part.pose.translation.vector.norm();
    let turn = if far.is_finite() { w.norm() * far } else { 0.0 };
    for axis in 0..3 {
        let grow = (v[axis].abs() + fall[axis].abs() + turn) * reach.dt + 0.5 * reach.margin;
        bounds.min[axis] -= grow;
        bounds.max[axis] += grow;
    }
    bounds
}

/// A part where it is at the start of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    /// Its pose in the world.
    pub(super) pose: Isometry3<Real>,
    /// As a box, and whether it is one; how far it may come, in any case.
    pub(super) as_box: BoxAt,
    pub(super) is_box: bool,
    /// Rotation of its body.
    body_turn: Mat3,
}

impl Placed {
    pub(super) fn new(part: &Part, motion: &Motion, reach: &Reach) -> Self {
        let body = &motion[part.body as usize];
        let pose = body.0 * part.pose;
        let (half, is_box) = match &part.shape {
            Shape::Cuboid { half, .. } => (*half, true),
            _ => (Vec3::zeros(), false),
        };
        let as_box = BoxAt {
            turn: pose.rotation.to_rotation_matrix().into_inner(),
            centre: pose.translation.vector,
            half,
            far: reach.of(part, body),
        };
        Self { pose, as_box, is_box, body_turn: body.0.rotation.to_rotation_matrix().into_inner() }
    }
}

/// Manifold of a pair of parts. Where they are not near yet but may meet within the step, it is the one at the moment they
/// do: what is nearest now need not be what touches then. Points at the start of the step may be known already.
pub(super) fn touch(
    model: &RigidModel,
    placed: &[Placed],
    motion: &Motion,
    reach: &Reach,
    pair: [u32; 2],
    found: Option<Touches>,
    m: &mut Manifold,
) {
    let parts = pair.map(|k| &model.parts()[k as usize]);
    let bodies = parts.map(|part| &motion[part.body as usize]);
    let at = pair.map(|k| &placed[k as usize]);
    let far = reach.margin.max(at[0].as_box.far + at[1].as_box.far);
    let mut found =
        found.unwrap_or_else(|| touches((&parts[0].shape, &at[0].pose), (&parts[1].shape, &at[1].pose), far));
    let mut later = None;
    let unbounded = parts.iter().any(|part| part.shape == Shape::HalfSpace);
    let near = found.points().iter().any(|p| p.gap < reach.margin);
    let ahead = far > 2.0 * reach.margin && !near && !unbounded;
    if ahead {
        let moving = [0, 1].map(|k: usize| {
            let dynamic = model.is_dynamic(parts[k].body as usize);
            let fall = if dynamic { reach.gravity * (0.5 * reach.dt) } else { Vec3::zeros() };
            let (body, part) = (&bodies[k].0, &parts[k].pose);
            Moving { shape: &parts[k].shape, body, part, v: bodies[k].1 + fall, w: bodies[k].2 }
        });
        let Some((time, distance)) = meeting(&moving[0], &moving[1], reach.dt, 0.25 * reach.margin) else {
            return;
        };
        let poses = moving.map(|m| m.body_at(time));
        let [a, b] = [0, 1].map(|k: usize| poses[k] * parts[k].pose);
        let (a, b) = ((&parts[0].shape, &a), (&parts[1].shape, &b));
        let far = reach.margin + 2.0 * distance;
        found = touches(a, b, far);
        if found.len == 0 {
            found = passing(a, b, far);
        }
        later = Some((poses, poses.map(|pose| pose.rotation.to_rotation_matrix().into_inner())));
    }
    let (poses, turns) = match &later {
        Some(([a, b], [ra, rb])) => ([a, b], [ra, rb]),
        None => ([&bodies[0].0, &bodies[1].0], [&at[0].body_turn, &at[1].body_turn]),
    };
    for k in 0..2 {
        if found.len > 0 && bodies[k].2.norm() * reach.dt > FAST_TURN {
            found = on_its_side(found, k, parts, poses, far);
        }
    }
    if found.len == 0 {
        return;
    }
    // What is near already and comes on fast meets at speed as well.
    let closing = found.normal.dot(&(bodies[1].1 - bodies[0].1)) * reach.dt;
    let meets = ahead || (closing > 2.0 * reach.margin && !unbounded);
    let [first, second] = pair.map(|part| u64::from(model.rank[part as usize]));
    // Written in place: what is behind the last point is never read.
    m.key = u64::from(pair[0]) << 32 | u64::from(pair[1]);
    m.order = first << 32 | second;
    m.bodies = parts.map(|part| part.body);
    (m.normal, m.tangents, m.drag) = (found.normal, tangents(&found.normal), Vec3::zeros());
    m.friction = (parts[0].friction * parts[1].friction).sqrt();
    m.restitution = parts[0].restitution.max(parts[1].restitution);
    (m.meets, m.len) = (meets, found.len as u32);
    let shapes = [&parts[0].shape, &parts[1].shape];
    let rolls = shapes.map(|shape| matches!(shape, Shape::Cylinder { .. }));
    let mut round = [shapes[0].radius(), shapes[1].radius()];
    let centres = [poses[0].translation.vector, poses[1].translation.vector];
    for (point, touch) in m.points.iter_mut().zip(found.points()) {
        (point.place, point.gap, point.feature) = (touch.place, touch.gap, touch.feature);
        for k in (0..2).filter(|&k| rolls[k]) {
            let n = if k == 0 { found.normal } else { -found.normal };
            let on = touch.place + n * (0.5 * touch.gap);
            round[k] = shapes[k].rolls(&(poses[k] * parts[k].pose), &n, &on);
        }
        (point.round, point.force) = (round, [0.0; 3]);
        // Half of the gap from the place to each surface, and on to the core.
        let on_a = touch.place + found.normal * (0.5 * touch.gap + round[0]);
        let on_b = touch.place - found.normal * (0.5 * touch.gap + round[1]);
        point.local[0] = turns[0].tr_mul(&(on_a - centres[0]));
        point.local[1] = turns[1].tr_mul(&(on_b - centres[1]));
    }
    let mut last = POINTS;
    for k in 0..2 {
        // A part that meets another at speed may turn fast afterwards.
        let turns = meets || bodies[k].2.norm() * reach.dt > FAST_TURN;
        if turns
            && model.is_dynamic(parts[k].body as usize)
            && add_core(m, k, parts[k], &[*poses[0], *poses[1]], last)
        {
            last -= 1;
        }
    }
}

/// What turns fast may end a step deep in a thin part, of which the other side is then nearer. As long as its centre is on one side
/// of the other part, it is held there: as above a plane through the nearest point.
fn on_its_side(
    found: Touches,
    k: usize,
    parts: [&Part; 2],
    poses: [&Isometry3<Real>; 2],
    far: Real,
) -> Touches {
    let other = &parts[1 - k].shape;
    let deepest = found.points().iter().map(|p| p.gap).fold(0.0, Real::min);
    let Some((centre, radius)) = parts[k].shape.inner_ball() else { return found };
    if deepest > -radius || matches!(other, Shape::HalfSpace | Shape::Triangle(_)) {
        return found;
    }
    let [own, its] = [k, 1 - k].map(|k: usize| poses[k] * parts[k].pose);
    let at = (own * Point3::from(centre)).coords;
    let foot = (its * Point3::from(nearest(other, &local(&its, &at)))).coords;
    let middle = (its * Point3::from(other.centre())).coords;
    let sign = if k == 0 { 1.0 } else { -1.0 };
    match (at - foot).try_normalize(1e-9) {
        // Outside of the other part and seen from another side than that of the contact.
        Some(n) if n.dot(&(foot - middle)) > 0.0 && n.dot(&found.normal) * sign < 0.5 => {
            let held = above((&parts[k].shape, &own), n, foot, far);
            if k == 0 { held } else { held.flipped() }
        }
        _ => found,
    }
}

/// A point of the world in the frame of a body.
fn local(pose: &Isometry3<Real>, p: &Vec3) -> Vec3 {
    pose.rotation.inverse() * (p - pose.translation.vector)
}

/// Adds the ball inside a part that turns far within the step: the points that touch now are elsewhere soon, and this one
/// stays. It takes the place of one of the first `most` points if there is none free. Returns whether there is such a ball.
pub(super) fn add_core(
    m: &mut Manifold,
    k: usize,
    part: &Part,
    poses: &[Isometry3<Real>; 2],
    most: usize,
) -> bool {
    let Some((centre, radius)) = part.shape.inner_ball() else { return false };
    let points = &m.points[..most.min(m.len as usize)];
    let Some(deepest) = points.iter().min_by(|p, q| p.gap.total_cmp(&q.gap)).copied() else { return false };
    let core = (poses[k] * part.pose * nalgebra::Point3::from(centre)).coords;
    let sign = if k == 0 { 1.0 } else { -1.0 };
    // Above the surface of the other part, which is half a gap from the place.
    let height = m.normal.dot(&(core - deepest.place)) * sign + 0.5 * deepest.gap;
    let foot = core - m.normal * (height * sign);
    let at = if (m.len as usize) < POINTS { m.len as usize } else { most - 1 };
    let (gap, other) = (height - radius, 1 - k);
    let mut point = ContactPoint { place: foot, gap, feature: 1 << 41 | k as u64, ..ContactPoint::default() };
    point.round[k] = radius;
    point.local[k] = local(&poses[k], &core);
    point.local[other] = local(&poses[other], &foot);
    m.points[at] = point;
    m.len = m.len.max(at as u32 + 1);
    true
}
